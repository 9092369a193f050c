# SPDX-License-Identifier: MIT
"""perf_record.sh with stand-ins for perf, valgrind and addr2line; and the real program, with this test as its perf."""

import os
import pathlib
import select
import subprocess
import sys
import unittest

import support

# Refuses to sample, or runs the program, or says where it was: three times at 0x10, once at 0x20.
PERF = '''#!{python}
import os, subprocess, sys
command = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
if sys.argv[1] == "script":
    print(os.environ.get("STAND_IN_SAMPLES", "  10\\n  10\\n  20\\n  10\\n"), end="")
elif command == ["true"]:
    sys.exit(os.environ.get("STAND_IN_REFUSES"))
else:
    sys.exit(subprocess.run(command).returncode)
'''

# The same in instructions; what was called has its costs in the lines of its own.
VALGRIND = '''#!{python}
import pathlib, subprocess, sys
options = dict(argument[2:].split("=", 1) for argument in sys.argv[1:] if argument.startswith("--") and "=" in argument)
assert options["metric"] == "instructions" and options["instr-atstart"] == "no" and options["dump-instr"] == "yes"
pathlib.Path(options["log-file"]).write_text("a word from valgrind")
pathlib.Path(options["callgrind-out-file"] + ".1").write_text(
    "events: Ir\\nfn=replay\\n0x10 7 300\\ncfn=match\\ncalls=5 0x20 9\\n0x10 7 99999\\nfn=match\\n0x20 9 100\\n")
program = next(i for i, argument in enumerate(sys.argv[1:], 1) if not argument.startswith("--"))
sys.exit(subprocess.run(sys.argv[program:]).returncode)
'''

# At 0x10 two functions are inlined into a third; at 0x20 it knows nothing.
ADDR2LINE = '''#!{python}
import sys
for address in sys.stdin.read().split():
    print(address)
    if address == "0x10":
        print("llmes::Pool::operator[](unsigned int) const", "{source}:2", sep="\\n")
        print("llmes::OrderBook<4096ul>::cancel_order(llmes::OrderHandle)", "{source}:1 (discriminator 3)", sep="\\n")
        print("void llmes::bench::replay<llmes::OrderBook<4096ul> >(int)", "{source}:3", sep="\\n")
    else:
        print("??", "??:0", sep="\\n")
'''

PROGRAM = '''#!/bin/sh
echo "$@" >"$STAND_IN_SEEN"
case $* in *--book=nobook*) echo "no book is called 'nobook'" >&2; exit 1 ;; esac
'''


class PerfRecordTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.seen = self.folder / "seen"
        source = self.folder / "source.hpp"
        source.write_text("one\n  two();\nthree\n")
        self.write_program(self.repository / "build/profile/bench/bench_hft_macro", PROGRAM)
        for name, text in (("perf", PERF), ("valgrind", VALGRIND), ("addr2line", ADDR2LINE)):
            self.write_program(self.folder / "bin" / name, text.format(python=sys.executable, source=source))

    def perf_record(self, *arguments, build="--no-build", **environment):
        environment.setdefault("PATH", f"{self.folder / 'bin'}:{os.environ['PATH']}")
        return self.script("local/perf_record.sh", *([build] if build else []), *arguments,
                           STAND_IN_SEEN=str(self.seen), TMPDIR=str(self.folder), **environment)

    def without(self, program):
        programs = {path.name: path for folder in ("/bin", "/usr/bin", self.folder / "bin")
                    for path in pathlib.Path(folder).iterdir() if path.name != program}
        return str(self.links_to(programs.values()))

    def assert_nothing_left(self):
        self.assertEqual(list(self.folder.glob("tmp.*")), [])

    def assert_shares(self, result, unit, total):
        self.assertEqual(result.returncode, 0, result.stderr)
        (results,) = (self.repository / "build/perf_record").iterdir()
        text = (results / "top.txt").read_text()
        self.assertIn(text, result.stdout)
        self.assertTrue(text.startswith(f"{total} {unit}\n"), text)
        for line in ("  75.0%    0.0%  bench::replay\n", "  75.0%    0.0%  OrderBook::cancel_order\n",
                     "  75.0%   75.0%  Pool::operator[]\n", "  25.0%   25.0%  (elsewhere",
                     "source.hpp:2  Pool::operator[]\n         two();\n"):
            self.assertIn(line, text)
        self.assertIn("<svg", (results / "flame.svg").read_text())
        self.assert_nothing_left()

    def test_help(self):
        result = self.perf_record("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("perf_record.sh [--help]"), result.stdout)

    def test_samples(self):
        self.assert_shares(self.perf_record("--book=core", "--seed=2"), "samples", 4)
        seen = self.seen.read_text()
        self.assertIn("--book=core --seed=2 --metric=sample", seen)
        self.assertRegex(seen, r"--perf_control=\S+/control --perf_ack=\S+/ack")

    def test_instructions(self):
        self.assert_shares(self.perf_record("--callgrind", "--book=core"), "instructions", 400)
        self.assertIn("--book=core --metric=instructions", self.seen.read_text())

    def test_a_host_that_may_not_sample(self):
        result = self.perf_record("--seed=2", STAND_IN_REFUSES="perf's own words")
        self.assert_fails(result, 1, "perf's own words", "does not let perf take samples", "perf_event_paranoid is",
                          "to count instructions instead: scripts/local/perf_record.sh --callgrind --seed=2")
        self.assert_nothing_left()

    def test_without_programs(self):
        for program, arguments, words in (("perf", [], "there is no perf; install linux-perf; to count"),
                                          ("valgrind", ["--callgrind"], "there is no valgrind; install it"),
                                          ("addr2line", [], "there is no addr2line; install binutils")):
            self.assert_fails(self.perf_record(*arguments, PATH=self.without(program)), 1, words)

    def test_an_unknown_book(self):
        for arguments, words in (([], "failed under perf"), (["--callgrind"], "failed under valgrind")):
            self.assert_fails(self.perf_record("--book=nobook", *arguments), 1, "no book is called 'nobook'", words)

    def test_no_samples(self):
        self.assert_fails(self.perf_record(STAND_IN_SAMPLES=""), 1, "no samples were seen")

    def test_builds(self):
        self.write_program(self.folder / "bin/cmake", "#!/bin/sh\necho 'cmake has its reasons'; exit 1\n")
        self.assert_fails(self.perf_record(build=None), 1, "building build/profile/bench/bench_hft_macro failed: cmake has its reasons")
        (self.repository / "build/profile/bench/bench_hft_macro").unlink()
        self.assert_fails(self.perf_record(), 1, "bench_hft_macro is not there; leave out --no-build")


@unittest.skipUnless("BENCH_HFT_MACRO" in os.environ, "needs the program")
class SampledProgramTest(support.ScriptTest):
    """The program tells perf when its windows begin and end. Here the test is perf."""

    def setUp(self):
        super().setUp()
        self.control, self.ack = self.folder / "control", self.folder / "ack"

    def start(self):
        program = subprocess.Popen(
            [os.environ["BENCH_HFT_MACRO"], "--metric=sample", f"--perf_control={self.control}",
             f"--perf_ack={self.ack}", "--batches=3", "--batch=1000", "--standing=100"],
            text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(program.kill)
        return program

    def open_fifos(self):
        for fifo in (self.control, self.ack):
            os.mkfifo(fifo)
        control = os.open(self.control, os.O_RDWR)
        ack = os.open(self.ack, os.O_RDWR)
        return control, ack

    def hear(self, control):
        """What the program says to perf, or nothing if it says nothing."""
        ready, _, _ = select.select([control], [], [], 60)
        return os.read(control, 100) if ready else b""

    def test_each_window_is_sampled(self):
        control, ack = self.open_fifos()
        program = self.start()
        heard = []
        for _ in range(6):
            heard.append(self.hear(control))
            os.write(ack, b"ack\n\0")
        _, errors = program.communicate()
        self.assertEqual((program.returncode, heard), (0, [b"enable\n", b"disable\n"] * 3), errors)

    def test_an_answer_that_is_none(self):
        control, ack = self.open_fifos()
        program = self.start()
        self.hear(control)
        os.write(ack, b"what\n")
        _, errors = program.communicate()
        self.assertIn("perf did not answer through its fifo", errors)
        self.assertEqual(program.returncode, 1)

    def test_nobody_listens(self):
        _, errors = self.start().communicate()
        self.assertIn(f"cannot reach perf through the fifo '{self.control}': No such file", errors)
        os.mkfifo(self.control)
        _, errors = self.start().communicate()
        self.assertIn("No such device", errors)
        self.assertIn("perf_record.sh runs this program", errors)


if __name__ == "__main__":
    unittest.main()
