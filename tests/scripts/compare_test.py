# SPDX-License-Identifier: MIT
"""compare.sh with stand-ins for the programs whose answer is known."""

import os
import pathlib
import sys
import unittest

import support

BEFORE = "a" * 40
BOOKS = ("core", "core_span", "core_any", "core_ids", "core_ids_hashed", "core_ids_single_hashed", "set", "set_span")
PROGRAMS = ("bench_books", "bench_feed", "bench_engine")

# Lists the rows, or writes the artifact of `artifact_of`, below. Before, there was no core_any_span.
STAND_IN = '''#!{python}
import json, os, pathlib, sys
sys.path[:0] = [{folder!r}]
import compare_test
before = "build/compare/" in os.path.realpath(sys.argv[0])
if "--list" in sys.argv:
    sys.exit(print(*(row + "  what it is" for row in (*compare_test.BOOKS, "feed", "feed_batch",
                                                      *(() if before else ["core_any_span"]))), sep="\\n"))
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail, by " + " ".join(sys.argv[1:]))
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
role = "b" if not before else "control" if arguments["out"].endswith("-control.json") else "a"
with open(arguments["out"], "w") as out:
    json.dump(compare_test.artifact_of(pathlib.Path(sys.argv[0]).name, role, **arguments), out)
'''

CMAKE = '''#!/bin/sh
echo "$PWD" "$@" >>"$CALLS"
mkdir -p build/release/bench
cp "$STAND_INS"/* build/release/bench
'''


def artifact_of(program, role, workload="wide", seed=1, rounds=3, books="core,core_any", rows="feed,feed_batch", **_):
    """In the tree a row takes half of the time, core 2 % more, and core_any on `wide` does other work. The second run of
    the earlier program takes 1 % more on odd seeds. One round of each was interrupted."""
    rounds, seed = int(rounds), int(seed)
    names = {"bench_books": books, "bench_feed": rows, "bench_engine": "engine,one_thread"}[program].split(",")
    found = []
    for name in names:
        time = 100.0
        if role == "b":
            time *= 1.02 if name == "core" else 0.5
        elif role == "control" and seed % 2:
            time *= 1.01
        row = {"rounds": rounds, "times": [time] * (rounds - 1) + [9999.0]}
        if program == "bench_books":
            other = (role, name, workload) == ("b", "core_any", "wide")
            row |= {"book": name, "workload": workload, "seed": seed, "digest": "other" if other else f"{seed}",
                    "mib": 3.5 if role == "b" else 1.25}
        else:
            row |= {"row": name} | ({"mib": 64.0} if program == "bench_feed" else {})
        found.append(row)
    fingerprint = {**support.artifact()["fingerprint"], **({} if role == "b" else {"commit": BEFORE})}
    if program == "bench_engine":
        return {"fingerprint": fingerprint, "rows": [], "saturation": found}
    return {"fingerprint": fingerprint, "rows": found}


class CompareTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.tree = self.repository / "build/compare" / support.COMMIT[:12]
        for root in (self.repository, self.tree):
            self.write_programs(root / "build/release/bench")

    def write_programs(self, folder):
        for program in PROGRAMS:
            self.write_program(folder / program,
                               STAND_IN.format(python=sys.executable, folder=str(pathlib.Path(__file__).parent)))

    def compare(self, *arguments, **environment):
        return self.script("local/compare.sh", "--before=HEAD", "--no-build", *arguments, **environment)

    def kept(self):
        return next(path.parent for path in (self.repository / "build/compare").glob("*/table.md"))

    def test_table_and_plot(self):
        result = self.compare("--seeds=3", "--rounds=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.kept() / "rows.png").read_bytes().startswith(b"\x89PNG"))
        names = list(support.runs_of(self.kept()))
        self.assertEqual(len(names), 1 + 3 * 3 * 7)
        for name in ("wide-seed1-run1-b", "wide-seed1-run3-control", "wide-seed2-run3-b"):
            self.assertIn(name, names)
        table = (self.kept() / "table.md").read_text()
        rows = {tuple(cells[:2]): cells[2:] for cells in support.rows_of(table)}
        control = ["1.010", "1.000 - 1.010"]
        self.assertEqual(rows["macro5000", "core"],
                         ["1.020", "1.020 - 1.020", "0 of 3", *control, "100.0 / 102.0", "1.2 / 3.5"])
        half = ["0.500", "0.500 - 0.500", "3 of 3", *control, "100.0 / 50.0"]
        self.assertEqual(rows["fleeting500-capacity1000000", "core_ids_single_hashed"], [*half, "1.2 / 3.5"])
        self.assertEqual(rows["feed", "feed_batch"], [*half, "64.0 / 64.0"])
        self.assertEqual(rows["engine", "one_thread"], [*half, "–"])
        for pair in (("engine", "engine"), ("wide", "core_any"), ("far5000", "core_any_span")):
            self.assertNotIn(pair, rows)
        self.assertIn("- wide: without 'core_any', which does other work in the tree: the digests differ\n", table)
        self.assertIn("- far5000: without 'core_any_span', which is not in both programs\n", table)
        self.assertIn(f"- A, before: commit {BEFORE[:12]}\n- B, after: commit {support.COMMIT[:12]}\n", table)

    def test_what_cannot_be_compared(self):
        self.assertEqual(self.compare("--quick").returncode, 0)
        path = self.kept() / "runs.jsonl"
        text = path.read_text()
        run = '"run":"wide-seed1-run1-b"'
        for other, message in ((run + ',"fingerprint":{"flags":"-O1"}', "fingerprints differ: 'flags'"),
                               (run.replace("seed1", "seed3"), "the pair wide-seed1 is not finished")):
            path.write_text(text.replace(run, other))
            self.assert_fails(self.script("lab", "table", str(self.kept())), 1, message)

    def test_arguments(self):
        self.assert_fails(self.script("local/compare.sh"), 2, "--before: which commit", "--help")
        for arguments, message in ((["--before="], "--before: '' is no commit"),
                                   (["--before", "nothing"], "'nothing' is no commit"),
                                   (["--before"], "--before needs a value"), (["--before=-x"], "'-x' is no commit")):
            self.assert_fails(self.compare(*arguments), 2, message, "--help")

    def test_it_builds_both(self):
        stand_ins, calls = self.folder / "stand-ins", self.folder / "calls"
        self.write_programs(stand_ins)
        self.write_program(self.folder / "bin/cmake", CMAKE)
        support.shutil.rmtree(self.tree)
        for _ in range(2):  # the second time the worktree is there
            result = self.script("local/compare.sh", "--before=HEAD", "--no-setup", CALLS=str(calls), STAND_IN_FAILS="yes",
                                 STAND_INS=str(stand_ins), PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
            self.assert_fails(result, 1, "asked to fail, by --workload=macro")
        self.assertTrue((self.tree / ".git").is_file())
        built = [line.partition(" --build")[0] for line in calls.read_text().splitlines() if "--build" in line]
        self.assert_nothing_kept("compare")
        self.assertEqual(built, 2 * [str(self.tree.resolve()), str(self.repository.resolve())])

    def test_what_is_kept_comes_from_both_commits(self):
        self.assert_fails(self.compare("--save=x", "--quick"), 1,
                          "--save: build/release/bench/bench_books was built from aaaa")
        self.assert_nothing_kept("compare")


if __name__ == "__main__":
    unittest.main()
