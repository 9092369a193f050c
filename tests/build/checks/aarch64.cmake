# SPDX-License-Identifier: MIT
#
# The engine on AArch64, compiled by CROSS and run by QEMU: each of its headers compiles alone, the examples give what
# they give here, and so do venue_elsewhere.cpp and engine_elsewhere.cpp, the latter with the instruction for checksums
# and without it.
cmake_minimum_required(VERSION 3.21)
set(flags -std=c++20 -I${SOURCES}/include -I${SOURCES} -Wall -Wextra -Wpedantic -Wconversion -Werror)

# run(<command> <argument>...): what it prints is left in `output`; a failure ends the script.
macro(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
endmacro()

file(MAKE_DIRECTORY ${WORK})
file(GLOB_RECURSE headers ${SOURCES}/include/llmes/engine/*.hpp)
list(APPEND headers ${SOURCES}/include/llmes/engine.hpp)
foreach(header ${headers})
  file(WRITE ${WORK}/alone.cpp "#include \"${header}\"\n")
  run(${CROSS} ${flags} -fsyntax-only ${WORK}/alone.cpp)
endforeach()

function(expect_from_aarch64 source expected)
  run(${CROSS} ${flags} -static -O1 ${ARGN} ${SOURCES}/${source} -o ${WORK}/elsewhere -pthread)
  run(${QEMU} ${WORK}/elsewhere)
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${source} prints on AArch64:\n${output}instead of:\n${expected}")
  endif()
endfunction()

foreach(example exchange venue_day)
  file(READ ${SOURCES}/examples/expected/${example}.txt expected)
  expect_from_aarch64(examples/${example}.cpp "${expected}")
endforeach()

set(source tests/build/checks/engine_elsewhere.cpp)
run(${COMPILER} ${flags} -O1 ${SOURCES}/${source} -o ${WORK}/here -pthread)
run(${WORK}/here)
expect_from_aarch64(${source} "${output}")
expect_from_aarch64(${source} "${output}" -march=armv8-a+crc)

set(source tests/build/checks/venue_elsewhere.cpp)
run(${COMPILER} ${flags} -O3 ${SOURCES}/${source} -o ${WORK}/here)
run(${WORK}/here)
expect_from_aarch64(${source} "${output}")
