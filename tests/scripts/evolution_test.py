# SPDX-License-Identifier: MIT
"""evolution.sh with stand-ins for the programs, and its tables from artifacts whose answer is known."""

import os
import pathlib
import subprocess
import sys
import unittest

import support

# Runs the program as valgrind would, then dumps counts for each of its books: 123.5 instructions, 0.05 mispredicted
# branches and 0.015 cache misses for each of 100,000 events. Callgrind leaves out the zeros at the end of a line.
VALGRIND = '''#!{python}
import os, subprocess, sys
options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:] if argument.startswith("--"))
program = next(i for i, argument in enumerate(sys.argv[1:], 1) if not argument.startswith("--"))
assert options["metric"] == "instructions" and options["instr-atstart"] == "no"
subprocess.run(sys.argv[program:], check=True)
dump = options["callgrind-out-file"]
for i, book in enumerate(options["books"].split(","), 1):
    with open(dump + "." + str(i), "w") as out:
        text = ("desc: Trigger: Client Request: " + book + "\\n\\n"
                "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\\nsummary: 0\\n\\n"
                "totals: 12350000 9 9 9 1000 500 9 9 9 9 5000\\n")
        out.write(text[:int(os.environ.get("DUMP_LENGTH", len(text)))])
with open(dump, "w") as out:
    out.write("desc: Trigger: Program termination\\nevents: Ir\\ntotals: 0\\n")
'''

# Lists the symbols of an object by the target that it belongs to, which is a book, or makes the profile of one.
NM = """#!/bin/sh
target=${3%.dir/*}
target=${target##*/}
book=${target#*_}
type=llmes::OrderBook
[ "$book" != full ] || type=llmes::OrderBook_full
echo "0000000000000000 0000000000000100 T llmes::bench::enter_$book(Plan const&)"
echo "0000000000000000 0000000000001000 W void llmes::bench::replay<$type<4096ul> >(Digest&)"
echo "0000000000000000 0000000000000010 t void $type<4096ul>::match() [clone .isra.0]"
echo "0000000000000010 0000000000000010 t void $type<4096ul>::match() [clone .constprop.0]"
echo "0000000000000000 0000000000000100 W void llmes::bench::learn<$type<4096ul> >(Plan const&)"
echo "0000000000000000 0000000000000100 W llmes::bench::Replay<$type<4096ul> >::start()"
echo "0000000000000000 0000000000000100 W void llmes::bench::replay<$type<16384ul> >(Digest&)"
echo "0000000000000000 0000000000000100 W void llmes::bench::replay<$type<131072ul> >(Digest&)"
echo "0000000000000000 0000000000000100 V vtable for $type<4096ul>"
[ "$target" = "book_$book" ] || echo "0000000000000000 0000000000000100 t void $type<4096ul>::count()"
"""

LISTED = {"listed": dict.fromkeys(support.RATIOS, "what it is")}


class EvolutionTest(support.ScriptTest):
    """The script. Its streams are, in the order of the columns: classic, four macro ones, wide."""

    def setUp(self):
        super().setUp()
        self.write_stand_ins()
        self.write_program(self.folder / "bin" / "valgrind", VALGRIND.format(python=sys.executable))
        self.write_program(self.folder / "bin" / "nm", NM)
        self.write_object("book_core")
        self.results = self.repository / "server_results"

    def write_object(self, target):
        path = self.repository / f"build/release/bench/contenders/CMakeFiles/{target}.dir/entry.cpp.o"
        path.parent.mkdir(parents=True)
        path.touch()

    def evolution(self, *arguments, **environment):
        environment.setdefault("PATH", f"{self.folder / 'bin'}:{os.environ['PATH']}")
        return self.script("local/evolution.sh", "--no-build", "--quick", *arguments, **environment)

    def assert_nothing_unfinished(self):
        self.assertEqual(list((self.repository / "build" / "evolution").glob(".*")), [])

    def test_a_campaign_leaves_its_tables_plots_and_artifacts(self):
        result = self.evolution("--save=first", "--seeds=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[ 1/20] classic                seed=1 timed", result.stdout)
        self.assertIn("[ 2/20] classic                seed=1 counted", result.stdout)
        self.assertIn("[20/20] wide                   seed=2 timed", result.stdout)
        kept = self.results / "first"
        table = (kept / "table.md").read_text()
        self.assertIn(table, result.stdout)
        self.assertTrue(table.startswith("Test CPU, 2 cores, Linux 6.1, GCC 12.2.0, commit 0b0e9bfa7148\n"), table)

        times = support.cells_of(table, "Time per operation")
        self.assertEqual([book for book in times if book in support.RATIOS], list(support.RATIOS))
        self.assertEqual(times["book"],
                         ["classic", "macro 100", "macro 1,000", "macro 5,000", "macro 200,000", "wide"])
        self.assertEqual(times["phase1"], ["80.0"] * 6)
        self.assertEqual(times["ring1024"], ["15.0"] * 5 + ["cannot hold"])

        ratios = support.cells_of(table, "Over the one before")
        self.assertEqual(ratios["phase2a / phase1"], ["0.750 (0.750 to 0.750)"] * 6)
        self.assertEqual(ratios["phase2b / phase2a"], ["0.500 (0.500 to 0.500)"] * 6)
        twice = "2.000 (2.000 to 2.000)"
        self.assertEqual(ratios["reference / phase10"], [twice, twice, twice, twice, "–", twice])
        self.assertEqual(ratios["ring1024 / phase10"], ["0.750 (0.750 to 0.750)"] * 5 + ["cannot hold"])
        self.assertNotIn("phase10 / phase8b", ratios)
        self.assertIn("phase10 (over phase8b)", table)
        self.assertIn("- ring1024 cannot hold wide: it has no place for all of its prices\n", table)
        self.assertIn("macro 200,000: reference, phase1, phase2a were timed in short runs of their own (3 rounds)",
                      table)

        self.assertEqual(support.cells_of(table, "Instructions per operation")["phase1"], ["123.5"] * 4 + ["–", "123.5"])
        self.assertEqual(support.cells_of(table, "Mispredicted branches per operation")["core"], ["0.050"] * 6)
        self.assertEqual(support.cells_of(table, "First-level data cache misses per operation")["core"], ["0.015"] * 6)
        self.assertEqual(support.cells_of(table, "Memory")["core"], ["3.00"] * 6)
        self.assertEqual(support.cells_of(table, "Code size")["core"], [f"{0x1010:,}"])
        self.assertEqual(support.cells_of(table, "Code size")["phase1"], ["–"])
        self.assertEqual(support.cells_of(table, "The book while it was timed")["wide"],
                         ["4,988", "5,123", "217", "50.0 %", "0.125"])
        self.assertEqual(support.cells_of(table, "The core over others")["core / phase10"], ["0.500 (0.500 to 0.500)"] * 6)

        self.assertIn("For orientation only: a processor overlaps the loop with the book, by at most the time of "
                      "`null`.", table)

        self.assertEqual(sorted(path.name for path in kept.glob("*.png")),
                         ["core.png", "evolution.png", "family-core.png", "family-other-designs.png",
                          "family-pool-and-index.png"])
        for plot in kept.glob("*.png"):
            self.assertEqual(plot.read_bytes()[:4], b"\x89PNG")
        runs = list(support.runs_of(kept))[1:]
        self.assertEqual(len([name for name in runs if "-seed" in name]), 14)
        self.assertEqual(len([name for name in runs if name.endswith("-instructions")]), 6)
        self.assertEqual([name for name in runs if "-" not in name], ["books", "code_size"])
        self.assertEqual(list(kept.glob("*.json")), [])
        self.assert_nothing_unfinished()

    def test_some_books(self):
        result = self.evolution("--books", "phase2b,phase2a")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("left out: reference, phase1, phase10, ring1024, tree_hash, btree, core_span", result.stdout)
        self.assertIn("not compared, as what it would be compared with was left out: phase2a (over phase1)",
                      result.stdout)
        self.assertIn("| phase2b / phase2a ", result.stdout)

    def code_size(self, folder):
        return self.script("lab", "code-size", str(folder), PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def test_code_sizes_are_of_the_books_that_are_compared(self):
        for target in ("book_core_stamped", "book_full", "train_core"):
            self.write_object(target)
        result = self.code_size(self.repository / "build")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, "| book | bytes |\n|------|-------|\n| core | 4,112 |\n")

    def test_a_build_without_objects_is_reported_before_anything_is_measured(self):
        self.write_object("book_core_stamped")
        (self.repository / "build/release/bench/contenders/CMakeFiles/book_core.dir/entry.cpp.o").unlink()
        result = self.evolution("--save=first")
        self.assert_fails(result, 1, "no code sizes: no object under build/release/bench defines how to enter a book")
        self.assertNotIn("timed", result.stdout)
        self.assertFalse(self.results.exists())
        self.assert_nothing_unfinished()

    @unittest.skipUnless("BENCH_BOOKS" in os.environ, "needs the program")
    def test_every_book_of_the_build_has_a_code_size(self):
        program = pathlib.Path(os.environ["BENCH_BOOKS"])
        listed = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        books = {line.split()[0] for line in listed.splitlines()} - {"phase11_lto", "phase11_lto_pgo"}
        result = self.script("lab", "code-size", str(program.parent))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # A build may also have objects of books that it has left out since.
        self.assertLessEqual(books, {line.split("|")[1].strip() for line in result.stdout.splitlines()[2:]})

    def test_without_slow_books_there_are_no_short_runs(self):
        result = self.evolution("--books=phase10", "--no-instructions")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[ 6/6] wide", result.stdout)
        self.assertNotIn("short runs", result.stdout)
        self.assertIn("no instruction counts: run with --no-instructions", result.stdout)

    def test_without_valgrind_and_nm_it_times_and_says_so(self):
        programs = [path for path in pathlib.Path("/usr/bin").iterdir() if path.name not in ("valgrind", "nm")]
        result = self.evolution("--save", "first", "--books=core", PATH=str(self.links_to(programs)))
        self.assertEqual(result.returncode, 0, result.stderr)
        table = (self.results / "first" / "table.md").read_text()
        self.assertIn("no instruction counts: there is no valgrind", table)
        self.assertIn("no code sizes: there is no nm", table)
        self.assertEqual(support.cells_of(table, "Instructions per operation")["core"], ["–"] * 6)
        self.assertEqual(support.cells_of(table, "Code size")["core"], ["–"])

    def test_a_torn_dump_is_reported_and_keeps_nothing(self):
        result = self.evolution("--save=first", "--books=core", DUMP_LENGTH="120")
        self.assert_fails(result, 1, "x.callgrind.1: torn, or no dump of callgrind", "--no-instructions")
        self.assertFalse(self.results.exists())
        self.assert_nothing_unfinished()

    def test_a_book_without_a_dump_is_reported(self):
        result = self.evolution("--books=core", DUMP_LENGTH="0")
        self.assert_fails(result, 1, "x.callgrind.1: torn")
        self.write_program(self.folder / "bin" / "valgrind", "#!/bin/sh\nshift 5\nexec \"$@\"\n")
        self.assert_fails(self.evolution("--books=core"), 1, "callgrind dumped nothing for null, core")

    def test_a_failing_program_is_reported_and_keeps_nothing(self):
        result = self.evolution("--save", "first", STAND_IN_FAILS="yes")
        self.assert_fails(result, 1, "the stand-in was asked to fail", "bench_books failed", "--workload=classic")
        self.assertFalse(self.results.exists())
        self.assert_nothing_unfinished()

    def test_a_full_disk_is_reported_and_keeps_nothing(self):
        result = self.script_on_a_full_disk("local/evolution.sh", "--no-build", "--quick", "--save", "first",
                                            PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        self.assert_fails(result, 1, "File too large", "bench_books failed")
        self.assertFalse(self.results.exists())
        self.assert_nothing_unfinished()

    def test_a_missing_program_is_reported(self):
        (self.repository / "build" / "release" / "bench" / "bench_books").unlink()
        self.assert_fails(self.evolution(), 1, "build/release/bench/bench_books is not there")


class EvolutionTablesTest(support.AnalysisTest):
    """The tables of runs made up here."""

    made_by = "scripts/local/evolution.sh"

    def setUp(self):
        super().setUp()
        self.contents["books"] = LISTED

    def write(self, seed, run=1, **ratios):
        """A run on `macro 5,000` with these ratios of books over the core, one a round."""
        rounds = len(next(iter(ratios.values()))) if ratios else 3
        content = support.artifact(seed=seed, rounds=rounds, books=("core", *ratios))
        for row in content["rows"]:
            row["ratios"] = ratios.get(row["book"], row["ratios"])
        name = f"macro5000-seed{seed}-run{run}-release"
        self.contents = {name: content, **self.contents, name: content}
        self.write_runs()
        return name

    def ratio(self, pair):
        result = self.table()
        self.assertEqual(result.returncode, 0, result.stderr)
        return support.cells_of(result.stdout, "Over the one before")[pair][0]

    def assert_refused(self, *parts):
        result = self.table()
        self.assert_fails(result, 1, *parts)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("Traceback", result.stderr)
        self.assert_nothing_made()

    def test_a_book_is_compared_with_the_one_before_round_by_round(self):
        # Over the core both medians are 4; in the same round phase2a takes a half, the same, or twice as much.
        self.write(1, phase1=[8, 4, 2], phase2a=[4, 4, 4])
        self.assertEqual(self.ratio("phase2a / phase1"), "1.000 (0.500 to 2.000)")

    def test_of_one_seed_there_is_an_interval_of_its_rounds(self):
        self.write(1, phase1=[1, 1, 1], phase2a=[1, 2, 3])
        self.assertEqual(self.ratio("phase2a / phase1"), "2.000 (1.000 to 3.000)")
        self.assertIn("in the same round: the median, and the per-round interval.", self.table().stdout)
        self.assertIn("- one seed: the per-round interval", self.table().stdout)

    def test_of_few_seeds_there_is_their_range(self):
        for seed, ratio in enumerate((1, 1, 1, 1, 1, 1, 2), 1):
            self.write(seed, phase1=[1] * 3, phase2a=[ratio, ratio, 9])
        self.assertEqual(self.ratio("phase2a / phase1"), "1.000 (1.000 to 2.000)")
        self.assertIn("in the same round: the median, and the range over the seeds.", self.table().stdout)
        self.assertIn("- 7 seeds: the range over the seeds is that of the median of each; fewer than 8 make no interval",
                      self.table().stdout)

    def test_of_many_seeds_there_is_an_interval_drawn_from_seeds(self):
        # If all 160 rounds were alike, three eighths of them could not move the median. But seeds differ, and more than
        # half of eight drawn may well be of the three that differ; all of them hardly ever of the one that differs most.
        for seed, ratio in enumerate((1, 1, 1, 1, 1, 2, 2, 9), 1):
            self.write(seed, phase1=[1] * 20, phase2a=[ratio] * 20)
        self.assertEqual(self.ratio("phase2a / phase1"), "1.000 (1.000 to 2.000)")
        self.assertIn("in the same round: the median, and the 95 % interval.", self.table().stdout)

    def test_a_short_run_beside_slow_books_counts_only_where_there_is_no_other(self):
        self.write(1, run=0, phase1=[1] * 3, phase2a=[8] * 3)
        self.assertEqual(self.ratio("phase2a / phase1"), "8.000 (8.000 to 8.000)")
        self.write(1, run=1, phase1=[1] * 3, phase2a=[2] * 3)
        self.assertEqual(self.ratio("phase2a / phase1"), "2.000 (2.000 to 2.000)")

    def test_small_ratios_keep_their_digits(self):
        self.write(1, phase1=[8000] * 3, phase2a=[1] * 3)
        self.assertEqual(self.ratio("phase2a / phase1"), "0.000125 (0.000125 to 0.000125)")

    def test_a_torn_run(self):
        line = self.tear(self.write(1, phase1=[2] * 3))
        self.assert_refused(f"runs.jsonl, line {line}: torn, or not JSON")

    def test_figures_that_are_none(self):
        name = self.write(1, phase1=[2] * 3)
        for run, content, message in (
                ("code_size", {"sizes": {"phase1": ""}}, "'phase1' of the code sizes is not a number"),
                ("code_size", {"sizes": ["phase1"]}, "no code sizes"),
                ("macro5000-instructions", {"books": {"phase1": {"instructions": 1}}},
                 "incomplete (KeyError: 'mispredictions')"),
                ("macro5000-instructions",
                 {"books": {"phase1": {"instructions": "", "mispredictions": 0, "d1_misses": 0}}},
                 "'instructions' of book 'phase1' is not a number")):
            self.write_run(run, content)
            self.assert_refused(f"run {run}: {message}")
            del self.contents[run]
        self.contents[name]["rows"][0]["ratios"].pop()
        self.write_runs()
        self.assert_refused(f"run {name}: its books were not timed in the same number of rounds")

    def test_a_list_of_books_that_is_none(self):
        self.write(1, phase1=[2] * 3)
        for content in ({}, {"listed": 1}, {"listed": ["core"]}, {"listed": {"core": None}}):
            self.write_run("books", content)
            self.assert_refused("run books: no list of books")

    def test_a_file_that_is_no_text(self):
        self.write(1, phase1=[2] * 3)
        self.runs.write_bytes(b"core \xf7\n")
        self.assert_refused("runs.jsonl: torn, or no text")

    def test_counts_from_another_source(self):
        self.write(1, phase1=[2] * 3)
        self.write_run("macro5000-instructions", {"fingerprint": {"commit": "other"}, "books": {}})
        self.assert_refused("fingerprints differ: 'commit'", "'other'")

    def test_a_refused_book_is_kept_out_of_the_other_tables(self):
        self.contents.clear()
        self.write_run("wide-seed1-run1-release", support.artifact(workload="wide", books=("core", "ring1024")))
        self.write(1, ring1024=[2] * 3)
        for made_by in ("bench_books --books=core,ring1024", "scripts/bench.sh"):
            (self.campaign / "campaign.txt").write_text(made_by)
            result = self.table()
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("nan", result.stdout)

    def test_no_list_of_books(self):
        self.contents.clear()
        self.write(1, phase1=[2] * 3)
        self.assert_refused("there is no run `books`", "--list")

    def test_nothing_timed(self):
        self.assert_refused("no runs")
        self.write_runs()
        self.assert_refused("nothing was timed")


if __name__ == "__main__":
    unittest.main()
