# SPDX-License-Identifier: MIT
"""The flags that the programs of the lab share: what they refuse, and when, and what becomes of the files they write."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import support

# Each with flags for a short run, the flag that its memory grows with and the flags that name files.
PROGRAMS = {
    "bench_auction": (("--orders=2000", "--rounds=2"), "orders", ("out",)),
    "bench_books": (("--books=core", "--standing=100", "--rounds=2", "--batch=1000", "--warm_up=0"), "rounds",
                    ("out", "benchmark_out")),
    "bench_engine": (("--rates=20000", "--messages=2000", "--seconds=4000000000", "--symbols=3", "--standing=10",
                      "--warm_up=1000", "--rounds=2", "--batch=1000", "--arrivals=poisson",
                      "--parts=ladder"), "messages", ("out",)),
    "bench_feed": (("--messages=2000", "--symbols=20", "--rounds=2", "--rows=parse", "--base=parse"), "messages",
                   ("out",)),
    "bench_growth": (("--sizes=100", "--books=core", "--rounds=2", "--batch=1000"), "rounds", ("out",)),
    "bench_hft_macro": (("--standing=100", "--batches=2", "--batch=1000"), "batches", ("benchmark_out",)),
    "bench_hft_macro_scenarios": (("--standing=100", "--batches=2", "--batch=1000"), "batches", ("out", "records")),
    "bench_ring": (("--messages=2000", "--trips=100", "--rounds=2"), "rounds", ("out",)),
    "bench_venue": (("--stops=20", "--orders=20", "--rounds=2"), "rounds", ("out",)),
}
# Flags with which a program fails once it has begun.
WRONG = {"bench_auction": "--rounds=0", "bench_engine": "--wait=none", "bench_feed": "--file=/nowhere",
         "bench_growth": "--batch=0", "bench_ring": "--rows=none", "bench_venue": "--stops=0"}
BENCH = pathlib.Path(os.environ.get("BENCH_FOLDER", "build/release/bench"))
OLD = "kept from another run\n"


def run(name, *flags, limit="", stdout=subprocess.PIPE):
    return subprocess.run(["bash", "-c", f'trap "" XFSZ; {limit} exec "$0" "$@"', str(BENCH / name), *PROGRAMS[name][0],
                           *flags], text=True, stdout=stdout, stderr=subprocess.PIPE, check=False)


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.file = pathlib.Path(temporary.name) / "file"
        self.file.write_text(OLD)

    def assert_refused(self, result, *parts, status=2):
        """At once: nothing was planned, and so nothing printed."""
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertNotIn("planning", result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def assert_only_file(self, content):
        self.assertEqual([path.name for path in self.file.parent.iterdir()], ["file"])
        self.assertEqual(self.file.read_text(), content)

    def test_help(self):
        for name in PROGRAMS:
            short, full = run(name, "--help"), run(name, "--helpfull")
            self.assertEqual([(result.returncode, result.stderr) for result in (short, full)], 2 * [(0, "")])
            self.assertIn(f"For example:\n  {name} --", short.stdout)
            defined = re.findall(r"ABSL_FLAG\(\s*[^,]*(?:<[^>]*>)?, (\w+),", (
                pathlib.Path(__file__).parents[2] / "bench" / "programs" / f"{name}.cpp").read_text())
            self.assertEqual(re.findall(r"^  --(\w+)=", short.stdout, re.M), sorted(defined))
            self.assertIn("--flagfile", full.stdout)
            self.assertEqual("--benchmark_filter" in full.stdout, "benchmark_out" in PROGRAMS[name][2])
            self.assertTrue(full.stdout.startswith(short.stdout.rpartition("\n\n")[0]))

    def test_what_is_no_flag(self):
        for name in PROGRAMS:
            self.assert_refused(run(name, "core"), f"{name}: 'core' is no flag", "such as: --")

    def test_wrong_flags(self):
        for name, (_, count, files) in PROGRAMS.items():
            self.assert_refused(run(name, "--no_such_flag=1"), "no_such_flag")
            self.assert_refused(run(name, f"--{count}=many"), "many", count)
            self.assertEqual(run(name, "--benchmark_format=xml").returncode, 2)  # of some it is no flag

    def test_output_on_a_full_disk(self):
        for name in PROGRAMS:
            with self.subTest(name), open("/dev/full", "w", encoding="utf-8") as full:
                result = run(name, stdout=full)
                self.assertEqual(result.returncode, 1)
                self.assertIn(f"{name}: cannot write to standard output: ", result.stderr)

    def test_lists(self):
        for name, flag in (("bench_books", "books"), ("bench_engine", "rates"), ("bench_feed", "rows"),
                           ("bench_growth", "books"), ("bench_growth", "sizes"), ("bench_ring", "rows")):
            self.assert_refused(run(name, f"--{flag}="), f"{name}: --{flag} is empty; it is a list such as ")
            self.assert_refused(run(name, f"--{flag}=100,,100"), f"--{flag} has an empty element; it is a list such as ")

    def test_too_little_memory(self):
        for name, (_, count, _) in PROGRAMS.items():
            most = 32767 if name == "bench_hft_macro_scenarios" else 2**32 - 1
            takes_batches = any(flag.startswith("--batch") for flag in PROGRAMS[name][0])
            result = run(name, f"--{count}={most}", *(["--batch=100000000"] if takes_batches else []))
            self.assert_refused(result, f"--{count}={most} needs about ", " MiB are free", f"--{count}=")

    def test_the_samples_of_the_examples_are_written_days(self):
        for name, flags in (("day.itch", ["--messages=10000"]), ("day.dbn", ["--messages=1000", "--symbols=8"])):
            file = self.file.with_name(name)
            written = run("bench_feed", f"--write={file}", *flags)
            self.assertEqual(written.returncode, 0, written.stderr)
            self.assertEqual(file.read_bytes(), (support.ROOT / "examples/data" / name).read_bytes())

    def test_a_file_that_cannot_be_written(self):
        pipe = self.file.with_name("pipe")
        os.mkfifo(pipe)
        for name, (_, _, files) in PROGRAMS.items():
            for flag in files:
                for path, why in ((self.file / "below", "Not a directory"), (self.file.parent, "Is a directory"),
                                  (self.file.parent / "missing/file", "No such file or directory"),
                                  ("/proc/file", ""), (pipe, "it is no file")):
                    self.assert_refused(run(name, f"--{flag}={path}"), f"{name}: cannot write {path}: {why}", status=1)
        self.assertTrue(pipe.is_fifo())
        pipe.unlink()
        self.assert_only_file(OLD)

    def test_a_failed_run_leaves_the_old_file(self):
        for name, (_, _, files) in PROGRAMS.items():
            for flag in files:
                result = run(name, f"--{flag}={self.file}", WRONG.get(name, "--workload=none"))
                self.assertIn(result.returncode, (1, 2), result.stderr)
                self.assert_only_file(OLD)

    def test_a_disk_that_becomes_full_leaves_the_old_file(self):
        for name, (_, _, files) in PROGRAMS.items():
            for flag in files:
                result = run(name, f"--{flag}={self.file}", limit="ulimit -f 1;")
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(f"cannot write {self.file}: File too large\n", result.stderr)
                self.assert_only_file(OLD)

    def test_a_run_that_ends_well_replaces_the_file(self):
        for name, (_, _, files) in PROGRAMS.items():
            for flag in files:
                self.file.write_text(OLD)
                result = run(name, f"--{flag}={self.file}")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual([path.name for path in self.file.parent.iterdir()], ["file"])
                json.loads(self.file.read_bytes().split(b"\n")[0] if flag == "records" else self.file.read_text())

    def test_nothing_to_run_leaves_the_old_file(self):
        self.assertEqual(run("bench_hft_macro", f"--benchmark_out={self.file}", "--benchmark_list_tests").returncode, 0)
        self.assert_only_file(OLD)


class BooksTest(unittest.TestCase):
    """What bench_books says beside the times of batches."""

    def rows(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "file"
            result = run("bench_books", f"--out={file}", *flags)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout, {row["book"]: row for row in json.loads(file.read_text())["rows"]}

    def test_the_percentiles_of_single_messages(self):
        text, rows = self.rows("--books=core,core_span,core", "--percentiles")
        self.assertIn("single messages: nanoseconds by ", text)
        self.assertEqual([name for name, row in rows.items() if "calls" in row], ["core"])
        calls = rows["core"]["calls"]
        self.assertEqual(calls["count"], rows["core"]["events"])
        for prefix in ("", "probe_"):
            times = [calls[prefix + name] for name in ("p50", "p90", "p99", "p99.9", "p99.99", "max")]
            self.assertEqual(times, sorted(times))
            self.assertGreater(times[0], 0)
        self.assertNotIn("single messages", self.rows()[0])

    def test_what_a_row_says_of_its_stream(self):
        _, rows = self.rows("--workload=fleeting", "--wander=5000")
        self.assertEqual((rows["core"]["ids"], rows["core"]["wander"]), ("permuted", 5000))
        self.assertAlmostEqual(rows["core"]["shares"]["at_once"], 0.82, delta=0.05)
        self.assertEqual(rows["core"]["shares"]["within_four"], 1)
        self.assertAlmostEqual(rows["core"]["mib"], rows["core"]["peak_bytes"] / 2**20)
        numbers, permuted = (self.rows(f"--ids={ids}")[1]["core"] for ids in ("numbers", "permuted"))
        self.assertEqual((numbers["ids"], permuted["ids"]), ("numbers", "permuted"))
        self.assertNotEqual(numbers["digest"], permuted["digest"])
        self.assertNotIn("wander", numbers)

    def test_a_stream_that_fits_in_no_band(self):
        text, rows = self.rows("--workload=far", "--books=core_any,core_any_span,core,reference")
        self.assertIn("of the orders rest outside of the 4,096 prices around the touch", text)
        for name in ("core_any", "core_any_span"):
            self.assertGreater(rows[name]["outside_4096"], 0.8)
            self.assertGreater(rows[name]["outside_65536"], 0.5)
            self.assertEqual(rows[name]["digest"], rows["core_any"]["digest"])
        for name in ("core", "reference"):
            self.assertEqual(rows[name]["refused"], "has a band, and no band holds its prices")
            self.assertRegex(text, f"{name} +cannot hold this stream: it has a band, and no band holds its prices")
        self.assertNotIn("outside_4096", self.rows()[1]["core"])
        result = run("bench_books", "--workload=far", "--books=core_any", "--stream=passive")
        self.assertEqual(result.returncode, 2)
        self.assertIn("has no passive image", result.stderr)
        result = run("bench_hft_macro_scenarios", "--workload=far", "--book=core_any")
        self.assertEqual(result.returncode, 2)
        self.assertIn("only in a band", result.stderr)

    def test_a_stream_whose_best_prices_jump(self):
        text, rows = self.rows("--workload=gaps", "--standing=300", "--books=tree_hash,core_any,set_ids_published,core")
        self.assertRegex(text, "of the events move a best price by more than 64 ticks, .* % by more than 4,096, by")
        for name in ("tree_hash", "core_any", "set_ids_published"):
            self.assertGreater(rows[name]["jumps_64"], 0.3)
            self.assertGreater(rows[name]["jumps_64"], rows[name]["jumps_4096"])
            self.assertGreater(rows[name]["jump_max"], 4096)
            self.assertEqual(rows[name]["ids"], "permuted")
            self.assertEqual(rows[name]["digest"], rows["tree_hash"]["digest"])
        self.assertEqual(rows["core"]["refused"], "has a band, and no band holds its prices")

    def test_a_market_of_many_books(self):
        text, rows = self.rows("--workload=many", "--symbols=20", "--books=vector_levels,tree_hash,btree,core")
        self.assertIn("many, 20 books, standing 100, seed 1: 2 rounds of 1000 events", text)
        self.assertEqual(list(rows), ["null", "vector_levels", "tree_hash", "btree", "core"])
        self.assertEqual(rows["core"]["refused"], "holds one instrument")
        row = rows["vector_levels"]
        self.assertEqual((row["workload"], row["standing"], row["symbols"]), ("many", 100, 20))
        self.assertEqual((row["fills_per_op"], row["misses"]), (0, 0))
        self.assertAlmostEqual(row["resting_avg"], 100, delta=5)
        self.assertEqual(row["digest"], rows["tree_hash"]["digest"])
        self.assertEqual(row["digest"], rows["btree"]["digest"])
        self.assertGreater(row["mib"], 0)
        self.assertAlmostEqual(row["shares"]["add"], 0.44, delta=0.05)

    def test_books_of_a_market_and_of_one_instrument(self):
        names = [[line.split()[0] for line in run("bench_books", "--list", *flags).stdout.splitlines()]
                 for flags in ((), ("--workload=many",))]
        self.assertIn("core", names[0])
        self.assertNotIn("vector_levels", names[0])
        self.assertIn("vector_levels", names[1])
        self.assertNotIn("core", names[1])
        _, rows = self.rows("--books=core,vector_levels")
        self.assertEqual(rows["vector_levels"]["refused"], "holds the books of a market")

    def test_what_a_market_refuses(self):
        for flag, words in (("--books=core", "the base, core, cannot hold this stream: it holds one instrument"),
                            ("--symbols=0", "a market has 1 to 65,536 symbols"),
                            ("--standing=0", "at least one order"),
                            ("--stream=passive", "leave out --stream"),
                            ("--ids=permuted", "leave out --ids"),
                            ("--percentiles", "--percentiles has no single messages of many")):
            result = run("bench_books", "--workload=many", "--books=btree", flag)
            self.assertEqual(result.returncode, 1 if "the base" in words else 2)
            self.assertIn(words, result.stderr)

    def test_wrong_values(self):
        for flag, words in (("--ids=names", "--ids is numbers or permuted, not 'names'"),
                            ("--workload=fast", "there are macro, wide, classic, fleeting, far and gaps"),
                            ("--wander=10", "over 64 to 131,072 ticks")):
            result = run("bench_books", "--workload=fleeting", flag)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)


class RingTest(unittest.TestCase):
    """What bench_ring says. That all messages arrive in order, it proves itself in each round."""

    def test_rows(self):
        names = [line.split()[0] for line in run("bench_ring", "--list").stdout.splitlines()]
        self.assertLessEqual({"ring", "ring_span", "mutex_deque", "naive_ring"}, set(names))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "file"
            result = run("bench_ring", f"--out={file}", "--base=naive_ring")
            self.assertEqual(result.returncode, 0, result.stderr)
            content = json.loads(file.read_text())
        self.assertIn("cpu", content["fingerprint"])
        self.assertEqual((content["base"], content["message_bytes"], len(content["cores"])), ("naive_ring", 64, 2))
        self.assertEqual([row["row"] for row in content["rows"]], names)
        self.assertEqual([row["ratio"] for row in content["rows"] if row["row"] == "naive_ring"], [1])
        for row in content["rows"]:
            self.assertRegex(result.stdout, rf"\n{row['row']} ")
            self.assertEqual((row["rounds"], len(row["times"]), len(row["ratios"])), (2, 2, 2))
            self.assertGreater(row["ns_per_message"], 0)
            trips = list(row["round_trip_ns"].values())
            self.assertEqual((trips, len(trips)), (sorted(trips), 5))

    def test_wrong_values(self):
        for flag, words in (("--rows=none", "no row is called 'none'"), ("--base=none", "no row is called 'none'"),
                            ("--cores=0", "--cores are two"), ("--capacity=100", "256, 4096 or 65536"), ("--cores=0,99999", "not '99999'"),
                            ("--rounds=0", "at least 1"), ("--messages=0", "at least 1"), ("--trips=0", "at least 1")):
            result = run("bench_ring", flag)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(words, result.stderr)


class ConsoleTest(unittest.TestCase):
    """What bench_hft_macro prints."""

    def test_the_time_of_an_operation_leads(self):
        result = run("bench_hft_macro", "--benchmark_repetitions=3")
        self.assertEqual(result.returncode, 0, result.stderr)
        _, header, _, *rows = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual(header[:4], ["ns/op", "benchmark", "us/batch", "batches"])
        self.assertEqual([row[1].rpartition("_")[2] for row in rows[3:6]], ["mean", "median", "stddev"])
        times = []
        for row in rows[:5]:
            operation, batch = float(row[0]), float(row[2])
            self.assertAlmostEqual(operation, batch, delta=0.02 * batch)  # a batch has about 1,000 operations
            times.append(operation)
        self.assertAlmostEqual(times[3], sum(times[:3]) / 3, delta=0.02)
        self.assertEqual(rows[6][1], "%")
        self.assertNotIn("ns/op=", result.stdout)

    def test_the_formats_of_google_benchmark(self):
        content = json.loads(run("bench_hft_macro", "--benchmark_format=json").stdout)
        found = content["benchmarks"][0]
        self.assertEqual(found["time_unit"], "us")
        self.assertAlmostEqual(found["ns/op"], found["real_time"], delta=0.02 * found["real_time"])
        self.assertIn("name,iterations,", run("bench_hft_macro", "--benchmark_format=csv").stdout)


if __name__ == "__main__":
    unittest.main()
