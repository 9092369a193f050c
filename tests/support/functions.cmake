# SPDX-License-Identifier: MIT
#
# How a test program is built and run. The programs are listed in tests/CMakeLists.txt.

# Whether this build has a sanitizer, with which everything takes several times as long.
set(sanitized OFF)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  set(sanitized ON)
endif()

# Precompiled once for DIRECTED tests and once for the others, because their flags differ.
set(common_headers <gtest/gtest.h> <algorithm> <random> <span> <unordered_map>)

# The library forces inlining for speed alone. Where nothing is timed, that takes longer to compile than it saves: the
# definition makes an attribute of it that does nothing. A release build has it.
set(without_forced_inlining always_inline=unused)
if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
  add_compile_definitions(${without_forced_inlining})
endif()

find_package(Threads REQUIRED)

# For programs that make few calls: optimising them takes longer than running them, most of all with sanitizers.
set(options_of_directed $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)
function(llmes_compile_as_directed name)
  target_compile_options(${name} PRIVATE ${options_of_directed})
  target_compile_definitions(${name} PRIVATE ${without_forced_inlining})
endfunction()

# The builds of a full run share the work. DIRECTED tests make few calls, which optimisation hardly changes; all others
# are BUSY. The debug build shows most about those that it watches: with THREADS or VALGRIND, or as a CHECKER.
set(LLMES_TESTS ALL CACHE STRING "Which tests to build: ALL, WATCHED (by the debug build) or BUSY")
set_property(CACHE LLMES_TESTS PROPERTY STRINGS ALL WATCHED BUSY)

# llmes_add_test(<name> [DIRECTED] [LONG_TO_COMPILE] [THREADS] [VALGRIND] [CHECKER] <source>...)
# One program of GoogleTest tests; ctest runs each test on its own, and with a sanitizer all of them together. One that is
# LONG_TO_COMPILE at -O3 and quick to run is compiled as DIRECTED where the tests are BUSY. A program with THREADS is
# linked with them and, in the debug build, with the thread sanitizer: no other build shows the same. One with VALGRIND
# runs under it there, too. A CHECKER tests what the tests check with; only the debug build has it.
function(llmes_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "DIRECTED;LONG_TO_COMPILE;THREADS;VALGRIND;CHECKER" "" "")
  add_executable(${name} ${test_UNPARSED_ARGUMENTS})
  # As one unit: the files of a program instantiate the same templates, and parse the same headers. A file whose names are
  # those of another one has a namespace of its own.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 22)
  target_link_libraries(${name} PRIVATE llmes_internal GTest::gtest_main)
  if((test_DIRECTED AND LLMES_TESTS STREQUAL BUSY) OR
     (LLMES_TESTS STREQUAL WATCHED AND NOT (test_THREADS OR test_VALGRIND OR test_CHECKER)))
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  elseif(sanitized) # a process takes longer to start than most tests take
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 COST 80)
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 1200)
  endif()
  set(headers_from llmes_conformance)
  if(test_DIRECTED OR (test_LONG_TO_COMPILE AND LLMES_TESTS STREQUAL BUSY))
    llmes_compile_as_directed(${name})
    set(headers_from llmes_directed_headers)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${headers_from})
  if(test_THREADS)
    target_link_libraries(${name} PRIVATE Threads::Threads)
    if(CMAKE_BUILD_TYPE STREQUAL Debug)
      target_compile_options(${name} PRIVATE -fsanitize=thread)
      target_link_options(${name} PRIVATE -fsanitize=thread)
      set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endif()
  endif()
  if(test_VALGRIND)
    llmes_run_under_valgrind(${name})
  endif()
endfunction()

# llmes_add_long_test(<name> <target> <command>...)
# A test for a long run, which alone builds what it needs.
function(llmes_add_long_test name target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_test(NAME build.${target} COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${target})
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(build.${target} PROPERTIES FIXTURES_SETUP ${target} RESOURCE_LOCK builds TIMEOUT 1200)
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${target} TIMEOUT 1200)
  set_tests_properties(build.${target} ${name} PROPERTIES LABELS long)
endfunction()

# Runs a whole program under valgrind in the debug build: it sees reads of uninitialised memory, which the sanitizers
# do not. Two things are left out: the widest trees, which take longer there than everything else together, and the
# tests of too little memory, since valgrind has an operator new of its own, which does not refuse where they ask it to.
# What makes the same calls many times over, or what plans streams for the benchmarks, is for a long run, which has all
# the others again.
find_program(VALGRIND valgrind)
set(long_under_valgrind *.Agree*WithAMap* *.FindAllWhileTheyMove* Conservation.* GenerationWrap.* *.SearchShortly*
    FarLevels.Fit* PagedIds.FindWhatRests* PlanChecksum.* SpanApply/2.EqualsSingleCalls*)
function(llmes_run_under_valgrind name)
  if(VALGRIND AND CMAKE_BUILD_TYPE STREQUAL Debug)
    set(left_out OccupancyTreeTest/5*:OccupancyTreeTest/6*:*.TooLittleMemory*)
    set(command ${VALGRIND} --quiet --error-exitcode=1 --leak-check=full $<TARGET_FILE:${name}> --gtest_brief=1)
    list(JOIN long_under_valgrind ":" long)
    add_test(NAME valgrind.${name} COMMAND ${command} --gtest_filter=-${left_out}:${long})
    add_test(NAME valgrind.whole.${name} COMMAND ${command} --gtest_filter=-${left_out})
    set_tests_properties(valgrind.${name} valgrind.whole.${name} PROPERTIES TIMEOUT 1200 COST 100) # starts first
    set_tests_properties(valgrind.whole.${name} PROPERTIES LABELS long)
  endif()
endfunction()

# Makes each basic block of a source call the step counter, and keeps a sanitizer's own blocks out of the count.
function(llmes_count_basic_blocks source)
  set(coverage $<IF:$<CXX_COMPILER_ID:GNU>,trace-pc,bb$<COMMA>no-prune$<COMMA>trace-pc>)
  set_source_files_properties(${source} PROPERTIES
    COMPILE_OPTIONS "-fno-sanitize=all;-fsanitize-coverage=${coverage}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
