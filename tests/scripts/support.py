# SPDX-License-Identifier: MIT
"""What the tests of the scripts share: running them in a copy of the scripts with stand-ins for the programs."""

import atexit
import functools
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

from artifacts import COMMIT, RATIOS, artifact  # noqa: F401 for the tests

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Takes bench_books' arguments and writes an artifact of these ratios.
STAND_IN = '''#!{python} -IS
import json, os, sys, time
sys.path.insert(0, {folder!r})
import artifacts
if sys.argv[1:] == ["--list"]:
    sys.exit(print(*(book + "  what it is" for book in artifacts.RATIOS), sep="\\n"))
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
print("progress", file=sys.stderr)
asked = artifacts.asks_for_commit(arguments)
time.sleep(0 if asked else float(os.environ.get("STAND_IN_SECONDS", "0")))
if os.environ.get("STAND_IN_FAILS"):
    sys.exit("the stand-in was asked to fail")
content = artifacts.artifact(arguments["workload"], int(arguments.get("standing", 0)), int(arguments["seed"]),
                             int(arguments["rounds"]), "lto" if "/lto/" in sys.argv[0] else "release",
                             arguments["books"].split(","))
if asked:
    content["rows"] = []
with open(arguments["out"], "w") as out:
    json.dump(content, out)
'''


# Writes the artifact of `artifact_of` of a test for its arguments.
ARTIFACT_STAND_IN = '''#!{python}
import json, os, sys
sys.path[:0] = [{folder!r}]
import {module}
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail, by " + " ".join(sys.argv[1:]))
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[1:])
with open(arguments["out"], "w") as out:
    json.dump({module}.artifact_of(**arguments), out)
'''


# An empty commit that is the same wherever it is made: COMMIT.
IDENTITY = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "A"), ("EMAIL", "a@b"), ("DATE", "2026-01-01T00:00:00Z"))}


@functools.cache
def git_folder():
    """The .git of a repository with COMMIT alone."""
    temporary = tempfile.TemporaryDirectory()
    atexit.register(temporary.cleanup)
    for command in (["init", "--quiet", "--template="], ["commit", "--quiet", "--allow-empty", "--message=empty"]):
        subprocess.run(["git", "-C", temporary.name, *command], check=True, env={**os.environ, **IDENTITY})
    return pathlib.Path(temporary.name) / ".git"


class ScriptTest(unittest.TestCase):
    """Each test has a repository of its own, `self.repository`, that holds the scripts and nothing else. They are files
    that git was never told of, which make no tree dirty. Its folder is called as a user might call it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.repository = self.folder / "a b+c"
        shutil.copytree(ROOT / "scripts", self.repository / "scripts")
        shutil.copytree(git_folder(), self.repository / ".git")

    def write_program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def write_artifact_stand_in(self, program, module):
        """A program that writes what `artifact_of` of a test's module makes of its arguments."""
        self.write_program(self.repository / "build/release/bench" / program,
                           ARTIFACT_STAND_IN.format(python=sys.executable, folder=str(pathlib.Path(__file__).parent), module=module))

    def write_stand_ins(self):
        text = STAND_IN.format(python=sys.executable, folder=str(pathlib.Path(__file__).parent))
        for build in ("release", "lto"):
            self.write_program(self.repository / "build" / build / "bench/bench_books", text)

    def change_the_tree(self, name="changed"):
        """From here on a file is there that no commit holds, and git knows of it."""
        path = self.repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        subprocess.run(["git", "-C", str(self.repository), "add", name], check=True)

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

    def script_without_proc(self, name, *arguments):
        """As `script`, where /proc is an empty folder, as in a bare chroot."""
        bare = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none /proc || exit 77; exec "$0" "$@"']
        result = subprocess.run([*bare, str(self.repository / "scripts" / name), *arguments], text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if result.returncode == 77 or "unshare" in result.stderr:
            self.skipTest("this system lets nobody hide /proc: " + result.stderr)
        return result

    def assert_nothing_kept(self, campaign):
        self.assertFalse((self.repository / "server_results").exists())
        self.assertEqual(list((self.repository / "build" / campaign).glob(".*")), [])

    def assert_fails(self, result, status, *parts):
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)


class AnalysisTest(ScriptTest):
    """Each test has a folder of results too, `self.campaign`, which `made_by` made, and `self.python`, which can draw."""

    made_by = "scripts/bench.sh"

    @classmethod
    def setUpClass(cls):
        cls.python = subprocess.run(["bash", "-c", ". scripts/lib/common.sh; find_python"], cwd=ROOT,
                                    stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def setUp(self):
        super().setUp()
        self.campaign = self.folder / "campaign"
        self.campaign.mkdir()
        (self.campaign / "campaign.txt").write_text(self.made_by + "\n")
        self.runs = self.campaign / "runs.jsonl"
        self.contents = {}

    def write_run(self, name, content):
        """Adds the run to runs.jsonl, or replaces it there."""
        self.contents[name] = content
        self.write_runs()

    def write_runs(self):
        self.runs.write_text(jsonl(self.contents))

    def tear(self, name):
        """Cuts off the line of the run. Gives its number."""
        number = 2 + list(self.contents).index(name)
        lines = self.runs.read_text().splitlines()
        lines[number - 1] = lines[number - 1][:-100]
        self.runs.write_text("\n".join(lines))
        return number

    def lab(self, *arguments):
        return subprocess.run([self.python, str(self.repository / "scripts/lab"), *map(str, arguments)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def table(self, *arguments):
        return self.lab("table", *arguments, self.campaign)

    def assert_nothing_made(self):
        self.assertEqual({path.name for path in self.campaign.iterdir()} - {"runs.jsonl", "campaign.txt"}, set())


def jsonl(contents):
    """runs.jsonl of these runs, by name. Each says its whole fingerprint again, and needs only what differs."""
    first = next(iter(contents.values()), {})
    lines = [{"fingerprint": first.get("fingerprint", {})}, *({"run": name, **run} for name, run in contents.items())]
    return "".join(json.dumps(line) + "\n" for line in lines)


def runs_of(folder):
    """The runs in the folder, by name, and the fingerprint that they share under None."""
    first, *lines = map(json.loads, (folder / "runs.jsonl").read_text().splitlines())
    return {None: first, **{line.pop("run"): line for line in lines}}


def rows_of(text):
    """The cells of all rows of its tables."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]


def cells_of(table, title):
    """The table under the heading, as a dictionary of its rows' first cells."""
    rows = rows_of(table.split(f"\n## {title}\n")[1].split("\n## ")[0])
    return {row[0]: row[1:] for row in rows}
