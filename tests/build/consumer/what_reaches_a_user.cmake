# SPDX-License-Identifier: MIT
#
# Stands at the end of a user's CMakeLists.txt: only the headers and the language level may have reached the user, and
# the package has the version of its headers.
get_target_property(target llmes::llmes ALIASED_TARGET)
if(NOT target)
  set(target llmes::llmes)
endif()
foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS LINK_LIBRARIES LINK_OPTIONS SOURCES)
  get_target_property(leaked ${target} INTERFACE_${property})
  if(leaked)
    message(FATAL_ERROR "llmes::llmes hands its users ${property}: ${leaked}")
  endif()
endforeach()
get_target_property(features ${target} INTERFACE_COMPILE_FEATURES)
if(NOT features STREQUAL "cxx_std_20")
  message(FATAL_ERROR "llmes::llmes asks for ${features}, not for cxx_std_20")
endif()

if(llmes_SOURCE_DIR)
  foreach(option LLMES_BUILD_TESTS LLMES_BUILD_BENCHMARKS LLMES_BUILD_EXAMPLES LLMES_INSTALL)
    if(${option})
      message(FATAL_ERROR "${option} is ${${option}} in a user's build")
    endif()
  endforeach()
  get_directory_property(llmes_VERSION DIRECTORY ${llmes_SOURCE_DIR} DEFINITION PROJECT_VERSION)
endif()
file(CONFIGURE OUTPUT version.cpp @ONLY CONTENT [[
#include <llmes/version.hpp>
#include <string_view>
#define TEXT(token) #token
#define VALUE(macro) TEXT(macro)
static_assert(std::string_view("@llmes_VERSION@") ==
              VALUE(LLMES_VERSION_MAJOR) "." VALUE(LLMES_VERSION_MINOR) "." VALUE(LLMES_VERSION_PATCH));
]])
add_library(version OBJECT ${CMAKE_CURRENT_BINARY_DIR}/version.cpp)
target_link_libraries(version PRIVATE llmes::llmes)
