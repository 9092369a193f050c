# SPDX-License-Identifier: MIT
#
# For CMAKE_PROJECT_llmes_INCLUDE: adds the program bench_paired, which is bench_books with LLMES_PAIRED_BOOK and the
# loop without a book alone. A pair needs two builds, one with a profile four, and all books take many minutes each.

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

function(llmes_add_bench_paired)
  set(folder ${PROJECT_BINARY_DIR}/paired)
  file(STRINGS bench/contenders/books.inc lines REGEX "^LLMES_BOOK\\((null|${LLMES_PAIRED_BOOK}),")
  list(JOIN lines "\n" lines)
  file(CONFIGURE OUTPUT ${folder}/bench/contenders/books.inc CONTENT "${lines}\n" @ONLY)

  foreach(name null ${LLMES_PAIRED_BOOK} ${LLMES_PAIRED_BOOK}_stamped)
    if(TARGET book_${name})
      list(APPEND entries $<TARGET_OBJECTS:book_${name}>)
    endif()
  endforeach()
  add_executable(bench_paired bench/programs/bench_books.cpp bench/contenders/registry.cpp ${entries})
  target_include_directories(bench_paired BEFORE PRIVATE ${folder})
  target_link_libraries(bench_paired PRIVATE llmes_harness absl::btree absl::flat_hash_map)
endfunction()

cmake_language(DEFER CALL llmes_add_bench_paired) # when bench/ has said what a book is made of
