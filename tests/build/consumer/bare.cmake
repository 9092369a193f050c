# SPDX-License-Identifier: MIT
#
# A machine with none of the packages that tests and benchmarks need: the core installs, one line for each part says
# what is left out, and a part that was asked for is an error. Parameters: run.cmake.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(none)
foreach(package GTest Python3 benchmark absl nlohmann_json)
  list(APPEND none -D CMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

function(configure)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCES} -B ${WORK}/build ${none} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}") # however CMake broke its lines
  set(status ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect words)
  if(NOT output MATCHES "${words}")
    message(FATAL_ERROR "CMake did not say '${words}', but:\n${output}")
  endif()
endfunction()

configure()
expect("-- llmes: leaves out the tests, which need what is missing here: GTest, Python3 -- llmes:")
expect("-- llmes: leaves out the benchmarks, which need what is missing here: benchmark, absl -- ")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
run(${CMAKE_COMMAND} --install build --prefix ${WORK}/installed)

foreach(part TESTS BENCHMARKS)
  configure(-D LLMES_BUILD_${part}=ON)
  expect("LLMES_BUILD_${part} is ON, but the [a-z]+ need what is missing here: [A-Za-z]+, ")
  if(status EQUAL 0)
    message(FATAL_ERROR "LLMES_BUILD_${part}=ON was not built, and yet no error")
  endif()
  file(REMOVE_RECURSE ${WORK}/build)
endforeach()
