# SPDX-License-Identifier: MIT
"""The texts are up to date, and texts.py notices where one is not."""

import contextlib
import io
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "analysis"))
import texts  # noqa: E402

TABLE = '''A machine, commit 0123456789ab

## Time

Nanoseconds, to the point.

| book | classic | macro 5,000 |
|------|---------|-------------|
| core | 12.3    | 1,234.5     |
| null | 4.0     | 5.0         |

## Ratios

| time of     | classic                | macro 5,000            |
|-------------|------------------------|------------------------|
| core / null | 0.644 (0.605 to 0.730) | 0.0258 (-0.1 to 1,000) |
| odd         | 9 of 50                | cannot hold            |
| share       | 54.7 %                 | 0.0 %                  |

Instructions an operation, exact.

| part | what  | classic |
|------|-------|---------|
| core | whole | 80.9    |
| core | half  | 40.5    |

Growth from little to much.

| one at a time | in spans |
|---------------|----------|
| 5.8           | 7        |
'''


class TextsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "server_results" / "one").mkdir(parents=True)
        (self.root / "server_results" / "one" / "table.md").write_text(TABLE)
        (self.root / "server_results" / "trust").mkdir()
        (self.root / "server_results" / "trust" / "soak.txt").write_text(
            "soak: 22889470 trades, 574 of 574 lines, event hash 02a9cfac9089ca53\nreal 13m54.540s\n")
        self.text = self.root / "text.md"

    def run_on(self, text, *arguments, root=None):
        """What texts.py makes of a text: its messages."""
        self.text.write_text(text)
        texts.artifact.cache_clear()
        texts.tables_of.cache_clear()
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                texts.main([*arguments, str(self.text)], root=root or self.root)
            except SystemExit:
                self.assertNotEqual(err.getvalue(), "")
        return err.getvalue()

    def assert_good(self, text):
        self.assertEqual(self.run_on(text), "", text)

    def assert_bad(self, text, *parts):
        messages = self.run_on(text)
        self.assertNotEqual(messages, "", text)
        for part in parts:
            self.assertIn(part, messages, text)

    def written(self, text):
        self.assertEqual(self.run_on(text, "--write"), "")
        self.assert_good(self.text.read_text())
        return self.text.read_text()


class FigureTest(TextsTest):
    def test_forms(self):
        for figure, marker in (
                ("12.3", 'one "core" "classic"'),
                ("1,234.5", 'one "Time" "core" "macro 5,000"'),
                ("1,234", 'one "Nanoseconds" "core" "macro 5,000" .0'),
                ("0.644", 'one "core / null" "classic"'),
                ("0.605", 'one "core / null" "classic" low'),
                ("0.730", 'one "core / null" "classic" high'),
                ("0.605 to 0.730", 'one "core / null" "classic" range'),
                ("0.644 (0.605 to 0.730)", 'one "core / null" "classic" whole'),
                ("0.64", 'one "core / null" "classic" .2'),
                ("36 %", 'one "core / null" "classic" saved'),
                ("27.0 %", 'one "core / null" "classic" high saved .1'),
                ("64.4 %", 'one "core / null" "classic" % .1'),
                ("2.00", 'one "part" "core: whole" "classic" over "core: half"'),
                ("1.55", 'one "core / null" "classic" inverse'),
                ("39", 'one "core / null" "macro 5,000" inverse .0'),
                ("-0.1", 'one "core / null" "macro 5,000" low'),
                ("1,000", 'one "core / null" "macro 5,000" high'),
                ("3.08", 'one "book" "core" "classic" over "null"'),
                ("0.01", 'one "core" "classic" over "core" "macro 5,000"'),
                ("3.1", 'one "Time" "core" "classic" over "Time" "null" "classic" .1'),
                ("208 %", 'one "Time" "core" "classic" over "null" more'),
                ("9 of 50", 'one "odd" "classic" whole'),
                ("9", 'one "odd" "classic"'),
                ("54.7 %", 'one "share" "classic"'),
                ("80.9", 'one "Ratios; part" "core: whole" "classic"'),
                ("40.5", 'one "part" "core#2" "classic"'),
                ("80.9", r'one/table.md "core \| whole \| ([\d.]+)"'),
                ("7", 'one "Growth" "*" "in spans"'),
                ("22,889,470", r'trust/soak.txt "(\d+) trades"'),
                ("574 of 574", r'trust/soak.txt "(\d+ of \d+) lines"'),
                ("`02a9cfac9089ca53`", r'trust/soak.txt "hash (\w+)"'),
                ("13", r'trust/soak.txt "real (\d+)m"')):
            with self.subTest(marker=marker):
                self.assert_good(f"It takes {figure} <!-- {marker} --> of it, and so on.\n")
                wrong = re.sub(r"\d(?!.*\d)", lambda digit: str(9 - int(digit[0])), figure)
                self.assert_bad(f"\nIt takes {wrong} <!-- {marker} --> of it.\n", "text.md:2: ", "expected")
                self.assertEqual(self.written(f"It takes {wrong} <!-- {marker} --> of it.\n"),
                                 f"It takes {figure} <!-- {marker} --> of it.\n")

    def test_in_a_cell(self):
        self.assert_good('| core | 12.3 <!-- one "core" "classic" --> | 4.0 <!-- one "null" "classic" --> |\n')

    def test_of_nothing(self):
        for marker, reason in (
                ('two "core" "classic"', "there is no two/table.md"),
                ('trust/none.txt "(1)"', "there is no trust/none.txt"),
                ('trust/soak.txt "(1) cow"', "has no"),
                ('one "core" "wide"', "has no"),
                ('one "cow" "classic"', "has no"),
                ('one "part" "core#3" "classic"', "has no"),
                ('one "Cows" "core" "classic"', "has no"),
                ('one "part" "core" "classic"', "has no"),
                ('one "core / null"', "a marker names a row and a column"),
                ('one "core" "classic" round', 'no form "round"'),
                ('one "core" "classic" high', "no such figure"),
                ('one "odd" "macro 5,000"', "no such figure"),
                ('one core classic', "not a marker"),
                ('end', "not a marker"),
                ('table one "Time"', "not a marker")):
            with self.subTest(marker=marker):
                self.assert_bad(f"It takes 1.0 <!-- {marker} --> of it.\n", reason)

    def test_of_two_cells(self):
        (self.root / "server_results" / "one" / "table.md").write_text(TABLE + "\n## Again\n" + TABLE.replace("12.3", "12.4"))
        self.assert_bad('12.3 <!-- one "core" "classic" -->\n', "more than one")

    def test_of_uncommitted_changes(self):
        (self.root / "server_results" / "one" / "table.md").write_text(
            TABLE.replace("0123456789ab", "0123456789ab with uncommitted changes"))
        self.assert_bad('12.3 <!-- one "core" "classic" -->\n', "uncommitted changes")

    def test_without_figure(self):
        self.assert_bad('It takes long <!-- one "core" "classic" --> indeed.\n', "no figure like")
        self.assert_bad('It takes 12.3\n<!-- one "core" "classic" --> indeed.\n', "no figure like")


class TableTest(TextsTest):
    def test_whole(self):
        self.assertEqual(self.written('<!-- table one "Ratios; time of" -->\n<!-- end -->\n').splitlines()[1:-1], [
            "| time of | classic | macro 5,000 |",
            "|---|---|---|",
            "| core / null | 0.644 (0.605 to 0.730) | 0.0258 (-0.1 to 1,000) |",
            "| odd | 9 of 50 | cannot hold |",
            "| share | 54.7 % | 0.0 % |"])

    def test_chosen(self):
        self.assertEqual(self.written('<!-- table one "time of" plain\ncolumns: macro 5,000 = 5,000; classic\n'
                                      "head: what | base | * | decision\n| none | | 1 | 2 | |\n"
                                      "core / null = a core | none | * | kept\n"
                                      'from: one "Time"\ncore\n-->\n<!-- end -->\n').splitlines()[-6:-1], [
            "| what | base | 5,000 | classic | decision |",
            "|---|---|---|---|---|",
            "| none | | 1 | 2 | |",
            "| a core | none | 0.0258 | 0.644 | kept |",
            "| core | 1,234.5 | 12.3 |"])

    def test_turned(self):
        self.assertEqual(self.written('<!-- table one "Time" turned\ncolumns: null; core\n'
                                      "classic\n-->\n<!-- end -->\n").splitlines()[-4:-1], [
            "| book | null | core |", "|---|---|---|", "| classic | 4.0 | 12.3 |"])

    def test_that_differs(self):
        text = self.written('<!-- table one "Time" -->\n<!-- end -->\n')
        self.assert_bad(text.replace("12.3", "12.4"), "text.md:2: ", "12.4", "12.3")
        self.assert_bad(text.replace("| null | 4.0 | 5.0 |\n", ""), "text.md:2: ", "null")
        self.assert_bad(text.replace("<!-- end", "| more | 1 | 2 |\n<!-- end"), "text.md:2: ", "more")

    def test_of_nothing(self):
        for marker in ('table two "Time"', 'table one "Cows"', 'table one "Time"\ncow\n', 'table one "Time" upside-down',
                       'table one "Time"\ncolumns: cow\n', 'table one "Time"\nfrom: one "Cows"\ncore\n', "table one"):
            with self.subTest(marker=marker):
                self.assert_bad(f"<!-- {marker} -->\n<!-- end -->\n", "text.md:1: ")


class LintTest(TextsTest):
    def test_what_looks_measured(self):
        for text in ("It takes 0.5 of it.", "It takes 12 ns.", "36 % less", "20 ms", "5 µs", "| a | 1.25 |", "12%",
                     "## Section\n\n<!-- source: me -->\n\n0.1\n\n## Next\n\n0.5",
                     "<!-- source: me -->\n0.1\n\n0.5", "- 0.1 <!-- source: me -->\n- 0.5"):
            with self.subTest(text=text):
                self.assert_bad(text + "\n", "says nowhere what it comes from")

    def test_what_needs_no_marker(self):
        for text in ("GCC 12.2 and Clang 16.0.6 on Linux 6.18, CMake 3.25", "version 1.2", "p99.9", "a book of 5,000 orders, 64 slots",
                     "`0.5`", "```\n0.5 ns\n```", "[a](b-1.2.md)", "It takes 0.5, <!-- source: by hand -->\nand 0.6.",
                     "<!-- source: me -->\n| 0.1 |", "## Section\n\n<!-- source: me -->\n\n0.1\n\n0.2"):
            with self.subTest(text=text):
                self.assert_good(text + "\n")


class RealTextsTest(TextsTest):
    def test_texts_are_up_to_date(self):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                texts.main([])
            except SystemExit:
                self.fail(err.getvalue())
        print(out.getvalue(), end="")

    def test_a_changed_digit_is_noticed(self):
        checked = 0
        for path in texts.texts_in(ROOT):
            text = path.read_text()
            changes, problems = texts.read(ROOT, text)
            self.assertEqual(problems, [], path)
            for begin, end, _ in changes[:1]:
                at = max(match.start() for match in re.finditer(r"\d", text[begin:end])) + begin
                shutil.copy(path, self.text)
                self.assertEqual(self.run_on(text, root=ROOT), "")
                self.assertIn("expected", self.run_on(text[:at] + str(9 - int(text[at])) + text[at + 1:], root=ROOT))
                checked += 1
        self.assertGreaterEqual(checked, 3)

    def test_every_link_leads_somewhere(self):
        def anchors(text):
            return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
                    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}

        checked = 0
        for path in texts.texts_in(ROOT):
            for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", path.read_text()):
                led_to = path.parent / target if target else path
                with self.subTest(text=path.name, link=target + anchor):
                    self.assertTrue(led_to.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(led_to.read_text()))
                checked += 1
        self.assertGreater(checked, 100)


if __name__ == "__main__":
    unittest.main()
