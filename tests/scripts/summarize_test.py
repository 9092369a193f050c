# SPDX-License-Identifier: MIT
"""The table and plot of bench.sh: a campaign that does not add up makes a message, never a figure."""

import unittest

import support


class SummarizeTest(support.AnalysisTest):
    def write(self, run, build, **changes):
        content = support.artifact(build=build)
        for key, value in changes.items():
            for part in (content["fingerprint"], *content["rows"]):
                if key in part:
                    part[key] = value
        name = f"macro5000-seed1-run{run}-{build}"
        self.write_run(name, content)
        return name

    def assert_refused(self, *parts):
        result = self.table()
        self.assert_fails(result, 1, "lab table: ", *parts)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("Traceback", result.stderr)
        self.assert_nothing_made()

    def test_one_run_is_enough_for_books(self):
        self.write(1, "release")
        result = self.table()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("| core / reference", result.stdout)
        self.assertNotIn("lto", result.stdout)
        self.assertIn("| interval within the seed |", result.stdout)
        self.assertIn("- one seed: the interval within the seed is a 95 % bootstrap over its rounds, or over its pairs "
                      "of builds", result.stdout)
        self.assertEqual((self.campaign / "table.md").read_text(), result.stdout)
        self.assertEqual((self.campaign / "ratios.png").read_bytes()[:4], b"\x89PNG")

    def test_allocations_are_stated(self):
        self.write(1, "release", allocations=3000)
        self.assertIn("timed windows: null 0.01, core 0.01, reference 0.01\n",
                      self.table().stdout)
        self.write(1, "release")
        self.assertIn("null none, core none, reference none\n", self.table().stdout)

    def test_rejected_commands_are_stated(self):
        self.write(1, "release", misses=6000, misses_planned=6000)
        self.assertIn("macro 5,000: 0.02 of the commands come too late",
                      self.table().stdout)
        self.write(1, "release", misses=6000)
        self.assertIn("macro 5,000: the core rejected 0.02 of the commands, which is not what was planned",
                      self.table().stdout)

    def test_uncommitted_changes_are_pointed_out(self):
        self.write(1, "release", dirty="yes")
        self.assertIn("commit 0b0e9bfa7148 with uncommitted changes", self.table().stdout)

    def test_no_folder(self):
        (self.campaign / "campaign.txt").unlink()
        self.campaign.rmdir()
        self.assert_fails(self.table(), 1, "campaign.txt is not there")

    def test_no_runs(self):
        self.assert_refused("no runs (runs.jsonl is not there)")
        self.write_runs()
        self.assert_refused("runs.jsonl: no runs")
        self.runs.write_text("")
        self.assert_refused("runs.jsonl: no runs")

    def test_torn_run(self):
        self.write(1, "release")
        line = self.tear(self.write(2, "lto"))
        self.assert_refused(f"runs.jsonl, line {line}: torn, or not JSON")

    def test_incomplete_run(self):
        name = self.write(1, "release")
        del self.contents[name]["rows"][1]["ratios"]
        self.write_runs()
        self.assert_refused(f"run {name}: incomplete", "ratios")

    def test_two_rows_or_runs_of_one_name(self):
        name = self.write(1, "release")
        self.contents[name]["rows"].append(self.contents[name]["rows"][1])
        self.write_runs()
        self.assert_refused(f"runs.jsonl, run {name}: two rows for the book 'core'")
        self.write(1, "release")
        self.runs.write_text(self.runs.read_text() + self.runs.read_text().splitlines()[1] + "\n")
        self.assert_refused(f"runs.jsonl, run {name}: two runs have this name")

    def test_figure_that_is_no_number(self):
        self.write(1, "release", ns_per_op=None)
        self.assert_refused("'ns_per_op' of book 'null' is not a number")
        self.write(1, "release", ns_per_op=float("nan"))
        self.assert_refused("'ns_per_op' of book 'null' is not a number")

    def test_text_that_is_none(self):
        self.write(1, "release", workload=float("inf"))
        self.assert_refused("'workload' of book 'null' is not text")
        self.write(1, "release", cpu=["Test CPU"])
        self.assert_refused("'cpu' of the fingerprint is not text")

    def test_foreign_name(self):
        self.contents["results"] = self.contents.pop(self.write(1, "release"))
        self.write_runs()
        self.assert_refused("run results: the name is not")

    def test_different_machines_or_sources(self):
        for key in ("cpu", "commit", "compiler"):
            self.write(1, "release")
            self.write(2, "lto", **{key: "other"})
            self.assert_refused(f"fingerprints differ: '{key}'", "'other'")

    def test_different_work(self):
        self.write(1, "release")
        self.write(2, "lto", digest="other")
        self.assert_refused("did not do the same work")


if __name__ == "__main__":
    unittest.main()
