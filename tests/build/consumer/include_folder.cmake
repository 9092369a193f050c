# SPDX-License-Identifier: MIT
#
# A package whose headers go to a folder of the installer's choice is found by CMake and by pkg-config, also after the
# tree has been moved. Parameters: run.cmake.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(CONFIGURE OUTPUT ${WORK}/user/CMakeLists.txt @ONLY CONTENT [[
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES CXX)
find_package(llmes REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE llmes::llmes)
]])

# Which headers are there is what other tests see; one that takes no time to compile will do.
file(WRITE ${WORK}/user/user.cpp "#include <llmes/version.hpp>\nint main() { return LLMES_VERSION_MAJOR; }\n")

function(check headers)
  if(NOT EXISTS ${headers}/llmes/llmes.hpp OR EXISTS ${WORK}/moved/include)
    message(FATAL_ERROR "the headers are not in ${headers}, or elsewhere too")
  endif()
  if(NOT EXISTS ${WORK}/moved/share/licenses/llmes/LICENSE)
    message(FATAL_ERROR "the licence is not installed")
  endif()
  file(REMOVE_RECURSE ${WORK}/user/build)
  build_project(user -D CMAKE_PREFIX_PATH=${WORK}/moved)
  set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/share/pkgconfig)
  # Quoted, as pkg-config puts a backslash before a space.
  run(sh -e -c "eval \"$CXX -std=c++20 $(pkg-config --cflags 'llmes >= 0.17') user/user.cpp -o by_pkg_config\"")
endfunction()

install_llmes(installed -D CMAKE_INSTALL_INCLUDEDIR=headers/of/others)
file(RENAME ${WORK}/installed ${WORK}/moved)
check(${WORK}/moved/headers/of/others)

file(REMOVE_RECURSE ${WORK}/moved)
install_llmes(moved -D CMAKE_INSTALL_INCLUDEDIR=${WORK}/moved/absolute)
check(${WORK}/moved/absolute)
