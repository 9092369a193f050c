# SPDX-License-Identifier: MIT
"""bench.sh with stand-ins for the programs: what it keeps, what it refuses, what it does without."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import support

sys.path.insert(0, str(support.ROOT / "scripts/analysis"))
import busy as busy_machine  # noqa: E402


class BenchTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.write_stand_ins()
        self.results = self.repository / "server_results"

    def bench(self, *arguments, **environment):
        return self.script("bench.sh", "--no-build", "--quick", *arguments, **environment)

    def assert_nothing_unfinished(self):
        self.assertEqual(list((self.repository / "build" / "bench").glob(".*")), [])

    def test_an_unknown_book_is_refused_before_the_builds(self):
        listed = self.repository / "bench/contenders/books.inc"
        listed.parent.mkdir(parents=True)
        shutil.copy(support.ROOT / "bench/contenders/books.inc", listed)
        self.write_program(self.folder / "bin/cmake", "#!/bin/sh\necho building; exit 1\n")
        for name in ("bench.sh", "local/evolution.sh"):
            result = self.script(name, "--no-setup", "--books=core,nosuch", PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
            self.assert_fails(result, 2, "--books: no book is called 'nosuch'; there are: null reference phase1 ", "--help")
            self.assertEqual(result.stdout, "")

    def test_a_build_shows_how_far_it_is(self):
        self.write_program(self.folder / "bin/cmake", """#!/bin/sh
[ "$1" = --build ] || exit 0
echo '[17/40] Building'
case $* in *release*) until grep -q '17 of 40' "$SAID"; do sleep 0.1; done ;; esac
echo '[39/40] Linking'
""")
        said = self.folder / "said"
        with said.open("w") as out:
            result = subprocess.run([str(self.repository / "scripts/bench.sh"), "--no-setup", "--quick"], stdout=out, check=False,
                                    env={**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "SAID": str(said)})
        self.assertEqual(result.returncode, 0)
        for words in ("building the release programs\n", r"building the release programs: 17 of 40 steps, \d+:\d\d elapsed\n",
                      "building the lto programs\n"):
            self.assertRegex(said.read_text(), f"bench.sh: {words}")

    def test_a_quick_run_builds_no_other_books(self):
        """With all books, the two builds take minutes."""
        typed = self.folder / "typed"
        self.write_program(self.folder / "bin/cmake", f'#!/bin/sh\necho "$*" >> {typed}\n')
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        few = "-D LLMES_ALL_BOOKS=OFF -D LLMES_CAMPAIGN_BOOKS=ON"
        for flags, words in ((("--quick",), few), (("--quick", "--books=core,phase10"), ""), (("--rounds=1", "--seeds=1"), "")):
            with self.subTest(flags=flags):
                typed.write_text("")
                result = self.script("bench.sh", "--no-setup", *flags, PATH=path)
                self.assertEqual(result.returncode, 0, result.stderr)
                configured = [line for line in typed.read_text().splitlines() if line.startswith("--preset")]
                self.assertEqual(configured, [f"--preset {preset} {words}".rstrip() for preset in ("release", "lto")])
        # And these are the books that it then has.
        text = (support.ROOT / "scripts/bench.sh").read_text()
        played = re.search(r"^usual_books=(\S+)$", text, re.MULTILINE)[1].split(",")
        without, left_out = [], False
        for line in (support.ROOT / "bench/contenders/books.inc").read_text().splitlines():
            left_out = line == "#ifdef LLMES_ALL_BOOKS" or (left_out and line != "#endif  // LLMES_ALL_BOOKS")
            if not left_out and (found := re.match(r"LLMES_BOOK\((\w+),", line)):
                without.append(found[1])
        self.assertLessEqual({*played, "null", "reference"}, {*without})

    def test_a_build_that_fails_says_why_first(self):
        self.write_program(self.folder / "bin/cmake", """#!/bin/sh
[ "$1" = --build ] || exit 0
echo '[1/2] Building'
echo 'x.cpp:1: fatal error: error writing to /tmp/x.s: No space left on device'
echo 'ninja: build stopped: subcommand failed.'
exit 1
""")
        result = self.script("bench.sh", "--no-setup", "--quick", PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        self.assert_fails(result, 1, "ninja: build stopped")
        self.assertIn("building the release programs failed: x.cpp:1: fatal error: error writing to /tmp/x.s: No space left",
                      result.stderr)

    def test_a_busy_machine_is_noticed(self):
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self.addCleanup(busy.wait)
        self.addCleanup(busy.kill)
        result = self.bench("--save=busy")
        self.assertEqual(result.returncode, 0, result.stderr)
        warned = re.search(r"bench.sh: (the machine is busy: other processes take \d+ % of a core, .*)", result.stderr)
        self.assertTrue(warned, result.stderr)
        self.assertIn(f"\n{warned[1]}\n", (self.results / "busy/campaign.txt").read_text())
        self.assertIn(warned[1], (self.results / "busy/table.md").read_text())

    def test_what_a_busy_machine_does(self):
        before = {("1", "0"): ("init", 5.0), ("7", "3"): ("a (b) c", 1.0), ("8", "4"): ("cc1plus", 2.0)}
        for after, words in (({}, ""), (before, ""), ({**before, ("1", "0"): ("init", 5.19)}, ""),
                             ({**before, ("1", "0"): ("init", 5.2)}, r"take 10 % of a core, and there are 2 cores \(init 10 %\)"),
                             ({**before, ("7", "3"): ("a (b) c", 1.5), ("9", "5"): ("cc1plus", 1.5)},
                              r"take 100 % of a core, .* \(cc1plus 75 %, a \(b\) c 25 %\)\. Do not quote"),
                             # What a process did under its name before is not of now; what had its number before is another one.
                             ({**before, ("1", "0"): ("systemd", 5.0), ("7", "3"): ("d", 1.4)}, r"take 20 % of a core, .* \(d 20 %\)\."),
                             ({**before, ("8", "9"): ("kworker/0:1", 1.0)}, r"take 50 % of a core, .* \(kworker/0:1 50 %\)\."),
                             ({**before, ("9", "5"): ("x", 4.02)}, r"take 200 % of a core, and there are 2 cores")):
            with self.subTest(after=after):
                self.assertRegex(busy_machine.words_of(before, after, 2, 2), f"^{words}$" if not words else words)
        for taken, words in ((1.18, ""), (1.22, r"take 61 % of a core, .* \(d 50 %, others, ended or not shown here 11 %\)")):
            words = words or r"take 50 % of a core, .* \(d 50 %\)"
            self.assertRegex(busy_machine.words_of({}, {("7", "3"): ("d", 1.0)}, 2, 2, taken), words)
        for number, text in (("7", "7 (a (b) c) R 1 1 1 0 -1 0 9 9 9 9 120 30 0 0 20 0 1 0 77 0"), ("8", "8 (cut"), ("self", "")):
            (self.folder / number).mkdir()
            (self.folder / number / "stat").write_text(text)
        self.assertEqual(busy_machine.times(self.folder), {("7", "77"): ("a (b) c", 150 / busy_machine.TICKS)})
        (self.folder / "stat").write_text("cpu  10 20 30 4000 50 60 70 80 0 0\ncpu0 1 2 3 4 5\n")
        self.assertEqual(busy_machine.all_taken(self.folder), 60 / busy_machine.TICKS)

    def test_the_core_must_be_among_the_books(self):
        self.assert_fails(self.bench("--books", "reference"), 2, "'core' must be one of them", "--help")

    def test_a_campaign_leaves_its_table_plot_and_artifacts(self):
        result = self.bench("--save=first", "--seeds=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[ 1/32] classic", result.stdout)
        self.assertIn("[32/32] wide", result.stdout)
        kept = self.results / "first"
        table = (kept / "table.md").read_text()
        self.assertIn(table, result.stdout)
        self.assertTrue(table.startswith("Test CPU, 2 cores, Linux 6.1, GCC 12.2.0, commit 0b0e9bfa7148\n"), table)
        rows = {tuple(cell.strip() for cell in line.split("|")[1:3]): " ".join(line.split())
                for line in table.splitlines() if line.startswith("|")}
        # Books are compared in the release runs. A ratio points the way of those of the README: ours is above the line.
        for stream in ("classic", "macro 5,000", "macro 200,000", "wide"):
            for pair, figures in (("core / phase10", "0.500 | 0.500 - 0.500 | 2.00 | 12 of 12"),
                                  ("core / tree_hash", "0.200 | 0.200 - 0.200 | 5.00 | 12 of 12"),
                                  ("core / btree", "0.0800 | 0.0800 - 0.0800 | 12.5 | 12 of 12"),
                                  ("core_span / btree", "0.100 | 0.100 - 0.100 | 10.0 | 12 of 12"),
                                  ("core_span / core", "1.250 | 1.250 - 1.250 | 0.80 | 0 of 12"),
                                  ("null / core", "0.250 | 0.250 - 0.250 | 4.00 | 12 of 12"),
                                  ("core lto / core release", "0.900 | 0.900 - 0.900 | 1.11 | 4 of 4")):
                self.assertIn(f"| {figures} ", rows[stream, pair])
            self.assertIn("4,988 (5,123)", rows[stream, "core lto / core release"])
        self.assertEqual(" ".join(rows["core against btree", "12.5"].split()), "| core against btree | 12.5 | 12.5 | 12.5 | 12.5 |")
        for word in ("classic", "macro", "wide", "core", "core_span", "phase10", "tree_hash", "btree", "null"):
            self.assertEqual(len(re.findall(rf"^- `{word}`: \w", table, re.M)), 1, word)
        self.assertEqual({path.name for path in kept.iterdir()}, {"campaign.txt", "runs.jsonl", "table.md", "ratios.png"})
        runs = support.runs_of(kept)
        self.assertEqual(len(runs), 1 + 32)
        # The fingerprint stands once, and beside a run what differs from it.
        self.assertEqual(runs[None]["fingerprint"], support.artifact()["fingerprint"])
        self.assertNotIn("fingerprint", runs["classic-seed1-run1-release"])
        self.assertEqual(runs["classic-seed1-run2-lto"]["fingerprint"], {"build": "lto"})
        self.assertEqual((kept / "ratios.png").read_bytes()[:4], b"\x89PNG")
        self.assertLess((kept / "ratios.png").stat().st_size, 150_000)
        self.assert_nothing_unfinished()

    def test_what_is_kept_comes_from_a_commit(self):
        self.change_the_tree()
        self.assertEqual(self.bench().returncode, 0)
        shutil.rmtree(self.repository / ".git")
        self.assert_fails(self.bench("--save", "first"), 1, "no commit to name")
        self.assertFalse(self.results.exists())

    def test_kept_results_do_not_make_a_tree_dirty(self):
        self.change_the_tree("server_results/other/table.md")
        self.assertEqual(self.bench("--save", "first").returncode, 0)

    def test_what_is_kept_comes_from_programs_of_that_commit(self):
        program = self.repository / "build" / "lto" / "bench" / "bench_books"
        text = program.read_text()
        for entry, other, message in (("commit", "f" * 40, "from " + "f" * 40),
                                      ("dirty", "yes", f"from changes that commit {support.COMMIT[:12]} does not hold")):
            program.write_text(text.replace("with open(", f'content["fingerprint"]["{entry}"] = "{other}"\nwith open('))
            self.assert_fails(self.bench("--save", "first"), 1, f"build/lto/bench/bench_books was built {message}",
                              "build it again, or leave out --save")
        self.assertFalse(self.results.exists())

    def test_a_scanning_book_plays_the_deep_stream_in_one_short_run(self):
        result = self.bench("--save", "first", "--seeds=2", "--books=core,core_span,reference")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[34/34] wide", result.stdout)
        table = (self.results / "first/table.md").read_text()
        for stream, pairs in (("classic", 12), ("macro 200,000", 6)):
            self.assertRegex(table, rf"{stream} +\| core / reference +\| 0.250 +\| .* \| {pairs} of {pairs} ")
        self.assertIn("- `reference`: a tree of lists of orders; to cancel, it looks through all of them\n", table)

    def test_fast_books_meet_all_streams_together(self):
        result = self.bench("--books", "core")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[16/16] wide", result.stdout)
        self.assertNotIn("against", result.stdout)

    def test_an_existing_name_is_refused_and_left_alone(self):
        kept = self.results / "first"
        kept.mkdir(parents=True)
        (kept / "old").write_text("old")
        self.assert_fails(self.bench("--save", "first"), 1, "server_results/first already exists", "--force")
        self.assertEqual([path.name for path in kept.iterdir()], ["old"])

        self.assertEqual(self.bench("--save", "first", "--force").returncode, 0)
        self.assertFalse((kept / "old").exists())
        self.assertTrue((kept / "table.md").exists())
        self.assert_nothing_unfinished()

    def test_a_failing_program_is_reported_and_keeps_nothing(self):
        result = self.bench("--save", "first", STAND_IN_FAILS="yes")
        self.assert_fails(result, 1, "the stand-in was asked to fail", "bench_books failed", "--workload=classic")
        self.assertFalse(self.results.exists())
        self.assert_nothing_unfinished()

    def test_a_full_disk_is_reported_and_keeps_nothing(self):
        result = self.script_on_a_full_disk("bench.sh", "--no-build", "--quick", "--save", "first")
        self.assert_fails(result, 1, "bench_books failed: ")
        self.assertRegex(result.stderr, "(?m)^bench.sh: bench_books failed: .*File too large")
        self.assertFalse(self.results.exists())
        self.assert_nothing_unfinished()

    def test_a_missing_program_is_reported(self):
        (self.repository / "build" / "lto" / "bench" / "bench_books").unlink()
        self.assert_fails(self.bench(), 1, "build/lto/bench/bench_books is not there")

    def test_an_interruption_keeps_nothing(self):
        for interruption, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = subprocess.Popen([str(self.repository / "scripts" / "bench.sh"), "--no-build", "--quick",
                                        "--save", "first"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, env={**os.environ, "STAND_IN_SECONDS": "1000"},
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            while "[ 1/16]" not in process.stdout.readline():
                pass
            time.sleep(0.3)
            process.send_signal(interruption)
            _, errors = process.communicate()  # it does not wait for the program, which would go on for long
            self.assertEqual(process.returncode, status, errors)
            self.assertIn("nothing is kept", errors)
            self.assertFalse(self.results.exists())
            self.assert_nothing_unfinished()

    def test_without_taskset_it_runs_and_says_so(self):
        programs = [path for path in pathlib.Path("/usr/bin").iterdir() if path.name != "taskset"]
        result = self.bench("--save", "first", PATH=str(self.links_to(programs)))
        self.assertEqual(result.returncode, 0, result.stderr)
        message = "not pinned to a core: there is no taskset"
        self.assertIn(message, result.stdout)
        self.assertIn(message, (self.results / "first" / "table.md").read_text())

    def test_where_pinning_is_refused_it_runs_and_says_so(self):
        self.write_program(self.folder / "bin" / "taskset", "#!/bin/sh\nexit 1\n")
        result = self.bench(PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not pinned to a core: this system does not allow it", result.stdout)

    def test_without_proc_it_says_what_to_do(self):
        for name in ("bench.sh", "local/feed.sh", "test.sh", "local/instructions.sh"):
            with self.subTest(name):
                result = self.script_without_proc(name, "--no-setup")
                self.assert_fails(result, 1, "there is no /proc here, as in a bare chroot; mount it: mount -t proc proc /proc\n")
                self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1))
        self.assertEqual(self.script_without_proc("bench.sh", "--help").returncode, 0)
        self.assert_nothing_unfinished()

    def test_results_of_the_same_second_are_not_in_the_way(self):
        results = self.repository / "build" / "bench"
        (results / "20260101T000000Z").mkdir(parents=True)
        begun = self.folder / "begun"
        self.write_program(self.folder / "bin" / "date", f"""#!/bin/sh
[ "$*" = "-u +%Y%m%dT%H%M%SZ" ] || exec /bin/date "$@"
[ -e '{begun}' ] && echo 20260101T000001Z && exit
touch '{begun}'
echo 20260101T000000Z
""")
        result = self.bench(PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((results / "20260101T000001Z" / "table.md").exists())

    def test_on_one_core_it_runs_and_says_so(self):
        # The second machine has two, and this process is bound to one of them.
        for cores, said in ((1, self.assertIn), (2, self.assertNotIn)):
            self.write_program(self.folder / "bin" / "nproc", f"#!/bin/sh\n[ $# = 0 ] && echo 1 || echo {cores}\n")
            result = self.bench(PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
            self.assertEqual(result.returncode, 0, result.stderr)
            said("one core only", result.stdout)

    def test_results_that_make_no_table_are_kept_aside(self):
        program = self.repository / "build" / "lto" / "bench" / "bench_books"
        program.write_text(program.read_text().replace('with open(', 'content["fingerprint"]["cpu"] = "?"\nwith open('))
        result = self.bench("--save", "first")
        self.assert_fails(result, 1, "fingerprints differ: 'cpu'", "-failed/")
        self.assertFalse(self.results.exists())
        aside, = (self.repository / "build" / "bench").glob("*-failed")
        self.assertEqual(len(list(aside.glob("*.json"))), 16)
        self.assertEqual(json.loads(next(aside.glob("*lto.json")).read_text())["fingerprint"]["cpu"], "?")


if __name__ == "__main__":
    unittest.main()
