# diskproof_add_engine(NAME SOURCES ... LIBRARIES ... [COMPONENT ...]): the shared library diskproof_engine_NAME, which exports the two
# symbols of the contract and nothing else, is built into <build>/engines and installed to lib/diskproof/engines.
set(DISKPROOF_ENGINE_MAP ${CMAKE_CURRENT_LIST_DIR}/engine.map CACHE INTERNAL "symbols that an engine exports")

function(diskproof_add_engine name)
  cmake_parse_arguments(arg "" "COMPONENT" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "diskproof_add_engine: '${name}' is not an engine's name; expected [a-z][a-z0-9_]*")
  endif()
  set(target diskproof_engine_${name})
  add_library(${target} MODULE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE diskproof::engine_sdk ${arg_LIBRARIES})
  set_target_properties(
    ${target}
    PROPERTIES PREFIX ""
               C_VISIBILITY_PRESET hidden
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/engines)
  if(UNIX AND NOT APPLE)
    target_link_options(${target} PRIVATE LINKER:--version-script=${DISKPROOF_ENGINE_MAP})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${DISKPROOF_ENGINE_MAP})
    if(NOT DISKPROOF_SANITIZE) # a missing symbol is an error here, not at the first phase
      target_link_options(${target} PRIVATE LINKER:-z,defs)
    endif()
  endif()
  set(component "")
  if(arg_COMPONENT)
    set(component COMPONENT ${arg_COMPONENT})
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib/diskproof/engines ${component})
endfunction()
