# SPDX-License-Identifier: MIT
"""scripts/lab: its subcommands, and that what is kept in server_results is what its runs make."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import support

LAB = support.ROOT / "scripts/lab"
RESULTS = support.ROOT / "server_results"
SUBCOMMANDS = ("bench", "evolution", "growth", "feed", "any-price", "rules", "simulator", "wire", "engine", "challenge", "ablation", "paired",
               "compare", "instructions", "walk", "perf-record", "trust", "texts", "picture", "single-header", "python-rivals", "bitstamp", "docs", "table", "index",
               "percentiles", "code-size")
WITHOUT_RECORDS = {"scenarios"}


def lab(*arguments):
    return subprocess.run([sys.executable, str(LAB), *map(str, arguments)], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


class LabTest(unittest.TestCase):
    def test_help_names_every_subcommand(self):
        for flag in ("--help", "-h", "help"):
            result = lab(flag)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(tuple(line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")), SUBCOMMANDS)

    def test_every_subcommand_has_help(self):
        for name in SUBCOMMANDS:
            result = lab(name, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)
            self.assertTrue(result.stdout, name)

    def test_a_wrong_subcommand(self):
        for arguments, message in ((["measure"], "there is no subcommand 'measure'"), ([], "which subcommand?")):
            result = lab(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(message, result.stderr)
            self.assertIn("scripts/lab --help", result.stderr)
        for arguments in (["table"], ["table", "--quick", "x"], ["percentiles"]):
            self.assertEqual(lab(*arguments).returncode, 2)


class KeptTest(unittest.TestCase):
    """What is in server_results."""

    def campaigns(self):
        return {str(path.parent.relative_to(RESULTS)): path.parent for path in sorted(RESULTS.rglob("runs.jsonl"))}

    def test_tables_are_what_the_runs_make(self):
        kept = self.campaigns()
        for name in WITHOUT_RECORDS:
            self.assertIn("records", lab("table", "--check", kept.pop(name)).stderr)
        result = lab("table", "--check", *kept.values())
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_table_that_is_not_what_the_runs_make(self):
        with support.tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "campaign"
            support.shutil.copytree(RESULTS / "core-steps", folder)
            self.assertEqual(lab("table", "--check", folder).returncode, 0)
            table = folder / "table.md"
            table.write_text(table.read_text().replace("1.000", "1.001", 1))
            result = lab("table", "--check", folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("table.md is out of date", result.stderr)
            (folder / "campaign.txt").write_text("by hand\n")
            self.assertIn("names nothing that makes tables", lab("table", folder).stderr)

    def test_the_index_is_up_to_date(self):
        result = lab("index", "--check")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_no_results_lie_in_files_of_their_own(self):
        self.assertEqual([str(path) for path in RESULTS.rglob("*.json")], [])


class IndexTest(support.AnalysisTest):
    def test_what_quotes_a_campaign(self):
        for path, text in {"server_results/trust/soak.txt": "command: soak\n", "README.md": "It makes 12 calls.\n",
                           "report/lab/soak.md": "It makes 12 calls.\n", "report/lab/14_trust.md": "server_results/trust\n",
                           "report/figures.txt": 'report/lab/soak.md: 12 calls <- trust/soak.txt "(12)"\n'}.items():
            (self.repository / path).parent.mkdir(parents=True, exist_ok=True)
            (self.repository / path).write_text(text)
        self.assertEqual(self.lab("index").returncode, 0)
        self.assertIn("| [14](../report/lab/14_trust.md), [soak](../report/lab/soak.md) |",
                      (self.repository / "server_results/README.md").read_text())


class PictureTest(unittest.TestCase):
    """None needs Graphviz: a stand-in draws."""

    def setUp(self):
        temporary = support.tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        support.shutil.copytree(support.ROOT / "scripts", self.root / "scripts")
        (self.root / "report/guide").mkdir(parents=True)
        (self.root / "include").mkdir()
        (self.root / "include/one.hpp").touch()
        self.text = self.root / "report/guide/way.dot"
        self.text.write_text("digraph { one [label=<<b>One</b>: <i>include/</i> <i>one.hpp</i>>] }\n")
        (self.root / "bin").mkdir()
        self.install("python3", f'exec {sys.executable} "$@"')

    def install(self, name, commands):
        program = self.root / "bin" / name
        program.write_text(f"#!/bin/sh\n{commands}\n")
        program.chmod(0o755)

    def picture(self, *arguments):
        return subprocess.run([sys.executable, str(self.root / "scripts/lab"), "picture", *arguments], text=True, check=False,
                              env={**os.environ, "PATH": str(self.root / "bin")}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def assert_fails(self, result, words):
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn(words, result.stderr)

    def test_those_of_the_guide_are_of_their_texts_and_name_what_is_there(self):
        self.assertTrue(list((support.ROOT / "report/guide").glob("*.dot")))
        result = lab("picture", "--check")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_one_that_is_older_than_its_text(self):
        self.assert_fails(self.picture("--check"), "way.svg is older than report/guide/way.dot; scripts/lab picture draws it")
        self.install("dot", "echo '<?xml?>'; echo '<svg></svg>'")
        self.assertEqual(self.picture().returncode, 0)
        self.assertEqual(self.picture("--check").returncode, 0)
        self.text.write_text(self.text.read_text().replace("One", "Two"))
        self.assert_fails(self.picture("--check"), "way.svg is older than report/guide/way.dot; scripts/lab picture draws it")

    def test_one_that_names_what_is_not_there(self):
        text = self.text.read_text()
        for before, after, words in (("one.hpp", "two.hpp", "way.dot: there is no include/two.hpp"),
                                     ("include/", "exclude/", "way.dot: there is no exclude/"),
                                     ("one.hpp", "one", "names one folder and some files of it, not include/"),
                                     ("include/", "include", "names one folder and some files of it, not one.hpp")):
            self.text.write_text(text.replace(before, after))
            self.assert_fails(self.picture("--check"), words)

    def test_what_cannot_be_drawn(self):
        self.assert_fails(self.picture(), "install it with: sudo apt install graphviz")
        self.install("dot", "echo 'syntax error in line 1' >&2; exit 1")
        self.assert_fails(self.picture(), "dot cannot draw report/guide/way.dot: syntax error in line 1")
        self.assertFalse(self.text.with_suffix(".svg").exists())


class FoldTest(support.AnalysisTest):
    made_by = "bench_books --base=core"

    def test_files_become_runs(self):
        for seed, cpu in ((1, "Test CPU"), (2, "Test CPU"), (3, "Another")):
            content = support.artifact(seed=seed)
            content["fingerprint"]["cpu"] = cpu
            (self.campaign / f"macro5000-seed{seed}.json").write_text(json.dumps(content))
        result = self.table("--fold")
        self.assert_fails(result, 1, "fingerprints differ: 'cpu'", "run macro5000-seed3")
        runs = support.runs_of(self.campaign)
        self.assertEqual(list(runs), [None, "macro5000-seed1", "macro5000-seed2", "macro5000-seed3"])
        self.assertEqual([run.get("fingerprint") for run in runs.values()],
                         [support.artifact()["fingerprint"], None, None, {"cpu": "Another"}])
        self.assertEqual(runs["macro5000-seed2"]["rows"], support.artifact(seed=2)["rows"])
        (self.campaign / "macro5000-seed3.json").unlink()
        self.assertEqual(self.table("--fold").returncode, 0)
        self.assertTrue((self.campaign / "books.png").exists())

    def test_what_cannot_be_folded(self):
        self.assert_fails(self.table("--fold"), 1, "no artifacts (*.json)")
        (self.campaign / "macro5000-seed1.json").write_text("{")
        self.assert_fails(self.table("--fold"), 1, "macro5000-seed1.json: torn, or not JSON")
        self.assert_nothing_made_but("macro5000-seed1.json")

    def assert_nothing_made_but(self, name):
        self.assertEqual({path.name for path in self.campaign.iterdir()}, {"campaign.txt", name})


if __name__ == "__main__":
    unittest.main()
