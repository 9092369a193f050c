# SPDX-License-Identifier: MIT
"""single_header.py: the header has all of every header of the core, is the same each time, and can be pasted into a program."""

import collections
import re
import subprocess
import sys
import tempfile
import unittest

import support

SCRIPT = support.ROOT / "scripts/packaging/single_header.py"
INCLUDE = support.ROOT / "include"
# Of all that is portable: the engine is for Linux. What only leads to a new place is for old programs.
HEADERS = sorted(path for path in INCLUDE.rglob("*.hpp") if "engine" not in (path.stem, *path.parts)
                 and "The old place of" not in path.read_text())


def run(*arguments):
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], text=True, capture_output=True, check=False)


class SingleHeaderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        result = run()
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
        cls.header = result.stdout

    def test_it_has_every_line_of_every_header_once(self):
        left_out = re.compile(r'// SPDX-License-Identifier: MIT|#pragma once|#include "llmes/.*"(?: *//.*)?|')
        lines = collections.Counter(line for path in HEADERS for line in path.read_text().splitlines()
                                    if not left_out.fullmatch(line))
        found = collections.Counter(line for line in self.header.partition("LLMES_SINGLE_HEADER\n")[2].splitlines() if line)
        self.assertEqual(lines - found, {}, "these are lost")
        titles = {f"// ---- {path.relative_to(INCLUDE)}" for path in HEADERS}
        self.assertEqual(found - lines, dict.fromkeys([*titles, "#define LLMES_SINGLE_HEADER", "#endif"], 1))

    def test_its_head(self):
        head = self.header.partition("\n#ifndef")[0]
        self.assertRegex(head, r"^// SPDX-License-Identifier: MIT\n//\n// llmes \d+\.\d+\.\d+ in one header")
        for line in (support.ROOT / "LICENSE").read_text().splitlines():
            self.assertIn(line, head)

    def test_a_second_run_writes_the_same_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(f"--out={folder}/llmes.hpp").stdout, "")
            with open(f"{folder}/llmes.hpp", encoding="utf-8") as file:
                self.assertEqual(file.read(), self.header)

    def test_a_file_that_cannot_be_written(self):
        result = run("--out=/no/such/folder/llmes.hpp")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"^single_header.py: cannot write: .*/no/such/folder/llmes.hpp'\n$")

    def test_it_can_be_pasted_into_a_program(self):
        program = (support.ROOT / "examples/hello_book.cpp").read_text()
        pasted = self.header + program.replace('#include "llmes/llmes.hpp"\n', "")
        command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
                   f"-I{support.ROOT / 'examples'}"]
        result = subprocess.run([*command, "-x", "c++", "-"], input=pasted, text=True, capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
