# SPDX-License-Identifier: MIT
#
# Configures, builds and runs the consumer project in WORK, from scratch, with GENERATOR, COMPILER and FLAGS.
# MODE is `install`, for an install tree made from BUILD, or `subdirectory`, for the sources in SOURCES.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
if(MODE STREQUAL install)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
  set(where -DCMAKE_PREFIX_PATH=${WORK}/installed)
else()
  set(where -DLLMES_SOURCES=${SOURCES})
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} ${where})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
