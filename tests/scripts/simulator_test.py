# SPDX-License-Identifier: MIT
"""simulator.sh with a stand-in whose answer is known."""

import copy
import unittest

import support


def artifact_of(impact="none", strategies=1, own="0,1000", shadows="", messages=1000, seed=1, rounds=3, **_):
    """The bare replay takes 50 ns. An own order adds a tenth of a percent, with `displace` ten times that, and each
    seed after the first as much again as all of them."""
    rounds, seed, strategies = int(rounds), int(seed), int(strategies)
    ratios = {"bare": 1.0, "bare_ahead": 0.8, **{f"own_{count}": 1 + int(count) * seed * strategies / (1000 if impact == "none" else 100)
                              for count in own.split(",")},
              **{f"shadows_{count}": 1.5 for count in shadows.split(",") if count}}
    rows = [{"row": row, "ns_per_event": 50 * ratio, "events_per_second": 2e7 / ratio, "ratio": ratio, "ratio_lo": ratio,
             "ratio_hi": ratio, "allocations": 0, "mib": 12.5, "times": [50 * ratio] * rounds, "ratios": [ratio] * rounds}
            for row, ratio in ratios.items()]
    return {"fingerprint": support.artifact()["fingerprint"], "source": "synthetic", "events": int(messages), "timed": int(messages) // 2,
            "impact": impact, "strategies": strategies, "base": "bare", "rows": rows}


class SimulatorTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.write_artifact_stand_in("bench_simulator", "simulator_test")

    def simulator(self, *arguments, **environment):
        return self.script("local/simulator.sh", "--no-build", *arguments, **environment)

    def test_table_and_plot(self):
        result = self.simulator("--save", "whole", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/whole"
        self.assertTrue((folder / "simulator.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(len(support.runs_of(folder)), 1 + 2 * 4)
        table = (folder / "table.md").read_text()
        rows = support.rows_of(table)
        self.assertEqual([row[:3] for row in rows[2:] if len(row) == 7], [[impact, strategies, own] for impact in ("none", "displace")
                                                         for strategies in ("1", "32") for own in ("0", "1", "10", "1,000")])
        self.assertIn(["none", "1", "0", "20.00", "1.000 (1.000 to 1.000)", "0", "12"], rows)
        self.assertIn(["none", "1", "1,000", "8.00", "2.500 (2.000 to 3.000)", "0", "12"], rows)
        self.assertIn(["displace", "32", "10", "3.45", "5.800 (4.200 to 7.400)", "0", "12"], rows)
        self.assertIn(["1,000", "13.33", "1.500 (1.500 to 1.500)", "25,000", "12"], rows)  # 25 ns an event, a million events
        self.assertIn(["1,000,000", "13.33", "1.500 (1.500 to 1.500)", "25", "12"], rows)
        self.assertIn("Days of 2,000,000 events. ", table)
        self.assertIn("The bare replay took 50.0 ns an event.", table)
        self.assertIn("- goal of 0 own orders: at most 1.05 of the bare replay; it is 1.000, reached; 1.250 of one that looks ahead", table)
        self.assertIn("if it does so, too, it takes 0.800 (0.800 to 0.800) of its time.", table)
        self.assertIn("- goal of 1,000 own orders: at most 1.50 of the bare replay; it is 2.500, missed; 3.125 of one that looks ahead", table)
        self.assertIn("- 2 seeds: the range over the seeds", table)

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.simulator("--quick", STAND_IN_FAILS="yes"), 1,
                          "asked to fail, by --messages=100000 --own=0,1,10,1000 --impact=none --strategies=1",
                          "bench_simulator failed")
        self.assert_nothing_kept("simulator")


class SimulatorTableTest(support.AnalysisTest):
    """The table of runs made up here."""

    made_by = "scripts/local/simulator.sh"

    def test_incomplete_results(self):
        whole = artifact_of()
        self.contents["none1-seed1"] = whole
        self.write_runs()
        self.assertEqual(self.table().returncode, 0)
        for damage, message in (
                (lambda run: run["rows"][1].pop("times"), "incomplete (KeyError: 'times')"),
                (lambda run: run["rows"][2]["ratios"].pop(), "'ratios' of 'own_0' are not as many numbers above 0"),
                (lambda run: run["rows"].pop(0), "its rows are not 'bare', 'bare_ahead', own and hypothetical orders"),
                (lambda run: run["rows"][3].update(row="own_0"), "two rows have one name"),
                (lambda run: run.update(strategies="many"), "'strategies' of the run is not a number"),
                (lambda run: run.update(impact="some"), "no impact is called 'some'")):
            damaged = copy.deepcopy(whole)
            damage(damaged)
            self.contents["none1-seed1"] = damaged
            self.write_runs()
            self.assert_fails(self.table(), 1, message)


if __name__ == "__main__":
    unittest.main()
