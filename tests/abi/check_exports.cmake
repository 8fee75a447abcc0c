# cmake -DNM=… -DLIBRARY=… -P check_exports.cmake: fails unless the library exports exactly the contract's two symbols.
execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE listing
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+" symbols "${listing}")
list(TRANSFORM symbols STRIP)
list(SORT symbols)
set(expected "dp_engine_manifest;dp_engine_open")
if(NOT symbols STREQUAL expected)
  message(FATAL_ERROR "${LIBRARY} exports '${symbols}', expected '${expected}'")
endif()
