# SPDX-License-Identifier: MIT
"""feed.sh with a stand-in whose answer is known, and the real program where the build gives it."""

import copy
import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest

import support

ROWS = ("null", "feed", "feed_batch", "tree_hash", "btree_huge")
PARSE = ("--rows=parse", "--base=parse")
OPERATIONS = ("add", "execute", "cancel", "delete", "replace")
PERCENTILES = ("p50", "p95", "p99", "p999", "max")

# Writes the artifact of `artifact_of`, below, for its arguments.
STAND_IN = '''#!{python}
import json, os, sys
sys.path[:0] = [{folder!r}]
import feed_test
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail, by " + " ".join(sys.argv[1:]))
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
text = json.dumps(feed_test.artifact_of(**arguments))
with open(arguments["out"], "w") as out:
    whole = len(text) if "batch" in arguments else os.environ.get("STAND_IN_LENGTH", len(text))
    out.write(text[:int(whole)])
'''


def artifact_of(seed=1, rounds=3, symbols=8907, messages=20_000_000, **_):
    """A message takes feed_batch 100 ns and the others twice, four times and eight times as long; 20 ns less with 100
    symbols."""
    rounds, symbols = int(rounds), int(symbols)
    less = 20 if symbols == 100 else 0
    times = {"null": 5.0, "feed": 200.0 - less, "feed_batch": 100.0 - less, "tree_hash": 400.0 - less,
             "btree_huge": 800.0 - less}
    rows = []
    for row in ROWS:
        content = {"row": row, "rounds": rounds, "ns_per_message": times[row], "ratio": times[row] / times["tree_hash"],
                   "ratio_lo": 0.1, "ratio_hi": 0.9, "mib": 123.5, "peak_bytes": 123.5 * 2**20, "allocations": 7,
                   "times": [times[row]] * rounds, "ratios": [times[row] / times["tree_hash"]] * rounds}
        if row != "feed_batch":
            percentiles = dict(zip(PERCENTILES, (100, 200, 300, 400, 5000)))
            unit = {"ns": percentiles, "probe_ns": dict.fromkeys(PERCENTILES, 20),
                    "cycles": {name: 3 * ns for name, ns in percentiles.items()},
                    "probe_cycles": dict.fromkeys(PERCENTILES, 60)}
            curves = {"curve": [[50, 100.0], [99.99, 500.0]], "probe_curve": [[50, 20.0], [99.99, 20.0]]}
            content["operations"] = {operation: {"count": 9, **unit, **curves} for operation in OPERATIONS}
        rows.append(content)
    return {"fingerprint": support.artifact()["fingerprint"], "base": "tree_hash", "rows": rows,
            "tape": {"source": "synthetic", "messages": int(messages), "bytes": 1, "timed": 9, "rewarm": 1,
                     "symbols": symbols, "resting_peak": 1924078, "levels_peak": 543210,
                     "digest": "0", "seed": int(seed), "operations": dict.fromkeys(OPERATIONS, 9)}}


class FeedTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.program = self.repository / "build/release/bench/bench_feed"
        self.write_program(self.program,
                           STAND_IN.format(python=sys.executable, folder=str(pathlib.Path(__file__).parent)))

    def feed(self, *arguments, **environment):
        return self.script("local/feed.sh", "--no-build", *arguments, **environment)

    def test_tables_and_plot(self):
        result = self.feed("--save", "whole", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/whole"
        self.assertTrue((folder / "feed.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(set(list(support.runs_of(folder))[1:]),
                         {f"symbols{symbols}-seed{seed}" for symbols in (100, 8907) for seed in (1, 2)})
        table = (folder / "table.md").read_text()
        self.assertIn("Days of 20,000,000 messages about 8,907 symbols, 1,924,078 resting orders", table)
        rows = support.rows_of(table)
        self.assertIn(["feed_batch", "100.0 (100.0 to 100.0)", "0.250 (0.250 to 0.250)", "0.125 (0.125 to 0.125)",
                       "123.5", "7"], rows)
        self.assertIn(["feed_batch", "80.0 (80.0 to 80.0)", "100.0 (100.0 to 100.0)", "1.25"], rows)
        for operation in OPERATIONS:
            cells = support.cells_of(table, operation)
            self.assertEqual(cells["feed"], ["300 (100)", "600 (200)", "900 (300)", "1,200 (400)", "15,000 (5,000)"])
            self.assertEqual(cells["its probe"], ["60 (20)"] * 5)
            self.assertNotIn("feed_batch", cells)

    def test_without_a_program(self):
        self.program.unlink()
        self.assert_fails(self.feed(), 1, "bench_feed is not there; build it first")

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.feed("--quick", STAND_IN_FAILS="yes"), 1,
                          "asked to fail, by --messages=2000000 --symbols=8907 --seed=1 --rounds=3",
                          "bench_feed failed")
        self.assert_fails(self.feed("--quick", "--save=x", STAND_IN_LENGTH="500"), 1, "torn, or not JSON")
        self.assert_nothing_kept("feed")


class FeedTablesTest(support.AnalysisTest):
    """The tables of runs made up here."""

    made_by = "scripts/local/feed.sh"

    def test_incomplete_results(self):
        name = "symbols8907-seed1"
        whole = artifact_of()
        self.write_run(name, whole)
        self.assertEqual(self.table().returncode, 0)
        for damage, message in (
                (lambda run: run["rows"].pop(1), "no row is called 'feed'"),
                (lambda run: run["rows"][1].update(row="null"), "two rows have one name"),
                (lambda run: run["rows"][1]["times"].pop(), "'times' of 'feed' are not 3 numbers above 0"),
                (lambda run: run["rows"][1].update(rounds=2, times=[1, 1]), "not timed in the same number of rounds"),
                (lambda run: run["rows"][1].pop("mib"), "(KeyError: 'mib')"),
                (lambda run: run["rows"][1]["operations"]["add"]["ns"].update(p50="x"), "is not a number"),
                (lambda run: run["tape"].pop("timed"), "(KeyError: 'timed')")):
            damaged = copy.deepcopy(whole)
            damage(damaged)
            self.write_run(name, damaged)
            self.assert_fails(self.table(), 1, message)
        self.write_run(name, whole)
        self.write_run("symbols8907-seed2", {**whole, "rows": whole["rows"][1:]})
        self.assert_fails(self.table(), 1, "'null' is not in every run of 8,907 symbols")


@unittest.skipUnless("BENCH_FEED" in os.environ, "needs the program")
class ProgramTest(support.ScriptTest):
    DAY = ("--messages=20000", "--symbols=50", "--rounds=4")

    def run_program(self, *flags):
        return subprocess.run([os.environ["BENCH_FEED"], *flags], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)

    def assert_refused(self, flags, *parts, status=1):
        result = self.run_program(*flags)
        self.assert_fails(result, status, "bench_feed: ", *parts)
        self.assertEqual(result.stdout, "")

    def test_every_row_builds_the_planned_books_from_a_day_and_from_its_file(self):
        # The program itself compares best prices after every message, and all queues at the end, with the plan.
        names = [line.split()[0] for line in self.run_program("--list").stdout.splitlines()]
        self.assertLess({"null", "parse", "feed", "feed_batch", "tree_hash", "vector_levels", "btree", "btree_huge",
                         "map_seq", "map_seq_huge", "aggregates"}, set(names))
        out, file = self.folder / "out.json", self.folder / "day.itch"
        result = self.run_program(*self.DAY, "--rows=" + ",".join(names), f"--out={out}")
        self.assertEqual(result.returncode, 0, result.stderr)
        content = json.loads(out.read_text())
        self.assertEqual([row["row"] for row in content["rows"]], names)
        tape = content["tape"]
        self.assertEqual((tape["messages"], tape["symbols"], tape["timed"], tape["rewarm"]), (20000, 50, 9000, 2250))
        self.assertIn("commit", content["fingerprint"])
        for row in content["rows"]:
            self.assertEqual((len(row["times"]), len(row["ratios"])), (4, 4))
            self.assertLessEqual(row["ratio_lo"], row["ratio"])
            self.assertLessEqual(row["ratio"], row["ratio_hi"])
            self.assertAlmostEqual(row["mib"], row["peak_bytes"] / 2**20)
            if row["row"].startswith("feed"):
                self.assertEqual(row["allocations"], 0)
            if row["row"] == "feed_batch":
                self.assertNotIn("operations", row)
                continue
            self.assertEqual({operation: times["count"] for operation, times in row["operations"].items()},
                             tape["operations"])
            for times in row["operations"].values():
                for unit in {"ns", "cycles", "probe_ns", "probe_cycles"} & times.keys():
                    values = [times[unit][name] for name in PERCENTILES]
                    self.assertEqual(values, sorted(values))
            self.assertIn(f"\n{row['row']:18} add ", result.stdout)

        written = self.run_program(*self.DAY, f"--write={file}")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertEqual(file.stat().st_size, tape["bytes"])
        read = self.run_program(f"--file={file}", "--rounds=4", "--rows=feed_batch,tree_hash", f"--out={out}")
        self.assertEqual(read.returncode, 0, read.stderr)
        again = json.loads(out.read_text())["tape"]
        self.assertEqual(again, {**{key: tape[key] for key in tape if key not in ("seed", "fine")}, "source": str(file)})
        packed = file.with_suffix(".gz")
        packed.write_bytes(gzip.compress(file.read_bytes()))
        part = self.run_program(f"--file={packed}", "--messages=9000", "--rounds=4", *PARSE, f"--out={out}")
        if "without zlib" in part.stderr:
            part = self.run_program(f"--file={file}", "--messages=9000", "--rounds=4", *PARSE, f"--out={out}")
        self.assertEqual(part.returncode, 0, part.stderr)
        self.assertEqual(json.loads(out.read_text())["tape"]["messages"], 9000)

    def test_a_file_that_is_no_tape(self):
        file = self.folder / "file"
        self.run_program("--messages=2000", "--symbols=20", f"--write={file}")
        whole = file.read_bytes()
        flags = (f"--file={file}", *PARSE, "--rounds=1")
        for content, message in ((whole[:-1], f"ends within a message, at byte {len(whole) - 14}"),
                                 (b"\x00\x05Shello", "neither ITCH 5.0 with a length before each message"),
                                 (b"", "0 messages are too few: behind their first tenth there must be a window of ten")):
            file.write_bytes(content)
            self.assert_refused(flags, message)
        self.assert_refused(("--file=nowhere",), "cannot read nowhere: No such file")

    def test_bad_arguments(self):
        for flags, message in ((["--rounds=0"], "--rounds must be at least 1"), (["--rows="], "--rows is empty"),
                               (["--rows=feed,,parse"], "--rows has an empty element"),
                               (["--rows=none"], "no row is called 'none'; bench_feed --list"),
                               (["--base=none"], "no row is called 'none'"), (["--symbols=0"], "symbol"),
                               (["--file=a", "--write=b"], "leave out --file"), (["--messages=10"], "messages"),
                               (["--messages=4000000000"], "--messages=4000000000 needs about")):
            self.assert_refused(flags, message, status=2)
        self.assert_refused([*self.DAY, "--rounds=9000"], "--rounds=1800 fits")
        self.assert_refused(["--out=nowhere/file"], "cannot write nowhere/file: No such file or directory")


if __name__ == "__main__":
    unittest.main()
