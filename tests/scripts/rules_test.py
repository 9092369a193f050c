# SPDX-License-Identifier: MIT
"""rules.sh with a stand-in whose answer is known."""

import unittest

import support

TIMES = {"null": 1, "core": 10, "core_rules": 11, "core_rules_1": 14, "core_rules_10": 16, "core_user_map": 20,
         "core_ids_single_hashed": 30, "risk": 50, "risk_maps": 120,
         "set_ids_single": 40, "set_ids_published_single": 80, "venue": 100, "venue_1": 100, "venue_10": 120}


def artifact_of(workload="", books="", sizes="", standing=0, seed=1, rounds=3, by="", **_):
    """The second seed takes twice as long with rules as the first, and with a stage."""
    rounds, seed, workload = int(rounds), int(seed), workload or by
    times = {book: TIMES[book] * (seed if book not in ("core", "core_ids_single_hashed", "set_ids_single") else 1)
             for book in ("null", *filter(None, books.split(",")))}
    base = TIMES["core"]
    if workload == "cancels":
        times = {f"{how}/{size}": time for size in sizes.split(",") for how, time in (("by_handle", 10), ("mass_cancel", 11))}
    if workload == "stops":
        times = {f"{how}/{size}": time for size in sizes.split(",")
                 for how, time in (("fire_in_multimaps", 10), ("fire", 15), ("wait_in_multimaps", 10), ("wait", 8))}
    row = {**support.artifact()["rows"][0], "workload": workload, "standing": int(standing), "seed": seed, "rounds": rounds}
    rows = [{**row, "book": book, "ns_per_op": time, "ratio": time / base, "ratios": [time / base] * rounds,
             "times": [time] * rounds} for book, time in times.items()]
    return {"fingerprint": support.artifact()["fingerprint"], "rows": rows}


class RulesTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        for program in ("bench_books", "bench_growth"):
            self.write_artifact_stand_in(program, "rules_test")

    def rules(self, *arguments, **environment):
        return self.script("local/rules.sh", "--no-build", *arguments, **environment)

    def test_tables_and_plot(self):
        result = self.rules("--save", "whole", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/whole"
        self.assertTrue((folder / "books.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(len(support.runs_of(folder)), 1 + 2 * 4)
        table = (folder / "table.md").read_text()
        inside = support.cells_of(table, "Rules inside matching")
        self.assertEqual(inside["book"][1:], ["macro 5,000", "macro 200,000"])
        for book, cell in (("core", "1.00 (1.00 to 1.00)"), ("core_rules", "1.65 (1.10 to 2.20)"),
                           ("core_user_map", "3.00 (2.00 to 4.00)")):
            self.assertEqual(inside[book][1:], [cell] * 2)
        added = support.cells_of(table, "A stage before the book")
        self.assertEqual(added["risk"][1:], ["45 (20 to 70)"] * 2)
        self.assertEqual(added["risk_maps"][1:], ["150 (90 to 210)"] * 2)
        around = support.cells_of(table, "A venue")
        self.assertEqual(around["venue"][1:], ["3.75 (2.50 to 5.00)"] * 2)
        self.assertEqual(support.cells_of(table, "All orders of an owner")["10,000"], ["1.10 (1.10 to 1.10)"])
        stops = support.cells_of(table, "Stops")
        self.assertEqual(stops["stops"], ["1,000", "100,000"])
        self.assertEqual(stops["firing one by one"], ["1.50 (1.50 to 1.50)"] * 2)
        self.assertEqual(stops["waiting while the price moves"], ["0.80 (0.80 to 0.80)"] * 2)

    def test_one_seed(self):
        result = self.rules("--quick")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("per-round interval", result.stdout)
        self.assertEqual(support.cells_of(result.stdout, "Rules inside matching")["core_rules"][1:], ["1.10 (1.10 to 1.10)"] * 2)

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.rules("--quick", STAND_IN_FAILS="yes"), 1,
                          "asked to fail, by --workload=macro --standing=5000", "bench_books failed")
        self.assert_nothing_kept("rules")


if __name__ == "__main__":
    unittest.main()
