# SPDX-License-Identifier: MIT
"""instructions.sh with a stand-in for valgrind, and with the real one where the build gives its program."""

import json
import os
import pathlib
import shutil
import sys
import unittest

import support

# Takes valgrind's arguments, keeps them, and leaves dumps as callgrind does, of what STAND_IN_DUMPS says.
VALGRIND = '''#!{python}
import json, os, pathlib, sys
options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:6])
pathlib.Path(os.environ["STAND_IN_SEEN"]).write_text(json.dumps(sys.argv[1:]))
pathlib.Path(options["log-file"]).write_text("a word from valgrind")
print("a time worth nothing")
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the program's own words")
out = pathlib.Path(options["callgrind-out-file"])
out.write_text("desc: Trigger: Program termination\\nevents: Ir\\ntotals: 0\\n")
for number, dump in enumerate(json.loads(os.environ["STAND_IN_DUMPS"]), 1):
    out.with_name(out.name + "." + str(number)).write_text("# callgrind format\\ncmd:  x\\n" + dump)
'''


def dump(totals, events="Ir", operations=1000, title="hft_macro/core/macro/5000/seed:1"):
    return (f"desc: Timerange: Basic block 0 - 9\ndesc: Trigger: Client Request: {title}: {operations} operations\n\n"
            f"positions: line\nevents: {events}\nsummary: 0\n\nfn=(1) replay\n0 7\n\ntotals: {totals}\n")


class InstructionsTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.seen = self.folder / "seen"
        self.program = self.repository / "build/release/bench/bench_hft_macro"
        self.write_program(self.program, "#!/bin/sh\n")
        self.write_program(self.folder / "bin/valgrind", VALGRIND.format(python=sys.executable))

    def instructions(self, *arguments, dumps=(), **environment):
        environment.setdefault("PATH", f"{self.folder / 'bin'}:{os.environ['PATH']}")
        return self.script("local/instructions.sh", *arguments, STAND_IN_SEEN=str(self.seen),
                           STAND_IN_DUMPS=json.dumps(dumps), TMPDIR=str(self.folder), **environment)

    def assert_reports(self, result, *lines):
        self.assertEqual((result.returncode, result.stdout.splitlines()), (0, list(lines)), result.stderr)
        self.assertEqual(list(self.folder.glob("tmp.*")), [])

    def test_help(self):
        result = self.instructions("--help")
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stdout.startswith("instructions.sh [--help]"), result.stdout)

    def test_counts_of_an_operation(self):
        result = self.instructions("--book=core", "--seed", "2", dumps=[dump("85250")])
        self.assert_reports(result, "hft_macro/core/macro/5000/seed:1: 85.2500 instructions/op "
                                    "(85250 in 1000 operations)")
        seen = json.loads(self.seen.read_text())
        self.assertLessEqual({"--tool=callgrind", "--instr-atstart=no", "--branch-sim=no"}, set(seen))
        self.assertEqual(seen[-5:], ["build/release/bench/bench_hft_macro", "--book=core", "--seed", "2",
                                     "--metric=instructions"])

    def test_mispredictions_with_zeros_left_out(self):
        events = "Ir Bc Bcm Bi Bim"
        result = self.instructions("--branch-sim", dumps=[dump("5000 300 20 10 5", events), dump("5000 300 20", events)])
        start = "hft_macro/core/macro/5000/seed:1: 5.0000 instructions/op (5000 in 1000 operations)"
        self.assert_reports(result,
                            start + "; simulated mispredictions/op: 0.0200 of branches, 0.0050 of indirect jumps",
                            start + "; simulated mispredictions/op: 0.0200 of branches, 0.0000 of indirect jumps")
        self.assertIn("--branch-sim=yes", json.loads(self.seen.read_text()))

    def test_repetitions_stay_in_order(self):
        result = self.instructions(dumps=[dump(str(1000 * i), title=f"run{i}") for i in range(1, 12)])
        self.assert_reports(result, *(f"run{i}: {i}.0000 instructions/op ({1000 * i} in 1000 operations)"
                                      for i in range(1, 12)))

    def test_another_build(self):
        for arguments in (["--preset", "lto"], ["--preset=lto"]):
            self.assert_fails(self.instructions(*arguments), 1, "build/lto/bench/bench_hft_macro is not there",
                              "cmake --preset lto")
        self.assert_fails(self.instructions("--preset"), 2, "--preset needs a value")

    def test_without_valgrind(self):
        programs = [path for path in pathlib.Path("/usr/bin").iterdir() if path.name != "valgrind"]
        self.assert_fails(self.instructions(PATH=str(self.links_to(programs))), 1, "there is no valgrind; install it")

    def test_a_failing_program(self):
        self.assert_fails(self.instructions(STAND_IN_FAILS="yes"), 1, "the program's own words",
                          "a word from valgrind", "bench_hft_macro failed under valgrind")

    def test_no_counts(self):
        self.assert_fails(self.instructions(), 1, "callgrind wrote no counts", "--benchmark_filter")

    def test_torn_dumps(self):
        whole = dump("5000")
        for torn in ("", whole[:whole.index("totals")], whole.replace("1000 operations", "1000 opera"),
                     whole.replace("5000", "", 1).replace("totals: 5000", "totals: "), dump("0")):
            self.assert_fails(self.instructions(dumps=[whole, torn]), 1, "callgrind left a torn dump")

    @unittest.skipUnless("BENCH_HFT_MACRO" in os.environ and shutil.which("valgrind"),
                         "needs valgrind and a program that it can run")
    def test_the_real_number_is_the_same_every_time(self):
        self.program.unlink()
        self.program.symlink_to(os.environ["BENCH_HFT_MACRO"])
        runs = [self.instructions(*flags, "--batches=2", "--batch=10000", "--standing=100", PATH=os.environ["PATH"])
                for flags in (["--book=core"], ["--book=core"], ["--book=null"])]
        for run in runs:
            self.assertRegex(run.stdout, r"^hft_macro/\w+/macro/100/seed:1: [\d.]+ instructions/op \(\d+ in \d+ oper",
                             run.stderr)
        self.assertEqual(runs[0].stdout, runs[1].stdout)
        # The loop without a book: whatever else were counted would show, and most of all what comes before and
        # between the windows.
        core, _, null = (float(run.stdout.split()[1]) for run in runs)
        self.assertLess(null, 20)
        self.assertGreater(core, null + 10)


if __name__ == "__main__":
    unittest.main()
