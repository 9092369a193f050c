# SPDX-License-Identifier: MIT
#
# The README's program in a folder with the single header and no other header of the library. What is in the header:
# tests/scripts/single_header_test.py.
file(GLOB_RECURSE in_the_header CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/llmes/*.hpp)
set(script ${PROJECT_SOURCE_DIR}/scripts/packaging/single_header.py)
set(examples ${PROJECT_SOURCE_DIR}/examples)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/single_header)
foreach(file hello_book.cpp usage.hpp support/output.hpp)
  configure_file(${examples}/${file} ${folder}/${file} COPYONLY)
endforeach()
file(MAKE_DIRECTORY ${folder}/llmes)
add_custom_command(OUTPUT ${folder}/llmes/llmes.hpp DEPENDS ${in_the_header} ${script} ${PROJECT_SOURCE_DIR}/LICENSE
                   COMMAND ${Python3_EXECUTABLE} ${script} --out=${folder}/llmes/llmes.hpp VERBATIM)

add_executable(hello_book_of_one_header ${folder}/hello_book.cpp ${folder}/llmes/llmes.hpp)
target_compile_features(hello_book_of_one_header PRIVATE cxx_std_20)
target_compile_options(hello_book_of_one_header PRIVATE $<TARGET_PROPERTY:llmes_internal,INTERFACE_COMPILE_OPTIONS>)
add_test(NAME build.single_header
         COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:hello_book_of_one_header> -D STATUS=0
                 -D EXPECTED=${examples}/expected/hello_book.txt -P ${examples}/check_output.cmake)
