# SPDX-License-Identifier: MIT
"""paired.sh with stand-ins for compilers and programs, and its tables from artifacts whose answer is known."""

import collections
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import support

# Takes bench_books' arguments, writes an artifact and one line to $CALLS: program, stream, seed. Like the program, it
# makes its file whole or not at all.
PROGRAM = '''#!{python}
import json, os, sys, time
sys.path.insert(0, {support!r})
import artifacts
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
asked = artifacts.asks_for_commit(arguments)
with open("/dev/null" if asked else os.environ["CALLS"], "a") as calls:
    print(sys.argv[0].split("/")[-2], arguments["workload"] + arguments.get("standing", ""), arguments["seed"],
          arguments.get("out", "training"), file=calls)
while os.environ.get("STAND_IN_HOLDS", "none") in arguments.get("out", "") and os.path.exists(os.environ["CALLS"] + ".hold"):
    time.sleep(0.05)
if arguments["seed"] == os.environ.get("STAND_IN_FAILS_AT"):
    sys.exit("the stand-in was asked to fail")
content = artifacts.artifact(arguments["workload"], int(arguments.get("standing", 0)), int(arguments["seed"]),
                             int(arguments["rounds"]), "lto" if "-lto/" in sys.argv[0] else "release",
                             [] if asked else [arguments["books"]])
if "out" in arguments:
    if arguments["out"].endswith("-control.json"):
        for row in content["rows"]:
            row["ns_per_op"] *= float(os.environ.get("STAND_IN_CONTROL", "1"))
    try:
        with open(arguments["out"] + ".unfinished", "w") as out:
            json.dump(content, out)
    except OSError as error:
        sys.exit("cannot write " + arguments["out"] + ": " + error.strerror)
    os.rename(arguments["out"] + ".unfinished", arguments["out"])
'''

# Writes down how it was called, and makes the program.
CMAKE = '''#!/bin/sh
echo cmake "$@" >>"$CALLS"
if [ "$1" = --build ]; then cp "$STAND_IN" "$2/bench_paired"; else mkdir -p "$4"; fi
'''

BOOKS = '''LLMES_BOOK(null, Replay, NullBook, null, "the replay loop with no book")
LLMES_BOOK(phase11_lto, Replay, Phase11LtoBook, split/split_book, "phase11_plain with link-time optimisation")
LLMES_BOOK(core, Replay, CoreBook, core, "the product")
'''


class PairedTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.stand_in = PROGRAM.format(python=sys.executable, support=str(pathlib.Path(__file__).parent))
        self.calls = self.folder / "calls"
        self.calls.touch()
        self.trees = self.repository / "build" / "paired"
        for build in ("gcc", "gcc-lto"):
            self.write_program(self.trees / build / "bench_paired", self.stand_in)
        books = self.repository / "bench" / "contenders" / "books.inc"
        books.parent.mkdir(parents=True)
        books.write_text(BOOKS)
        self.kept = self.repository / "server_results" / "first"

    def paired(self, *arguments, **environment):
        return self.script("local/paired.sh", *arguments, **{"CALLS": str(self.calls), **environment})

    def campaign(self, *arguments, **environment):
        return self.paired("--a=gcc", "--b=gcc-lto", "--no-build", "--save=first", "--stream=macro:5000", *arguments,
                           **environment)

    def unfinished(self):
        folder, = self.trees.glob("*.unfinished")
        return folder

    def resume(self, **environment):
        return self.paired("--resume", str(self.unfinished()), **environment)

    def calls_of_pairs(self):
        """How often each run of each pair was made."""
        return collections.Counter(line.split("/")[-1] for line in self.calls.read_text().splitlines())

    def assert_whole(self, seeds):
        """The campaign is kept, and each of its runs was made once."""
        counts = self.calls_of_pairs()
        self.assertEqual(set(counts.values()), {1}, counts)
        self.assertEqual({f"{name}.json" for name in list(support.runs_of(self.kept))[1:]}, set(counts))
        self.assertEqual(len(counts), 3 * seeds)
        self.assertEqual(list(self.trees.glob("*.unfinished")), [])
        self.assertIn(f"{seeds} of {seeds}", (self.kept / "table.md").read_text())

    # ---- Arguments.

    def test_bad_arguments(self):
        for arguments, message in (
                (["--fast"], "unknown argument '--fast'"), (["--stream"], "--stream needs a value"),
                (["--a=icc"], "--a: 'icc' is not a build; there are: gcc gcc-lto gcc-pgo gcc-lto-pgo gcc-native clang "),
                (["--b="], "--b: '' is not a build"), (["--b=gcc"], "--b is the same as --a"),
                (["--stream=deep"], "--stream: 'deep' is not one of"), (["--stream=macro:0"], "'macro:0' is not one of"),
                (["--stream=macro:5000"], "--stream: 'macro:5000' was given twice"),
                (["--seeds=0"], "--seeds: '0'"), (["--first-seed=0"], "--first-seed: '0'"),
                (["--first-seed=-1"], "--first-seed: '-1'"), (["--rounds=many"], "--rounds: 'many'"),
                (["--books=core"], "it is --book, and one book"), (["--book=.*"], "--book: '.*' is not the name"),
                (["--book=phase99"], "no book is called 'phase99'"), (["--book=null"], "'null' is the same in all"),
                (["--book=phase11_lto"], "'phase11_lto' is the same in all builds"),
                (["--save=../x"], "'../x' is not a name")):
            self.assert_fails(self.campaign(*arguments), 2, message, "--help")
        self.assertEqual(self.calls.read_text(), "")
        self.assertEqual(list(self.trees.glob("2*")), [])

    def test_no_builds_named(self):
        self.assert_fails(self.paired(), 2, "--a: '' is not a build")

    def test_seeds_of_the_training_are_refused(self):
        for first, seeds in ((999_992, 10), (1_000_001, 1), (1_000_010, 5), (999_000, 5000)):
            self.assert_fails(self.campaign(f"--first-seed={first}", f"--seeds={seeds}"), 2, "kept for the profiles")
        (self.trees / "gcc" / "bench_paired").unlink()
        for first in (1_000_000, 1_000_011):
            self.assert_fails(self.campaign(f"--first-seed={first}", "--seeds=1"), 1, "bench_paired is not there")

    def test_an_existing_name_is_refused(self):
        self.kept.mkdir(parents=True)
        self.assert_fails(self.campaign(), 1, "server_results/first already exists", "--force")

    # ---- Builds.

    def build(self, a, b, *missing):
        """With compilers that do nothing, but for those that are missing."""
        (self.folder / "stand-in").write_text(self.stand_in)
        (self.folder / "stand-in").chmod(0o755)
        self.write_program(self.folder / "bin" / "cmake", CMAKE)
        for tool in ("clang++-16", "llvm-ar-16", "llvm-profdata-16"):
            self.write_program(self.folder / "bin" / tool, f'#!/bin/sh\necho {tool} "$@" >>"$CALLS"\n')
        for tool in missing:
            (self.folder / "bin" / tool).unlink()
        system = self.links_to([path for path in pathlib.Path("/usr/bin").iterdir()
                                if not path.name.startswith(("clang", "llvm", "cmake"))])
        return self.paired(f"--a={a}", f"--b={b}", "--no-setup", "--quick", "--seeds=1", "--stream=classic",
                           PATH=f"{self.folder / 'bin'}:{system}", STAND_IN=str(self.folder / "stand-in"))

    def test_a_profile_is_made_on_seeds_of_its_own_before_the_second_build(self):
        (self.trees / "gcc-pgo").mkdir()
        stale = self.trees / "gcc-pgo" / "core.gcda"
        stale.touch()
        result = self.build("gcc", "gcc-pgo", "clang++-16", "llvm-ar-16", "llvm-profdata-16")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse(stale.exists())
        lines = self.calls.read_text().splitlines()
        builds = [i for i, line in enumerate(lines) if line.startswith("cmake --build build/paired/gcc-pgo ")]
        self.assertEqual(len(builds), 2)
        training = lines[builds[0] + 1:builds[1] - 1]  # up to the configuration
        self.assertEqual({tuple(line.split()[1:3]) for line in training},
                         {(stream, str(seed)) for stream in ("classic", "macro5000", "macro200000", "wide")
                          for seed in range(1_000_001, 1_000_011)})
        self.assertEqual(len(training), 40)
        self.assertIn("-DCMAKE_CXX_FLAGS=-fprofile-generate", lines[builds[0] - 1])
        self.assertIn("-DCMAKE_CXX_FLAGS=-fprofile-use", lines[builds[1] - 1])
        self.assertFalse([line for line in lines[builds[1]:] if "training" in line])

    def test_flags_of_the_builds(self):
        self.assertEqual(self.build("clang-lto-pgo", "clang-native").returncode, 0)
        calls = self.calls.read_text()
        self.assertEqual(calls.count("-DCMAKE_CXX_COMPILER=clang++-16"), 3)
        self.assertEqual(calls.count("-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON"), 2)
        self.assertIn("-DCMAKE_CXX_FLAGS=-march=native", calls)
        self.assertIn("llvm-profdata-16 merge -o build/paired/clang-lto-pgo/profile.profdata", calls)
        self.assertIn("-DCMAKE_CXX_FLAGS=-fprofile-instr-use=profile.profdata", calls)

    def test_missing_compilers(self):
        for builds, tool, package in ((("gcc", "clang"), "clang++-16", "clang-16"),
                                      (("clang-pgo", "gcc"), "llvm-profdata-16", "llvm-16"),
                                      (("clang", "clang-lto"), "llvm-ar-16", "llvm-16")):
            self.assert_fails(self.build(*builds, tool), 1, f"there is no {tool}", f"package {package} has it")
        self.assertEqual(self.calls.read_text(), "")

    def test_a_build_that_fails_is_shown(self):
        self.write_program(self.folder / "bin" / "cmake", "#!/bin/sh\necho what cmake says\nexit 1\n")
        result = self.paired("--a=gcc", "--b=gcc-lto", "--no-setup", "--quick",
                             PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")
        self.assert_fails(result, 1, "building gcc failed: what cmake says")

    def test_a_missing_program_is_reported(self):
        (self.trees / "gcc-lto" / "bench_paired").unlink()
        self.assert_fails(self.campaign(), 1, "build/paired/gcc-lto/bench_paired is not there")

    # ---- The campaign.

    def test_a_campaign_leaves_its_table_plot_and_artifacts(self):
        result = self.campaign("--seeds=6")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[18/18] macro", result.stdout)
        table = (self.kept / "table.md").read_text()
        self.assertIn(table, result.stdout)
        self.assertEqual(support.cells_of(table, "B over A")["macro 5,000"],
                         ["0.900", "0.900 - 0.900", "6 of 6", "0.031", "0.031", "9.0 / 10.0"])
        self.assertEqual(support.cells_of(table, "The control: A over itself")["macro 5,000"],
                         ["1.000", "1.000 - 1.000", "1.000", "no difference", "0.00 %"])
        self.assertEqual(support.cells_of(table, "The book while it was timed")["macro 5,000"],
                         ["4,988 (5,123)", "217", "0.125"])
        self.assertIn("made by `scripts/local/paired.sh --a=gcc --b=gcc-lto", table)
        self.assertEqual({path.name for path in self.kept.iterdir()}, {"campaign.txt", "runs.jsonl", "table.md", "pairs.png"})
        self.assertEqual((self.kept / "pairs.png").read_bytes()[:4], b"\x89PNG")
        self.assertLess((self.kept / "pairs.png").stat().st_size, 150_000)

    def test_a_stands_between_b_and_its_control_in_turns(self):
        self.assertEqual(self.campaign("--seeds=2").returncode, 0)
        self.assertEqual([line.split()[0] for line in self.calls.read_text().splitlines()],
                         ["gcc", "gcc", "gcc-lto", "gcc-lto", "gcc", "gcc"])
        self.assert_whole(2)

    def test_a_control_that_differs_is_pointed_out(self):
        result = self.campaign("--seeds=6", STAND_IN_CONTROL="1.01")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(support.cells_of(result.stdout, "The control: A over itself")["macro 5,000"][3],
                         "A/A differs: do not trust this campaign")

    # ---- Interruptions.

    def test_a_program_that_fails_leaves_a_campaign_to_resume(self):
        result = self.campaign("--seeds=4", STAND_IN_FAILS_AT="3")
        self.assert_fails(result, 1, "the stand-in was asked to fail", "bench_paired failed", "go on: scripts/local/")
        self.assertFalse(self.kept.exists())
        self.calls.write_text("".join(line for line in self.calls.read_text().splitlines(keepends=True)
                                      if " 3 " not in line))
        result = self.resume()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[ 1/6] ", result.stdout)
        self.assert_whole(4)
        self.assertEqual((self.kept / "campaign.txt").read_text().count("governor"), 1)

    def test_an_interruption_leaves_a_campaign_to_resume(self):
        for signal_, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
            self.calls.write_text("")
            hold = self.folder / "calls.hold"
            hold.touch()
            process = subprocess.Popen(
                [str(self.repository / "scripts/local/paired.sh"), "--a=gcc", "--b=gcc-lto", "--no-build",
                 "--save=first", "--force", "--stream=macro:5000", "--seeds=4"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env={**os.environ, "CALLS": str(self.calls), "STAND_IN_HOLDS": "seed2-run2"},
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            while "[ 5/12]" not in process.stdout.readline():  # in the second pair
                pass
            process.send_signal(signal_)
            process.wait()
            hold.unlink()
            process.communicate()
            self.assertEqual(process.returncode, status)
            self.wait_for_the_orphan()
            before = self.calls_of_pairs()
            self.assertLessEqual(len(before), 5)
            result = self.resume()
            self.assertEqual(result.returncode, 0, result.stderr)
            counts = self.calls_of_pairs()
            self.assertEqual({name for name, count in counts.items() if count > 1} -
                             {name for name in before if "seed2" in name}, set())
            self.assertEqual({f"{name}.json" for name in list(support.runs_of(self.kept))[1:]}, set(counts))
            self.assertEqual(len(counts), 12)

    def with_stand_in(self, name, text):
        """PATH with a stand-in for a command."""
        self.write_program(self.folder / "bin" / name, f"#!/bin/sh\n{text}\n")
        return f"{self.folder / 'bin'}:{os.environ['PATH']}"

    def test_an_interruption_after_the_tables_leaves_a_campaign_to_resume(self):
        result = self.campaign("--seeds=2", PATH=self.with_stand_in("mv", "exit 9"))
        self.assert_fails(result, 9, "go on: scripts/local/")
        self.assertTrue((self.unfinished() / "table.md").exists())
        self.assertEqual(self.resume().returncode, 0)
        self.assert_whole(2)

    def test_an_interruption_after_the_move_leaves_a_finished_campaign(self):
        path = self.with_stand_in("rm", 'case "$*" in *.json*) exit 9 ;; esac; exec /usr/bin/rm "$@"')
        self.assert_fails(self.campaign("--seeds=1", PATH=path), 9)
        for arguments, message in (([], "already exists"), (["--force"], "this campaign is finished")):
            self.assert_fails(self.paired("--resume", str(self.kept), *arguments), 1, message)
        self.assertTrue((self.kept / "table.md").exists())

    def wait_for_the_orphan(self):
        """The program that a killed script leaves behind still holds the campaign, until it ends."""
        with open(self.unfinished() / "campaign.txt", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)

    def test_a_full_disk_leaves_a_campaign_to_resume(self):
        result = self.script_on_a_full_disk("local/paired.sh", "--a=gcc", "--b=gcc-lto", "--no-build", "--save=first",
                                            "--stream=macro:5000", "--seeds=2", CALLS=str(self.calls))
        self.assert_fails(result, 1, "cannot write ", "bench_paired failed", "--resume")
        self.assertEqual(list(self.unfinished().glob("*.json")), [])
        self.calls.write_text("")
        self.assertEqual(self.resume().returncode, 0)
        self.assert_whole(2)

    def stopped_after_two_pairs(self):
        self.campaign("--seeds=3", STAND_IN_FAILS_AT="3")
        self.calls.write_text("")
        return self.unfinished()

    def test_a_torn_artifact_is_measured_again_with_its_pair(self):
        path, = self.stopped_after_two_pairs().glob("*seed2*-b.json")
        path.write_text(path.read_text()[:-100])
        result = self.resume()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{path.name}: torn, or not JSON", result.stderr)
        self.assertIn("measured again", result.stderr)
        self.assertEqual({line.split()[2] for line in self.calls.read_text().splitlines()}, {"2", "3"})
        self.assertEqual(len(support.runs_of(self.kept)), 1 + 9)

    def test_another_program_or_machine_is_refused(self):
        self.stopped_after_two_pairs()
        program = self.trees / "gcc" / "bench_paired"
        program.write_text(self.stand_in + "# built anew\n")
        self.assert_fails(self.resume(), 1, "are not those that this campaign was begun with",
                          "build/paired/gcc/bench_paired")
        program.write_text(self.stand_in)
        self.write_program(self.folder / "bin" / "uname", "#!/bin/sh\necho Another kernel\n")
        self.assert_fails(self.resume(PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}"), 1, "> Another kernel")

    def test_artifacts_of_another_origin_are_refused(self):
        path = next(self.stopped_after_two_pairs().glob("*seed2*-a.json"))
        content = json.loads(path.read_text())
        content["fingerprint"]["commit"] = "other"
        path.write_text(json.dumps(content))
        self.assert_fails(self.resume(), 1, f"fingerprints differ: 'commit' is '{support.COMMIT}'", "'other'")

    def test_a_campaign_goes_on_once_at_a_time(self):
        with open(self.stopped_after_two_pairs() / "campaign.txt", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assert_fails(self.resume(), 1, "another process works")

    def test_what_cannot_be_resumed(self):
        self.assert_fails(self.paired("--resume", "nowhere"), 1, "nowhere: no campaign there")
        folder = self.stopped_after_two_pairs()
        self.assert_fails(self.paired("--resume", str(folder), "--seeds=9"), 2,
                          "as the campaign was begun, without --seeds=9")
        command = (folder / "campaign.txt").read_text()
        (folder / "campaign.txt").write_text("scripts/bench.sh --quick\n")
        self.assert_fails(self.resume(), 1, "scripts/bench.sh made it")
        (folder / "campaign.txt").write_text(command)
        self.assertEqual(self.resume().returncode, 0)
        self.assert_fails(self.paired("--resume", str(self.kept)), 1, "this campaign is finished")


class PairedTablesTest(support.AnalysisTest):
    """The tables of runs made up here."""

    made_by = "scripts/local/paired.sh"

    def write(self, seed, role, ns_per_op=10.0, **changes):
        content = support.artifact(seed=seed, books=["core"])
        for key, value in {"ns_per_op": ns_per_op, **changes}.items():
            for part in (content["fingerprint"], *content["rows"]):
                if key in part:
                    part[key] = value
        run = ("control", "a", "b").index(role)
        name = f"macro5000-seed{seed}-run{1 + run if seed % 2 else 3 - run}-{role}"
        self.contents[name] = content
        return name

    def write_pairs(self, ratios, controls=None):
        for seed, ratio in enumerate(ratios, 1):
            self.write(seed, "a")
            self.write(seed, "b", 10 * ratio)
            self.write(seed, "control", 10 * (controls[seed - 1] if controls else 1 + 0.001 * (-1)**seed * seed))

    def paired(self, *arguments):
        self.write_runs()
        return self.table(*arguments)

    def cells(self, title):
        result = self.paired()
        self.assertEqual(result.returncode, 0, result.stderr)
        return support.cells_of(result.stdout, title)["macro 5,000"]

    def control(self):
        return self.cells("The control: A over itself")

    def assert_refused(self, *parts, arguments=()):
        result = self.paired(*arguments)
        self.assert_fails(result, 1, *parts)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("Traceback", result.stderr)
        self.assert_nothing_made()

    def test_ratios_and_their_tests(self):
        # One pair of eight lost, by the least: by sign 18 of 256 are at least as uneven, by rank 4.
        self.write_pairs([0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.01])
        self.assertEqual(self.cells("B over A"), ["0.825", "0.600 - 0.950", "7 of 8", "0.070", "0.016", "8.2 / 10.0"])

    def test_order_and_drift(self):
        # B ran second in odd pairs. The order matters, and nothing drifts.
        self.write_pairs([0.9, 1.1] * 8)
        self.assertEqual(self.cells("Order and drift")[:4], ["0.900", "1.100", "< 0.001", "0.00 %"])
        # By a hundredth from pair to pair: the order does not matter.
        self.write_pairs([1.01**i for i in range(16)])
        a_first, b_first, order_p, drift, drift_p = self.cells("Order and drift")
        self.assertEqual((drift, drift_p), ("16.10 %", "< 0.001"))
        self.assertGreater(float(order_p), 0.5)
        self.assertNotEqual(a_first, b_first)

    def test_the_verdict_on_the_control(self):
        self.write_pairs([0.9] * 8)
        self.assertEqual(self.control()[3], "no difference")
        self.write_pairs([0.9] * 8, [1.001 + 0.001 * i for i in range(8)])
        self.assertEqual(self.control()[2:4], ["0.008", "A/A differs: do not trust this campaign"])

    def test_few_pairs_have_no_verdict(self):
        self.write_pairs([0.9] * 5, [1.2] * 5)
        self.assertEqual(self.control()[3:], ["too few pairs to tell", "–"])

    def test_one_pair(self):
        self.write_pairs([0.9])
        self.assertEqual(self.cells("Order and drift"), ["0.900", "–", "–", "–", "–"])
        result = self.paired()
        self.assertEqual(support.cells_of(result.stdout, "B over A")["stream"][1], "no interval (one pair)")
        self.assertIn("- one seed: a single pair makes no interval\n", result.stdout)

    def test_the_smallest_difference_grows_with_the_noise_and_shrinks_with_the_pairs(self):
        def smallest(pairs, noise):
            self.write_pairs([0.9] * pairs, [1 + noise * (-1)**i * (1 + i % 5) / 5 for i in range(pairs)])
            return float(self.control()[4].removesuffix(" %"))

        few, many, noisy = smallest(10, 0.01), smallest(40, 0.01), smallest(40, 0.1)
        # By theory 2.8 standard deviations, here 0.66 of the noise, over the root of the number of pairs.
        self.assertAlmostEqual(many, 2.8 * 0.66 / 40**0.5, delta=0.06)
        self.assertGreater(few, 1.5 * many)
        self.assertGreater(noisy, 8 * many)

    def test_different_machines_sources_or_programs(self):
        for key in ("cpu", "flags"):
            self.write_pairs([0.9] * 6)
            name = self.write(4, "a", **{key: "other"})
            self.assert_refused(f"fingerprints differ: '{key}'", "'other'", name, "--force-mixed")
            result = self.paired("--force-mixed")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"compared all the same: fingerprints differ: '{key}'", result.stdout)
            for made in (*self.campaign.glob("*.png"), *self.campaign.glob("*.md")):
                made.unlink()

    def test_a_and_b_may_come_from_different_compilers(self):
        self.write_pairs([0.9] * 6)
        for seed in range(1, 7):
            self.write(seed, "b", compiler="Clang 16.0.6")
        self.assertIn("- B: Clang 16.0.6, -O3, release", self.paired().stdout)

    def test_different_work_is_never_compared(self):
        self.write_pairs([0.9] * 6)
        for key, other, arguments in (("digest", "f" * 16, ()), ("rounds", 99, ["--force-mixed"])):
            self.write(3, "b", **{key: other})
            self.assert_refused("-b did not do the same work", f"'{key}'", arguments=arguments)

    def test_an_unfinished_pair(self):
        self.write_pairs([0.9] * 3)
        del self.contents["macro5000-seed2-run3-control"]
        self.assert_refused("macro5000-seed2 is not finished, it has no control", "--resume")
        for name, content in self.contents.items():
            (self.campaign / f"{name}.json").write_text(json.dumps(content))
        finished = subprocess.run([self.python, str(self.repository / "scripts/analysis/paired.py"), "--finished",
                                   str(self.campaign)], text=True, stdout=subprocess.PIPE, check=True)
        self.assertEqual(finished.stdout, "macro5000-seed1\nmacro5000-seed3\n")

    def test_torn_run(self):
        self.write_pairs([0.9] * 3)
        self.write_runs()
        line = self.tear(self.write(2, "b"))
        self.assert_fails(self.table(), 1, f"runs.jsonl, line {line}: torn, or not JSON")
        self.assert_nothing_made()

    def test_foreign_runs(self):
        self.contents["macro5000-seed1-run1-release"] = self.contents.pop(self.write(1, "a"))
        self.assert_refused("the name is not STREAM-seedN-runN-ROLE")

    def test_no_runs(self):
        self.assert_refused("no runs")


if __name__ == "__main__":
    unittest.main()
