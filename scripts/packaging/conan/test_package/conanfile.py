# SPDX-License-Identifier: MIT
"""Builds and runs the first example with the package."""

import atexit
import os
import shutil
import tempfile

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class LlmesTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        folder = tempfile.mkdtemp(prefix="llmes-")  # write nothing beside the sources
        atexit.register(shutil.rmtree, folder)
        cmake_layout(self, build_folder=folder)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # nor there
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(os.path.join(self.cpp.build.bindir, "hello_book"), env="conanrun")
