# SPDX-License-Identifier: MIT
#
# A user's library that links llmes::llmes from a subdirectory is installed and exported with its own install(EXPORT),
# and a third project links it. Parameters: run.cmake.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(CONFIGURE OUTPUT ${WORK}/venue/CMakeLists.txt @ONLY CONTENT [[
cmake_minimum_required(VERSION 3.21)
project(venue LANGUAGES CXX)
set(LLMES_INSTALL ON)
add_subdirectory("@SOURCES@" llmes)
add_library(venue STATIC venue.cpp)
target_link_libraries(venue PUBLIC llmes::llmes)
target_include_directories(venue INTERFACE $<INSTALL_INTERFACE:include>)
install(TARGETS venue EXPORT venue)
install(EXPORT venue DESTINATION lib/cmake/venue FILE venueTargets.cmake)
install(FILES venueConfig.cmake DESTINATION lib/cmake/venue)
install(FILES venue.hpp DESTINATION include)
]])
file(WRITE ${WORK}/venue/venueConfig.cmake [[
include(CMakeFindDependencyMacro)
find_dependency(llmes)
include(${CMAKE_CURRENT_LIST_DIR}/venueTargets.cmake)
]])
file(WRITE ${WORK}/venue/venue.hpp [[
#include <llmes/book.hpp>
bool is_empty(const llmes::OrderBook<>& book);
]])
file(WRITE ${WORK}/venue/venue.cpp [[
#include "venue.hpp"
bool is_empty(const llmes::OrderBook<>& book) { return book.size() == 0; }
]])
build_project(venue)
run(${CMAKE_COMMAND} --install venue/build --prefix ${WORK}/installed)

file(WRITE ${WORK}/user/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES CXX)
find_package(venue REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE venue)
]])
file(WRITE ${WORK}/user/user.cpp [[
#include <venue.hpp>
int main() { return is_empty(*llmes::OrderBook<>::create({.base_price = 0, .capacity = 1})) ? 0 : 1; }
]])
build_project(user -D CMAKE_PREFIX_PATH=${WORK}/installed)
run(user/build/user)
