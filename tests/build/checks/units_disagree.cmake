# SPDX-License-Identifier: MIT
#
# Two units that hand a book to each other link if both or neither define LLMES_CHECK_PRECONDITIONS, and do not link
# if one does: they would disagree about what a book looks like.
cmake_minimum_required(VERSION 3.21)
file(WRITE ${WORK}/callee.cpp "#include <llmes/book.hpp>\nvoid trade(llmes::OrderBook<>&) {}\n")
file(WRITE ${WORK}/caller.cpp "#include <llmes/book.hpp>\nvoid trade(llmes::OrderBook<>&);\n"
                              "void open(llmes::OrderBook<>& book) { trade(book); }\nint main() {}\n")

set(plain)
set(checked -DLLMES_CHECK_PRECONDITIONS)
foreach(unit callee caller)
  foreach(kind plain checked)
    execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} ${${kind}} -c ${unit}.cpp -o ${unit}_${kind}.o
                    WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()

foreach(callee plain checked)
  foreach(caller plain checked)
    execute_process(COMMAND ${COMPILER} callee_${callee}.o caller_${caller}.o -o program WORKING_DIRECTORY ${WORK}
                    RESULT_VARIABLE status ERROR_VARIABLE errors)
    if(caller STREQUAL callee)
      if(NOT status EQUAL 0)
        message(FATAL_ERROR "two units, both ${callee}, do not link:\n${errors}")
      endif()
    elseif(NOT errors MATCHES "[Uu]ndefined.*trade\\(llmes::v[0-9_a-z]+::OrderBook")
      message(FATAL_ERROR "a ${caller} unit calls a ${callee} one, and the linker does not say that they differ:\n${errors}")
    endif()
  endforeach()
endforeach()
