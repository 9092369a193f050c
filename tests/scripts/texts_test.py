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


class LineTest(TextsTest):
    """Lines of report/figures.txt."""

    def setUp(self):
        super().setUp()
        self.side_file = self.root / "report" / "figures.txt"
        self.side_file.parent.mkdir()

    def run_on_lines(self, text, *lines, arguments=()):
        self.side_file.write_text("".join(f"{line}\n" for line in lines))
        return self.run_on(text, *arguments)

    def assert_green(self, text, *lines):
        self.assertEqual(self.run_on_lines(text, *lines), "", (text, lines))

    def assert_red(self, text, line, *parts):
        messages = self.run_on_lines(text, line)
        for part in parts:
            self.assertIn(part, messages, (text, line))

    def test_rounding(self):
        for phrase, source in (
                ("takes 12.3 ns", 'one "core" "classic"'),
                ("takes 12 ns", 'one "core" "classic"'),
                ("takes 1,235 ns", 'one "core" "macro 5,000"'),
                ("takes 1235 ns", 'one "core" "macro 5,000"'),
                ("takes 0.644 of", 'one "core / null" "classic"'),
                ("takes 0.64 of", 'one "core / null" "classic"'),
                ("takes 0.6 of", 'one "core / null" "classic"'),
                ("takes 0.61 of", 'one "core / null" "classic" low'),
                ("0.7 at most", 'one "core / null" "classic" high'),
                ("takes {0.644 (0.605 to 0.730)} of", 'one "core / null" "classic"'),
                ("takes {0.64 (0.6 to 0.73)} of", 'one "core / null" "classic"'),
                ("takes {0.61 to 0.73} of", 'one "core / null" "classic" range'),
                ("36 % less", 'one "core / null" "classic" saved'),
                ("{36 %} less", 'one "core / null" "classic" saved'),
                ("35.6 % less", 'one "core / null" "classic" saved'),
                ("64 per cent", 'one "core / null" "classic" %'),
                ("208 % more", 'one "Time" "core" "classic" over "null" more'),
                ("55 % of all", 'one "share" "classic"'),
                ("39 times as fast", 'one "core / null" "macro 5,000" inverse'),
                ("38.8 times as fast", 'one "core / null" "macro 5,000" inverse'),
                ("-0.1 at least", 'one "core / null" "macro 5,000" low'),
                ("27 % less", 'one "core / null" "classic" high saved'),
                ("2.00 times the time", 'one "part" "core: whole" "classic" over "core: half"'),
                ("0.01 of it", 'one "core" "classic" over "core" "macro 5,000"'),
                ("3.1 times", 'one "Time" "core" "classic" over "Time" "null" "classic"'),
                ("takes 80.9 instructions", 'one "Ratios; part" "core: whole" "classic"'),
                ("takes 40.5 instructions", 'one "part" "core#2" "classic"'),
                ("takes 81 instructions", r'one/table.md "core \| whole \| ([\d.]+)"'),
                ("takes 7 ns in spans", 'one "Growth" "*" "in spans"'),
                ("{9 of 50} streams", 'one "odd" "classic"'),
                ("22,889,470 trades", r'trust/soak.txt "(\d+) trades"'),
                ("22.9 million trades", r'trust/soak.txt "(\d+) trades"'),
                ("0.02 billion trades", r'trust/soak.txt "(\d+) trades"'),
                ("{574 of 574} lines", r'trust/soak.txt "(\d+ of \d+) lines"'),
                ("hash `{02a9cfac9089ca53}`", r'trust/soak.txt "hash (\w+)"'),
                ("with 5,000 orders {0.03} of", 'one "core / null" "macro 5,000"'),
                ("phase10 takes 12 ns", 'one "core" "classic"')):
            with self.subTest(phrase=phrase, source=source):
                shown, line = phrase.replace("{", "").replace("}", ""), f"text.md: {phrase} <- {source}"
                self.assert_green(f"It {shown}, and so on.\n", line)
                figure = re.search(r"\{(.*?)\}", phrase) or re.search(r"(?<!\w)([\d.,]*\d)", phrase)
                at = figure.start(1) + max(match.start() for match in re.finditer(r"\d", figure[1]))
                wrong = phrase[:at] + str(9 - int(phrase[at])) + phrase[at + 1:]
                shown_wrong = wrong.replace("{", "").replace("}", "")
                self.assert_red(f"\nIt {shown_wrong}.\n", line, "text.md:2: found", "scripts/lab texts --write")
                self.assert_red(f"It {shown}.\n", f"text.md: {wrong} <- {source}", "report/figures.txt:1: found", "--write")
                # --write puts it right in both.
                self.assertEqual(self.run_on_lines(f"It {shown_wrong}.\n", "# Of", "", f"text.md: {wrong} <- {source}",
                                                   arguments=["--write"]), "")
                self.assertEqual(self.text.read_text(), f"It {shown}.\n")
                self.assertEqual(self.side_file.read_text(), f"# Of\n\n{line}\n")

    def test_digits_that_an_artifact_does_not_have(self):
        self.assert_red("It takes 12.30 ns.\n", 'text.md: takes 12.30 ns <- one "core" "classic"', 'expected "12.3"')

    def test_a_figure_of_another_form(self):
        self.assert_red("It takes 0.6 (0.7) of it.\n", 'text.md: takes {0.6 (0.7)} of <- one "core / null" "classic"',
                        "report/figures.txt:1: found", 'expected "0.644 (0.605 to 0.730)"')

    def test_an_artifact_that_changes(self):
        line = 'text.md: takes 12 ns <- one "core" "classic"'
        self.assert_green("It takes 12 ns.\n", line)
        artifact = self.root / "server_results" / "one" / "table.md"
        artifact.write_text(TABLE.replace("12.3 ", "12.4 "))
        self.assert_green("It takes 12 ns.\n", line)
        artifact.write_text(TABLE.replace("12.3 ", "12.5 "))
        self.assert_red("It takes 12 ns.\n", line, 'text.md:1: found "12", expected "13"',
                        'report/figures.txt:1: found "12", expected "13"', "see that the sentence stays true")

    def test_a_phrase_may_be_broken(self):
        line = 'text.md: a core takes 12 ns of all <- one "core" "classic"'
        self.assert_green("So a core\ntakes 12\n  ns of all.\n", line)
        self.assert_green("| a core | takes 12 ns | of all |\n", line)
        self.assert_green("| a core | takes 12 ns | of all |\n",
                          'text.md: | a core | takes 12 ns | of all | <- one "core" "classic"')
        self.assert_green("A core takes 12\n<!-- source: me -->\nns.\n", 'text.md: takes 12 ns <- one "core" "classic"')

    def test_a_phrase_that_is_not_there(self):
        line = 'text.md: takes 12 ns <- one "core" "classic"'
        for text in ("It takes long.", "```\ntakes 12 ns\n```", "It takes 1 s.",
                     '<!-- table one "Growth"\n| takes 12 ns |\n-->\n| one at a time |\n<!-- end -->'):
            self.assert_red(text + "\n", line, 'report/figures.txt:1: "takes 12 ns" does not stand in text.md: write it')
        self.assert_red("It takes 7.12 ns.\n", 'text.md: 12 ns <- one "core" "classic"', "found")
        self.assert_red("It takes 12.3.\n", 'text.md: takes 12 <- one "core" "classic"', "found")
        self.assert_red("It takes 0.5.\n", "text.md: takes 0.6 <- source: me", "does not stand in text.md", "says nowhere")

    def test_a_phrase_that_stands_twice(self):
        for phrase, source in (("takes 12 ns", 'one "core" "classic"'), ("takes 12 ns", "source: me")):
            self.assert_red("It takes 12 ns.\nThat takes 12 ns.\n", f"text.md: {phrase} <- {source}",
                            '"takes 12 ns" stands 2 times in text.md: add words')
            self.assert_green("It takes 12 ns.\nThat takes 12 ns.\n", f"text.md: It {phrase} <- {source}",
                              f"text.md: That {phrase} <- {source}")
        self.assert_green("It takes 12 ns. It takes 4 ns.\n", 'text.md: It takes 12 ns <- one "core" "classic"',
                          'text.md: It takes 4 ns <- one "null" "classic"')

    def test_a_phrase_of_which_only_the_figure_is_not_there(self):
        self.assert_red("It takes 11 ns. It takes 4 ns.\n", 'text.md: takes 12 ns <- one "core" "classic"',
                        '"takes 12 ns" does not stand in text.md')

    def test_a_source_covers_its_phrase_alone(self):
        self.assert_green("It takes 0.5 to 0.6.\n", "text.md: takes 0.5 to 0.6 <- source: the published record")
        self.assert_red("It takes 0.5, not 0.6.\n", "text.md: takes 0.5 <- source: me", '"0.6" says nowhere')
        self.assert_red("It takes 12 ns of 12.3.\n", 'text.md: takes {12} ns of 12.3 <- one "core" "classic"',
                        '"12.3" says nowhere')

    def test_lines_that_say_nothing(self):
        for line, reason in (
                ("text.md takes 12 ns", "a line is TEXT: PHRASE <- SOURCE"),
                ("text.md: takes 12 ns <- ", "a line is TEXT: PHRASE <- SOURCE"),
                ("text.md: takes 12 ns <- one core classic", "a line is TEXT: PHRASE <- SOURCE"),
                ('none.md: takes 12 ns <- one "core" "classic"', "there is no none.md"),
                ('text.md: takes long <- one "core" "classic"', '"takes long" has 0 numbers: put the figure in braces'),
                ('text.md: takes 12 of 13 <- one "core" "classic"', '"takes 12 of 13" has 2 numbers: put the figure in braces'),
                ('text.md: takes 12 ns <- two "core" "classic"', "there is no two/table.md"),
                ('text.md: takes 12 ns <- one "core" "wide"', "has no"),
                ('text.md: takes 12 ns <- one "cow" "classic"', "has no"),
                ('text.md: takes 12 ns <- one "part" "core#3" "classic"', "has no"),
                ('text.md: takes 12 ns <- one "Cows" "core" "classic"', "has no"),
                ('text.md: takes 12 ns <- one "part" "core" "classic"', "has no"),
                ('text.md: takes 12 ns <- one "core / null"', "a source names a row and a column"),
                ('text.md: takes 12 ns <- one "null" "classic" over "share" "macro 5,000"', "divided by nothing"),
                ('text.md: takes 12 ns <- one "core" "classic" high', "no such figure"),
                ('text.md: takes 12 ns <- one "odd" "macro 5,000"', "no such figure"),
                ('text.md: takes 12 ns <- trust/none.txt "(1)"', "there is no trust/none.txt"),
                ('text.md: takes 12 ns <- trust/soak.txt "(1) cow"', "has no"),
                ('text.md: takes 12 ns <- one "core" "classic" .2', 'no form ".2"'),
                ('text.md: takes 12 ns <- one "core" "classic" %', "does not say that it is in per cent"),
                ('text.md: takes 12 ns <- one "share" "classic"', "does not say that it is in per cent"),
                (r'text.md: takes 12 ns <- trust/soak.txt "("', "missing )")):
            with self.subTest(line=line):
                self.assert_red("It takes 12 ns.\n", line, "report/figures.txt:1: ", reason)

    def test_of_two_cells(self):
        (self.root / "server_results" / "one" / "table.md").write_text(TABLE + "\n## Again\n" + TABLE.replace("12.3", "12.4"))
        self.assert_red("It takes 12 ns.\n", 'text.md: takes 12 ns <- one "core" "classic"', "more than one")

    def test_of_uncommitted_changes(self):
        (self.root / "server_results" / "one" / "table.md").write_text(
            TABLE.replace("0123456789ab", "0123456789ab with uncommitted changes"))
        self.assert_red("It takes 12 ns.\n", 'text.md: takes 12 ns <- one "core" "classic"', "uncommitted changes")


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
                     "14 times as fast", "14 times\nas long as", "14 times as\nfast", "3 times the time",
                     "## Section\n\n<!-- source: me -->\n\n0.1\n\n## Next\n\n0.5",
                     "<!-- source: me -->\n0.1\n\n0.5", "- 0.1\n  <!-- source: me -->\n- 0.5",
                     "0.5 <!-- source: me -->"):
            with self.subTest(text=text):
                self.assert_bad(text + "\n", "says nowhere what it comes from")

    def test_what_is_no_marker(self):
        for comment in ('one "core" "classic"', "end", 'table one "Time"', "source: me"):
            with self.subTest(comment=comment):
                self.assert_bad(f"It takes long <!-- {comment} --> indeed.\n", "text.md:1: not a marker")

    def test_what_needs_no_marker(self):
        for text in ("GCC 12.2 and Clang 16.0.6 on Linux 6.18, CMake 3.25", "version 1.2", "p99.9", "60 times",
                     "a book of 5,000 orders, 64 slots",
                     "`0.5`", "```\n0.5 ns\n```", "[a](b-1.2.md)", "It takes 0.5,\n<!-- source: by hand -->\nand 0.6.", "- 0.1\n  <!-- source: me -->",
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
        shutil.rmtree(self.root / "server_results")
        (self.root / "server_results").symlink_to(ROOT / "server_results")
        side_file = self.root / texts.SIDE_FILE
        paths = [path.relative_to(ROOT) for path in texts.texts_in(ROOT)]
        for path in [*paths, pathlib.Path(texts.SIDE_FILE)]:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.root / path)

        def with_another_digit(text, begin, end):
            at = max(match.start() for match in re.finditer(r"\d", text[begin:end])) + begin
            return text[:at] + str(9 - int(text[at])) + text[at + 1:]

        lines = texts.SideFile(ROOT).lines
        checked = 0
        for path in paths:
            self.text = self.root / path
            text = self.text.read_text()
            changes, problems = texts.read(ROOT, text, [line for line in lines if line.text == str(path)])
            self.assertEqual(problems, [], path)
            self.assertEqual(self.run_on(text), "")
            for begin, end, _ in changes[:2]:
                self.assertIn("expected", self.run_on(with_another_digit(text, begin, end)))
                checked += 1
            self.text.write_text(text)
        self.assertGreaterEqual(checked, 3)
        whole = side_file.read_text().splitlines()
        for line in [line for line in lines if line.name][:5]:
            wrong = with_another_digit(line.content, line.begin, line.end)
            side_file.write_text("\n".join([*whole[:line.number - 1], wrong, *whole[line.number:]]))
            self.text = self.root / line.text
            self.assertIn(f"{texts.SIDE_FILE}:{line.number}: found", self.run_on(self.text.read_text()))

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
