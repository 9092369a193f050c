# SPDX-License-Identifier: MIT
#
# Our headers define no macro in a user's code but LLMES_ ones and those of the standard headers that they include.
cmake_minimum_required(VERSION 3.21)

# macros_of(<variable> <source text>)
function(macros_of variable text)
  file(WRITE ${WORK}/${variable}.cpp "${text}")
  execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -dM -E ${WORK}/${variable}.cpp OUTPUT_VARIABLE output
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "#define [A-Za-z0-9_]+" macros "${output}")
  set(${variable} ${macros} PARENT_SCOPE)
endfunction()

set(includes)
file(GLOB_RECURSE headers ${INCLUDE}/llmes/*.hpp)
list(FILTER headers EXCLUDE REGEX "/engine[/.]") # not part of llmes.hpp
foreach(header IN LISTS headers)
  file(STRINGS ${header} lines REGEX "^#include <[a-z_]+>$") # a standard header; one of the system has a dot
  list(APPEND includes ${lines})
endforeach()
list(JOIN includes "\n" includes)

macros_of(standard "${includes}\n")
macros_of(ours "#include <llmes/llmes.hpp>\n")
if(NOT "#define LLMES_VERSION_MAJOR" IN_LIST ours OR "#define LLMES_VERSION_MAJOR" IN_LIST standard)
  message(FATAL_ERROR "this test has lost what it compares")
endif()
list(REMOVE_ITEM ours ${standard})
list(FILTER ours EXCLUDE REGEX "#define LLMES_")
if(ours)
  message(FATAL_ERROR "our headers define in a user's code: ${ours}")
endif()
