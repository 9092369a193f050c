# SPDX-License-Identifier: MIT
#
# Runs PROGRAM with ARGUMENTS and fails unless it ends with STATUS and prints what the file EXPECTED holds.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
file(READ ${EXPECTED} expected)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "exit status ${status}, expected ${STATUS}; output:\n${output}")
endif()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the output differs from ${EXPECTED}; it is:\n${output}")
endif()
