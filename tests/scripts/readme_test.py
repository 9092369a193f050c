# SPDX-License-Identifier: MIT
"""The README shows an example to the letter, with its output; ctest checks that it prints that. What the README and the
table of calls name compiles. A page of the guide names above each program or output the example that it is from. A page of
the lab leads to its table of trials."""

import csv
import json
import os
import re
import subprocess
import sys
import unittest
import unittest.mock

import support


# The words of the table of calls, as what they stand for.
PROGRAM = """#include "llmes/llmes.hpp"
{headers}
using namespace llmes;
constexpr std::size_t PriceLevels = 4096;
{names}
struct Callable {{
  void operator()(const Trade&) {{}}
  void operator()(const Result&) {{}}
  bool operator()(const RestingOrder&) {{ return false; }}
}};
template <class Given, class Said>
void gives() {{
  static_assert(std::is_same_v<Given, Said>);
}}
void use(OrderBook<PriceLevels>& book, {arguments}) {{
  Callable sink, receiver, visitor;
{calls}
}}
"""


def example_of_the_readme():
    """The example that README begins with, which there has no arguments to answer."""
    program = (support.ROOT / "examples/hello_book.cpp").read_text()
    for answers in ('#include "usage.hpp"\n', r"int argc, char\*\* argv", r"  if \(.* = answer_arguments\(.*;\n"):
        program, count = re.subn(answers, "", program)
        assert count == 1, answers
    return program


class ReadmeTest(unittest.TestCase):
    def test_the_example_is_the_one_that_is_built(self):
        readme = (support.ROOT / "README.md").read_text()
        self.assertIn(example_of_the_readme().split("\n", 1)[1], readme)
        self.assertIn((support.ROOT / "examples" / "expected" / "hello_book.txt").read_text(), readme)

    def test_it_is_short(self):
        self.assertLessEqual(len((support.ROOT / "README.md").read_text().split()), 1_200)

    def test_its_ways_to_build_are_those_of_the_guide(self):
        blocks = re.compile("```(?:sh|cmake)\n.*?```", re.DOTALL)
        built = [block for block in blocks.findall((support.ROOT / "README.md").read_text()) if "scripts/bench.sh" not in block]
        guide = {page: set(blocks.findall((support.ROOT / f"report/guide/{page}.md").read_text()))
                 for page in ("install", "python", "run_a_venue")}
        self.assertEqual(set(built) - set().union(*guide.values()), set())
        # consumer.include_path and consumer.subdirectory build in these ways
        self.assertEqual({page: len(found.intersection(built)) for page, found in guide.items()},
                         {"install": 2, "python": 1, "run_a_venue": 2})

    def test_each_command_is_typed_into_a_bare_debian(self):
        """By a walk of bare_debian.py, which is long. Here the walks are taken past a stand-in that prints all they want."""
        typed = []

        class Anything(str):
            def __contains__(self, words):
                return True

            def splitlines(self, keepends=False):
                return self

        class StandIn:
            stdout, pid = ["ready\n"], 0

            def write(self, name, text):
                pass

            def wait(self):
                pass

            def shell(self, commands):
                typed.append(commands)
                return self

            def type(self, commands, seconds=0):
                typed.append(commands)
                return Anything()

        sys.path.insert(0, str(support.ROOT / "tests/build/toolchains"))
        import bare_debian

        with unittest.mock.patch.object(os, "killpg"), unittest.mock.patch("builtins.print"):
            for walk in bare_debian.WALKS.values():
                walk(StandIn())
        # The ports of a walk are free ones.
        every = {re.sub(r"\b\d{4,5}\b", "PORT", line) for commands in typed for line in commands.splitlines()}
        for page in ("README.md", "examples/README.md", "examples/data/README.md",
                     *(str(path.relative_to(support.ROOT)) for path in support.ROOT.glob("report/guide/*.md"))):
            for block in bare_debian.blocks(page):
                lines = {re.sub(r"\b\d{4,5}\b", "PORT", line) for line in block.splitlines()}
                if "scripts/bench.sh" not in block:  # the campaigns and tests themselves
                    self.assertLessEqual(lines, every, page)

    def test_the_page_on_installing_has_every_option_and_umbrella(self):
        page = (support.ROOT / "report/guide/install.md").read_text()
        options = re.findall(r"^(?:llmes_)?option\((LLMES_\w+)", (support.ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
        self.assertEqual(re.findall(r"^\| `(LLMES_\w+)` \|", page, re.MULTILINE), options)
        umbrellas = {f"llmes/{path.name}" for path in (support.ROOT / "include/llmes").glob("*.hpp")} - {"llmes/version.hpp"}
        listed = re.findall(r"^\| `(llmes/\w+\.hpp)` \|", page, re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(umbrellas))

    def test_the_index_has_every_example(self):
        examples = support.ROOT / "examples"
        listed = re.findall(r"^\| \[([\w.]+)\]\(([\w/.]+)\) \|", (examples / "README.md").read_text(), re.MULTILINE)
        sources = {str(path.relative_to(examples)) for pattern in ("*.cpp", "*/*.cpp", "python/*.py") for path in examples.glob(pattern)}
        self.assertEqual(sorted(path for _, path in listed), sorted(sources))

    def test_each_figure_of_the_readme_says_of_which_commit_it_is(self):
        """`scripts/lab texts` compares the figures, the commits and the dates with the artifacts."""
        sources = re.findall(r"^README\.md: (.*) <- (\S+) ", (support.ROOT / "report/figures.txt").read_text(), re.MULTILINE)
        rows = re.findall(r"^\| .*\d.* \|$", (support.ROOT / "README.md").read_text().split("\n## ")[0], re.MULTILINE)
        self.assertGreaterEqual(len(rows), 5)
        for row in rows:
            made = re.search(r"\[(\w{7})\]\(server_results/(\w+)/table\.md\), (\d{4}-\d\d-\d\d) \|$", row)
            self.assertTrue(made, f"it does not say when it was measured: {row}")
            of_row = {(phrase, source) for phrase, source in sources if phrase.replace("{", "").replace("}", "") in row}
            checked = {re.search(r"\{(.*?)\}", phrase)[1] for phrase, source in of_row if source in (f"{made[2]}/table.md", "README.md")}
            self.assertLessEqual({made[1], made[3]}, checked, row)
            self.assertEqual({source for _, source in of_row} - {f"{made[2]}/table.md", "README.md"}, {made[2]}, row)

    def test_how_to_cite_it(self):
        citation = (support.ROOT / "CITATION.cff").read_text()
        version = ".".join(re.findall(r"^#define LLMES_VERSION_\w+ (\d+)$", (support.ROOT / "include/llmes/version.hpp").read_text(),
                                      re.MULTILINE))
        self.assertIn(f"\nversion: {version}\n", citation)
        for page in ("README.md", "report/lab/02_lab.md", "report/lab/03_published_phases.md", "report/lab/13_past_the_frontier.md"):
            self.assertIn("(https://github.com/Keyuan-Wang/llmes)", (support.ROOT / page).read_text(), page)
        self.assertIn("https://github.com/Keyuan-Wang/llmes", citation)

    def test_the_oldest_cmake_that_is_named_reads_the_presets(self):
        presets = json.loads((support.ROOT / "CMakePresets.json").read_text())
        self.assertLessEqual(presets["version"], 3, "CMake 3.21 reads version 3")
        self.assertEqual(presets["cmakeMinimumRequired"], {"major": 3, "minor": 21, "patch": 0})

    def test_each_excerpt_of_the_guide_is_of_the_example_above_it(self):
        excerpts = [(page.name, above, code) for page in sorted(support.ROOT.glob("report/guide/*.md"))
                    for above, code in re.findall(r"([^\n]*)\n+```(?:cpp|text)\n(.*?)```", page.read_text(), re.DOTALL)
                    if above != "```"]  # the output of a Python program: python.package runs it
        self.assertGreaterEqual(len(excerpts), 8)
        for page, above, code in excerpts:
            with self.subTest(page=page, code=code):
                example = re.search(r"From \[.*\]\(\.\./\.\./(examples/[^)]*)\)", above)
                self.assertTrue(example, "the line above it says no example")
                self.assertIn(f"\n{code}", "\n" + (support.ROOT / example[1]).read_text())

    def test_what_it_names_compiles(self):
        readme, calls_page = [(support.ROOT / name).read_text() for name in ("README.md", "report/guide/calls.md")]
        named = re.sub("```.*?```", "", readme + calls_page, flags=re.DOTALL)
        headers, names = [], []
        for code in dict.fromkeys(re.findall("`([^`]+)`", named)):
            if re.fullmatch(r"llmes/.*\.hpp", code):
                headers.append(f'#include "{code}"')
            elif re.fullmatch(r"[A-Z]\w+(<.*>|{})", code):
                names.append(f"static_assert(sizeof({code.removesuffix('{}')}) != 0);")
            elif code == "UnknownOrder":
                names.append(f"static_assert(Status::{code} != Status::Success);")
            elif re.fullmatch(r"[A-Z]\w*[a-z]\w*", code):
                names.append(f"using llmes::{code};")
        # A call gives the type that stands beside it, and takes arguments of the types in the table of them.
        cells = re.findall(r"^\| (`\w+\(.*?) \| `([^`]*)` \|", calls_page, re.MULTILINE)
        calls = [f"  gives<decltype(book.{call}), {given}>();" for cell, given in cells for call in re.findall(r"`(\w+\([^`]*)`", cell)]
        arguments = [f"{type_of} {argument}" for cell, type_of in re.findall(r"^\| ((?:`\w+`,? )+)\| `([^`]*)` \|", calls_page, re.MULTILINE)
                     for argument in re.findall("`([^`]+)`", cell)]
        for found, least in ((headers, 2), (names, 10), (calls, 20), (arguments, 15)):
            self.assertGreaterEqual(len(found), least, found)
        program = PROGRAM.format(headers="\n".join(headers), names="\n".join(names), calls="\n".join(calls),
                                 arguments=", ".join(arguments))
        compiled = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", f"-I{support.ROOT / 'include'}", "-fsyntax-only",
                                   "-x", "c++", "-"], input=program, text=True, capture_output=True, check=False)
        self.assertEqual(compiled.returncode, 0, f"{program}\n{compiled.stderr}")

    def test_a_page_of_the_lab_leads_to_its_table_of_trials(self):
        tables = sorted(support.ROOT.glob("report/lab/trials/*.csv"))
        self.assertGreaterEqual(len(tables), 8)
        for table in tables:
            with self.subTest(table=table.name), table.open(newline="") as lines:
                rows = list(csv.reader(lines))
                self.assertEqual({len(row) for row in rows}, {len(rows[0])}, "a spreadsheet needs rows of one length")
                self.assertEqual(rows[0][0], "table")
                page = (support.ROOT / rows[1][1].rpartition("Report: ")[2].partition(" ")[0]).read_text()
                self.assertIn(f"(trials/{table.name})", page)

    def test_nothing_was_left_to_fill_in(self):
        for path in [*support.ROOT.glob("*.md"), *support.ROOT.glob("report/**/*.md")]:
            self.assertEqual(re.findall("@[A-Z]+@", path.read_text()), [], path.name)


if __name__ == "__main__":
    unittest.main()
