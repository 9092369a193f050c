# SPDX-License-Identifier: MIT
"""python_rivals.sh with a stand-in whose answer is known."""

import copy
import sys
import unittest

import support

STAND_IN = '''#!{python}
import json, os, sys
sys.path[:0] = [{folder!r}]
import rivals_test
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail")
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[2:])
with open(arguments["out"], "w") as out:
    json.dump(rivals_test.artifact_of(**arguments), out)
'''


def artifact_of(messages=1000, seed=1, rounds=3, orders="10", **_):
    """Ours takes a second for the books, half of one for a strategy; each seed takes longer, and mbo-queue is not there."""
    messages, seed, rounds = int(messages), int(seed), int(rounds)

    def row(kind, package, seconds, way=""):
        return {"kind": kind, "package": package, "way": way, "version": "1.0", "messages": messages, "times": [seconds * seed] * rounds}

    rows = [row("books", "llmes", 1), row("books", "itch-book", 1.5), row("strategy", "llmes", 0.5, "compiled"),
            row("strategy", "llmes", 1, "in Python"), row("strategy", "hftbacktest", 2, "compiled")]
    for count in orders.split(","):
        kind = f"{int(count):,} shadows"
        rows += [row(kind, "llmes", 1), row(kind, "queuetruth", 6),
                 {"kind": kind, "package": "mbo-queue", "way": "", "left_out": "mbo-queue is not installed"}]
    return {"fingerprint": support.artifact()["fingerprint"], "rows": rows}


class RivalsTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.write_artifact_stand_in("bench_feed", "feed_test")
        self.write_program(self.repository / "build/python_rivals_venv/bin/python",
                           STAND_IN.format(python=sys.executable, folder=str(support.ROOT / "tests/scripts")))

    def test_table_and_plot(self):
        result = self.script("local/python_rivals.sh", "--no-build", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = next((self.repository / "build/python_rivals").iterdir())
        self.assertTrue((folder / "rivals.png").read_bytes().startswith(b"\x89PNG"))
        table = (folder / "table.md").read_text()
        rows = support.rows_of(table)
        self.assertIn(["books", "llmes 1.0", "0.75", "1.00 (1.00 to 1.00)"], rows)
        self.assertIn(["books", "itch-book 1.0", "0.50", "1.50 (1.50 to 1.50)"], rows)
        self.assertIn(["strategy", "llmes 1.0 in Python", "0.75", "2.00 (2.00 to 2.00)"], rows)
        self.assertIn(["strategy", "hftbacktest 1.0 compiled", "0.38", "4.00 (4.00 to 4.00)"], rows)
        for line in ("- goal of books beside itch-book 1.0: at least 1 times as fast; it is 1.50, reached",
                     "- goal of strategy beside hftbacktest 1.0 compiled: at least 10 times as fast; it is 4.00, missed",
                     "- goal of 1,000,000 shadows beside queuetruth 1.0: at least 5 times as fast; it is 6.00, reached",
                     "- left out: mbo-queue, as mbo-queue is not installed"):
            self.assertIn(line, table)

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.script("local/python_rivals.sh", "--no-build", "--quick", STAND_IN_FAILS="yes"), 1,
                          "asked to fail", "python failed")
        self.assert_nothing_kept("python_rivals")


class RivalsTableTest(support.AnalysisTest):
    """The table of runs made up here."""

    made_by = "scripts/local/python_rivals.sh"

    def test_incomplete_results(self):
        whole = artifact_of()
        self.contents["all-seed1"] = whole
        self.write_runs()
        self.assertEqual(self.table().returncode, 0)
        for damage, message in ((lambda run: run["rows"][1].pop("times"), "incomplete (KeyError: 'times')"),
                                (lambda run: run["rows"][1]["times"].pop(), "are not as many numbers above 0"),
                                (lambda run: run["rows"].pop(0), "has no row of ours beside it"),
                                (lambda run: run["rows"].clear(), "nothing was timed"),
                                (lambda run: run["rows"][2].update(kind="books", way=""), "two rows have one name"),
                                (lambda run: run["rows"][1].update(messages="many"), "'messages' of row 'books: itch-book 1.0' is not a number")):
            damaged = copy.deepcopy(whole)
            damage(damaged)
            self.contents["all-seed1"] = damaged
            self.write_runs()
            self.assert_fails(self.table(), 1, message)


if __name__ == "__main__":
    unittest.main()
