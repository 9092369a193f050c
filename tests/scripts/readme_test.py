# SPDX-License-Identifier: MIT
"""The README shows examples to the letter, one with its output; ctest checks that they print what they should."""

import re
import unittest

import support


class ReadmeTest(unittest.TestCase):
    def test_the_example_is_the_one_that_is_built(self):
        readme = (support.ROOT / "README.md").read_text()
        program = (support.ROOT / "examples" / "hello_book.cpp").read_text()
        self.assertIn(program.split("\n", 1)[1], readme)
        self.assertIn((support.ROOT / "examples" / "expected" / "hello_book.txt").read_text(), readme)

    def test_each_excerpt_is_of_an_example(self):
        readme = (support.ROOT / "README.md").read_text()
        examples = [path.read_text() for path in support.ROOT.glob("examples/*.cpp")]
        excerpts = re.findall("```cpp\n(.*?)```", readme, re.DOTALL)
        self.assertEqual(len(excerpts), 2)
        for excerpt in excerpts:
            self.assertTrue(any(excerpt in example for example in examples), excerpt)

    def test_nothing_was_left_to_fill_in(self):
        for path in [*support.ROOT.glob("*.md"), *support.ROOT.glob("report/*.md")]:
            self.assertEqual(re.findall("@[A-Z]+@", path.read_text()), [], path.name)


if __name__ == "__main__":
    unittest.main()
