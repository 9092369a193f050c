# SPDX-License-Identifier: MIT
#
# The core as a port for vcpkg, made from the repository that this file stands in:
#
#   vcpkg install llmes --overlay-ports=scripts/packaging/vcpkg
#
# Untested with vcpkg itself. tests/build/consumer/vcpkg_port.cmake runs it with stand-ins for the functions of vcpkg.
set(VCPKG_BUILD_TYPE release) # headers have no debug build
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../..")

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DLLMES_BUILD_TESTS=OFF -DLLMES_BUILD_BENCHMARKS=OFF -DLLMES_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/llmes)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/llmes")
