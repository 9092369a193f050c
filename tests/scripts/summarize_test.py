# SPDX-License-Identifier: MIT
"""summarize.py and plot_ratios.py: a campaign that does not add up makes a message, never a figure."""

import json
import subprocess
import unittest

import support


class SummarizeTest(support.AnalysisTest):
    def write(self, run, build, **changes):
        content = support.artifact(build=build)
        for key, value in changes.items():
            for part in (content["fingerprint"], *content["rows"]):
                if key in part:
                    part[key] = value
        path = self.campaign / f"macro5000-seed1-run{run}-{build}.json"
        path.write_text(json.dumps(content))
        return path

    def run_on_campaign(self, program):
        return subprocess.run([self.python, str(self.repository / "scripts" / "analysis" / program),
                               str(self.campaign)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)

    def assert_refused(self, *parts):
        for program in ("summarize.py", "plot_ratios.py"):
            result = self.run_on_campaign(program)
            self.assert_fails(result, 1, program, *parts)
            self.assertEqual(result.stdout, "")
            self.assertNotIn("Traceback", result.stderr)
        self.assertEqual([path.name for path in self.campaign.iterdir() if path.suffix != ".json"], [])

    def test_one_run_is_enough_for_books(self):
        self.write(1, "release")
        result = self.run_on_campaign("summarize.py")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("| reference / core", result.stdout)
        self.assertNotIn("lto", result.stdout)
        self.assertEqual((self.campaign / "table.md").read_text(), result.stdout)
        self.assertEqual(self.run_on_campaign("plot_ratios.py").returncode, 0)

    def test_allocations_are_stated(self):
        self.write(1, "release", allocations=3000)
        self.assertIn("timed windows: null 0.01, core 0.01, reference 0.01\n",
                      self.run_on_campaign("summarize.py").stdout)
        self.write(1, "release")
        self.assertIn("null none, core none, reference none\n", self.run_on_campaign("summarize.py").stdout)

    def test_rejected_commands_are_stated(self):
        self.write(1, "release", misses=6000, misses_planned=6000)
        self.assertIn("macro 5,000: 0.02 of the commands come too late",
                      self.run_on_campaign("summarize.py").stdout)
        self.write(1, "release", misses=6000)
        self.assertIn("macro 5,000: the core rejected 0.02 of the commands, which is not what was planned",
                      self.run_on_campaign("summarize.py").stdout)

    def test_uncommitted_changes_are_pointed_out(self):
        self.write(1, "release", dirty="yes")
        self.assertIn("commit 0b0e9bfa7148 with uncommitted changes", self.run_on_campaign("summarize.py").stdout)

    def test_no_folder(self):
        self.campaign.rmdir()
        result = self.run_on_campaign("summarize.py")
        self.assert_fails(result, 1, "no such folder")

    def test_no_artifacts(self):
        self.assert_refused("no artifacts")

    def test_torn_artifact(self):
        self.write(1, "release")
        path = self.write(2, "lto")
        path.write_text(path.read_text()[:-100])
        self.assert_refused("run2-lto.json: torn, or not JSON")

    def test_incomplete_artifact(self):
        path = self.write(1, "release")
        content = json.loads(path.read_text())
        del content["rows"][1]["ratios"]
        path.write_text(json.dumps(content))
        self.assert_refused("run1-release.json: incomplete", "ratios")

    def test_figure_that_is_no_number(self):
        self.write(1, "release", ns_per_op=None)
        self.assert_refused("'ns_per_op' of book 'null' is no number")
        self.write(1, "release", ns_per_op=float("nan"))
        self.assert_refused("'ns_per_op' of book 'null' is no number")

    def test_text_that_is_none(self):
        self.write(1, "release", workload=float("inf"))
        self.assert_refused("'workload' of book 'null' is no text")
        self.write(1, "release", cpu=["Test CPU"])
        self.assert_refused("'cpu' of the fingerprint is no text")

    def test_foreign_file_name(self):
        self.write(1, "release").rename(self.campaign / "results.json")
        self.assert_refused("results.json: the name is not")

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
