# SPDX-License-Identifier: MIT
"""What the tests of the scripts share: running them in a copy of the scripts with stand-ins for the programs."""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The books of the stand-in and their ratios over the core. The lto build's core takes 0.9 of the release build's.
RATIOS = {"null": 0.25, "reference": 4.0, "phase1": 8.0, "phase2a": 6.0, "phase2b": 3.0, "phase10": 2.0,
          "ring1024": 1.5, "core": 1.0, "core_span": 1.25}

# Takes bench_books' arguments and writes an artifact of these ratios.
STAND_IN = '''#!{python}
import json, os, sys, time
sys.path.insert(0, {support!r})
import support
if sys.argv[1:] == ["--list"]:
    sys.exit(print(*(book + "  what it is" for book in support.RATIOS), sep="\\n"))
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
print("progress", file=sys.stderr)
time.sleep(float(os.environ.get("STAND_IN_SECONDS", "0")))
if os.environ.get("STAND_IN_FAILS"):
    sys.exit("the stand-in was asked to fail")
content = support.artifact(arguments["workload"], int(arguments.get("standing", 0)), int(arguments["seed"]),
                           int(arguments["rounds"]), "lto" if "/lto/" in sys.argv[0] else "release",
                           arguments["books"].split(","))
with open(arguments["out"], "w") as out:
    json.dump(content, out)
'''


def artifact(workload="macro", standing=5000, seed=1, rounds=3, build="release", books=("core", "reference")):
    core_ns = 9.0 if build == "lto" else 10.0
    books = list(dict.fromkeys(("null", *books)))
    refused = [book for book in books if (book, workload) == ("ring1024", "wide")]
    rows = [{"book": book, "workload": workload, "standing": standing, "seed": seed, "rounds": rounds,
             "batch": 100000, "ns_per_op": core_ns * RATIOS[book], "ratio": RATIOS[book],
             "ratio_lo": RATIOS[book], "ratio_hi": RATIOS[book], "ratios": [RATIOS[book]] * rounds,
             "won": rounds if RATIOS[book] < 1 else 0, "resting_avg": 4987.5, "resting_peak": 5123,
             "levels_avg": 217.25, "one_sided": 0.5, "fills_per_op": 0.125, "events": 100000 * rounds,
             "misses": 0, "misses_planned": 0, "allocations": 0, "peak_bytes": 3 * 2**20,
             "digest": f"{workload}-{standing}-{seed}",
             "shares": {"add": 0.45, "cancel": 0.48, "modify": 0.05, "market": 0.02}}
            for book in books if book not in refused]
    rows += [{"book": book, "workload": workload, "standing": standing, "seed": seed,
              "refused": "has no place for all of its prices"} for book in refused]
    fingerprint = {"commit": "0123abc", "dirty": "no", "compiler": "GCC 12.2.0", "flags": "-O3", "build": build,
                   "cpu": "Test CPU", "cores": "2", "kernel": "Linux 6.1", "governor": "unknown",
                   "pinned": "1", "counters": "no"}
    return {"fingerprint": fingerprint, "rows": rows}


class ScriptTest(unittest.TestCase):
    """Each test has a repository of its own, `self.repository`, that holds the scripts and nothing else."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.repository = self.folder / "repository"
        shutil.copytree(ROOT / "scripts", self.repository / "scripts")

    def write_program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def write_stand_ins(self):
        text = STAND_IN.format(python=sys.executable, support=str(pathlib.Path(__file__).parent))
        for build in ("release", "lto"):
            self.write_program(self.repository / "build" / build / "bench" / "bench_books", text)

    def links_to(self, programs):
        """A folder of links to these programs, to stand alone in PATH."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for program in programs:
            (folder / program.name).symlink_to(program)
        return folder

    def script(self, name, *arguments, **environment):
        return subprocess.run([str(self.repository / "scripts" / name), *arguments], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, **environment}, check=False)

    def script_on_a_full_disk(self, name, *arguments, **environment):
        """As `script`, but no file may outgrow 1 KiB, which an artifact does."""
        return subprocess.run(["bash", "-c", 'ulimit -f 1; exec "$0" "$@"', str(self.repository / "scripts" / name),
                               *arguments], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **environment}, check=False)

    def assert_fails(self, result, status, *parts):
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)


class AnalysisTest(ScriptTest):
    """Each test has a folder for artifacts too, `self.campaign`, and `self.python`, which can draw."""

    @classmethod
    def setUpClass(cls):
        cls.python = subprocess.run(["bash", "-c", ". scripts/lib/common.sh; find_python"], cwd=ROOT,
                                    stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def setUp(self):
        super().setUp()
        self.campaign = self.folder / "campaign"
        self.campaign.mkdir()


def cells_of(table, title):
    """The table under the heading, as a dictionary of its rows' first cells."""
    lines = table.split(f"\n## {title}\n")[1].split("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    return {row[0]: row[1:] for row in rows}
