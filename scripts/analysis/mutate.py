#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py [--list] [--sample=N] [--seed=N] [--jobs=N] [HEADER...]: would the tests notice a mistake in the core?

Makes mutants of all headers of include/llmes/ (or of the named ones, such as engine/ring.hpp). Each has one small mistake: an
operator, a number or a name replaced by its neighbour, a condition made true, false or its opposite, or a statement
dropped. A mutant is killed if the tests fail, do not compile or do not end; otherwise it survives. Each mutant first
meets tests/long/mutation/quick.cpp, which kills most, then the tests of the product, and last those with sanitizers.
A mutant of market_data/, itch/, dbn/, simulator/ or engine/ meets the tests that include it, such as those of the engine.
Mutants that do not compile with the first program are counted separately. So are survivors that compile to the same
code as the original (trivial compiler equivalence: Papadakis, Jia, Harman and Le Traon, ICSE 2015), and those of what
only fetches ahead, a function such as prefetch() or a call of one: they change the time of a call and nothing that it
answers.

Most mutants are compiled together, once, and each is chosen when the tests run (see schemata.py). Such a run may kill a
mutant, or let one survive that only fetches ahead. All others are built alone: those of constants, types and
declarations, those that no test runs, and every other survivor. A mistake in a function that the compiler
runs, too, is judged by what happens when the tests run.

The verdicts are kept in build/mutants/, so an interrupted run continues where it stopped. They are discarded if a
header, a test or this program changes.

Each survivor is listed. Most are harmless; whoever changes a header checks those in it. The exit status is 0 if at
least 95 % are killed. A sample is too small for a percentage.
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
from mutants import HEADERS, ROOT, all_mutants, known_headers
from schemata import SUPPORT, Schema

KEPT = ROOT / "build" / "mutants"
COMPILER = "clang++-16"
LEAST_KILLED = 0.95
MEMORY = 8 << 30  # bytes that a compiler or a mutant may have
FILE = 1 << 30  # and that each file it writes may have

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


def of_core(header):
    """Whether the books or what indexes them need the header, and not only what stands on them."""
    return header.partition("/")[0] not in ("itch", "dbn", "market_data", "simulator", "engine")


def test_source(name):
    """The path of the one file of this name in tests/, beside the tests of examples."""
    path, = (path for path in (ROOT / "tests").rglob(name) if path.parent.name != "examples")
    return path


class Killer:
    """Builds the tests against a mutant and runs them. The mutant's folder precedes include/ in the search path.

    Sources that do not use the mutated headers are built once. Only types.hpp is part of every source.
    """

    flags = ["-std=c++20", "-w", "-D_GLIBCXX_ASSERTIONS", "-Iinclude", "-I."]
    without_forced_inlining = "-Dalways_inline=unused"  # as tests that make few calls are built
    once = [test_source("conformance.cpp"), test_source("expect_conformance.cpp"), test_source("quick.cpp"),
            test_source("conformance_suite.cpp"), *(ROOT / "bench/streams").glob("*.cpp"),
            ROOT / "bench/harness/allocation_counter.cpp"]
    # All code of the books, and of what stands on them.
    wholes = [ROOT / "tests/long/mutation/whole.cpp", ROOT / "tests/long/mutation/whole_layers.cpp"]
    # These tests notice most mutants, so they run before the other promises.
    telling = ["depth_test.cpp", "recenter_test.cpp", "rejection_changes_nothing_test.cpp", "span_apply_test.cpp"]
    by_id = ["id_book", "ids", "id_conformance"]
    # Books do not use these headers; only these programs can notice.
    beside = {"types/types.hpp": ["parts"],
              "detail/fields.hpp": ["itch", "market_file"], "detail/hash.hpp": ["indexes"],
              "detail/probing_table.hpp": ["indexes", "market_data"],
              **dict.fromkeys(["ids/dense_ids.hpp", "ids/hashed_ids.hpp", "ids/id_index.hpp", "detail/tag_word.hpp"],
                              ["indexes", "many_ids", *by_id]),
              **dict.fromkeys(["sets/placed_pool.hpp"], ["indexes", "sets", "allocation", "ids"]),
              **dict.fromkeys(["book/far_levels.hpp", "book/any_price_pool.hpp", "book/any_price_side_book.hpp", "sets/rank_window.hpp"],
                              ["any_price", "promises", "sets", "allocation", "sanitized"]),
              **dict.fromkeys(["ids/id_book.hpp", "ids/id_lookup.hpp", "ids/id_spans.hpp"], by_id),
              **dict.fromkeys(["sets/book_set.hpp", "sets/look_ahead.hpp", "sets/set_side_book.hpp", "sets/pool_view.hpp"],
                              ["sets", "allocation", "sanitized", *by_id[1:]])}
    layers = ["indexes", "many_ids", *by_id]  # and books cannot notice theirs
    for_layers = {"book/order_book.hpp": by_id}  # has functions for a layer, which only its tests call
    # The tests of the folders, by test executable: which of them a header needs, its includes say.
    folders = {"itch": "promise_test", "market_data": "market_data_test", "market_file": "market_file_test",
               "simulator": "simulator_test", "ring": "ring_test",
               "ring_model": "ring_model_test", "image": "image_test", "matcher": "matcher_test",
               "journal": "journal_test", "refusal": "engine_refusal_test", "engine": "engine_test"}
    indexes = {"dense_ids_test.cpp", "hashed_ids_test.cpp", "id_index_test.cpp", "placed_pool_test.cpp", "probing_table_test.cpp"}
    telling_ids = {"id_book_test.cpp"}
    id_conformance = {"id_conformance_test.cpp"}
    # Of windows and what lies far from them. What is done for a set alone, only its tests can notice.
    any_price = {"any_price_random_test.cpp", "any_price_test.cpp", "far_levels_test.cpp", "any_price_side_book_test.cpp",
                 "rank_window_test.cpp"}
    sets = {"book_set_test.cpp", "book_set_far_levels_test.cpp", "book_set_random_test.cpp", "create_test.cpp"}
    # These pass stale and invalid handles, or little memory; an access out of bounds may show only with sanitizers.
    hostile = ["book_set_test.cpp", "misuse_test.cpp", "order_pool_test.cpp", "stale_handle_test.cpp",
               "wide_side_book_test.cpp"]

    def __init__(self, folder, headers, jobs):
        """Builds what the mutants of `headers` will meet."""
        self.folder = folder
        parts = self.tests_of("part_test") - self.indexes - self.any_price
        promises = self.tests_of("promise_test") - set(self.telling) - self.any_price - self.sets
        # In the order in which they run. Some spend long on few lines, at -O1.
        self.programs = [
            Program(ROOT / "tests/long/mutation/books.cpp", ["quick", "conformance"], [self.without_forced_inlining]),
            self.gtest_program("telling", self.telling, ["conformance", "expect_conformance"]),
            self.gtest_program("parts", parts, [*self.others_of("part_test"), "conformance", "expect_conformance"]),
            self.gtest_program("any_price", self.any_price, []),
            self.gtest_program("promises", promises, ["conformance", "expect_conformance"]),
            self.gtest_program("sets", self.sets, []),
            self.gtest_program("allocation", self.tests_of("allocation_test"), ["allocation_counter"], ["-O1"]),
            self.gtest_program("sanitized", self.hostile, [],
                               ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
            self.gtest_program("indexes", self.indexes, []),
            self.gtest_program("many_ids", self.tests_of("many_ids_test"), [], ["-O1"]),
            self.gtest_program("id_book", self.telling_ids, []),
            self.gtest_program("ids", self.tests_of("id_test") - self.telling_ids - self.id_conformance,
                               ["allocation_counter"]),
            self.gtest_program("id_conformance", self.id_conformance, [], ["-O1"])]
        for name, test in self.folders.items():
            sources = {"itch_test.cpp"} if test == "promise_test" else self.tests_of(test)
            program = self.gtest_program(name, sources, [] if test == "promise_test" else self.others_of(test))
            if "allocation_counter.hpp" in program.source.read_text():
                program.parts.append("allocation_counter")
            program.headers = self.headers_of(program)
            self.programs.append(program)
        needed = {program.name for header in headers for program in self.programs_for(header)}
        self.programs = [program for program in self.programs if program.name in needed]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.precompile, self.programs))
        parts = {part for program in self.programs for part in program.parts}
        sources = [source for source in self.once if source.stem in parts]
        if any(of_core(header) for header in headers):
            sources += self.wholes
        for source in sources:
            self.compile(folder, source, "-O2")

    def programs_for(self, header):
        """The programs that can notice a mutant of the header, in the order in which they run."""
        if not of_core(header):
            return [program for program in self.programs if program.name in self.folders and header in program.headers]
        names = self.beside.get(header, [])
        chosen = [program for program in self.programs if program.name in names]
        if not names or header == "types/types.hpp":  # which everything else uses too
            chosen += [program for program in self.programs if program not in chosen and
                       program.name not in self.layers and program.name not in self.folders]
        return chosen + [program for program in self.programs if program.name in self.for_layers.get(header, [])]

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
    def run(command, seconds=None, memory=MEMORY, **environment):
        """True if the command succeeds within `memory` bytes, None if it does not end within `seconds`."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=limit, env={**os.environ, **environment})
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None

    def compile(self, folder, source, *flags):
        return self.run([COMPILER, f"-I{folder}", *self.flags, *flags, "-c", str(source), "-o",
                         str(folder / f"{source.stem}.o")])

    def precompiled(self, program):
        return ["-include-pch", str(self.folder / f"{program.name}.pch")]

    def outcome(self, program, folder, anew=False):
        """"uncompiled", "passed", "failed" or "hung"."""
        if not self.compile(folder, program.source, *program.flags, *self.precompiled(program)):
            return "uncompiled"
        if anew:
            for path in self.once:
                built = (folder / f"{path.stem}.o").exists()
                if path.stem in program.parts and not built and not self.compile(folder, path):
                    return "uncompiled"
        if not self.link(program, folder, folder if anew else self.folder):
            return "uncompiled"
        return self.outcome_of_run(program, folder)

    def link(self, program, folder, folder_of_parts):
        parts = [str(folder_of_parts / f"{part}.o") for part in program.parts]
        return self.run([COMPILER, *program.flags, str(folder / f"{program.name}.o"), *parts, *program.libraries,
                         "-o", str(folder / program.name)])

    def outcome_of_run(self, program, folder, **environment):
        """"passed", "failed" or "hung"."""
        begin = time.monotonic()
        # A sanitizer reserves most of the address space.
        memory = resource.RLIM_INFINITY if program.name == "sanitized" else MEMORY
        passed = self.run([str(folder / program.name), *program.arguments], program.seconds, memory, **environment)
        # The unchanged core runs first, alone, and sets the limit; a mutant may run on a busy machine.
        if program.seconds is None:
            program.seconds = 5 + 8 * (time.monotonic() - begin)
        return {True: "passed", False: "failed", None: "hung"}[passed]

    def is_same(self, folder, header):
        """Whether the mutant compiles to the same code as the core. Of a folder there is no such program."""
        if not of_core(header):
            return False
        return all(self.compile(folder, whole, "-O2") and
                   (folder / f"{whole.stem}.o").read_bytes() == (self.folder / f"{whole.stem}.o").read_bytes()
                   for whole in self.wholes)

    def verdict(self, mutant, passes=False):
        """"uncompiled", "failed", "refused" or "hung" from the first program that notices the mutant; else "hint",
        "equivalent" or "survived". One that `passes` in the build of all mutants is first asked for its code."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = pathlib.Path(name)
            header = folder / "llmes" / mutant.header
            header.parent.mkdir(parents=True)
            header.write_text(mutant.text)
            if passes and self.is_same(folder, mutant.header):
                return "equivalent"
            programs = self.programs_for(mutant.header)
            for program in programs:
                outcome = self.outcome(program, folder, mutant.header == "types/types.hpp")
                if outcome == "uncompiled" and program is not programs[0]:
                    return "refused"
                if outcome != "passed":
                    return outcome
            if mutant.is_hint:
                return "hint"
            return "equivalent" if not passes and self.is_same(folder, mutant.header) else "survived"


class OneBuild:
    """Judges the mutants that a program can choose when it runs (see schemata.py): it is compiled once for all of them.

    What the core does during a compilation stays as it was.
    """

    def __init__(self, killer, mutants, jobs):
        self.killer = killer
        self.folder = killer.folder / "one_build"
        self.folder.mkdir()
        support = self.folder / "support.hpp"
        support.write_text(SUPPORT)
        self.flags = ["-include", str(support), "-Wno-c++11-narrowing"]
        numbered = collections.defaultdict(dict)
        for number, mutant in enumerate(mutants, 1):
            numbered[mutant.header][number] = mutant
        self.schemata = {header: Schema(header, (HEADERS / header).read_text(), some)
                         for header, some in numbered.items()}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            self.leave_out_what_does_not_compile(pool)
            self.compile(pool)
        self.numbers = {mutants[number - 1]: number for schema in self.schemata.values() for number in schema.numbers()}
        self.programs = {}  # those that pass with the unchanged core
        self.reached = {}  # by program, for each number, whether that mutant could have been run
        for program in killer.programs:
            self.run_unchanged(dataclasses.replace(program, seconds=None), bytes(len(mutants) + 1))

    def leave_out_what_does_not_compile(self, pool):
        left = self.killer.programs
        while left:
            for header, schema in self.schemata.items():
                path = self.folder / "llmes" / header
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(schema.text())
            found = list(pool.map(self.errors, left))
            # Many programs have the same errors. One that no mutant explains comes again when all is compiled.
            errors = dict.fromkeys(error for some in found for error in some)
            dropped = [any(self.schemata[header].drop_at(int(line), int(column)) for header, line, column in error)
                       for error in errors]
            left = [program for program, some in zip(left, found) if some] if any(dropped) else []

    def errors(self, program):
        """Of each error the places in headers that it names: header, line and column."""
        checked = subprocess.run(
            [COMPILER, f"-I{self.folder}", *self.killer.flags, *program.flags, *self.killer.precompiled(program),
             *self.flags, "-ferror-limit=0", "-fsyntax-only", str(program.source)],
            cwd=ROOT, text=True, check=False, stderr=subprocess.PIPE)
        place = re.compile(rf"^{re.escape(str(self.folder))}/llmes/(\S+?):(\d+):(\d+): (?:error|note)", re.MULTILINE)
        return [tuple(place.findall(error)) for error in
                re.split(r"^(?=\S+: (?:fatal )?error: )", checked.stderr, flags=re.MULTILINE)[1:]]

    def compile(self, pool):
        """At -O1, because programs run far longer than it takes to compile them."""
        parts = {part for program in self.killer.programs for part in program.parts}
        sources = [(program.source, program.flags) for program in self.killer.programs]
        sources += [(source, []) for source in self.killer.once if source.stem in parts]
        list(pool.map(lambda job: self.killer.compile(self.folder, job[0], *job[1], *self.flags, "-O1"), sources))
        list(pool.map(lambda program: self.killer.link(program, self.folder, self.folder), self.killer.programs))

    def run_unchanged(self, program, note):
        path = self.folder / f"{program.name}.reached"
        path.write_bytes(note)
        built = (self.folder / program.name).exists()
        if built and self.killer.outcome_of_run(program, self.folder, LLMES_REACHED=str(path)) == "passed":
            self.programs[program.name] = program
            self.reached[program.name] = path.read_bytes()
        else:
            print(f"mutate.py: {program.name} fails in the build of all mutants; those that it alone could notice are "
                  "built alone", file=sys.stderr, flush=True)

    def verdict(self, mutant):
        """"failed" or "hung" from the first program that notices the mutant. If each program could: "hint", or "passed"
        for others, which are to be built alone. Else None."""
        if mutant not in self.numbers:
            return None
        number = self.numbers[mutant]
        names = [program.name for program in self.killer.programs_for(mutant.header)]
        reaching = [name for name in names if name in self.programs and self.reached[name][number]]
        for name in reaching:
            outcome = self.killer.outcome_of_run(self.programs[name], self.folder, LLMES_MUTANT=str(number))
            if outcome != "passed":
                return outcome
        if not reaching or not self.programs.keys() >= set(names):
            return None
        return "hint" if mutant.is_hint else "passed"


class Verdicts:
    """Those of all runs over the same files, a line each, which a run that is stopped leaves whole or torn."""

    def __init__(self, folder, root=ROOT):
        """Reads what earlier runs left in the folder."""
        digest = hashlib.sha256()
        for path in sorted([*(root / "include").rglob("*.hpp"), *(root / "bench").rglob("*.[ch]pp"),
                            *(root / "tests").rglob("*.[ch]pp"), *(root / "tests").rglob("CMakeLists.txt"),
                            *(root / "scripts/analysis" / name for name in ("mutants.py", "mutate.py", "schemata.py"))]):
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


def kill_all(mutants, jobs, folder, kept):
    """The mutants by verdict; of those in `kept`, the verdict of an earlier run."""
    verdicts = collections.defaultdict(list)

    def note(mutant, verdict):
        verdicts[verdict].append(mutant)
        if verdict == "survived":
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
    killer = Killer(folder, {mutant.header for mutant in left}, jobs)
    build = OneBuild(killer, left, jobs)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        def judge_all(some, verdict_of):
            """Returns what `verdict_of` says of those without a verdict: "passed" or None."""
            shown = begin = time.monotonic()
            futures = {pool.submit(verdict_of, mutant): mutant for mutant in some}
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                mutant, said = futures[future], future.result()
                if said == "passed":
                    print(f"mutate.py: passes in one build, at line {mutant.line}: {mutant}", file=sys.stderr, flush=True)
                elif said is not None:
                    note(mutant, said)
                    kept.keep(mutant, said)
                now = time.monotonic()
                if now - shown >= 10 or done == len(some):
                    shown = now
                    print(f"mutate.py: {done} of {len(some)} mutants, {len(verdicts['survived'])} survived; about "
                          f"{minutes((now - begin) / done * (len(some) - done))} left", file=sys.stderr, flush=True)
            return {mutant: future.result() for future, mutant in futures.items()
                    if future.result() in (None, "passed")}

        alone = judge_all(left, build.verdict)
        print(f"{len(left) - len(alone)} of {len(left)} mutants were judged in one build; the others are built alone, "
              f"{sum(map(bool, alone.values()))} of them because they passed there", flush=True)
        for program in killer.programs if alone else []:
            if killer.outcome(program, folder) != "passed":
                sys.exit(f"mutate.py: the tests of {program.name} fail with the unchanged core; fix that first")
        judge_all(alone, lambda mutant: killer.verdict(mutant, alone[mutant] == "passed"))
    return verdicts


def judge(verdicts, sampled):
    """Prints the summary. True if enough mutants are killed."""
    for mutant in sorted(verdicts["equivalent"], key=str):
        print(f"the same code: {mutant}")
    noticed = sum(len(verdicts[verdict]) for verdict in ("failed", "refused", "hung"))
    counted = noticed + len(verdicts["survived"])
    killed = noticed / counted if counted else 0
    print(f"mutation: {noticed} of {counted} mutants killed ({killed:.1%}), {len(verdicts['hung'])} of them because a "
          f"test did not end and {len(verdicts['refused'])} because one did not compile, {len(verdicts['survived'])} "
          f"survived; {len(verdicts['equivalent'])} more give the same code, {len(verdicts['hint'])} only fetch ahead, "
          f"{len(verdicts['uncompiled'])} do not compile")
    return sampled or killed >= LEAST_KILLED


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
    with tempfile.TemporaryDirectory() as folder:
        verdicts = kill_all(mutants, arguments.jobs, pathlib.Path(folder), Verdicts(KEPT))
    sys.exit(0 if judge(verdicts, sampled=bool(arguments.sample)) else 1)


if __name__ == "__main__":
    command_line.run(main)
