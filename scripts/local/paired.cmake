# SPDX-License-Identifier: MIT
#
# For CMAKE_PROJECT_llmes_INCLUDE: adds the program bench_paired, which is bench_books with LLMES_PAIRED_BOOK and the
# loop without a book alone. A pair needs two builds, one with a profile four, and all books take many minutes each.

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

function(llmes_add_bench_paired)
  set(folder ${PROJECT_BINARY_DIR}/paired)
  file(STRINGS bench/books/books.inc lines REGEX "^LLMES_BOOK\\((null|${LLMES_PAIRED_BOOK}),")
  list(JOIN lines "\n" lines)
  file(CONFIGURE OUTPUT ${folder}/bench/books/books.inc CONTENT "${lines}\n" @ONLY)

  set(entries ${PROJECT_BINARY_DIR}/bench/books)
  add_executable(bench_paired bench/bench_books.cpp bench/books/registry.cpp
                              ${entries}/null.cpp ${entries}/${LLMES_PAIRED_BOOK}.cpp)
  target_include_directories(bench_paired BEFORE PRIVATE ${folder})
  target_link_libraries(bench_paired PRIVATE llmes_harness absl::btree absl::flat_hash_map)
endfunction()

cmake_language(DEFER CALL llmes_add_bench_paired) # when bench/ has said what a book is made of
