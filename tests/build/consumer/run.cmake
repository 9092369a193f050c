# SPDX-License-Identifier: MIT
#
# What the scripts here share: WORK, emptied, and SOURCES, the repository, to be built with COMPILER, FLAGS and, if
# given, GENERATOR, by the cmake that runs the script.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{CXX} ${COMPILER})
set(ENV{CXXFLAGS} "${FLAGS}")
if(GENERATOR)
  set(ENV{CMAKE_GENERATOR} ${GENERATOR})
endif()

# run(<command> <argument>...): in WORK; a failure ends the script.
function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# build_project(<folder> <argument>...): the CMake project in that folder of WORK.
function(build_project folder)
  run(${CMAKE_COMMAND} -S ${folder} -B ${folder}/build ${ARGN})
  run(${CMAKE_COMMAND} --build ${folder}/build)
endfunction()

# install_llmes(<folder> <argument>...): the repository, without what users need not, to that folder of WORK.
function(install_llmes folder)
  run(${CMAKE_COMMAND} -S ${SOURCES} -B build -D LLMES_BUILD_TESTS=OFF -D LLMES_BUILD_BENCHMARKS=OFF
      -D LLMES_BUILD_EXAMPLES=OFF -D CMAKE_INSTALL_PREFIX=${WORK}/${folder} ${ARGN})
  run(${CMAKE_COMMAND} --install build)
endfunction()
