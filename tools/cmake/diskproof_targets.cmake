# Compile options and the functions that declare runner modules and tests.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Which of the files x_linux.cpp and x_windows.cpp is compiled.
if(WIN32)
  set(DISKPROOF_PLATFORM windows)
else()
  set(DISKPROOF_PLATFORM linux)
endif()

# Tests of a build for Windows run under wine, to which the build machine's files are a drive.
set(DISKPROOF_DRIVE "")
set(DISKPROOF_UNIT_LABEL unit)
if(WIN32 AND CMAKE_CROSSCOMPILING)
  set(DISKPROOF_DRIVE "Z:")
  set(DISKPROOF_UNIT_LABEL wine)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_COMMAND} -E env WINEPREFIX=${CMAKE_BINARY_DIR}/wineprefix
                                    ${PROJECT_SOURCE_DIR}/tools/lib/under_wine)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

if(WIN32)
  add_compile_definitions(_WIN32_WINNT=0x0A00 NOMINMAX WIN32_LEAN_AND_MEAN UNICODE)
endif()
if(MINGW)
  add_link_options(-static) # so that nothing but diskproof.exe and its engines is to be carried about
  add_link_options(-Wl,--stack,8388608) # as on Linux: what a phase measured takes half a megabyte
elseif(MSVC)
  add_link_options(/STACK:8388608)
endif()
if(MSVC)
  add_compile_options(/W4 /permissive- /utf-8)
else()
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # At -O3 GCC 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
    add_compile_options(-Wno-restrict)
  endif()
endif()
if(DISKPROOF_WERROR)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()
if(DISKPROOF_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(DISKPROOF_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(NOT DISKPROOF_SANITIZE STREQUAL "")
  message(FATAL_ERROR "DISKPROOF_SANITIZE is '${DISKPROOF_SANITIZE}': expected address, thread or empty")
endif()

# diskproof_module(NAME SOURCES ... DEPENDS ...): one folder of runner/ as a static library `diskproof_NAME`.
# DEPENDS lists only modules below it, so the link graph enforces the one-way pipeline.
function(diskproof_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(diskproof_${name} STATIC ${arg_SOURCES})
  target_include_directories(diskproof_${name} PUBLIC ${PROJECT_SOURCE_DIR}/runner)
  target_link_libraries(diskproof_${name} PUBLIC ${arg_DEPENDS})
  set_target_properties(diskproof_${name} PROPERTIES UNITY_BUILD ${DISKPROOF_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# diskproof_unit_test(MODULE SOURCES ... DEPENDS ...): tests of one module, label `unit`, one ctest entry per test case.
function(diskproof_unit_test module)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(unit_${module} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/doctest_main.cpp)
  target_include_directories(unit_${module} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(unit_${module} PRIVATE DISKPROOF_SOURCE_DIR="${DISKPROOF_DRIVE}${PROJECT_SOURCE_DIR}"
                                                    DISKPROOF_ENGINE_SUFFIX="${CMAKE_SHARED_MODULE_SUFFIX}")
  target_link_libraries(unit_${module} PRIVATE diskproof_${module} ${arg_DEPENDS} doctest::doctest)
  add_test(NAME unit/${module} COMMAND unit_${module})
  set_tests_properties(unit/${module} PROPERTIES LABELS ${DISKPROOF_UNIT_LABEL} TIMEOUT 180)
endfunction()
