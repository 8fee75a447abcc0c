# find_package(diskproof_engine_sdk): the target diskproof::engine_sdk and the function diskproof_add_engine.
include(${CMAKE_CURRENT_LIST_DIR}/diskproof_engine_sdk-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/diskproof_add_engine.cmake)
get_property(diskproof_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST diskproof_languages) # an engine may be written in C alone
  target_compile_features(diskproof::engine_sdk INTERFACE cxx_std_20)
endif()
