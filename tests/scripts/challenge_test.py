# SPDX-License-Identifier: MIT
"""challenge.sh: what it refuses, the table of runs made up here, and the adapter for the challenge's own repository.

The challenge itself is not in this repository. Where the environment variable LLMES_CHALLENGE names its folder, such as
LLMES_CHALLENGE=$HOME/matching-engine-benchmark, `scripts/lab challenge --quick` plays it with all adapters, which takes
some ten minutes: every case of conformance, every audit and every published hash. Elsewhere that test is skipped.
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import support

CHALLENGE = os.environ.get("LLMES_CHALLENGE")
ENGINES = ("cpptrader", "banded", "any_price", "set_published", "matcher", "matcher_spans", "venue")
SCENARIOS = ("static", "normal", "swing-25", "swing-40", "flash-crash")


def speed_of(engine, scenario, number):
    """CppTrader does 5 M messages a second, more in each scenario; the n-th engine after it n + 1 times that, and a tenth more in
    the second round."""
    return 5e6 * (1 + SCENARIOS.index(scenario)) * (1 + ENGINES.index(engine)) * (1.1 if engine != ENGINES[0] and number == 2 else 1)


def artifacts(rounds=2):
    """All runs of a campaign, by name."""
    fingerprint = support.artifact()["fingerprint"]
    right = {"correctness": {"status": "PASS"}, "verdict": "INVALID", "messages": 2_000_000}
    found = {}
    for scenario in SCENARIOS:
        rows = [{"engine": engine, "spans": engine == "matcher_spans", "reports": 9,
                 "ns_per_message": [1e9 / speed_of(engine, scenario, number + 1) for number in range(rounds)],
                 **({} if engine == "matcher_spans" else {"calls": {"p50": 50 + i, "p99": 90 + i, "p99.9": 300 + i, "max": 10**6}})}
                for i, engine in enumerate(ENGINES)]
        found[f"all-process-{scenario}-round1-all"] = {"fingerprint": fingerprint, "messages": 2_000_000, "rows": rows}
        found[f"count-{scenario}-round1-all"] = {"instructions": {engine: 100 + i for i, engine in enumerate(ENGINES)}}
        for engine in ENGINES:
            if engine != ENGINES[0]:
                found[f"audit-{scenario}-round1-{engine}"] = {**right, "audit": {"checks": 192, "passed": True}}
            for number in range(1, rounds + 1):
                found[f"perf-{scenario}-round{number}-{engine}"] = {**right, "audit": {"checks": 0, "passed": False},
                                                                    "throughput_msgs_per_s": speed_of(engine, scenario, number)}
    for engine in ENGINES[1:]:
        cases = {f"case_{i}": {"report": "PASS", "state": "PASS" if i else "-"} for i in range(34)}
        found[f"conform-none-round1-{engine}"] = {"engine": engine, "cases": cases}
    return {name: {"fingerprint": fingerprint, **run} for name, run in found.items()}


class RefusalTest(support.ScriptTest):
    def test_what_is_refused(self):
        for arguments, words in (([], "--harness: which folder"), (["--harness"], "--harness needs a value"),
                                 ([f"--harness={self.folder}"], "has no api/matching_engine_api.h"), (["--seeds=2"], "hashes of one seed"),
                                 (["--books=core"], "unknown argument '--books=core'")):
            self.assert_fails(self.script("local/challenge.sh", "--no-build", *arguments), 2, words)
        header = self.folder / "harness/api/matching_engine_api.h"
        self.write_program(header, "")
        harness = f"--harness={self.folder / 'harness'}"
        self.assert_fails(self.script("local/challenge.sh", "--no-build", harness, f"--cpptrader={self.folder}"), 2, "has no source/trader")
        self.assert_fails(self.script("local/challenge.sh", "--no-build", harness), 1, "bench_challenge is not there")
        self.assert_nothing_kept("challenge")


class TableTest(support.AnalysisTest):
    made_by = "scripts/local/challenge.sh --harness DIR"

    def write(self, **changes):
        self.contents = artifacts()
        for name, change in changes.items():
            self.contents[name].update(change)
        self.write_runs()

    def test_table(self):
        self.write()
        result = self.table()
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.campaign / "table.md").read_text()
        rows = support.rows_of(text)
        for row in (["book for any price", "15.75", "31.50", "47.25", "63.00", "78.75", "15.75", "3.15 (3.00 to 3.30)"],
                    ["venue with accounts", *["7.35 (7.00 to 7.70)"] * 5],
                    ["CppTrader", *["1.00 (1.00 to 1.00)"] * 5, "5.00", "1.00 (1.00 to 1.00)"],
                    ["engine's matcher", "38.2", "19.1", "12.7", "9.5", "7.6"],
                    ["book for any price, p99.9", *["302"] * 5], ["banded book", *["101.0"] * 5],
                    ["book for any price: worst of five over CppTrader's", "at least 4.0", "3.15", "missed"],
                    ["engine's matcher, in spans: worst of five over CppTrader's", "at least 2.2", "6.30", "holds"],
                    ["set with its publisher: p99.9 over CppTrader's, the worst of five", "at most 1.0", "1.01", "missed"],
                    ["banded book", "15 of 15", "34 of 34, the book's state in 33", "960"], ["CppTrader", "10 of 10", "–", "–"]):
            self.assertIn(row, rows)
        self.assertIn("Of 70 timed runs the harness calls 70 INVALID, as it could not bind its threads", text)
        self.assertNotIn("in spans, p99.9", text)

    def test_a_run_that_is_not_right(self):
        wrong = {"correctness": {"status": "FAIL"}}
        for name, change, words in (("perf-static-round1-venue", wrong, "refuses what the engine reports"),
                                    ("audit-normal-round1-banded", wrong, "refuses what the engine reports"),
                                    ("audit-normal-round1-banded", {"audit": {"checks": 192, "passed": False}}, "refuses what the engine reports"),
                                    ("conform-none-round1-matcher", {"cases": {"one": {"report": "FAIL", "state": "PASS"}}}, "not every case"),
                                    ("conform-none-round1-matcher", {"cases": {"one": {"report": "PASS", "state": "FAIL"}}}, "not every case"),
                                    ("all-process-static-round1-all", {"rows": []}, "its engines are not")):
            self.write(**{name: change})
            self.assert_fails(self.table(), 1, name, words)

    def test_runs_that_are_not_there(self):
        for name, words in (("perf-static-round2-venue", "not every engine is in every round"), ("all-process-normal-round1-all", "not all scenarios"),
                            ("count-normal-round1-all", "not all scenarios")):
            self.write()
            del self.contents[name]
            self.write_runs()
            self.assert_fails(self.table(), 1, words)


def code_of(text):
    """Its lines that are neither empty, nor a comment, nor for the preprocessor."""
    return "\n".join(line for line in text.splitlines() if line and not line.startswith(("//", "#")))


class PullRequestTest(unittest.TestCase):
    def test_the_adapter_is_the_one_that_is_measured(self):
        with support.tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "llmes_adapter"
            make = [sys.executable, str(support.ROOT / "scripts/packaging/challenge/make.py"), "--repository=https://example.org/llmes.git", str(folder)]
            result = subprocess.run(make, text=True, capture_output=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            texts = {path.name: path.read_text() for path in folder.iterdir()}
            self.assertEqual(set(texts), {"llmes_adapter.cpp", "build.sh", "README.md", "PULL_REQUEST.md"})
            for name, text in texts.items():
                self.assertEqual(re.findall("@[A-Z]+@", text), [], name)
            adapter = texts["llmes_adapter.cpp"]
            self.assertNotIn('#include "bench/', adapter)
            self.assertEqual(adapter.count('#include "matching_engine_api.h"'), 1)
            for name in ("any_price.cpp", "adapter.hpp", "book_adapter.hpp", "entry.hpp"):
                source = (support.ROOT / "bench/contenders/challenge" / name).read_text()
                self.assertIn(code_of(source), code_of(adapter), name)
            commit = subprocess.run(["git", "-C", str(support.ROOT), "rev-parse", "HEAD"], text=True, capture_output=True, check=False).stdout.strip()
            self.assertIn(f'LLMES_REF="{commit}"', texts["build.sh"])
            self.assertEqual(subprocess.run(["bash", "-n", str(folder / "build.sh")], check=False).returncode, 0)
            if CHALLENGE:
                compiler = os.environ.get("CXX", "g++")
                built = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", f"{CHALLENGE}/api", "-I", str(support.ROOT / "include"),
                                        str(folder / "llmes_adapter.cpp")], text=True, capture_output=True, check=False)
                self.assertEqual(built.returncode, 0, built.stderr)


class ChallengeTest(unittest.TestCase):
    @unittest.skipUnless(CHALLENGE, "LLMES_CHALLENGE names no folder of the public challenge, flash1-dev/matching-engine-benchmark")
    def test_every_adapter_is_right(self):
        result = subprocess.run([str(support.ROOT / "scripts/lab"), "challenge", f"--harness={CHALLENGE}", "--quick", "--no-setup"], text=True,
                                stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        table = re.search(r"^challenge.sh: table: (.*)$", result.stdout, re.MULTILINE)[1]
        rows = support.rows_of((support.ROOT / table).read_text())
        for name in ("banded book", "book for any price", "set with its publisher", "engine's matcher", "engine's matcher, in spans", "venue with accounts"):
            self.assertIn([name, "10 of 10", "34 of 34, the book's state in 33", "960"], rows)


if __name__ == "__main__":
    unittest.main()
