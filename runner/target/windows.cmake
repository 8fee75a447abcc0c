# What Windows says of disks, and what follows from it, on every system; and the calls of Windows themselves.
set(target_sources share_path windows_argv windows_descriptor windows_format windows_records windows_use)
if(WIN32)
  list(APPEND target_sources device_claim_windows disk_records_windows filesystem_steps_windows storage_query_windows
       tool_windows volume_records_windows)
endif()
list(TRANSFORM target_sources PREPEND target/)
list(TRANSFORM target_sources APPEND .cpp)
target_sources(diskproof_target PRIVATE ${target_sources})
