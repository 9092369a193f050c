# SPDX-License-Identifier: MIT
#
# The port for vcpkg, as far as it can be tested without vcpkg: it has the version of the headers, its options exist,
# and what it installs is where vcpkg wants it. Stand-ins do what vcpkg's functions of the same names do.
# Parameters: run.cmake.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(PORT llmes)
set(CURRENT_PACKAGES_DIR ${WORK}/packages/llmes)
set(port_folder ${SOURCES}/scripts/packaging/vcpkg/llmes)

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/build ${arg_OPTIONS}
                          -D CMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}
                  ERROR_VARIABLE warnings COMMAND_ERROR_IS_FATAL ANY)
  if(warnings)
    message(FATAL_ERROR "${warnings}") # an option that does not exist, say
  endif()
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --install build)
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  file(COPY ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/ DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/share/cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
endfunction()

include(${port_folder}/portfile.cmake)
file(GLOB_RECURSE files RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/*)
list(FILTER files EXCLUDE REGEX "^include/llmes/[a-z0-9_/]+.hpp$")
if(NOT files STREQUAL "share/llmes/copyright;share/llmes/llmesConfig.cmake;share/llmes/llmesConfigVersion.cmake;\
share/llmes/usage;share/pkgconfig/llmes.pc")
  message(FATAL_ERROR "the port installs beside the headers: ${files}")
endif()

file(READ ${port_folder}/vcpkg.json json)
string(JSON version GET "${json}" version)
include(${CURRENT_PACKAGES_DIR}/share/llmes/llmesConfigVersion.cmake)
if(NOT version STREQUAL PACKAGE_VERSION)
  message(FATAL_ERROR "vcpkg.json has version ${version}, and the headers ${PACKAGE_VERSION}")
endif()
