# SPDX-License-Identifier: MIT
# Writes build_info.hpp at each build: the commit is that of the build, not of the configuration.
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse HEAD OUTPUT_VARIABLE commit ERROR_QUIET
                OUTPUT_STRIP_TRAILING_WHITESPACE)
# Results are no sources: one campaign may be kept after another.
execute_process(COMMAND git -C ${SOURCE_DIR} status --porcelain --untracked-files=no -- . :!server_results
                OUTPUT_VARIABLE changes ERROR_QUIET)
if(commit STREQUAL "")
  set(commit unknown)
  set(dirty unknown)
elseif(changes STREQUAL "")
  set(dirty no)
else()
  set(dirty yes)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Written by the build.
#pragma once
#define LLMES_COMMIT "@commit@"
#define LLMES_DIRTY "@dirty@"
#define LLMES_COMPILER "@COMPILER@"
#define LLMES_FLAGS "@FLAGS@"
#define LLMES_BUILD "@BUILD@"
]] @ONLY)
