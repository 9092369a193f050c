# SPDX-License-Identifier: MIT
"""any_price.sh with a stand-in whose answer is known."""

import pathlib
import sys
import unittest

import support

BEFORE = "a" * 40
TIMES = {"null": 1, "core_ids_hashed": 10, "any_ids_hashed": 12, "set_ids": 20, "set_ids_published": 30,
         "core_ids_single_hashed": 11, "any_ids_single_hashed": 22, "set_ids_single": 25,
         "set_ids_published_single": 35, "tree_hash": 40}
BETTER = ("any_ids_hashed", "set_ids", "set_ids_published")
GONE = ("places_ids_hashed",)  # a row of the earlier commit alone
PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99", "max")

# Writes the artifact of `artifact_of`, below, for its arguments.
STAND_IN = '''#!{python}
import json, os, sys
sys.path[:0] = [{folder!r}]
import any_price_test
before = "build/compare/" in os.path.realpath(sys.argv[0])
if "--list" in sys.argv:
    sys.exit(print(*(row + "  what it is" for row in (*any_price_test.TIMES, *any_price_test.GONE[:before])), sep="\\n"))
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail, by " + " ".join(sys.argv[1:]))
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:] if "=" in argument)
with open(arguments["out"], "w") as out:
    json.dump(any_price_test.artifact_of(**arguments, percentiles="--percentiles" in sys.argv, before=before), out)
'''


def artifact_of(workload, books, standing=5000, wander=1500, seed=1, rounds=3, percentiles=False, before=False, **_):
    """The second seed takes a single message twice as long, unless it is that of the tree. An earlier commit's books take
    three times as long, but for the tree and the band, and the one that went takes twice as long."""
    rounds, seed = int(rounds), int(seed)
    rows = []
    for book in ("null", *books.split(",")):
        if workload == "gaps" and book.startswith("core_"):
            rows.append({"book": book, "workload": workload, "standing": int(standing), "refused": "has a band"})
            continue
        time = TIMES.get(book, 20)
        if before and book in BETTER:
            time *= 3
        ratio = time / 40
        row = {**support.artifact()["rows"][0], "book": book, "workload": workload, "standing": int(standing),
               "seed": seed, "rounds": rounds, "ratio": ratio, "ratios": [ratio] * rounds, "times": [float(time)] * rounds,
               "mib": 1.5, "jumps_64": 0.125, "jumps_4096": 0.0625, "jump_max": 4321}
        if workload == "fleeting":
            row["wander"] = int(wander)
        if percentiles and ("single" in book or book == "tree_hash"):
            times = {name: 1000 * TIMES[book] * (seed if "single" in book else 1) for name in PERCENTILES}
            row["calls"] = {"count": 9, **times, **{f"probe_{name}": 20 for name in PERCENTILES}}
        rows.append(row)
    return {"fingerprint": {**support.artifact()["fingerprint"], **({"commit": BEFORE} if before else {})}, "rows": rows}


class AnyPriceTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.program = self.repository / "build/release/bench/bench_books"
        self.write_program(self.program,
                           STAND_IN.format(python=sys.executable, folder=str(pathlib.Path(__file__).parent)))

    def any_price(self, *arguments, **environment):
        return self.script("local/any_price.sh", "--no-build", *arguments, **environment)

    def test_tables_and_plot(self):
        result = self.any_price("--save", "whole", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = self.repository / "server_results/whole"
        self.assertTrue((folder / "books.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(len(support.runs_of(folder)), 1 + 2 * 6)
        table = (folder / "table.md").read_text()
        rows = support.rows_of(table)
        streams = ["fleeting 250", "fleeting 500", "fleeting 1,000", "fleeting 5,000", "fleeting 20,000", "gaps 300"]
        header = next(row for row in rows if row[0] == "over")
        self.assertEqual(header[1:], streams)
        gaps = header.index("gaps 300")
        for pair, ratio in (("any_ids_hashed / core_ids_hashed", "1.20 (1.20 to 1.20)"),
                            ("any_ids_single_hashed / core_ids_single_hashed", "2.00 (2.00 to 2.00)"),
                            ("set_ids / tree_hash", "0.50 (0.50 to 0.50)"),
                            ("set_ids_published / tree_hash", "0.75 (0.75 to 0.75)")):
            row = next(row for row in rows if row[0] == pair)
            self.assertEqual({cell for i, cell in enumerate(row[1:], 1) if i != gaps}, {ratio})
            self.assertEqual(row[gaps], "–" if "core" in pair else ratio)
        percentiles = table[table.index("## p99.9"):]
        self.assertRegex(percentiles, r"\| set_ids_single / tree_hash +\| 0.94 \(0.62 to 1.25\) \|")
        self.assertRegex(percentiles, r"\| set_ids_single +\| 25 to 50 +\|")
        wanders = {row[0]: row[1] for row in rows if len(row) == 8 and row[0] in streams and row[1] not in TIMES}
        self.assertEqual(wanders, dict(zip(streams, ("38,000", "1,500", "20,000", "4,000", "10,000", "–"))))

    def test_an_earlier_commit_takes_turns(self):
        earlier = self.repository / "build/compare" / support.COMMIT[:12] / "build/release/bench/bench_books"
        self.write_program(earlier, self.program.read_text())
        result = self.any_price("--before=HEAD", "--seeds=2", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        folder = next(path.parent for path in (self.repository / "build/any_price").glob("*/table.md"))
        self.assertTrue((folder / "books.png").exists())
        names = list(support.runs_of(folder))
        self.assertEqual(len(names), 1 + 2 * 2 * 6)
        for name in ("gaps300-seed1-run1-b", "gaps300-seed1-run2-a", "gaps300-seed2-run1-a", "gaps300-seed2-run2-b"):
            self.assertIn(name, names)
        table = (folder / "table.md").read_text()
        self.assertIn(f"commit {support.COMMIT[:12]}\n\n- before: commit {BEFORE[:12]}, in turns with the tree\n", table)
        for pair, ratio in (("any_ids_hashed / core_ids_hashed", "1.20"),
                            ("before: any_ids_hashed / before: core_ids_hashed", "3.60"),
                            ("before: places_ids_hashed / before: core_ids_hashed", "2.00"),
                            ("before: set_ids / before: tree_hash", "1.50"),
                            ("before: any_ids_hashed / any_ids_hashed", "3.00"),
                            ("before: places_ids_hashed / any_ids_hashed", "1.67"),
                            ("before: tree_hash / tree_hash", "1.00")):
            self.assertRegex(table, rf"(?m)^\| {pair} +\| {ratio} \({ratio} to {ratio}\) +\|")
        path = folder / "runs.jsonl"
        text = path.read_text()
        for old, new, message in (('"digest":"', '"digest":"x', "the earlier commit plays another stream"),
                                  ('"seed":1', '"seed":9', "not every book is in every run")):
            lines = [line.replace(old, new) if "-a" in line[:40] else line for line in text.splitlines(True)]
            path.write_text("".join(lines))
            self.assert_fails(self.script("lab", "table", str(folder)), 1, message)

    def test_an_earlier_commit_must_be_there(self):
        self.assert_fails(self.any_price("--before=nothing"), 2, "--before: 'nothing' is no commit here", "--help")
        self.assert_fails(self.any_price("--before=HEAD"), 1, f"build/compare/{support.COMMIT[:12]} is not there; build it")

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.any_price("--quick", STAND_IN_FAILS="yes"), 1,
                          "asked to fail, by --workload=fleeting --standing=500 --wander=1500", "bench_books failed")
        self.assertFalse((self.repository / "server_results").exists())
        self.assertEqual(list((self.repository / "build/any_price").glob(".*")), [])


if __name__ == "__main__":
    unittest.main()
