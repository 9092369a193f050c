#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""texts.py [--write|--check] [FILE...]: keeps the figures in the texts equal to those in the artifacts.

An artifact is `server_results/NAME/table.md`, or a text record such as `server_results/trust/soak.txt`. `--check`,
which is the default, names each figure that differs from its artifact, each marker that addresses nothing or an
artifact of a tree with uncommitted changes, and each figure that says nowhere what it comes from. `--write` fills in
tables and figures.

A figure in prose stands directly before its marker, on the same line:

    takes 0.644 <!-- evolution "core / phase10" "macro 5,000" --> of the time

A marker names the campaign, the row and the column; before the row there may be the table, if cells of several tables
answer: `<!-- evolution "Memory" "core" "classic" -->`. A table is named by a part of its heading or of the sentence
above it, or by the label of its first column, or by several of these with "; " between them. A row is named by its
first cell, or by its first two as `"classic: core_span / core"`, or is "*" if it is the only one; "its probe#2" is
the second of that name. In a text record, which is named with its ending, a regular expression with one group finds
the figure: `<!-- trust/soak.txt "(\\d+) trades" -->`. Words after that choose a form:

    low, high    the last two numbers of a cell such as `0.644 (0.605 to 0.730)`, instead of its first
    range        0.605 to 0.730
    whole        all of the cell
    over "ROW"   divided by the figure of another row; "ROW" "COLUMN", or "TABLE" "ROW" "COLUMN", for one further away
    inverse      1 divided by it
    saved, more  in per cent, by how much it is below 1, or above
    %            in per cent
    .N           N digits after the point

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

What looks measured (a decimal fraction, a time, a percentage) needs a marker, or a source that is no artifact of this
tree: `<!-- source: the published record -->`. That covers the paragraph, list item or table in which it stands, and
where it stands alone the rest of its section. Code, links and versions need none.
"""

import functools
import pathlib
import re
import sys

import command_line
import files

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = ("README.md", "PROJECT_HISTORY.md", "report/*.md", ".github/*.md")

TABLE = re.compile(r"<!-- table (?P<name>[\w.-]+)(?P<rest>[^\n]*?)(?:\n(?P<lines>.*?))?-->\n"
                   r"(?P<body>.*?)<!-- end -->", re.S)
FIGURE = re.compile(r'<!-- (?P<name>[\w./-]+) (?P<rest>"[^\n]*?) ?-->')
SOURCE = re.compile(r"<!-- source: [^\n]*?-->")
FORMS = {"low", "high", "range", "whole", "over", "inverse", "saved", "more", "%"}
NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?"

CODE_BLOCK = re.compile(r"^```.*?^```", re.S | re.M)
NO_FIGURE = re.compile(r"`[^`\n]*`|95 % interval|\bp\d+\.\d+|\]\([^)\n]*\)|<!--.*?-->|\d+(?:\.\d+){2,}"
                       r"|(?:GCC|GNU|Clang|Linux|Debian|CMake|Python|ITCH|FIX|Apache|version) \d+(?:\.\d+)*", re.S)
MEASURED = re.compile(NUMBER + r"\s?(?:%|(?:ns|µs|ms)\b)|\d[\d,]*\.\d+")


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
    return float(match[0].replace(",", ""))


def figure(root, name, rest):
    """What should stand before this marker."""
    words = words_of(rest)
    forms = [text for is_string, text in words if not is_string]
    split = words.index((False, "over")) if "over" in forms else len(words)
    address = [text for is_string, text in words[:split] if is_string]
    if name.endswith((".txt", ".md")):
        pattern = one_of(address, "a marker of a text record", "pattern")
        text = one_of(sorted(set(re.findall(pattern, artifact(root / "server_results" / name)))), name, pattern)
        return formed(f"{int(text):,}" if re.fullmatch(r"\d{4,}", text) else text, forms or ["whole"])
    if len(address) not in (2, 3):
        raise TextError("a marker names a row and a column, and before them perhaps a table")
    address = ["", *address][-3:]
    text = one_cell(root, name, *address)
    if "over" not in forms:
        return formed(text, forms)
    other = [text for is_string, text in words[split:] if is_string]
    return formed(text, forms, value_of(one_cell(root, name, *beside(address, other))))


def beside(address, other):
    """The address `other`, with what it leaves out taken from `address`."""
    if len(other) == 1:
        return [address[0], other[0], address[2]]
    return [*address[:3 - len(other)], *other]


def formed(text, forms, divisor=None):
    """The text of a cell in these forms."""
    for form in forms:
        if form not in FORMS and not re.fullmatch(r"\.\d", form):
            raise TextError(f'there is no form "{form}"')
    if "whole" in forms or not forms and text.endswith(" %"):
        return text
    numbers = re.findall(NUMBER, text)
    which = -2 if "low" in forms else -1 if "high" in forms else 0
    if len(numbers) < (2 if which or "range" in forms else 1):
        raise TextError(f'"{text}" has no such figure')
    if "range" in forms:
        return f"{numbers[-2]} to {numbers[-1]}"
    digits = [int(form[1:]) for form in forms if form[0] == "."]
    if set(forms) <= {"low", "high"}:
        return numbers[which]
    value = float(numbers[which].replace(",", "")) / (divisor or 1)
    if "inverse" in forms:
        value = 1 / value
    for form, per_cent in (("saved", 100 * (1 - value)), ("more", 100 * (value - 1)), ("%", 100 * value)):
        if form in forms:
            return f"{per_cent:,.{[*digits, 0][0]}f} %"
    return f"{value:,.{[*digits, 2][0]}f}"


def pattern_of(text):
    """What a figure of this form looks like, whatever its digits."""
    if re.fullmatch(r"\w*[a-z]\w*", text):
        return r"\w+"
    return NUMBER.join(re.escape(part) for part in re.split(NUMBER, text))


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


def read(root, text):
    """Of a text: changes (begin, end, expected), problems (position, what)."""
    changes, problems = [], []
    visible = blank(text, spans_of(CODE_BLOCK, text))
    for match in TABLE.finditer(visible):
        try:
            changes.append((*match.span("body"), table(root, match["name"], match["rest"], match["lines"])))
        except TextError as error:
            problems.append((match.start(), str(error)))
    visible = blank(visible, spans_of(TABLE, visible))
    figures = []
    for match in FIGURE.finditer(visible):
        figures.append(match.span())
        try:
            expected = figure(root, match["name"], match["rest"])
        except (TextError, re.error) as error:
            problems.append((match.start(), str(error)))
            continue
        line = visible.rfind("\n", 0, match.start()) + 1
        found = re.search(f"({pattern_of(expected)})`? ?$", visible[line:match.start()])
        if found:
            changes.append((line + found.start(1), line + found.end(1), expected))
            figures.append(changes[-1][:2])
        else:
            problems.append((match.start(), f'no figure like "{expected}" before its marker'))
    for left in re.finditer(r"<!-- (?!source: )[^\n]*", blank(visible, figures)):
        problems.append((left.start(), f"not a marker: {left[0]}"))
    bare = without_sourced(blank(visible, figures))
    for match in MEASURED.finditer(blank(bare, spans_of(NO_FIGURE, bare))):
        problems.append((match.start(), f'"{match[0]}" says nowhere what it comes from'))
    return changes, problems


def texts_in(root):
    return [path for pattern in TEXTS for path in sorted(root.glob(pattern))]


def handle(root, path, write):
    """Returns what is wrong with a text, after writing it anew if `write`."""
    text = before = path.read_text(encoding="utf-8")
    changes, problems = read(root, text)
    for begin, end, expected in sorted(changes, reverse=True):
        if before[begin:end] != expected and not write:
            found, right = before[begin:end], expected
            if "\n" in expected:  # of a table, the first line that differs
                pairs = zip([*found.splitlines(), *[""] * len(right)], [*right.splitlines(), ""])
                found, right = next((pair for pair in pairs if pair[0] != pair[1]), ("more rows", "none"))
            problems.append((begin, f'found "{found}", expected "{right}"'))
        if write:
            text = text[:begin] + expected + text[end:]
    if write:
        files.write_text(path, text)
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return [f"{name}:{before.count(chr(10), 0, at) + 1}: {what}" for at, what in sorted(problems)]


def main(arguments=None, root=ROOT):
    parser = command_line.parser(__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="fill in tables and figures")
    mode.add_argument("--check", action="store_true", help="name what differs (the default)")
    parser.add_argument("files", metavar="FILE", nargs="*", type=pathlib.Path, help="a text instead of all of them")
    options = parser.parse_args(arguments)
    texts = [path.resolve() for path in options.files] or texts_in(root)
    problems = [problem for path in texts for problem in handle(root, path, options.write)]
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        sys.exit(1)
    print(f"texts are up to date ({len(texts)} files)")


if __name__ == "__main__":
    command_line.run(main)
