# Everything the runner needs, from the distribution's packages. Engines look up their own optional libraries.
find_package(Threads REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp) # 0.7 exports the plain name only
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
if(CMAKE_CROSSCOMPILING)
  find_package(Boost 1.74 MODULE REQUIRED) # a folder of headers, without a package
else()
  find_package(Boost 1.74 CONFIG REQUIRED) # headers only: DLL, Math, Random
endif()
add_library(diskproof_boost INTERFACE)
target_link_libraries(diskproof_boost INTERFACE Boost::headers ${CMAKE_DL_LIBS})
target_compile_definitions(diskproof_boost INTERFACE BOOST_DLL_USE_STD_FS)
find_package(fmt 9 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(pugixml REQUIRED)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  find_path(BLKID_INCLUDE_DIR blkid/blkid.h REQUIRED) # libblkid-dev: what a device holds
  find_library(BLKID_LIBRARY blkid REQUIRED)
  mark_as_advanced(BLKID_INCLUDE_DIR BLKID_LIBRARY)
endif()
if(DISKPROOF_TESTS)
  find_package(doctest REQUIRED)
endif()
