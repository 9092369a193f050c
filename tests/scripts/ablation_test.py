# SPDX-License-Identifier: MIT
"""ablation.sh with stand-ins whose answer is known, the variants that its build makes, and the real program."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import unittest

import support

MAKE_VARIANT = support.ROOT / "bench/contenders/make_variant.py"
PARTS = ("cross", "unlink", "link", "totals", "generation", "time_in_force", "occupancy")

# Nanoseconds of an operation of each variant.
TIMES = {"null": 5.0, "full": 12.0, "no_cross": 11.0, "no_unlink": 10.5, "no_links": 10.0, "no_totals": 12.25,
         "no_occupancy": 9.5, "no_generation": 11.75, "no_time_in_force": 12.0, "bare": 7.0}

PASSIVE = ("--stream=passive", "--books=" + ",".join(name for name in TIMES if name != "null"))

# Writes these times for each round; and for whole streams, windows in which an operation takes 10 ns, a market order
# 30 and a fill 20, but for one that met an interrupt.
STAND_IN = '''#!{python}
import json, os, sys
sys.path[:0] = [{support!r}]
import artifacts, ablation_test
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail")
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
text = json.dumps(ablation_test.artifact(**arguments))
with open(arguments["out"], "w") as out:
    whole = len(text) if artifacts.asks_for_commit(arguments) else os.environ.get("STAND_IN_LENGTH", len(text))
    out.write(text[:int(whole)])
'''

# Runs the program, then dumps counts for each variant: ten instructions for each nanosecond of its time.
VALGRIND = '''#!{python}
import subprocess, sys
sys.path[:0] = [{support!r}]
import ablation_test
options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:] if argument.startswith("--"))
assert options["metric"] == "instructions" and options["instr-atstart"] == "no"
program = next(i for i, argument in enumerate(sys.argv[1:], 1) if not argument.startswith("--"))
subprocess.run(sys.argv[program:], check=True)
for i, (name, time) in enumerate(ablation_test.TIMES.items()):
    with open(options["callgrind-out-file"] + "." + str(i), "w") as out:
        print("desc: Trigger: Client Request: " + name, "events: Ir Bcm Bim", "totals: " + str(int(time * 1000000)),
              sep="\\n", file=out)
'''


def artifact(workload, seed, rounds, stream="whole", standing=0, **_):
    content = support.artifact(workload, int(standing), int(seed), int(rounds), books=())
    row = content["rows"][0]
    names = TIMES if stream == "passive" else ("full",)
    content["rows"] = [{**row, "book": name, "ns_per_op": TIMES[name], "fills_per_op": 0.05 if stream == "whole" else 0,
                        "ratio": TIMES[name] / TIMES["full"], "events": 100000,
                        "times": [TIMES[name] + round % 2 for round in range(int(rounds))]} for name in names]
    if stream == "whole":
        markets, fills = ([start + i % period for i in range(int(rounds))] for start, period in ((20, 7), (40, 11)))
        content["windows"] = {"events": [1000] * int(rounds), "markets": markets, "fills": fills}
        times = [(10 * (1000 - market) + 30 * market + 20 * fill) / 1000 for market, fill in zip(markets, fills)]
        times[3:4] = [time + 100 for time in times[3:4]]
        content["rows"][0]["times"] = times
    return content


class AblationTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        support_folder = str(pathlib.Path(__file__).parent)
        self.program = self.repository / "build/release/bench/bench_books"
        self.write_program(self.program, STAND_IN.format(python=sys.executable, support=support_folder))
        self.write_program(self.folder / "bin/valgrind",
                           VALGRIND.format(python=sys.executable, support=support_folder))

    def ablation(self, *arguments, **environment):
        environment.setdefault("PATH", f"{self.folder / 'bin'}:{os.environ['PATH']}")
        return self.script("local/ablation.sh", "--no-build", "--quick", *arguments, **environment)

    def test_parts_are_differences(self):
        result = self.ablation("--save", "parts")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/parts"
        self.assertTrue((folder / "ablation.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(sorted(list(support.runs_of(folder))[1:]),
                         sorted(f"{stream}-{kind}" for stream in ("classic", "macro5000", "macro200000")
                                for kind in ("passive-seed1", "whole-seed1", "instructions")))
        rows = support.rows_of((folder / "table.md").read_text())
        self.assertEqual(rows[0][1:], ["classic", "macro 5,000", "macro 200,000"])
        self.assertIn("For orientation only: a processor overlaps the loop with the book, by at most the time of `loop and "
                      "dispatch`.", (folder / "table.md").read_text())
        for part, nanoseconds, instructions in (
                ("crossing check", "1.00", "10.0"), ("linking (nothing is unlinked)", "0.50", "5.0"),
                ("unlinking", "1.50", "15.0"), ("linking and unlinking", "2.00", "20.0"),
                ("totals and counts of levels", "-0.25", "-2.5"), ("occupancy", "2.50", "25.0"),
                ("all of these but the dispatch", "5.00", "50.0"),
                ("the rest: checks, slots, orders", "2.00", "20.0")):
            cells = [row[1:] for row in rows if row[0] == part]
            self.assertEqual(cells[0], [f"{nanoseconds} ({nanoseconds} to {nanoseconds})"] * 3, part)
            self.assertEqual(cells[1], [instructions] * 3, part)
        for kind, nanoseconds in (("market order", 30), ("fill", 20), ("other operation", 10)):
            ((_, *cells),) = (row for row in rows if row[0] == kind)
            for cell in cells:
                self.assertAlmostEqual(float(cell.split()[0]), nanoseconds, delta=0.2, msg=kind)

    def test_without_programs(self):
        programs = [path for path in pathlib.Path("/usr/bin").iterdir() if path.name != "valgrind"]
        self.assert_fails(self.ablation(PATH=str(self.links_to(programs))), 1, "there is no valgrind")
        self.program.unlink()
        self.assert_fails(self.ablation(), 1, "bench_books is not there; build it first")

    def test_a_failing_program(self):
        self.assert_fails(self.ablation("--save=x", STAND_IN_FAILS="yes"), 1, "the stand-in was asked to fail",
                          "bench_books failed")
        self.assert_nothing_kept("ablation")

    def test_torn_artifacts(self):
        self.assert_fails(self.ablation("--save=x", STAND_IN_LENGTH="500"), 1, "torn, or not JSON")
        self.assert_nothing_kept("ablation")


class AblationTablesTest(support.AnalysisTest):
    """The tables of runs made up here."""

    made_by = "scripts/local/ablation.sh"

    def setUp(self):
        super().setUp()
        self.contents["classic-passive-seed1"] = artifact("classic", 1, 3, "passive")
        self.contents["classic-whole-seed1"] = artifact("classic", 1, 200, "whole")
        self.contents["classic-instructions"] = {"books": {name: {"instructions": 10 * time, "mispredictions": 0,
                                                                 "d1_misses": 0} for name, time in TIMES.items()}}

    def test_incomplete_results(self):
        self.write_runs()
        self.assertEqual(self.table().returncode, 0)
        for kind, damage, message in (
                ("whole", lambda content: content.pop("windows"), "incomplete (KeyError: 'windows')"),
                ("whole", lambda content: content["windows"]["fills"].pop(), "incomplete (ValueError: zip()"),
                ("whole", lambda content: content["fingerprint"].update(cpu="another"), "fingerprints differ: 'cpu'"),
                ("passive", lambda content: content["rows"].pop(), "incomplete (KeyError: 'bare')"),
                ("passive", lambda content: content["rows"][3]["times"].pop(),
                 "'no_unlink' was not timed as often as 'full'")):
            name = f"classic-{kind}-seed1"
            whole = self.contents[name]
            damaged = copy.deepcopy(whole)
            damage(damaged)
            self.write_run(name, damaged)
            self.assert_fails(self.table(), 1, message)
            self.contents[name] = whole
        del self.contents["classic-whole-seed1"]
        self.write_runs()
        self.assert_fails(self.table(), 1, "classic lacks its passive or its whole runs")
        del self.contents["classic-instructions"]
        self.write_runs()
        self.assert_fails(self.table(), 1, "the run classic-instructions is not there")


class VariantTest(unittest.TestCase):
    def make(self, headers, *parts):
        folder = pathlib.Path(self.enterContext(support.tempfile.TemporaryDirectory()))
        result = subprocess.run([sys.executable, str(MAKE_VARIANT), str(headers), str(folder / "out"), *parts],
                                text=True, stderr=subprocess.PIPE, check=False)
        return result, folder / "out"

    def test_each_part_is_in_the_core_as_it_is(self):
        for part in PARTS:
            parts = ("unlink", part) if part == "link" else (part,)
            result, out = self.make(support.ROOT / "include/llmes", *parts)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue((out / "llmes.hpp").exists())

    def test_an_unknown_part(self):
        result, _ = self.make(support.ROOT / "include/llmes", "magic")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no part is called 'magic'; there are: cross, unlink", result.stderr)

    def test_a_core_that_has_changed(self):
        changed = pathlib.Path(self.enterContext(support.tempfile.TemporaryDirectory()))
        for header in (support.ROOT / "include/llmes/book").glob("*.hpp"):
            (changed / "book").mkdir(exist_ok=True)
            (changed / "book" / header.name).write_text(header.read_text().replace("occupied_.insert(rank);", "occupied_.mark(rank);"))
        result, out = self.make(changed, "occupancy")
        self.assertEqual(result.returncode, 1)
        self.assertIn("book/array_side_book.hpp no longer has, once, what makes the part 'occupancy'", result.stderr)
        self.assertFalse(out.exists())


@unittest.skipUnless("BENCH_BOOKS" in os.environ, "needs the program")
class ProgramTest(support.ScriptTest):
    def run_program(self, *flags):
        self.out = self.folder / "out.json"
        return subprocess.run([os.environ["BENCH_BOOKS"], "--rounds=3", "--batch=5000", "--rewarm=1000", *flags,
                               f"--out={self.out}"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)

    def test_every_variant_does_the_work_of_the_passive_stream(self):
        # The program itself compares fills, rejections and resting orders with the plan, in each window.
        for workload in ("macro", "classic", "wide"):
            result = self.run_program(f"--workload={workload}", "--standing=500", *PASSIVE)
            self.assertEqual(result.returncode, 0, result.stderr)
            rows = json.loads(self.out.read_text())["rows"]
            self.assertEqual([row["book"] for row in rows], list(TIMES))
            self.assertEqual({(row["misses"] - row["misses_planned"], row["digest"]) for row in rows[1:]},
                             {(0, "0" * 16)})
            self.assertEqual({len(row["times"]) for row in rows}, {3})

    def test_the_whole_stream_trades(self):
        result = self.run_program("--books=full", "--standing=500")
        self.assertEqual(result.returncode, 0, result.stderr)
        content = json.loads(self.out.read_text())
        self.assertEqual([row["book"] for row in content["rows"]], ["null", "full"])
        self.assertGreater(min(content["windows"]["fills"]), 0)

    def test_bad_arguments(self):
        for flag, message in (("--stream=odd", "--stream is whole or passive, not 'odd'"),
                              ("--metric=odd", "--metric is latency or instructions, not 'odd'"),
                              ("--rounds=0", "--rounds must be at least 1"), ("--batch=0", "at least one event"),
                              ("--workload=odd", "no workload is called 'odd'")):
            self.assert_fails(self.run_program("--books=full", flag), 2, message)
        self.assert_fails(self.run_program("--books=full,bare"), 2, "'bare' cannot trade; it needs bench_books --stream=passive")
        self.assert_fails(self.run_program("--books=reference", "--stream=passive"), 2, "starts each batch from a snapshot")
        # The flag is right, but the program does not run where it could be.
        self.assert_fails(self.run_program("--books=full", "--metric=instructions"), 1, "valgrind --tool=callgrind")

    def test_the_list_has_the_variants_only_for_a_passive_stream(self):
        names = [[line.split()[0] for line in self.run_program("--list", flag).stdout.splitlines()]
                 for flag in ("--stream=whole", "--stream=passive")]
        self.assertEqual(names[1], names[0] + [name for name in TIMES if name != "null"])

    def test_nowhere_to_write(self):
        self.folder /= "nowhere"
        self.assert_fails(self.run_program("--books=core", "--standing=100"), 1, "cannot write", "No such file or directory")


if __name__ == "__main__":
    unittest.main()
