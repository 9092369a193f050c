#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""texts.py [--write|--check] [FILE...]: keeps the figures in the texts equal to those in the artifacts.

An artifact is `server_results/NAME/table.md`, or a text record such as `server_results/trust/soak.txt`. `--check`, the
default, lists each figure that differs from its artifact, each figure without a source, and each source without an
artifact of a committed tree. `--write` updates tables and figures.

`report/figures.txt` gives the source of each figure in a sentence, one a line:

    README.md: 14 times as fast as a B-tree of orders <- evolution "core / btree" "macro 5,000" inverse
    README.md: a command takes {16} ns with 5,000 orders <- evolution "Time per operation" "core" "macro 5,000"
    report/lab/03_published_phases.md: 0.58 of the time of a map <- source: the published record

That is the text, a phrase and the source. The phrase is copied from the Markdown, where it stands exactly once, outside
code blocks and generated tables; line breaks and the bars of a table count as spaces. If it has more than one number,
braces mark the figure. They may hold all numbers of a cell: `{0.971 (0.940 to 1.019)}`. The figure is that of the
artifact, rounded to the digits written; "million" or "billion" may follow it. `source: WORDS` is for figures without an
artifact in this tree, and covers all numbers of its phrase. Empty lines and lines that begin with # are ignored.

A source names the campaign, the row and the column; before the row there may be the table, if cells of several tables
answer: `evolution "Memory" "core" "classic"`. A table is named by a part of its heading or of the sentence above it, or
by the label of its first column, or by several of these with "; " between them. A row is named by its first cell, or by
its first two as `"classic: core_span / core"`, or is "*" if it is the only one; "its probe#2" is the second of that
name. In a text record, which is named with its ending, a regular expression with one group finds the figure:
`trust/soak.txt "(\\d+) trades"`. Words after that choose a form:

    low, high    the last two numbers of a cell such as `0.644 (0.605 to 0.730)`, instead of its first
    range        0.605 to 0.730
    over "ROW"   divided by the figure of another row; "ROW" "COLUMN", or "TABLE" "ROW" "COLUMN", for one further away
    inverse      1 divided by it
    saved, more  in per cent, by how much it is below 1, or above
    %            in per cent

A table stands between markers and is generated:

    <!-- table evolution "Over the one before" plain
    columns: classic; macro 5,000 = 5,000 orders
    head: step | * | decision
    phase2a / phase1 = a pool | * | kept
    from: growth "Growth"
    core
    -->
    <!-- end -->

Each line is a row and, after ` = `, what to call it; there may be further cells, with `*` where those of the artifact
go. A line that begins with `|` is a row as it stands. Without rows the table has all of them, without columns all of
these. `from` takes the rows after it from another table. `plain` leaves out what is in brackets; `turned` exchanges
rows and columns.

What looks measured (a decimal fraction, a time, a percentage, "14 times as fast") needs a line in that file or a source
in the text, `<!-- source: the published record -->` on a line of its own. That covers the paragraph, list item or table
in which it stands, and where it stands alone the rest of its section. Code, links and versions need none.
"""

import decimal
import functools
import pathlib
import re
import sys

import command_line
import files

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = ("README.md", "PROJECT_HISTORY.md", "report/*.md", "report/guide/*.md", "report/lab/*.md", ".github/*.md")
SIDE_FILE = "report/figures.txt"

TABLE = re.compile(r"<!-- table (?P<name>[\w.-]+)(?P<rest>[^\n]*?)(?:\n(?P<lines>.*?))?-->\n"
                   r"(?P<body>.*?)<!-- end -->", re.S)
SOURCE = re.compile(r"^ *<!-- source: [^\n]*-->$", re.M)
FORMS = {"low", "high", "range", "over", "inverse", "saved", "more", "%"}
NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?"
LINE = re.compile(r"(?P<text>[^\s:]+): +[| ]*(?P<phrase>.+?)[| ]* <- (?:(?P<name>[\w./-]+) (?P<rest>\".*)|source: .+)")
SCALES = {"million": 6, "billion": 9}

CODE_BLOCK = re.compile(r"^```.*?^```", re.S | re.M)
NO_FIGURE = re.compile(r"`[^`\n]*`|95 % interval|\bp\d+\.\d+|\]\([^)\n]*\)|<!--.*?-->|\d+(?:\.\d+){2,}"
                       r"|(?:GCC|GNU|Clang|Linux|Debian|CMake|Python|ITCH|FIX|Apache|version) \d+(?:\.\d+)*", re.S)
MEASURED = re.compile(NUMBER + r"(?:\s?(?:%|(?:ns|µs|ms)\b)|\s+times\s+(?:as\s+(?:fast|slow|long)|the\s+time)\b)"
                      r"|\d[\d,]*\.\d+")
COMMENT = re.compile(r"<!--.*?-->", re.S)


class TextError(Exception):
    pass


class Table:
    """A table of an artifact: its cells, the heading above it and the sentence right above it."""

    def __init__(self, heading, sentence, lines):
        cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
        self.heading, self.sentence, self.rows = heading, sentence, [cells[0], *cells[2:]]

    def is_called(self, names):
        return all(name == self.rows[0][0] or name in self.heading or name in self.sentence
                   for name in names if name)

    def row(self, label):
        label, _, number = label.partition("#")
        rows = [row for row in self.rows[1:] if label in (row[0], ": ".join(row[:2]), "*")]
        if number:
            rows = rows[int(number) - 1:int(number)]
        return rows[0] if len(rows) == 1 else None

    def turned(self):
        """The same with rows and columns exchanged."""
        result = Table(self.heading, self.sentence, ["", ""])
        result.rows = [list(row) for row in zip(*self.rows)]
        return result


@functools.lru_cache(None)
def artifact(path):
    if not path.is_file():
        raise TextError(f"there is no {path.parent.name}/{path.name}")
    text = path.read_text(encoding="utf-8")
    if "with uncommitted changes" in text.partition("\n")[0]:
        raise TextError(f"{path.parent.name}/{path.name} was made from a tree with uncommitted changes")
    return text


@functools.lru_cache(None)
def tables_of(path):
    """All tables of the file, each with the heading and the sentence above it."""
    heading, sentence, tables, lines = "", "", [], []
    for line in [*artifact(path).splitlines(), ""]:
        if line.startswith("|"):
            lines.append(line)
            continue
        if lines:
            tables.append(Table(heading, sentence, lines))
            lines = []
        if line.startswith("#"):
            heading, sentence = line.lstrip("# "), ""
        elif line:
            sentence = line
    return tables


def one_of(found, name, *what):
    if len(found) != 1:
        raise TextError(f"{name} has {'more than one' if found else 'no'} " +
                        ", ".join(f'"{item}"' for item in what if item))
    return found[0]


def one_cell(root, name, table, row, column):
    tables = tables_of(root / "server_results" / name / "table.md")
    found = {line[candidate.rows[0].index(column)] for candidate in tables if candidate.is_called(table.split("; "))
             for line in [candidate.row(row)] if line and column in candidate.rows[0]}
    return one_of(sorted(found), name, table, row, column)


def words_of(text):
    """The words of a marker: (is a string, text)."""
    return [(match[2] is None, match[1] or match[2]) for match in re.finditer(r'"([^"]*)"|(\S+)', text)]


def value_of(text):
    match = re.search(NUMBER, text)
    if not match:
        raise TextError(f'"{text}" is no figure')
    return decimal.Decimal(match[0].replace(",", ""))


def cell_of(root, name, words):
    """What the words of a source address: the text of a cell, the forms, and what to divide by."""
    forms = [text for is_string, text in words if not is_string]
    for form in forms:
        if form not in FORMS:
            raise TextError(f'there is no form "{form}"')
    split = words.index((False, "over")) if "over" in forms else len(words)
    address = [text for is_string, text in words[:split] if is_string]
    if name.endswith((".txt", ".md")):
        pattern = one_of(address, "a source that is a text record", "pattern")
        text = one_of(sorted(set(re.findall(pattern, artifact(root / "server_results" / name)))), name, pattern)
        return f"{int(text):,}" if re.fullmatch(r"\d{4,}", text) else text, forms, None
    if len(address) not in (2, 3):
        raise TextError("a source names a row and a column, and before them perhaps a table")
    address = ["", *address][-3:]
    text = one_cell(root, name, *address)
    if "over" not in forms:
        return text, forms, None
    other = [text for is_string, text in words[split:] if is_string]
    return text, forms, value_of(one_cell(root, name, *beside(address, other)))


def beside(address, other):
    """The address `other`, with what it leaves out taken from `address`."""
    if len(other) == 1:
        return [address[0], other[0], address[2]]
    return [*address[:3 - len(other)], *other]


def numbers_of(text, forms):
    """The numbers of a cell, as they stand there; at least those that the forms take."""
    numbers = re.findall(NUMBER, text)
    if len(numbers) < (2 if {"low", "high", "range"} & set(forms) else 1):
        raise TextError(f'"{text}" has no such figure')
    return numbers


def computed(text, forms, divisor):
    """The number of a cell in these forms, and whether it is in per cent."""
    numbers = numbers_of(text, forms)
    value = value_of(numbers[-2 if "low" in forms else -1 if "high" in forms else 0])
    try:
        value = value / divisor if divisor is not None else value
        value = 1 / value if "inverse" in forms else value
    except ArithmeticError:
        raise TextError(f'"{text}" would be divided by nothing') from None
    for form, per_cent in (("saved", 100 * (1 - value)), ("more", 100 * (value - 1)), ("%", 100 * value)):
        if form in forms:
            return per_cent, True
    return value, False


def as_written(value, written, most=99):
    """The number with as many digits after the point as one that is written, and at most so many."""
    digits = decimal.Decimal(1).scaleb(-min(len(written.partition(".")[2]), most))
    separator = "" if re.match(r"-?\d{4}", written) else ","
    return f"{value.quantize(digits, decimal.ROUND_HALF_UP):{separator}f}"


def digits_of(value):
    return max(0, -value.as_tuple().exponent)


def is_name(text):
    """A hash or a date: nothing to reckon with."""
    return re.fullmatch(r"\w*[a-z]\w*|\d{4}-\d\d-\d\d", text)


def pattern_of(text):
    """What a figure of this form looks like, whatever its digits."""
    if is_name(text):
        return r"[\w-]+"
    return NUMBER.join(re.escape(part) for part in re.split(NUMBER, text))


class Line:
    """A line of the side file: the text, the phrase (before, figure, after) and the source. A line without an artifact has
    its phrase in `before`. `begin` and `end` are where the figure stands in the line, `expected` is what should stand
    there, and `problem` what else is wrong, once the text has been read."""

    def __init__(self, number, content):
        match = LINE.fullmatch(content)
        if not match:
            raise TextError("a line is TEXT: PHRASE <- SOURCE; scripts/lab texts --help describes it")
        self.number, self.content, self.text, self.name, self.rest = number, content, *match.group("text", "name", "rest")
        self.phrase, self.before, self.figure, self.after = match["phrase"], match["phrase"], "", ""
        self.expected = self.problem = None
        if not self.name:
            return
        first = match.start("phrase")
        found = [*re.finditer(r"\{([^{}]+?)(\s?%|)\}", self.phrase)] or [
            *re.finditer(rf"(?<![\w.,])({NUMBER})()", self.phrase)]
        if len(found) != 1:
            raise TextError(f'"{self.phrase}" has {len(found)} numbers: put the figure in braces, such as "{{0.68}} of"')
        self.figure, self.begin, self.end = found[0][1], first + found[0].start(1), first + found[0].end(1)
        self.before, self.after = self.phrase[:found[0].start()], found[0][2] + self.phrase[found[0].end():]
        self.phrase = self.before + self.figure + self.after

    def places(self, visible):
        """Where the phrase stands in a text: with its figure, or else the only place with another one."""
        def with_spaces(words):
            return r"[\s|]+".join(map(re.escape, re.split(r"[\s|]+", words)))

        def with_figure(figure):
            pattern = rf"{with_spaces(self.before)}({figure}){with_spaces(self.after)}"
            pattern = rf"(?<!\w)(?<!\d[.,]){pattern}" if re.match(r"\w", self.phrase) else pattern
            pattern = rf"{pattern}(?!\w|[.,]\d)" if re.search(r"\w$", self.phrase) else pattern
            return [*re.finditer(pattern, visible)]

        found = with_figure(re.escape(self.figure))
        others = [] if found else with_figure(pattern_of(self.figure))
        return others if len(others) == 1 else found

    def figure_like(self, root, written):
        """What should stand in place of the figure that is written."""
        text, forms, divisor = cell_of(root, self.name, words_of(self.rest))
        if re.fullmatch(NUMBER, written):
            value, in_per_cent = computed(text, forms, divisor)
            if (in_per_cent or text.endswith("%")) and not re.match(r"\s?%| per cent", self.after):
                raise TextError(f'"{self.phrase}" does not say that it is in per cent, as its source does')
            scale = re.match(r"\s*(million|billion)\b", self.after)
            value = value.scaleb(-SCALES[scale[1]]) if scale else value
            return as_written(value, written, *([] if set(forms) - {"low", "high"} else [digits_of(value)]))
        numbers = re.findall(NUMBER, written)
        text = " to ".join(numbers_of(text, forms)[-2:]) if "range" in forms else text
        if is_name(text) or len(numbers) != len(re.findall(NUMBER, text)):
            return text

        def with_digits(match):
            value = value_of(match[0])
            return as_written(value, numbers.pop(0), digits_of(value))

        return re.sub(NUMBER, with_digits, text)

    def read(self, root, visible):
        """Where the phrase stands in its text, and what its figure should be. Without an artifact, that is None."""
        found = self.places(visible)
        if len(found) > 1:
            raise TextError(f'"{self.phrase}" stands {len(found)} times in {self.text}: add words before or after it')
        if not found:
            raise TextError(f'"{self.phrase}" does not stand in {self.text}: write it as it is there, or delete the line')
        if not self.name:
            return found[0].span(), None
        self.expected = self.figure_like(root, " ".join(found[0][1].split()))
        return found[0].span(1), self.expected


class SideFile:
    """The lines of a tree, and what is wrong with the file."""

    def __init__(self, root):
        self.path, self.lines, self.problems = root / SIDE_FILE, [], []
        self.contents = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        for number, content in enumerate(self.contents, 1):
            if content.strip() and not content.startswith("#"):
                try:
                    line = Line(number, content.rstrip())
                    if not (root / line.text).is_file():
                        raise TextError(f"there is no {line.text}: name the text as it is called now, or delete the line")
                    self.lines.append(line)
                except TextError as error:
                    self.problems.append(f"{SIDE_FILE}:{number}: {error}")

    def settle(self, write):
        """Returns what is wrong, after writing the figures that differ if `write`."""
        for line in self.lines:
            if line.problem:
                self.problems.append(f"{SIDE_FILE}:{line.number}: {line.problem}")
            elif line.expected in (None, line.figure):
                continue
            elif write:
                self.contents[line.number - 1] = line.content[:line.begin] + line.expected + line.content[line.end:]
            else:
                self.problems.append(f"{SIDE_FILE}:{line.number}: {differs(line.figure, line.expected)}")
        if write and self.contents:
            files.write_text(self.path, "\n".join(self.contents) + "\n")
        return self.problems


def table(root, name, rest, lines):
    """What should stand between the markers of this table."""
    columns, head, wanted = [], "*", []
    words = words_of(rest)
    flags = {text for is_string, text in words if not is_string}
    if flags - {"plain", "turned"}:
        raise TextError(f"a table cannot be {', '.join(sorted(flags))}")
    source = (name, *[text for is_string, text in words if is_string])
    for line in filter(None, map(str.strip, (lines or "").splitlines())):
        if line.startswith("columns: "):
            columns = [(label, text or label) for label, _, text in
                       (part.partition(" = ") for part in line.removeprefix("columns: ").split("; "))]
        elif line.startswith("head: "):
            head = line.removeprefix("head: ")
        elif line.startswith("from: "):
            source = tuple(text for _, text in words_of(line.removeprefix("from: ")))
        elif line.startswith("|"):
            wanted.append((None, "", line))
        else:
            wanted.append((source, *(part.strip() for part in line.partition(" = ")[::2])))

    def find(source, label):
        called = source[1].split("; ") if len(source) > 1 else []
        found = [each for each in tables_of(root / "server_results" / source[0] / "table.md") if each.is_called(called)]
        found = [each.turned() for each in found] if "turned" in flags else found
        found = [each for each in found if (label is None or each.row(label)) and
                 all(column in each.rows[0] for column, _ in columns)]
        return one_of(found, source[0], *source[1:], label, *(column for column, _ in columns if len(found) == 0))

    first = find(*next(((source, label) for source, label, _ in wanted if source), (source, None)))
    columns = columns or [(label, label) for label in first.rows[0][1:]]
    wanted = wanted or [(source, row[0], "") for row in first.rows[1:]]
    result = [filled(head if "|" in head or head != "*" else f"{first.rows[0][0]} | *", [text for _, text in columns])]
    result.append("|" + "---|" * (result[0].count(" | ") + 1))
    for source, label, text in wanted:
        if not source:
            result.append(text)
            continue
        each = find(source, label)
        cells = [each.row(label)[each.rows[0].index(column)] for column, _ in columns]
        if "plain" in flags:
            cells = [re.sub(r" \([^)]*\)", "", text) for text in cells]
        result.append(filled(text if "|" in text else f"{text or label} | *", cells))
    return "\n".join(result) + "\n"


def filled(template, cells):
    """A line of a table, with the cells in place of `*`."""
    parts = [part.strip() for part in template.split("|")]
    return "| " + " | ".join(cell for part in parts for cell in (cells if part == "*" else [part])) + " |"


def blank(text, spans):
    """The text with spaces there, so that all positions stay."""
    for begin, end in spans:
        text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    return text


def spans_of(pattern, text):
    return [match.span() for match in pattern.finditer(text)]


def without_sourced(text):
    """The text without paragraphs and sections that have a source."""
    covered, result = False, []
    for paragraph in re.split(r"(\n\s*\n|\n(?=- ))", text):
        if paragraph.startswith("#"):
            covered = False
        if SOURCE.fullmatch(paragraph.strip()):
            covered = True
        if covered or SOURCE.search(paragraph):
            paragraph = blank(paragraph, [(0, len(paragraph))])
        result.append(paragraph)
    return "".join(result)


def read(root, text, lines=()):
    """Of a text and its lines of the side file: changes (begin, end, expected), problems (position, what)."""
    changes, problems = [], []
    visible = blank(text, spans_of(CODE_BLOCK, text))
    for match in TABLE.finditer(visible):
        try:
            changes.append((*match.span("body"), table(root, match["name"], match["rest"], match["lines"])))
        except TextError as error:
            problems.append((match.start(), str(error)))
    visible = blank(visible, spans_of(TABLE, visible))
    words, figures = blank(visible, spans_of(COMMENT, visible)), []
    for line in lines:
        try:
            span, expected = line.read(root, words)
        except (TextError, re.error) as error:
            line.problem = str(error)
            continue
        figures.append(span)
        if expected is not None:
            changes.append((*span, expected))
    for left in re.finditer(r"<!-- [^\n]*", blank(visible, spans_of(SOURCE, visible))):
        problems.append((left.start(), f"not a marker: {left[0]}"))
    bare = without_sourced(blank(visible, figures))
    for match in MEASURED.finditer(blank(bare, spans_of(NO_FIGURE, bare))):
        problems.append((match.start(), f'"{match[0]}" says nowhere what it comes from: give it a line in {SIDE_FILE}'))
    return changes, problems


def texts_in(root):
    return [path for pattern in TEXTS for path in sorted(root.glob(pattern))]


def differs(found, expected):
    return f'found "{found}", expected "{expected}": see that the sentence stays true, then scripts/lab texts --write'


def name_of(root, path):
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def handle(root, path, write, lines):
    """Returns what is wrong with a text, after writing it anew if `write`."""
    text = before = path.read_text(encoding="utf-8")
    name = name_of(root, path)
    changes, problems = read(root, text, [line for line in lines if line.text == name])
    for begin, end, expected in sorted(set(changes), reverse=True):
        if before[begin:end] != expected and not write:
            found, right = before[begin:end], expected
            if "\n" in expected:  # of a table, the first line that differs
                pairs = zip([*found.splitlines(), *[""] * len(right)], [*right.splitlines(), ""])
                found, right = next((pair for pair in pairs if pair[0] != pair[1]), ("more rows", "none"))
            problems.append((begin, differs(found, right)))
        if write:
            text = text[:begin] + expected + text[end:]
    if write:
        files.write_text(path, text)
    return [f"{name}:{before.count(chr(10), 0, at) + 1}: {what}" for at, what in sorted(problems)]


def main(arguments=None, root=ROOT):
    parser = command_line.parser(__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="fill in tables and figures")
    mode.add_argument("--check", action="store_true", help="name what differs (the default)")
    parser.add_argument("files", metavar="FILE", nargs="*", type=pathlib.Path, help="a text instead of all of them")
    options = parser.parse_args(arguments)
    texts = [path.resolve() for path in options.files] or texts_in(root)
    side_file = SideFile(root)
    problems = [problem for path in texts for problem in handle(root, path, options.write, side_file.lines)]
    problems += side_file.settle(options.write)
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        sys.exit(1)
    print(f"texts are up to date ({len(texts)} files)")


if __name__ == "__main__":
    command_line.run(main)
