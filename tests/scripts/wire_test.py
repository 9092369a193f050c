# SPDX-License-Identifier: MIT
"""wire.sh with a stand-in whose answer is known."""

import copy
import sys
import unittest

import support

SHARES = ("p50", "p90", "p99", "p99.9", "worst")


def times(microseconds):
    return {share: 1000 * microseconds * (1 + i) for i, share in enumerate(SHARES)}


def artifact_of(mode="spin", protocol="ouch", durability="process", seed=1, rate="", idle=0, **_):
    """The echo takes 10 us, the venue a tenth more for each seed, and twice that with FIX; the feed 8."""
    venue = 10 * (1 + int(seed) / 10) * (2 if protocol == "fix" else 1)
    answer = {"fingerprint": support.artifact()["fingerprint"], "mode": mode, "durability": durability,
              "resting": 2000, "base": "echo", "processing": {"0.5": 400, "0.99": 900},
              "rows": [{"row": "venue", "trips": 100, **times(venue), "ratio": venue / 10, "ratio_lo": 1, "ratio_hi": 2},
                       {"row": "echo", "trips": 100, **times(10), "ratio": 1, "ratio_lo": 1, "ratio_hi": 1},
                       {"row": "feed", "trips": 100, **times(8)}]}
    if int(idle):
        answer["rows"].insert(2, {"row": "venue_idle", "trips": 100, **times(venue), "ratio": 1, "ratio_lo": 1, "ratio_hi": 1})
        answer["idle"] = {"connections": int(idle), "ratio": 1.05, "ratio_lo": 1, "ratio_hi": 1.1}
    for one in rate.split(",") if rate else ():
        for row in ("venue", "echo"):
            answer.setdefault("loads", []).append({"row": row, "rate": float(one), "achieved": float(one) or 300000,
                                                   **(times(20) if float(one) else {})})
    return answer


class WireTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.write_artifact_stand_in("bench_wire", "wire_test")
        self.write_program(self.repository / "build/release/examples/venue/venue", f"#!{sys.executable}\n")

    def wire(self, *arguments, **environment):
        return self.script("local/wire.sh", "--no-build", *arguments, **environment)

    def test_table_and_plot(self):
        result = self.wire("--save", "whole", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/whole"
        self.assertTrue((folder / "wire.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(len(support.runs_of(folder)), 1 + 2 * 7)
        table = (folder / "table.md").read_text()
        rows = support.rows_of(table)
        self.assertIn(["venue, spin, process", "11.5", "23.0", "34.5", "46.0", "57.5", "1.150 (1.100 to 1.200)"], rows)
        self.assertIn(["venue, FIX, spin, process", "23.0", "46.0", "69.0", "92.0", "115.0", "2.300 (2.200 to 2.400)"], rows)
        self.assertIn(["the venue's own work, ns, quantile 0.5, FIX, spin, process", "400 (400 to 400)"], rows)
        self.assertIn(["feed, block, process", "8.0", "16.0", "24.0", "32.0", "40.0", ""], rows)
        self.assertIn(["venue: 20,000", "20,000", "20.0", "60.0", "80.0"], rows)
        self.assertIn(["echo: 256 on their way", "300,000", "", "", ""], rows)
        self.assertIn(["1,000 idle connections, p50 over none", "1.050 (1.050 to 1.050)"], rows)
        self.assertIn(["the venue's own work, ns, quantile 0.5, spin, machine", "400 (400 to 400)"], rows)
        self.assertIn(["p50 without the venue's own, ns, spin, machine", "11,100 (10,600 to 11,600)"], rows)
        self.assertIn(["p50, spin, process", "1.150", "1.150", "met"], rows)
        self.assertIn(["p50, block, process", "1.100", "1.150", "missed"], rows)
        self.assertIn(["own work, ns, none", "1,000", "400", "met"], rows)
        self.assertIn(["messages a second", "400,000", "1,600,000", "met"], rows)

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.wire("--quick", STAND_IN_FAILS="yes"), 1, "asked to fail, by --venue=", "bench_wire failed")
        self.assert_nothing_kept("wire")

    def test_a_missing_program(self):
        (self.repository / "build/release/examples/venue/venue").unlink()
        self.assert_fails(self.wire("--quick"), 1, "build/release/examples/venue/venue is not there")


class WireTableTest(support.AnalysisTest):
    """The table of runs made up here."""

    made_by = "scripts/local/wire.sh"

    def test_incomplete_results(self):
        whole = artifact_of(rate="1000")
        name = "load-spin-process-seed1"
        self.contents[name] = whole
        self.write_runs()
        self.assertEqual(self.table().returncode, 0)
        for damage, message in (
                (lambda run: run["rows"][0].pop("p50"), "incomplete (KeyError: 'p50')"),
                (lambda run: run["rows"].pop(1), "its rows are not the venue, the echo and the feed"),
                (lambda run: run["loads"][0].update(achieved="many"), "'achieved' of load of 'venue' is not a number"),
                (lambda run: run["rows"][0].pop("ratio"), "incomplete (KeyError: 'ratio')"),
                (lambda run: run["loads"][0].update(p99=0), "a time of load of 'venue' is not above 0"),
                (lambda run: run["processing"].update({"0.5": None}), "'0.5' of processing is not a number")):
            damaged = copy.deepcopy(whole)
            damage(damaged)
            self.contents[name] = damaged
            self.write_runs()
            self.assert_fails(self.table(), 1, message)


if __name__ == "__main__":
    unittest.main()
