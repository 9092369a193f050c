# SPDX-License-Identifier: MIT
#
# Kills PROGRAM, venue_day, after each number of COMMANDS (separated by commas) on a journal of its own in DIRECTORY, goes
# on with it, and fails unless the end is that of a day without a crash, which EXPECTED has.
file(READ ${EXPECTED} whole)
string(REGEX MATCH "\nalice has .*" end "${whole}")
if(end STREQUAL "")
  message(FATAL_ERROR "${EXPECTED} has no end of a day")
endif()
string(REPLACE "," ";" COMMANDS "${COMMANDS}")
foreach(commands ${COMMANDS})
  file(REMOVE_RECURSE ${DIRECTORY})
  file(MAKE_DIRECTORY ${DIRECTORY})
  execute_process(COMMAND ${PROGRAM} ${DIRECTORY} ${commands} OUTPUT_VARIABLE before RESULT_VARIABLE status)
  if(status EQUAL 0 OR NOT before MATCHES "\nkilled\n$")
    message(FATAL_ERROR "after ${commands} commands it was not killed: ${status}\n${before}")
  endif()
  execute_process(COMMAND ${PROGRAM} ${DIRECTORY} OUTPUT_VARIABLE after RESULT_VARIABLE status)
  string(FIND "${after}" "${end}" found)
  if(NOT status EQUAL 0 OR found EQUAL -1 OR NOT after MATCHES "begins after ${commands} of ")
    message(FATAL_ERROR "killed after ${commands} commands, the day ended with ${status} otherwise:\n${after}")
  endif()
endforeach()
