# find_package(diskproof_engine_sdk): the target diskproof::engine_sdk and the function diskproof_add_engine.
include(${CMAKE_CURRENT_LIST_DIR}/diskproof_engine_sdk-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/diskproof_add_engine.cmake)
