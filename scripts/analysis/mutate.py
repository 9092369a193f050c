#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py [--list] [--sample=N] [--seed=N] [--jobs=N] [HEADER...]: would the tests notice a mistake in the core?

Makes mutants of all headers of include/llmes/ (or of the named ones, such as engine/ring.hpp). Each has one small mistake: an
operator, a number or a name replaced by its neighbour, a condition made true, false or its opposite, or a statement
dropped. A mutant is killed if the tests fail, do not compile or do not end; otherwise it survives. Each mutant first
meets tests/long/mutation/quick.cpp, which kills most, then the tests of the product, and last those with sanitizers.
A mutant of market_data/, itch/ or engine/ meets the tests that include it, such as those of the engine.
Mutants that do not compile with the first program are counted separately. So are survivors that compile to the same
code as the original (trivial compiler equivalence: Papadakis, Jia, Harman and Le Traon, ICSE 2015), and those in a
function that only fetches ahead, such as prefetch(): they change the time of a call and nothing that it answers.

The verdicts are kept in build/mutants/, so a run that was stopped goes on where it was; if a header, a test or this
program changes, they count no more.

tests/long/mutation/survivors.txt lists the harmless survivors, each with its reason. The exit status is 0 if every
survivor tried is listed, every listed mutant tried survives, and a run over all headers kills at least 95 %. A sample
is too small to be held to a percentage.
"""

import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import command_line

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "llmes"
SURVIVORS = ROOT / "tests" / "long" / "mutation" / "survivors.txt"
KEPT = ROOT / "build" / "mutants"
COMPILER = "clang++-16"
LEAST_KILLED = 0.95
MEMORY = 8 << 30  # bytes that a compiler or a mutant may have
FILE = 1 << 30  # and that each file it writes may have

# ---- Making mutants, from the tokens of a header.

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|^\#[^\n]*)
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<number>\d[\w']*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><=>|<<=|>>=|->|::|\+\+|--|&&|\|\||<<|<=|>=|==|!=|[-+*/%&|^]=|.)
""", re.VERBOSE | re.MULTILINE | re.DOTALL)

# Each key is replaced by its value. A binary operator has a space on either side; without spaces the same character
# is part of a type.
BINARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*",
          "%": "*", "&&": "||", "||": "&&", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<", "+=": "-=",
          "-=": "+=", "|=": "&=", "&=": "|="}
PREFIX = {"++": "--", "--": "++", "!": "", "~": ""}
NAMES = {"true": "false", "false": "true"}
ENUMERATORS = {"Side": ["Buy", "Sell"],
               "TimeInForce": ["GoodTillCancel", "PostOnly", "ImmediateOrCancel", "FillOrKill"],
               "Status": ["Success", "InvalidCommand", "InvalidQuantity", "PriceOutOfBand", "WouldCross",
                          "NotFillable", "PoolFull", "QuantityOverflow", "UnknownOrder", "DuplicateId", "NoRoomForId",
                          "UnknownBook"]}
# No useful mutant starts inside these: skip everything up to the given end.
SKIPPED = {"static_assert": ";", "using": ";", "friend": ";", "concept": ";", "alignas": ")", "template": None}
# Functions that only fetch ahead.
HINTS = re.compile(r"(pre)?fetch|hint|look_ahead")
# A statement that begins with one of these cannot be dropped.
KEYWORDS = {"return", "const", "constexpr", "using", "friend", "static", "static_assert", "template", "public",
            "private", "break", "case", "default", "auto", "struct", "class", "enum", "if", "for", "while", "switch",
            "else", "do", "namespace", "explicit", "concept", "requires", "#pragma"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    header: str
    line: int
    function: str
    before: str  # the lines that differ, joined into one
    after: str
    text: str = dataclasses.field(repr=False)  # the whole header

    @property
    def key(self):
        return self.header, self.function, self.before, self.after

    @property
    def digest(self):
        """Of the whole header: two mutants of one function may change lines that look the same."""
        return hashlib.sha256(f"{self.header}\n{self.text}".encode()).hexdigest()

    @property
    def is_hint(self):
        return HINTS.match(self.function) is not None

    def __str__(self):
        return f"{self.header} {self.function}\n- {self.before}\n+ {self.after}"


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


class Mutator:
    def __init__(self, header, text):
        self.header = header
        self.text = text
        tokens = [Token(match.lastgroup, match[0], match.start(), match.end()) for match in TOKEN.finditer(text)]
        self.tokens = self.without_skipped([token for token in tokens if token.kind != "space"])
        self.heads = {self.closing(self.tokens, place + 1 + (self.tokens[place + 1].text == "constexpr"))
                      for place, token in enumerate(self.tokens) if token.text in ("if", "while", "for")}
        self.found = {}

    def mutants(self):
        for place in range(len(self.tokens)):
            self.mutate_token(place)
            self.mutate_condition(place)
            self.swap_choice(place)
            self.drop_statement(place)
        return list(self.found.values())

    def without_skipped(self, tokens):
        kept = []
        place = 0
        while place < len(tokens):
            text = tokens[place].text
            if text == "[" and tokens[place + 1].text == "[":
                place = self.closing(tokens, place) + 1
            elif text == "template":
                depth = 0
                while True:
                    place += 1
                    depth += {"<": 1, ">": -1, ">>": -2}.get(tokens[place].text, 0)
                    if depth == 0:
                        break
                place += 1
            elif text in SKIPPED:
                while tokens[place].text != SKIPPED[text]:
                    place += 1
                place += 1
            else:
                kept.append(tokens[place])
                place += 1
        return kept

    @staticmethod
    def closing(tokens, place):
        """The index of the token that closes the bracket at `place`."""
        depth = 0
        for at in range(place, len(tokens)):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[at].text, 0)
            if depth == 0:
                return at
        raise ValueError(f"no end of the bracket {tokens[place].text} at {tokens[place].start}")

    def add(self, start, end, replacement):
        """Adds the mutant in which `replacement` stands for text[start:end]."""
        text = self.text[:start] + replacement + self.text[end:]
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", end)
        before = self.code(self.text[first:last])
        after = self.code(text[first:last + len(text) - len(self.text)])
        if before != after:
            line = self.text.count("\n", 0, start) + 1
            self.found.setdefault((start, end, replacement),
                                  Mutant(self.header, line, self.function_at(start), before, after, text))

    @staticmethod
    def code(lines):
        return " ".join(re.sub(r"//.*", "", lines).split())

    def function_at(self, position):
        """The name of the function around a position: the last one declared on a line with little indentation."""
        name = ""
        in_free_function = False  # whose body is indented as little as the members of a class
        for line in self.text[:self.text.find("\n", position)].splitlines():
            if re.match(r" {0,2}[A-Za-z\[]", line) and not (in_free_function and line[0] == " "):
                code = re.sub(r"\[\[.*?\]\]|\balignas\(.*?\)|\bnoexcept\b|//.*|\brequires\b.*", "", line)
                declared = re.search(r"(operator\S+|[~\w]+)\(", code)
                name = declared[1] if declared else ""
                in_free_function = declared is not None and line[0] != " " and line[-1] == "{"
        return name

    def is_binary(self, token):
        return self.text[token.start - 1].isspace() and self.text[token.end].isspace()

    def mutate_token(self, place):
        token = self.tokens[place]
        previous = self.tokens[place - 1].text if place else ""
        if token.kind == "number" and not (previous == "=" and self.tokens[place - 2].text == "operator"):
            suffix = re.search(r"[uU]?$", token.text)[0]
            value = int(token.text.rstrip("uU").replace("'", ""), 0)
            self.add(token.start, token.end, f"{value + 1}{suffix}")
            if 0 < value <= 2:
                self.add(token.start, token.end, f"{value - 1}{suffix}")
        elif token.kind == "string":
            self.add(token.start, token.end, '""')
        elif token.text in NAMES:
            self.add(token.start, token.end, NAMES[token.text])
        elif token.text in BINARY and self.is_binary(token):
            self.add(token.start, token.end, BINARY[token.text])
        elif token.text in PREFIX and not self.text[token.end].isspace() and previous not in ("operator", "}"):
            self.add(token.start, token.end, PREFIX[token.text])
        elif previous == "::" and self.tokens[place - 3].text != "case":
            names = ENUMERATORS.get(self.tokens[place - 2].text, [])
            if token.text in names:
                self.add(token.start, token.end, names[(names.index(token.text) + 1) % len(names)])

    def mutate_condition(self, place):
        if self.tokens[place].text not in ("if", "while"):
            return
        opening = place + 1 + (self.tokens[place + 1].text == "constexpr")
        closing = self.closing(self.tokens, opening)
        start, end = self.tokens[opening].end, self.tokens[closing].start
        logic = [token.text for token in self.tokens[opening:closing] if token.text in ("==", "!=", "!", "&&", "||")]
        self.add(start, end, "true")
        self.add(start, end, "false")
        if logic not in (["=="], ["!="], ["!"]):  # mutate_token() has made the opposite of these
            self.add(start, end, f"!({self.text[start:end]})")

    def swap_choice(self, place):
        """`a ? b : c` becomes `a ? c : b`."""
        if self.tokens[place].text != "?":
            return
        depth = nested = 0
        colon = None
        for at in range(place + 1, len(self.tokens)):
            text = self.tokens[at].text
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text, 0)
            if depth == 0 and text == "?" and colon is None:
                nested += 1
            elif depth == 0 and text == ":" and colon is None:
                if nested == 0:
                    colon = at
                nested -= 1
            elif depth < 0 or (depth == 0 and text in (",", ";")):
                yes = self.text[self.tokens[place].end:self.tokens[colon].start].strip()
                no = self.text[self.tokens[colon].end:self.tokens[at].start].strip()
                self.add(self.tokens[place].end, self.tokens[at].start, f" {no} : ({yes})")
                return

    def drop_statement(self, place):
        """Drops the statement that begins at `place`, unless it is a declaration."""
        token = self.tokens[place]
        if place - 1 not in self.heads and self.tokens[place - 1].text not in (";", "{", "}", "else", ":"):
            return
        if token.text in KEYWORDS or (token.kind != "name" and token.text not in ("++", "--", "*", "::")):
            return
        if token.kind != "name" and self.is_binary(token):
            return
        end = place
        while self.tokens[end].text != ";":
            if self.tokens[end].text in ("(", "[", "{"):
                block = self.tokens[end].text == "{"
                end = self.closing(self.tokens, end)
                if block and (end + 1 == len(self.tokens) or self.tokens[end + 1].text != ";"):
                    return  # the body of a function
            elif self.tokens[end].text in (")", "]", "}", ":"):
                return
            end += 1
        statement = self.text[token.start:self.tokens[end].start]
        if re.match(r"(?:\w+::)*\w+(?:<[^;=]*>)?[&*]* \w+", statement):  # a type and a name
            return
        if not re.search(r"[(=]|\+\+|--", statement) or re.search(r"= (delete|default)$", statement):
            return
        self.add(token.start, self.tokens[end].start, "")


def known_headers():
    """The call guard is active only in programs that ask for it."""
    names = sorted(str(path.relative_to(HEADERS)) for path in HEADERS.rglob("*.hpp"))
    return [name for name in names if name != "call_guard.hpp"]


def all_mutants(headers):
    return [mutant for header in headers for mutant in Mutator(header, (HEADERS / header).read_text()).mutants()]


# ---- The list of survivors.

def read_survivors():
    """The reason for each listed survivor, by the mutant's key."""
    reasons = {}
    blocks = re.sub(r"^#.*\n", "", SURVIVORS.read_text(), flags=re.MULTILINE).strip().split("\n\n")
    for block in filter(None, blocks):
        match = re.fullmatch(r"(\S+) ?(\S*)\n- (.*)\n\+ (.*)\n(.+)", block, re.DOTALL)
        if not match:
            sys.exit(f"mutate.py: {SURVIVORS}: an entry needs four lines or more, this one has not:\n{block}")
        reasons[match.groups()[:4]] = match[5]
    return reasons


# ---- Killing mutants.

@dataclasses.dataclass
class Program:
    """A test program to run on a mutant."""
    source: pathlib.Path
    parts: list
    flags: list = dataclasses.field(default_factory=list)
    libraries: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)
    seconds: float = None  # a mutant that runs for longer hangs
    headers: set = dataclasses.field(default_factory=set)  # of the product that the source includes

    @property
    def name(self):
        return self.source.stem


def test_source(name):
    """The path of the one file of this name in tests/."""
    path, = (ROOT / "tests").rglob(name)
    return path


class Killer:
    """Builds the tests against a mutant and runs them. The mutant's folder precedes include/ in the search path.

    Sources that do not use the mutated headers are built once. Only types.hpp is part of every source.
    """

    flags = ["-std=c++20", "-w", "-D_GLIBCXX_ASSERTIONS", "-Iinclude", "-I."]
    without_forced_inlining = "-Dalways_inline=unused"  # as tests that make few calls are built
    once = [test_source("conformance.cpp"), test_source("expect_conformance.cpp"), test_source("quick.cpp"),
            test_source("conformance_suite.cpp"), *(ROOT / "bench/workloads").glob("*.cpp"),
            ROOT / "bench/harness/allocation_counter.cpp"]
    # All code of the books, and of what stands on them.
    wholes = [ROOT / "tests/long/mutation/whole.cpp", ROOT / "tests/long/mutation/whole_layers.cpp"]
    # These tests notice most mutants, so they run before the other promises.
    telling = ["depth_test.cpp", "recenter_test.cpp", "rejection_changes_nothing_test.cpp", "span_apply_test.cpp"]
    by_id = ["id_book", "ids", "id_conformance"]
    # Books do not use these headers; only these programs can notice.
    beside = {"trade_sinks.hpp": ["parts"], "types.hpp": ["parts"],
              "mixed.hpp": ["indexes"], "probing_table.hpp": ["indexes", "market_data"],
              **dict.fromkeys(["dense_ids.hpp", "hashed_ids.hpp", "paged_ids.hpp", "id_index.hpp",
                               "tag_word.hpp"], ["indexes", "many_ids", *by_id]),
              **dict.fromkeys(["placed_pool.hpp", "placed_ids.hpp"], ["indexes", "sets", "allocation", "ids"]),
              **dict.fromkeys(["far_levels.hpp", "rank_window.hpp", "window_side_book.hpp"],
                              ["any_price", "promises", "sets", "allocation", "sanitized"]),
              "request.hpp": by_id, "id_book.hpp": by_id, "dynamic_book.hpp": ["dynamic"],
              **dict.fromkeys(["book_set.hpp", "shared_pool.hpp"], ["sets", "allocation", *by_id[1:]])}
    layers = ["indexes", "many_ids", *by_id, "dynamic"]  # and books cannot notice theirs
    # The tests of the folders, by test executable: which of them a header needs, its includes say.
    folders = {"itch": "promise_test", "market_data": "market_data_test", "ring": "ring_test",
               "ring_model": "ring_model_test", "image": "image_test", "matcher": "matcher_test",
               "journal": "journal_test", "refusal": "engine_refusal_test", "engine": "engine_test"}
    indexes = {"dense_ids_test.cpp", "hashed_ids_test.cpp", "id_index_test.cpp", "paged_ids_test.cpp",
               "placed_pool_test.cpp", "probing_table_test.cpp"}
    telling_ids = {"id_book_test.cpp", "id_fetch_test.cpp"}
    id_conformance = {"id_conformance_test.cpp"}
    # Of windows and what lies far from them. What is done for a set alone, only its tests can notice.
    any_price = {"any_price_random_test.cpp", "any_price_test.cpp", "far_levels_test.cpp", "rank_window_test.cpp",
                 "window_side_book_test.cpp"}
    sets = {"book_set_test.cpp", "book_set_far_levels_test.cpp", "book_set_random_test.cpp", "create_test.cpp"}
    # These pass stale and invalid handles, or little memory; an access out of bounds may show only with sanitizers.
    hostile = ["misuse_test.cpp", "order_pool_test.cpp", "stale_handle_test.cpp", "wide_side_book_test.cpp"]

    def __init__(self, folder, headers):
        """Builds what the mutants of `headers` will meet."""
        self.folder = folder
        parts = self.tests_of("part_test") - self.indexes - self.any_price
        promises = self.tests_of("promise_test") - set(self.telling) - self.any_price - self.sets
        # In the order in which they run.
        self.programs = [
            Program(ROOT / "tests/long/mutation/books.cpp", ["quick", "conformance"], [self.without_forced_inlining]),
            self.gtest_program("telling", self.telling, ["conformance", "expect_conformance"]),
            self.gtest_program("parts", parts, [*self.others_of("part_test"), "conformance", "expect_conformance"]),
            self.gtest_program("any_price", self.any_price, []),
            self.gtest_program("promises", promises, ["conformance", "expect_conformance"]),
            self.gtest_program("sets", self.sets, []),
            self.gtest_program("allocation", self.tests_of("allocation_test"), ["allocation_counter"]),
            self.gtest_program("sanitized", self.hostile, [],
                               ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
            self.gtest_program("indexes", self.indexes, []),
            # They spend long on few lines.
            self.gtest_program("many_ids", self.tests_of("many_ids_test"), [], ["-O1"]),
            self.gtest_program("id_book", self.telling_ids, []),
            self.gtest_program("ids", self.tests_of("id_test") - self.telling_ids - self.id_conformance,
                               ["allocation_counter"]),
            self.gtest_program("id_conformance", self.id_conformance, [], ["-O1"]),
            self.gtest_program("dynamic", self.tests_of("dynamic_book_test"),
                               ["conformance", "expect_conformance", "conformance_suite", "allocation_counter"])]
        for name, test in self.folders.items():
            sources = {"itch_test.cpp"} if test == "promise_test" else self.tests_of(test)
            program = self.gtest_program(name, sources, [])
            if "allocation_counter.hpp" in program.source.read_text():
                program.parts.append("allocation_counter")
            program.headers = self.headers_of(program)
            self.programs.append(program)
        needed = {program.name for header in headers for program in self.programs_for(header)}
        self.programs = [program for program in self.programs if program.name in needed]
        for program in self.programs:
            self.precompile(program)
        parts = {part for program in self.programs for part in program.parts}
        sources = [source for source in self.once if source.stem in parts]
        if any("/" not in header for header in headers):
            sources += self.wholes
        for source in sources:
            self.compile(folder, source, "-O2")

    def programs_for(self, header):
        """The programs that can notice a mutant of the header, in the order in which they run."""
        if "/" in header:
            return [program for program in self.programs if program.name in self.folders and header in program.headers]
        names = self.beside.get(header, [])
        chosen = [program for program in self.programs if program.name in names]
        if not names or header == "types.hpp":  # which everything else uses too
            chosen += [program for program in self.programs if program not in chosen and
                       program.name not in self.layers and program.name not in self.folders]
        return chosen

    @staticmethod
    def sources_of(name):
        """The source files of a test executable."""
        lists = "".join(path.read_text() for path in sorted((ROOT / "tests").rglob("CMakeLists.txt")))
        sources = re.search(rf"llmes_add_test\({name}\s(.*?)\)", lists, re.DOTALL)
        return [pathlib.Path(source) for source in sources[1].split() if source.endswith(".cpp")]

    def tests_of(self, name):
        """The names of those that are tests."""
        return {source.name for source in self.sources_of(name) if source.stem.endswith("_test")}

    def others_of(self, name):
        """The names of those that are not, without their ending."""
        return [source.stem for source in self.sources_of(name) if not source.stem.endswith("_test")]

    def gtest_program(self, name, sources, parts, flags=()):
        """One source file of many, each in a namespace of its own: much faster than many."""
        path = self.folder / f"{name}.cpp"
        with path.open("w") as out:
            for source in sorted(sources):
                text = test_source(source).read_text()
                if len(sources) > 1:
                    text = text.replace("\nnamespace {\n", f"\nnamespace in_{source[:-4]} {{\n")
                out.write(text)
        return Program(path, parts, [self.without_forced_inlining, *flags], ["-lgtest", "-lgtest_main"],
                       ["--gtest_fail_fast", "--gtest_brief=1"])

    def precompile(self, program):
        """Precompiles the standard headers and GoogleTest that the source needs."""
        header = self.folder / f"{program.name}.hpp"
        listed = subprocess.run([COMPILER, *self.flags, "-H", "-fsyntax-only", str(program.source)], cwd=ROOT, text=True,
                                stderr=subprocess.PIPE)
        if listed.returncode:
            errors = re.sub(r"^\.+ .*\n", "", listed.stderr, flags=re.MULTILINE)
            sys.exit(f"{errors}mutate.py: the tests do not compile with the unchanged core; fix that first")
        system = re.findall(r"^\.+ (/usr/(?:lib/.*/c\+\+/\d+/\w+|include/gtest/gtest\.h))$", listed.stderr,
                            re.MULTILINE)
        header.write_text("".join(f'#include "{path}"\n' for path in dict.fromkeys(system)))
        self.run([COMPILER, *self.flags, *program.flags, "-fpch-instantiate-templates", "-x", "c++-header", str(header),
                  "-o", str(self.folder / f"{program.name}.pch")])

    def headers_of(self, program):
        """The headers of the product that the source includes."""
        rule = subprocess.run([COMPILER, *self.flags, "-MM", str(program.source)], cwd=ROOT, text=True, check=True,
                              stdout=subprocess.PIPE)
        return set(re.findall(r"include/llmes/(\S+)", rule.stdout))

    @staticmethod
    def run(command, seconds=None, memory=MEMORY):
        """True if the command succeeds within `memory` bytes, None if it does not end within `seconds`."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=limit)
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None

    def compile(self, folder, source, *flags):
        return self.run([COMPILER, f"-I{folder}", *self.flags, *flags, "-c", str(source), "-o",
                         str(folder / f"{source.stem}.o")])

    def outcome(self, program, folder, anew=False):
        """"uncompiled", "passed", "failed" or "hung"."""
        precompiled = ["-include-pch", str(self.folder / f"{program.name}.pch")]
        if not self.compile(folder, program.source, *program.flags, *precompiled):
            return "uncompiled"
        if anew:
            for path in self.once:
                built = (folder / f"{path.stem}.o").exists()
                if path.stem in program.parts and not built and not self.compile(folder, path):
                    return "uncompiled"
        objects = [str((folder if anew else self.folder) / f"{part}.o") for part in program.parts]
        executable = str(folder / program.name)
        if not self.run([COMPILER, *program.flags, str(folder / f"{program.name}.o"), *objects, *program.libraries,
                         "-o", executable]):
            return "uncompiled"
        begin = time.monotonic()
        # A sanitizer reserves most of the address space.
        memory = resource.RLIM_INFINITY if program.name == "sanitized" else MEMORY
        passed = self.run([executable, *program.arguments], program.seconds, memory)
        # The unchanged core runs first, alone, and sets the limit; a mutant may run on a busy machine.
        if program.seconds is None:
            program.seconds = 5 + 8 * (time.monotonic() - begin)
        return {True: "passed", False: "failed", None: "hung"}[passed]

    def is_same(self, folder, header):
        """Whether the mutant compiles to the same code as the core. Of a folder there is no such program."""
        if "/" in header:
            return False
        return all(self.compile(folder, whole, "-O2") and
                   (folder / f"{whole.stem}.o").read_bytes() == (self.folder / f"{whole.stem}.o").read_bytes()
                   for whole in self.wholes)

    def verdict(self, mutant):
        """"uncompiled", "failed", "refused" or "hung" from the first program that notices the mutant; else "hint",
        "equivalent" or "survived"."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = pathlib.Path(name)
            header = folder / "llmes" / mutant.header
            header.parent.mkdir(parents=True)
            header.write_text(mutant.text)
            programs = self.programs_for(mutant.header)
            for program in programs:
                outcome = self.outcome(program, folder, mutant.header == "types.hpp")
                if outcome == "uncompiled" and program is not programs[0]:
                    return "refused"
                if outcome != "passed":
                    return outcome
            if mutant.is_hint:
                return "hint"
            return "equivalent" if self.is_same(folder, mutant.header) else "survived"


class Verdicts:
    """Those of all runs over the same files, a line each, which a run that is stopped leaves whole or torn."""

    def __init__(self, folder, root=ROOT):
        """Reads what earlier runs left in the folder."""
        digest = hashlib.sha256()
        for path in sorted([*(root / "include").rglob("*.hpp"), *(root / "bench").rglob("*.[ch]pp"),
                            *(root / "tests").rglob("*.[ch]pp"), *(root / "tests").rglob("CMakeLists.txt"),
                            root / "scripts/analysis/mutate.py"]):
            digest.update(f"{path.relative_to(root)} {path.stat().st_size}\n".encode() + path.read_bytes())
        self.path = folder / f"{digest.hexdigest()}.jsonl"
        self.known = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    mutant, verdict = json.loads(line)
                except ValueError:
                    continue
                self.known[mutant] = verdict

    def keep(self, mutant, verdict):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as out:
            out.write("\n" + json.dumps([mutant.digest, verdict]))  # a torn line ends here


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def kill_all(mutants, jobs, folder, reasons, kept):
    """The mutants by verdict; of those in `kept`, the verdict of an earlier run."""
    verdicts = collections.defaultdict(list)

    def note(mutant, verdict):
        verdicts[verdict].append(mutant)
        if verdict == "survived" and mutant.key not in reasons:
            print(f"survived, at line {mutant.line}: {mutant}", flush=True)

    left = []
    for mutant in mutants:
        if mutant.digest in kept.known:
            note(mutant, kept.known[mutant.digest])
        else:
            left.append(mutant)
    if len(left) < len(mutants):
        print(f"{len(mutants) - len(left)} of {len(mutants)} mutants met these tests in an earlier run")
    if not left:
        return verdicts
    os.environ["TMPDIR"] = str(folder)  # a mutant that is stopped leaves its files behind
    killer = Killer(folder, {mutant.header for mutant in left})
    for program in killer.programs:
        if killer.outcome(program, folder) != "passed":
            sys.exit(f"mutate.py: the tests of {program.name} fail with the unchanged core; fix that first")
    begin = time.monotonic()
    shown = begin
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(killer.verdict, mutant): mutant for mutant in left}
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            note(futures[future], future.result())
            kept.keep(futures[future], future.result())
            now = time.monotonic()
            if now - shown >= 10 or done == len(left):
                shown = now
                print(f"mutate.py: {done} of {len(left)} mutants, {len(verdicts['survived'])} survived; about "
                      f"{minutes((now - begin) / done * (len(left) - done))} left", file=sys.stderr, flush=True)
    return verdicts


def judge(verdicts, reasons, whole):
    """Prints what is wrong with the list of survivors, then the summary. True if nothing is wrong.

    `whole`: all mutants of all headers were tried, so the share of killed mutants and every entry of the list count.
    """
    survived = {mutant.key for mutant in verdicts["survived"]}
    unlisted = survived - reasons.keys()
    tried = {mutant.key for mutants in verdicts.values() for mutant in mutants}
    stale = [key for key in reasons.keys() - survived if whole or key in tried]
    for header, function, before, after in sorted(stale):
        print(f"listed, but it does not survive or is no mutant: {header} {function}\n- {before}\n+ {after}")
    for mutant in sorted(verdicts["equivalent"], key=str):
        print(f"the same code: {mutant}")
    noticed = sum(len(verdicts[verdict]) for verdict in ("failed", "refused", "hung"))
    counted = noticed + len(verdicts["survived"])
    killed = noticed / counted if counted else 0
    print(f"mutation: {noticed} of {counted} mutants killed ({killed:.1%}), {len(verdicts['hung'])} of them because a "
          f"test did not end and {len(verdicts['refused'])} because one did not compile, {len(verdicts['survived'])} "
          f"survived, {len(unlisted)} of them without a reason in {SURVIVORS.relative_to(ROOT)}; "
          f"{len(verdicts['equivalent'])} more give the same code, {len(verdicts['hint'])} only fetch ahead, "
          f"{len(verdicts['uncompiled'])} do not compile")
    enough = killed >= LEAST_KILLED or not whole
    return enough and not unlisted and not stale


def main():
    parser = command_line.parser(__doc__)
    parser.add_argument("--list", action="store_true", help="print the mutants and build nothing")
    parser.add_argument("--sample", type=command_line.count, metavar="N", help="try a random sample of N mutants")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="choose the sample (default: 1)")
    parser.add_argument("--jobs", type=command_line.count, default=2, metavar="N", help="try N mutants at once (default: 2)")
    parser.add_argument("headers", metavar="HEADER", nargs="*", help="such as order_pool.hpp (default: all)")
    arguments = parser.parse_args()

    known = known_headers()
    for header in arguments.headers:
        if header not in known:
            parser.error(f"there is no include/llmes/{header}; there are {', '.join(known)}")
    mutants = all_mutants(arguments.headers or known)
    if arguments.list:
        print(*mutants, sep="\n\n")
        return
    if not shutil.which(COMPILER):
        sys.exit(f"mutate.py: there is no {COMPILER}; install it with: scripts/setup.sh test")
    # A random order makes the time left predictable.
    count = min(arguments.sample or len(mutants), len(mutants))
    mutants = random.Random(arguments.seed).sample(mutants, count)
    os.nice(10)
    reasons = read_survivors()
    with tempfile.TemporaryDirectory() as folder:
        verdicts = kill_all(mutants, arguments.jobs, pathlib.Path(folder), reasons, Verdicts(KEPT))
    whole = not arguments.headers and not arguments.sample
    sys.exit(0 if judge(verdicts, reasons, whole) else 1)


if __name__ == "__main__":
    command_line.run(main)
