# SPDX-License-Identifier: MIT
"""engine.sh with a stand-in whose answer is known, and the real program where the build gives it."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import unittest

import support

PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99", "worst")
SATURATED = {"one_thread": 100.0, "engine": 140.0, "engine_process": 175.0, "engine_machine": 350.0, "pingpong": 1400.0}
COMMANDS = {"add limit": 45, "add market": 2, "cancel": 48, "modify": 5, "reduce": 0, "replace": 0}

# Writes the artifact of `artifact_of`, below, for its arguments.
STAND_IN = '''#!{python}
import json, os, pathlib, sys
sys.path[:0] = [{folder!r}]
import engine_test
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail, by " + " ".join(sys.argv[1:]))
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
if "hgrm" in arguments:
    pathlib.Path(arguments["hgrm"]).mkdir()
    pathlib.Path(arguments["hgrm"], "engine.hgrm").touch()
text = json.dumps(engine_test.artifact_of(**arguments))
with open(arguments["out"], "w") as out:
    whole = len(text) if arguments.get("batch") == "100" else os.environ.get("STAND_IN_LENGTH", len(text))
    out.write(text[:int(whole)])
'''


def latencies(scale):
    values = dict(zip(PERCENTILES, (scale * factor for factor in (1, 2, 3, 4, 5, 6))))
    return {**values, "curve": [[0.5, scale], [0.999, 4 * scale], [1.0, 6 * scale]]}


def artifact_of(parts="ring", seed=1, journal="none", arrivals="poisson,bursty", rounds=3, capacity=0, **_):
    """The engine sustains a million a second and no more; the thread alone all there is. Without parts: of bench_ring."""
    if parts == "ring":
        trips = {"p50": 300, "p90": 400, "p99": 500, "p999": 600, "max": 700}
        return {"fingerprint": support.artifact()["fingerprint"], "span_max": 64, "capacity": int(capacity),
                "rows": [{"row": row, "ns_per_message": time, "times": [time] * int(rounds), "round_trip_ns": trips}
                         for row, time in (("ring_span", 30.0 if capacity == "256" else 10.0), ("boost_spsc_span", 40.0))]}
    rows = []
    mosts = (("binary_one_thread", 2_000_000), ("binary", 1_000_000))
    if parts != "instruments":
        mosts = (("one_thread", 2_000_000), ("engine", 1_000_000))
    for kind in arrivals.split(","):
        for rate in (500_000, 1_000_000, 2_000_000):
            for way, most in mosts:
                rows.append({"way": way, "arrivals": kind, "rate": rate, "achieved": min(rate, most), "messages": 1000,
                             "journal": journal, "wait": "yield", "service_ns": latencies(rate / 1000),
                             "due_to_done_ns": latencies(rate / 100), "allocations": 0, "digest": "0"})
    times = {"binary_one_thread": 50.0, "binary": 100.0} if parts == "instruments" else SATURATED
    saturated = [{"row": row, "rounds": int(rounds), "messages": 1000, "ns_per_message": time, "rate": 1e9 / time,
                  "ratio": time / 100, "ratio_lo": 1, "ratio_hi": 2, "times": [time] * int(rounds), "allocations": 0}
                 for row, time in times.items()]
    content = {"fingerprint": support.artifact()["fingerprint"], "threads": {"wait": "yield", "pinned": True},
               "journal": journal}
    if parts == "instruments":
        flow = {"symbols": 256, "resting_avg": 128000.5, "levels_peak": 33851}
        return {**content, "instruments": {"flow": flow, "rows": rows, "saturation": saturated}}
    content["flow"] = {"symbols": 256, "seed": int(seed), "resting_avg": 131000.25, "levels_avg": 46726.5,
                       "fills_per_message": 0.047, "rejected": 0, "busiest_share": 0.03, "commands": dict(COMMANDS)}
    if parts == "ladder":
        return {**content, "rows": rows}
    if parts == "recovery":
        recovery = {"commands": 10_000_000, "resting": 131_000, "journal_bytes": 64 * 10_000_000, "snapshot_bytes": 2**20,
                    "from_journal": [3.0, 2.0, 4.0], "make_snapshot": [5.0], "from_snapshot": [0.5, 0.25]}
        return {**content, "rows": [], "recovery": recovery}
    return {**content, "rows": [], "saturation": saturated}


class EngineTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.program = self.repository / "build/release/bench/bench_engine"
        for program in (self.program, self.program.with_name("bench_ring")):
            self.write_program(program,
                               STAND_IN.format(python=sys.executable, folder=str(pathlib.Path(__file__).parent)))

    def engine(self, *arguments, **environment):
        return self.script("local/engine.sh", "--no-build", *arguments, **environment)

    def test_tables_and_plots(self):
        result = self.engine("--save", "whole", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/whole"
        for journal in ("none", "process", "machine"):
            self.assertTrue((folder / f"engine-{journal}.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual([path.name for path in (folder / "hgrm").iterdir()], ["engine.hgrm"])
        self.assertEqual(set(list(support.runs_of(folder))[1:]),
                         {f"{run}-seed{seed}" for seed in (1, 2) for run in
                          ("ladder-none", "ladder-process", "ladder-machine", "saturation-all", "instruments-none",
                           "recovery-process", "ring256-none", "ring4096-none", "ring65536-none")})
        table = (folder / "table.md").read_text()
        self.assertIn("256 books, 131,000 orders rest on 46,726 levels; 0.047 fills a message; 45.0 % add limit", table)
        self.assertIn("journals on a disk of type", table)
        self.assertIn("## journal none, bursty", table)
        self.assertNotIn("## journal machine, bursty", table)
        rows = support.rows_of(table)
        self.assertIn(["engine", "1,000,000 (the knee)", "1,000,000", "1,000", "3,000", "4,000", "10,000", "20,000",
                       "30,000", "40,000", "50,000", "60,000"], rows)
        self.assertEqual(sum("(the knee)" in row[1] for row in rows), 5)
        cells = support.cells_of(table, "targets")
        self.assertEqual(cells["time a message, engine over one_thread"],
                         ["at most 1.5", "1.400 (1.400 to 1.400)", "yes"])
        self.assertEqual(cells["rate, engine_process over engine"], ["at least 0.7", "0.800 (0.800 to 0.800)", "yes"])
        self.assertEqual(cells["time a message, ring_span over boost_spsc_span, room for 256"],
                         ["at most 0.5", "0.750 (0.750 to 0.750)", "no"])
        self.assertEqual(cells["time a message, ring_span over boost_spsc_span, room for 65,536"],
                         ["at most 0.5", "0.250 (0.250 to 0.250)", "yes"])
        self.assertEqual(support.cells_of(table, "recovery")["an engine, from the journal alone"], ["3.00", "2.00", "4.00"])
        self.assertEqual(support.cells_of(table, "queues, room for 4,096")["ring_span"],
                         ["10.00", "0.250 (0.250 to 0.250)", "300", "500", "600", "700"])
        cells_of_market = support.cells_of(table, "256 instruments")
        self.assertEqual(cells_of_market["binary_one_thread"][3], "0")
        self.assertEqual(cells_of_market["binary"], ["100.0", "10,000,000", "2.000 (2.000 to 2.000)", "0"])
        self.assertEqual(cells["rate, engine_machine over engine"], ["at least 0.5", "0.400 (0.400 to 0.400)", "no"])

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.engine("--quick", STAND_IN_FAILS="yes"), 1,
                          "asked to fail, by --parts=ladder --seed=1 --rounds=3", "bench_engine failed")
        self.assert_fails(self.engine("--quick", "--save=x", STAND_IN_LENGTH="500"), 1, "torn, or not JSON")
        self.assertFalse((self.repository / "server_results").exists())
        self.assertEqual(list((self.repository / "build/engine").glob(".*")), [])


class EngineTablesTest(support.AnalysisTest):
    """The tables of runs made up here."""

    made_by = "scripts/local/engine.sh"

    def test_incomplete_results(self):
        whole = {kind: artifact_of(kind) for kind in ("ladder", "saturation", "instruments")}
        for kind, run in whole.items():
            self.write_run(f"{kind}-none-seed1", run)
        self.assertEqual(self.table().returncode, 0)
        for kind, damage, message in (
                ("ladder", lambda run: run["rows"].pop(1), "there is no engine at 500,000 a second, poisson"),
                ("ladder", lambda run: run["rows"][0].update(way="two_threads"), "nobody knows 'two_threads'"),
                ("ladder", lambda run: run["rows"][0]["service_ns"].update(p50="x"), "is not a number"),
                ("ladder", lambda run: run["flow"].pop("levels_avg"), "(KeyError: 'levels_avg')"),
                ("instruments", lambda run: run["instruments"]["saturation"].pop(0), "called 'binary_one_thread'"),
                ("instruments", lambda run: run["instruments"]["flow"].pop("symbols"), "(KeyError: 'symbols')"),
                ("saturation", lambda run: run["saturation"].pop(1), "no row is called 'engine'"),
                ("saturation", lambda run: run["saturation"][1]["times"].pop(), "are not 3 numbers above 0"),
                ("saturation", lambda run: run["saturation"][1].update(rounds=1, times=[1]), "in the same rounds")):
            damaged = copy.deepcopy(whole[kind])
            damage(damaged)
            self.write_run(f"{kind}-none-seed1", damaged)
            self.assert_fails(self.table(), 1, message)
            self.write_run(f"{kind}-none-seed1", whole[kind])


@unittest.skipUnless("BENCH_ENGINE" in os.environ, "needs the program")
class ProgramTest(support.ScriptTest):
    SHORT = ("--rates=50000,100000", "--messages=5000", "--symbols=5", "--standing=20", "--warm_up=1000", "--rounds=2",
             "--batch=5000")

    def run_program(self, *flags):
        return subprocess.run([os.environ["BENCH_ENGINE"], *self.SHORT, f"--journal_folder={self.folder}", *flags],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def test_how_long_it_takes_to_be_there_again(self):
        # The program itself compares the books.
        out = self.folder / "out.json"
        result = self.run_program("--parts=recovery", f"--out={out}")
        self.assertEqual(result.returncode, 0, result.stderr)
        recovery = json.loads(out.read_text())["recovery"]
        self.assertGreater(recovery["commands"], 5000)
        self.assertEqual(recovery["journal_bytes"], 64 * recovery["commands"])
        self.assertGreater(recovery["snapshot_bytes"], 32 * recovery["resting"])
        for name in ("from_journal", "make_snapshot", "from_snapshot"):
            self.assertEqual(len(recovery[name]), 3)
        self.assertEqual([path.name for path in self.folder.glob("bench_engine.*")], [])

    def test_what_it_says_of_each_way_to_wait_and_to_keep(self):
        # The program itself compares all answers with those of an untimed replay, and counts allocations.
        for wait, journal in (("yield", "none"), ("block", "process"), ("yield", "machine")):
            out, hgrm = self.folder / "out.json", self.folder / wait / journal
            result = self.run_program(f"--wait={wait}", f"--journal={journal}", f"--out={out}", f"--hgrm={hgrm}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([path.name for path in self.folder.glob("bench_engine.*")], [])
            content = json.loads(out.read_text())
            self.assertEqual([(row["arrivals"], row["rate"], row["way"]) for row in content["rows"]],
                             [(arrivals, rate, way) for arrivals in ("poisson", "bursty") for rate in (50000, 100000)
                              for way in ("one_thread", "engine")])
            for row in content["rows"]:
                self.assertEqual((row["journal"], row["messages"], row["allocations"]), (journal, 5000, 0))
                self.assertEqual(row["digest"], content["rows"][0]["digest"])
                for column in ("service_ns", "due_to_done_ns"):
                    values = [row[column][name] for name in PERCENTILES]
                    self.assertEqual(values, sorted(values))
                    self.assertEqual(row[column]["curve"][-1], [1, values[-1]])
                self.assertLessEqual(row["service_ns"]["worst"], row["due_to_done_ns"]["worst"])
                self.assertLessEqual(row["achieved"], 1.2 * row["rate"])
                text = (hgrm / f"{row['way']}-{row['arrivals']}-{row['rate']:.0f}-due_to_done.hgrm").read_text()
                lines = [line.split() for line in text.splitlines()]
                self.assertEqual(lines[0], ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
                found = [line for line in lines[2:] if not line[0].startswith("#")]
                self.assertEqual([len(line) for line in found], [4] * (len(found) - 1) + [3])
                self.assertEqual(float(found[-1][0]), row["due_to_done_ns"]["worst"])
                self.assertEqual(found[-1][1:], ["1.000000000000", "5000"])
            market = content["instruments"]
            forms = ["binary_one_thread", "binary", "json_one_thread", "json"]
            if "built without simdjson" in result.stdout:
                forms = forms[:2]
            self.assertEqual([row["row"] for row in market["saturation"]], forms)
            self.assertEqual(len({row["digest"] for row in market["rows"]}), 1)
            self.assertEqual({row["allocations"] for row in (*market["rows"], *market["saturation"])}, {0})
            self.assertEqual({row["row"]: row["messages"] for row in content["saturation"]},
                             {**dict.fromkeys(SATURATED, 5000), "pingpong": 500})
            flow = content["flow"]
            self.assertEqual((flow["symbols"], flow["rejected"], sum(flow["commands"].values())), (5, 0, 5000))
            self.assertTrue(80 < flow["resting_avg"] < 250)
            self.assertGreater(flow["fills_per_message"], 0.01)
            self.assertEqual(flow["reports"]["Done"], 5000)

    def test_a_flow_whose_prices_jump(self):
        # The program itself compares all answers with those of an untimed replay, and counts allocations.
        flows = {}
        for workload in ("macro", "gaps"):
            out = self.folder / "out.json"
            result = self.run_program("--parts=saturation", "--standing=100", f"--workload={workload}", f"--out={out}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, f"5 books of {workload}, .*\n.*\n[0-9.]+ % of the messages move a best price")
            flows[workload] = json.loads(out.read_text())["flow"]
            self.assertEqual((flows[workload]["workload"], flows[workload]["rejected"]), (workload, 0))
            self.assertGreater(flows[workload]["fills_per_message"], 0.01)
        self.assertLess(flows["macro"]["jumps_64"], 0.01)
        self.assertGreater(flows["gaps"]["jumps_64"], 0.3)
        self.assertGreater(flows["gaps"]["jumps_4096"], 0.2)
        self.assertGreater(flows["gaps"]["jump_max"], 100_000)
        self.assertTrue(450 < flows["gaps"]["resting_avg"] < 550)

    def test_bad_arguments(self):
        for flags, message in ((["--rates=fast"], "--rates: 'fast' is no number of messages"),
                               (["--rates=0"], "--rates: '0' is no number"),
                               (["--arrivals=late"], "no arrivals are called 'late'"),
                               (["--journal=disk"], "--journal is none, process or machine, not 'disk'"),
                               (["--workload=wide"], "--workload is macro or gaps, not 'wide'"),
                               (["--wait=sleep"], "--wait is spin, yield or block, not 'sleep'"),
                               (["--parts=all"], "no part is called all"), (["--symbols=0"], "--symbols must be"),
                               (["--messages=0"], "--messages must be"), (["--seconds=0"], "--seconds must be")):
            self.assert_fails(self.run_program(*flags), 2, "bench_engine: ", message)

    def test_nowhere_to_write(self):
        for flags, message in ((["--journal=process", "--journal_folder=/nowhere"], "cannot make a folder in /nowhere: No such"),
                               (["--out=nowhere/file"], "cannot write nowhere/file: No such file or directory")):
            self.assert_fails(self.run_program(*flags), 1, "bench_engine: ", message)


if __name__ == "__main__":
    unittest.main()
