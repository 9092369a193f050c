# SPDX-License-Identifier: MIT
"""growth.sh with stand-ins whose answer is known, and the real program where the build gives it."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import unittest

import support

LEVELS = (128, 4096, 65536)
BOOKS = ("core", "core_span", "phase10", "null")

# Writes the artifact of `artifact_of`, below, for its arguments.
STAND_IN = '''#!{python}
import json, os, sys
sys.path[:0] = [{folder!r}]
import artifacts, growth_test
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail")
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
text = json.dumps(growth_test.artifact_of(**arguments))
with open(arguments["out"], "w") as out:
    whole = len(text) if artifacts.asks_for_commit(arguments) else os.environ.get("STAND_IN_LENGTH", len(text))
    out.write(text[:int(whole)])
'''


def artifact_of(seed, rounds, by="orders", sizes="", orders=5000, **_):
    """By orders, in which spans take a nanosecond more for each power of ten of orders, and 0.1 for each seed after the
    first; by levels, in which an operation takes 5 ns more for each step of LEVELS."""
    seed, rounds = int(seed), int(rounds)
    content = support.artifact("macro" if by == "orders" else "spread", int(orders), seed, rounds, books=BOOKS)
    content["fingerprint"]["caches"] = "L1 32K, L2 1M"
    rows = {row["book"]: row for row in content["rows"]}
    content["rows"] = []
    if by == "orders":
        for size in map(int, sizes.split(",")):
            for book in BOOKS:
                time = len(str(size)) + 0.1 * (seed - 1) if book == "core_span" else rows[book]["ns_per_op"]
                base = 4 + 0.1 * (seed - 1) if book == "core_span" else time
                content["rows"].append({**rows[book], "book": f"{book}/{size}", "standing": size, "resting_avg": size,
                                        "ns_per_op": time, "times": [time] * rounds, "over": [time / base] * rounds})
        return content
    for step, levels in enumerate(LEVELS):
        for feed in ("core", "core_span"):
            time = 10.0 + 5 * step - (feed == "core_span")
            content["rows"].append({**rows["core"], "book": f"{feed}/{levels}", "price_levels": levels, "ns_per_op": time,
                                    "memory_bytes": 64 * levels, "times": [time] * rounds,
                                    "ratios": [time / (15 - (feed == "core_span"))] * rounds,
                                    **({"recenter_us": [levels / 1024] * rounds} if feed == "core" else {})})
    return content


class GrowthTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.program = self.repository / "build/release/bench/bench_growth"
        self.write_program(self.program, STAND_IN.format(python=sys.executable, folder=str(pathlib.Path(__file__).parent)))

    def growth(self, *arguments, **environment):
        return self.script("local/growth.sh", "--no-build", *arguments, **environment)

    def test_tables_and_plot(self):
        result = self.growth("--save", "whole", "--seeds=3", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/whole"
        self.assertTrue((folder / "growth.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(set(list(support.runs_of(folder))[1:]),
                         {f"{run}-seed{seed}" for seed in (1, 2, 3) for run in ("orders", "levels5000", "levels200000")})
        table = (folder / "table.md").read_text()
        rows = support.rows_of(table)
        spans = {row[0]: row[3] for row in rows if len(row) == 6}
        orders = (100, 1000, 10000, 100000, 1000000, 4000000)
        self.assertEqual([spans[f"{count:,}"].split()[0] for count in orders],
                         ["3.10", "4.10", "5.10", "6.10", "7.10", "7.10"])
        self.assertIn("Growth from 1,000 to 1,000,000 resting orders: the ratio of the times of a book in the same round; "
                      "median, range over the seeds.", table)
        # 7.0 / 4.0, 7.1 / 4.1 and 7.2 / 4.2 of the three seeds; the others do not grow
        one = "1.00 (1.00 to 1.00)"
        self.assertIn([one, "1.73 (1.71 to 1.75)", one, one], rows)
        self.assertIn(["100", one, "0.76 (0.75 to 0.76)", one, one], rows)
        wide = ["65,536", "4.00", "217", "20.00 (20.00 to 20.00)", "19.00 (19.00 to 19.00)", "1.333 (1.333 to 1.333)",
                "1.357 (1.357 to 1.357)", "64.0 (64.0 to 64.0)"]
        self.assertEqual([row for row in rows if row[0] == "65,536"], [wide, wide])
        self.assertIn("- L1 of 32 KiB: as large as the slots of 1,024 orders, or as the levels that the spread stream "
                      "uses in a band of 2,048", table)
        self.assertIn("- L2 of 1,024 KiB: as large as the slots of 32,768 orders", table)
        self.assertIn("- 3 seeds: the range over the seeds", table)

    def test_quick(self):
        result = self.growth("--quick")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Growth from 1,000 to 100,000 resting orders", result.stdout)
        self.assertIn("median, per-round interval.", result.stdout)

    def test_without_a_program(self):
        self.program.unlink()
        self.assert_fails(self.growth(), 1, "bench_growth is not there; build it first")

    def test_a_failing_program(self):
        self.assert_fails(self.growth("--save=x", STAND_IN_FAILS="yes"), 1, "the stand-in was asked to fail",
                          "bench_growth failed")
        self.assert_nothing_kept("growth")

    def test_torn_artifacts(self):
        self.assert_fails(self.growth("--quick", "--save=x", STAND_IN_LENGTH="500"), 1, "torn, or not JSON")
        self.assert_nothing_kept("growth")


class GrowthTablesTest(support.AnalysisTest):
    """The tables of runs made up here."""

    made_by = "scripts/local/growth.sh"

    def setUp(self):
        super().setUp()
        self.contents["orders-seed1"] = artifact_of(1, 3, sizes="1000,100000")
        self.contents["levels5000-seed1"] = artifact_of(1, 3, "levels")
        self.write_runs()

    def test_incomplete_results(self):
        self.assertEqual(self.table().returncode, 0)
        for run, damage, message in (
                ("orders", lambda rows: rows.pop(), "100000 orders were not held by null"),
                ("orders", lambda rows: rows[1].update(book="core/1000"), "two rows for the book 'core/1000'"),
                ("orders", lambda rows: rows[0]["times"].pop(), "'times' of 'core/1000' are not 3 numbers above 0"),
                ("orders", lambda rows: rows[0].pop("over"), "incomplete (KeyError: 'over')"),
                ("orders", lambda rows: rows[0].update(standing=1), "'core/1000' has 1 orders"),
                ("orders", lambda rows: rows[0].update(over=[2] * 3), "no growth: "),
                ("levels5000", lambda rows: rows.pop(), "65536 price levels were not fed in both ways"),
                ("levels5000", lambda rows: rows[0].pop("recenter_us"), "(KeyError: 'recenter_us')"),
                ("levels5000", lambda rows: rows[0].update(price_levels="many"),
                 "'price_levels' of core/128 is not a number")):
            name = f"{run}-seed1"
            whole = self.contents[name]
            damaged = copy.deepcopy(whole)
            damage(damaged["rows"])
            self.write_run(name, damaged)
            self.assert_fails(self.table(), 1, message)
            self.contents[name] = whole
        self.write_run("levels5000-seed1", {**whole, "fingerprint": {**whole["fingerprint"], "cpu": "another"}})
        self.assert_fails(self.table(), 1, "fingerprints differ: 'cpu'")
        del self.contents["levels5000-seed1"]
        self.write_runs()
        self.assert_fails(self.table(), 1, "no run is called levelsN-seedN")

    def test_a_machine_that_does_not_tell_its_caches(self):
        for content in self.contents.values():
            content["fingerprint"]["caches"] = "unknown"
        self.write_runs()
        result = self.table()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("does not tell the sizes of its caches", result.stdout)


@unittest.skipUnless("BENCH_GROWTH" in os.environ, "needs the program")
class ProgramTest(support.ScriptTest):
    def run_program(self, *flags):
        self.out = self.folder / "out.json"
        return subprocess.run([os.environ["BENCH_GROWTH"], "--rounds=3", "--batch=1000", *flags, f"--out={self.out}"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def rows(self, *flags):
        # The program itself compares fills, rejections and resting orders with the plan, in each window.
        result = self.run_program(*flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        content = json.loads(self.out.read_text())
        self.assertIn("caches", content["fingerprint"])
        self.printed = [line.split() for line in result.stdout.splitlines() if line]
        return content["rows"]

    def test_every_size_is_compared_with_the_base_size(self):
        sizes, books = [100, 900, 3000], ["core", "core_span", "null", "core#2"]
        rows = self.rows("--sizes=100,900,3000", "--books=core,core_span,null,core")
        names = [f"{book}/{size}" for size in sizes for book in books]
        self.assertEqual([row["book"] for row in rows], names)
        self.assertEqual([line[0] for line in self.printed if line[0] in names], names)
        by_name = {row["book"]: row for row in rows}
        for size in sizes:
            for book in books:
                row, first, base = (by_name[name] for name in (f"{book}/{size}", f"core/{size}", f"{book}/900"))
                self.assertEqual((row["standing"], row["workload"]), (size, "macro"))
                self.assertTrue(3000 <= row["events"] < 3300, row)  # a cluster of cancels can make a batch longer
                self.assertAlmostEqual(row["resting_avg"] / size, 1, delta=0.2)
                for key, other in (("ratios", first), ("over", base)):
                    self.assertEqual(len(row[key]), 3)
                    for found, time, other_time in zip(row[key], row["times"], other["times"]):
                        self.assertAlmostEqual(found, time / other_time)
                self.assertEqual(row["growth"], sorted(row["over"])[1])
                if book != "null":
                    self.assertEqual(row["digest"], first["digest"])

    def test_every_band_does_the_work_of_its_stream(self):
        rows = self.rows("--by=levels", "--orders=100")
        widths = [128, 512, 2048, 4096, 16384, 65536, 131072, 262144]
        self.assertEqual([row["book"] for row in rows],
                         [f"{feed}/{levels}" for levels in widths for feed in ("core", "core_span")])
        for row in rows:
            self.assertEqual((row["misses"], row["fills_per_op"], row["allocations"], row["events"]), (0, 0, 0, 3000))
            self.assertEqual(len(row["times"]), 3)
            # An order, two levels for each price, and the object with its bits.
            slots = 32 * (2 * row["price_levels"] + row["resting_peak"])
            self.assertTrue(slots <= row["memory_bytes"] < slots * 1.1 + 4096, row)
            if row["price_levels"] == 4096:
                self.assertEqual(row["ratios"], [1, 1, 1])
        self.assertEqual([len(row.get("recenter_us", [])) for row in rows], [3, 0] * 8)
        self.assertEqual([int(line[0]) for line in self.printed if line[0].isdigit()], widths)

    def test_bad_arguments(self):
        for flags, message in ((["--rounds=0"], "--rounds must be at least 1"), (["--batch=0"], "at least one event"),
                               (["--by=levels", "--orders=0"], "at least one order"),
                               (["--sizes=10,0"], "numbers of orders above 0, not '0'"),
                               (["--sizes=many"], "numbers of orders above 0, not 'many'"),
                               (["--sizes=10,10"], "a number of orders twice"),
                               (["--sizes="], "--sizes is empty"), (["--sizes=10,,20"], "--sizes has an empty element"),
                               (["--books="], "--books is empty"), (["--by=levels", "many"], "'many' is no flag"),
                               (["--books=none"], "no book is called 'none'"), (["--by=age"], "not 'age'")):
            books = [] if any(flag.startswith("--books") for flag in flags) else ["--books=core"]
            self.assert_fails(self.run_program(*books, *flags), 2, "bench_growth: ", message)

    def test_nowhere_to_write(self):
        self.folder /= "nowhere"
        self.assert_fails(self.run_program("--sizes=10", "--books=core"), 1, "cannot write", ": No such file or directory")


if __name__ == "__main__":
    unittest.main()
