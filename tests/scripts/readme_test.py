# SPDX-License-Identifier: MIT
"""The README shows examples/hello_book.cpp and its output to the letter; ctest checks that it prints what it should."""

import re
import unittest

import support


class ReadmeTest(unittest.TestCase):
    def test_the_example_is_the_one_that_is_built(self):
        readme = (support.ROOT / "README.md").read_text()
        program = (support.ROOT / "examples" / "hello_book.cpp").read_text()
        self.assertIn(program.split("\n", 1)[1], readme)
        self.assertIn((support.ROOT / "examples" / "expected" / "hello_book.txt").read_text(), readme)

    def test_nothing_was_left_to_fill_in(self):
        for path in [*support.ROOT.glob("*.md"), *support.ROOT.glob("report/*.md")]:
            self.assertEqual(re.findall("@[A-Z]+@", path.read_text()), [], path.name)


if __name__ == "__main__":
    unittest.main()
