# SPDX-License-Identifier: MIT
"""The core as a package for Conan 2, made from the repository that this file stands in.

    conan create scripts/packaging/conan -s compiler.cppstd=20

puts it into the local cache, and builds and runs the program in test_package/ with it. The version is the one of the
headers.
"""

import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy


class Llmes(ConanFile):
    name = "llmes"
    description = "A limit order book matching core"
    license = "MIT"
    topics = ("limit-order-book", "matching-engine", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _repository(self):
        return pathlib.Path(self.recipe_folder).parents[2]

    def set_version(self):
        header = (self._repository / "include/llmes/version.hpp").read_text()
        self.version = ".".join(re.findall(r"^#define LLMES_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE))

    def export_sources(self):
        for pattern in ("LICENSE", "include/llmes/*.hpp"):
            copy(self, pattern, self._repository, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(pathlib.Path(self.package_folder) / "licenses"))
        copy(self, "include/llmes/*.hpp", self.source_folder, self.package_folder)

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
