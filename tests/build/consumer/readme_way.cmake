# SPDX-License-Identifier: MIT
#
# Builds and runs the program of the README in one of the ways that the page on installing prints, with exactly those
# lines. The README prints two of them; readme_test.py compares. WAY is subdirectory, fetch, install or include_path. The other parameters: run.cmake.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# ---- What is printed.
file(READ ${SOURCES}/README.md readme)
file(READ ${SOURCES}/report/guide/install.md page)
string(REGEX MATCHALL "```(sh|cmake)\n[^`]*" blocks "${page}")

# printed(<variable> <words>): the block that has these words.
function(printed variable words)
  set(found ${blocks})
  list(FILTER found INCLUDE REGEX "${words}")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "install.md has ${count} blocks with '${words}', not 1")
  endif()
  string(REGEX REPLACE "^```[a-z]+\n" "" found "${found}")
  string(REGEX REPLACE "sudo apt [^\n]*\n" "" found "${found}") # toolchain.bare_debian has no package but these
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

string(REGEX MATCH "```cpp\n([^`]*)" ignored "${readme}")
set(program "${CMAKE_MATCH_1}")
string(REGEX MATCH "```text\n([^`]*)" ignored "${readme}")
set(expected "${CMAKE_MATCH_1}")

# ---- The folder of a user, who has these sources in llmes/.
file(WRITE ${WORK}/hello.cpp "${program}")
file(CREATE_LINK ${SOURCES} ${WORK}/llmes SYMBOLIC)
find_program(compiler ${COMPILER} REQUIRED)
file(MAKE_DIRECTORY ${WORK}/bin)
file(CREATE_LINK ${compiler} ${WORK}/bin/c++ SYMBOLIC)
cmake_path(GET CMAKE_COMMAND PARENT_PATH cmake_folder)
set(ENV{PATH} ${WORK}/bin:${cmake_folder}:$ENV{PATH})
set(ENV{HOME} ${WORK}/home)
set(ENV{CXX} c++)

# ---- The way.
if(WAY STREQUAL include_path)
  printed(commands "-I llmes/include")
  run(sh -e -c "${commands}")
  set(hello ${WORK}/hello)
else()
  printed(lists "add_subdirectory")
  if(WAY STREQUAL fetch)
    printed(way "FetchContent_Declare")
    # The address that is printed leads to a repository with no more than users need.
    string(REGEX MATCH "GIT_REPOSITORY ([^ )]*)" ignored "${way}")
    file(COPY ${SOURCES}/CMakeLists.txt ${SOURCES}/LICENSE ${SOURCES}/include DESTINATION ${WORK}/published)
    run(git -c init.defaultBranch=main init --quiet published)
    run(git -C published add .)
    run(git -C published -c user.name=x -c user.email=x commit --quiet --message=x)
    set(ENV{GIT_CONFIG_COUNT} 1)
    set(ENV{GIT_CONFIG_KEY_0} url.file://${WORK}/published.insteadOf)
    set(ENV{GIT_CONFIG_VALUE_0} ${CMAKE_MATCH_1})
  elseif(WAY STREQUAL install)
    printed(way "find_package")
    printed(install "cmake --install")
  else()
    set(way "add_subdirectory(llmes)\n")
  endif()
  string(REPLACE "add_subdirectory(llmes)\n" "${way}" lists "${lists}")
  file(WRITE ${WORK}/CMakeLists.txt "${lists}include(\"${CMAKE_CURRENT_LIST_DIR}/what_reaches_a_user.cmake\")\n")
  printed(build "cmake --build")
  run(sh -e -c "${install}${build}")
  set(hello ${WORK}/build/hello)
  # Whoever does what is printed gets a program that is optimised.
  file(STRINGS ${WORK}/build/CMakeCache.txt type REGEX "^CMAKE_BUILD_TYPE:")
  if(NOT type MATCHES "=Release$")
    message(FATAL_ERROR "install.md builds without optimisation: ${type}")
  endif()
endif()

execute_process(COMMAND ${hello} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${hello} printed:\n${output}")
endif()
