# SPDX-License-Identifier: MIT
#
# What .clang-tidy checks: each example with the headers as it uses them, and the headers with checked preconditions.
if(LLMES_BUILD_EXAMPLES AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release)
  function(llmes_clang_tidy name source)
    add_test(NAME build.clang_tidy.${name} COMMAND clang-tidy-16 --quiet -p ${PROJECT_BINARY_DIR} ${ARGN} ${source})
    set_tests_properties(build.clang_tidy.${name} PROPERTIES LABELS long TIMEOUT 300)
  endfunction()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    llmes_clang_tidy(${name} ${source})
  endforeach()
  llmes_clang_tidy(checked ${PROJECT_SOURCE_DIR}/examples/hello_book.cpp --extra-arg=-DLLMES_CHECK_PRECONDITIONS)
endif()
