# SPDX-License-Identifier: MIT
"""lab percentiles on records whose answers are known, and on those of the real program where the build gives it."""

import json
import os
import re
import struct
import subprocess
import unittest

import support

NEVER = 2**32 - 1
FIELDS = {"ns": "<f4", "probe_ns": "<f4", "event": "<u4", "level_age": "<u4", "slot_age": "<u4", "distance": "<i4",
          "queue": "<u4", "scenario": "u1", "path": "u1", "batch": "<u2"}


def record(ns, scenario=0, path=0, level_age=1, slot_age=1):
    return struct.pack("<ffIIIiIBBH", ns, 20.0, 0, level_age, slot_age, 0, 0, scenario, path, 1)


class Base(support.AnalysisTest):
    def write(self, records, name="records", **changes):
        header = {"fingerprint": support.artifact()["fingerprint"], "book": "core", "workload": "macro",
                  "standing": 5000, "seed": 1, "stamps": "tsc", "step_ns": 10.0, "plain_ns_per_op": 12.5,
                  "stamped_ns_per_op": 99.5, "records": len(records),
                  "scenarios": ["add_to_level", "add_new_level", "cancel"],
                  "paths": ["none", "leaf", "leaf+middle", "to root"], "fields": FIELDS, **changes}
        path = self.folder / name
        path.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(records))
        return path

    def percentiles(self, *files):
        return self.lab("percentiles", *files)

    def rows(self, *files):
        """The cells of all rows, by the first one."""
        result = self.percentiles(*files)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = support.rows_of(result.stdout)
        return {row[0]: row[1:] for row in reversed(rows)}  # the first of equal names


class PercentilesTest(Base):
    def assert_refused(self, path, *parts):
        result = self.percentiles(path)
        self.assert_fails(result, 1, "lab percentiles: ", *parts)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("Traceback", result.stderr)
        self.assertFalse((self.folder / "percentiles.png").exists())

    def test_percentiles_are_of_nearest_rank(self):
        rows = self.rows(self.write([record(ns) for ns in range(10_000, 0, -1)]))
        self.assertEqual(rows["add_to_level"], ["10,000", "4950.5", "5000.0", "9000.0", "9900.0", "9990.0", "9999.0",
                                                "10000.0"])
        self.assertEqual(rows["its probe"], ["", *["20.0"] * 7])
        self.assertNotIn("cancel", rows)
        self.assertEqual((self.folder / "percentiles.png").read_bytes()[:4], b"\x89PNG")

    def test_classes(self):
        rows = self.rows(self.write([record(30, 1, path=1), record(50, 1, path=1), record(300, 2, path=3),
                                     record(40, 2, slot_age=9), record(60, 2, slot_age=10),
                                     record(80, 2, slot_age=99_999), record(90, 2, slot_age=100_000),
                                     record(400, 1, slot_age=NEVER)]))
        self.assertEqual(rows["leaf"], ["40.0 / 50.0 (2)", "–"])
        self.assertEqual(rows["to root"], ["–", "300.0 / 300.0 (1)"])
        self.assertEqual(rows["under 10"], ["40.0 / 50.0 (2)", "170.0 / 300.0 (2)"])
        self.assertEqual(rows["10 to 99"][1], "60.0 / 60.0 (1)")
        self.assertEqual(rows["10,000 to 99,999"][1], "80.0 / 80.0 (1)")
        self.assertEqual(rows["100,000 and more"][1], "90.0 / 90.0 (1)")
        self.assertEqual(rows["never"], ["400.0 / 400.0 (1)", "–"])

    def test_one_call_is_enough(self):
        self.assertEqual(self.rows(self.write([record(30)]))["add_to_level"], ["1", *["30.0"] * 7])

    def test_several_files(self):
        output = self.percentiles(self.write([record(30)]), self.write([record(40)], "other", book="phase10")).stdout
        self.assertIn("## core on macro 5,000, seed 1\n", output)
        self.assertIn("12.5 ns each without stamps and 99.5 ns with them", output)
        self.assertIn("## phase10 on macro 5,000, seed 1\n", output)

    def test_files_of_different_machines(self):
        fingerprint = {**support.artifact()["fingerprint"], "cpu": "other"}
        result = self.percentiles(self.write([record(30)]), self.write([record(40)], "other", fingerprint=fingerprint))
        self.assert_fails(result, 1, "fingerprints differ: 'cpu'")

    def test_no_files(self):
        self.assert_fails(self.percentiles(), 2, "usage: scripts/lab percentiles")

    def test_files_that_are_no_records(self):
        self.assert_refused(self.folder / "nowhere", "nowhere: No such file")
        self.assert_refused(self.folder, "Is a directory")
        whole = self.write([record(30), record(40)])
        content = whole.read_bytes()
        for torn in (content[:-1], content[:-32], content + b"x"):
            whole.write_bytes(torn)
            self.assert_refused(whole, "records: torn")
        for other in (b"", content[:50], b"{}\n", b"[]\n", b"\xff\n", content.replace(b"<f4", b"<s9")):
            whole.write_bytes(other)
            self.assert_refused(whole, "no records of bench_hft_macro_scenarios")
        self.assert_refused(self.write([]), "no call was timed")

    def test_a_picture_that_cannot_be_written(self):
        path = self.write([record(30)])
        (self.folder / "percentiles.png").mkdir()
        self.assert_fails(self.percentiles(path), 1, "percentiles.png: Is a directory")


@unittest.skipUnless("BENCH_HFT_MACRO_SCENARIOS" in os.environ, "needs the program")
class ProgramTest(Base):
    def program(self, *arguments):
        return subprocess.run([os.environ["BENCH_HFT_MACRO_SCENARIOS"], "--batches=1", "--batch=3000",
                               "--standing=100", *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)

    def test_records_say_what_the_program_says(self):
        records, out = self.folder / "records", self.folder / "out.json"
        result = self.program(f"--records={records}", f"--out={out}")
        self.assertEqual(result.returncode, 0, result.stderr)
        artifact = json.loads(out.read_text())
        rows = self.rows(records)
        self.assertEqual(len(artifact["rows"]), 3)
        for row in artifact["rows"]:
            name = row["scenario"]
            columns = ("mean99", "p50", "p90", "p99", "p99.9", "p99.99", "max")
            self.assertEqual(rows[name], [f"{row['count']:,}", *(f"{row[column]:.1f}" for column in columns)])
            self.assertRegex(result.stdout, rf"{name} +{row['count']} +{row['mean99']:.1f} +{row['p50']:.1f} ")
            self.assertGreater(row["p50"], 0)
            self.assertGreater(row["probe_max"], 0)
        self.assertRegex(result.stdout, r"nanoseconds by (tsc|steady_clock), in steps of [\d.]+ or less\n")
        self.assertRegex(result.stdout, r"all events of a batch: [\d.]+ ns each without stamps, [\d.]+ ns with them")
        self.assertEqual(artifact["book"], "core")
        self.assertIn("commit", artifact["fingerprint"])

    def test_bad_flags(self):
        for flag, message in (("--book=nobody", "is called 'nobody'; these are: "), ("--batches=0", "from 1 to"),
                              ("--workload=none", "none"), ("--batch=0", "batch")):
            result = self.program(flag)
            self.assert_fails(result, 2, "bench_hft_macro_scenarios: ", message)
        self.assertTrue(re.search(r"these are:.* core", self.program("--book=nobody").stderr))

    def test_files_that_cannot_be_written(self):
        for flag in ("--records", "--out"):
            self.assert_fails(self.program(f"{flag}={self.folder}/nowhere/file"), 1, "cannot write", "nowhere/file")
            full = self.folder / "file.unfinished"
            full.symlink_to("/dev/full")
            self.assert_fails(self.program(f"{flag}={self.folder}/file"), 1, "cannot write", "/file")
            self.assertFalse((self.folder / "file").exists())
            self.assertFalse(full.is_symlink())


if __name__ == "__main__":
    unittest.main()
