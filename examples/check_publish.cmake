# SPDX-License-Identifier: MIT
#
# Runs PROGRAM to write FILE, which is there, with too little room, and fails unless the program says so, leaves the
# file as it was, and nothing beside it.
file(WRITE ${FILE} "as it was")
execute_process(COMMAND bash -c "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$1\"" ${PROGRAM} ${FILE}
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
file(READ ${FILE} content)
file(GLOB beside ${FILE}.*)
if(NOT status EQUAL 1 OR NOT output STREQUAL "itch_publish: cannot write ${FILE}: File too large\n")
  message(FATAL_ERROR "exit status ${status}; output:\n${output}")
endif()
if(NOT content STREQUAL "as it was" OR beside)
  message(FATAL_ERROR "the file holds '${content}', and beside it are: '${beside}'")
endif()
