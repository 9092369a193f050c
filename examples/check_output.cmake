# SPDX-License-Identifier: MIT
#
# Runs PROGRAM with ARGUMENTS and fails unless it ends with STATUS and prints what the file EXPECTED holds. If it ends
# well, it must not do so where its output goes to a full disk.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "exit status ${status}, expected ${STATUS}; output:\n${output}")
endif()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the output differs from ${EXPECTED}; it is:\n${output}")
endif()
if(status EQUAL 0 AND EXISTS /dev/full)
  execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_FILE /dev/full ERROR_VARIABLE words RESULT_VARIABLE status)
  if(NOT status EQUAL 1 OR NOT words MATCHES "cannot write to standard output: No space left on device\n$")
    message(FATAL_ERROR "with its output on a full disk the exit status is ${status}, expected 1; words:\n${words}")
  endif()
endif()
