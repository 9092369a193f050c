# SPDX-License-Identifier: MIT
#
# The tests that read what a compiler prints pass whatever the folder of the repository is called, and wherever it lies:
# SOURCES is configured with COMPILER and GENERATOR by a link in WORK that has the name which `git clone` gives, in a folder
# with a space and a plus. The tests of scripts and of users' projects have folders of such names themselves.
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE ${WORK})
set(folder "${WORK}/a b+c")
file(MAKE_DIRECTORY ${folder})
file(CREATE_LINK ${SOURCES} ${folder}/llmes SYMBOLIC)

# run(<command>...): what it prints is in `output`; a failure ends the script.
macro(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "in ${folder}/llmes:\n${output}")
  endif()
endmacro()

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${folder}/llmes -B ${folder}/build -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_BUILD_TYPE=Debug -D LLMES_BUILD_BENCHMARKS=OFF -D LLMES_BUILD_EXAMPLES=OFF -D LLMES_BUILD_TESTS=ON)
file(STRINGS ${folder}/build/CMakeCache.txt seen REGEX "^CMAKE_HOME_DIRECTORY:.*a b[+]c/llmes$")
if(NOT seen)
  message(FATAL_ERROR "this test has lost the name of the folder")
endif()
run(${CMAKE_CTEST_COMMAND} --test-dir ${folder}/build --output-on-failure --no-tests=error -R "^build[.]refuses_[a-z0-9_]+$"
    -E "mistakes")
