# SPDX-License-Identifier: MIT
"""Every script and every program of the build answers --help, and refuses a wrong flag with words and the exit status 2.
A program notices when its answer cannot be written.

They are found, not listed: a script is a file that the system can run or that Python would, and CMake writes down the
programs of the build, in the file that LLMES_PROGRAMS names.
"""

import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_SOURCES = (".git", "build", "server_results", "corpus", "__pycache__")
WRONG = "--no-such-flag"
RUNS = re.compile(r'^if __name__ == "__main__":$', re.M)


def ask(command, flag, stdout=subprocess.PIPE):
    return subprocess.run([*command, flag], text=True, stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, check=False)


def faults(command):
    """What is wrong with the answers of a program."""
    help_, wrong = ask(command, "--help"), ask(command, WRONG)
    if (help_.returncode, help_.stderr) != (0, "") or not help_.stdout.strip():
        yield f"--help ends with {help_.returncode} and says {help_.stdout + help_.stderr!r}"
    if wrong.returncode != 2:
        yield f"{WRONG} ends with {wrong.returncode}"
    if "Traceback" in wrong.stderr or not wrong.stderr.strip():
        yield f"{WRONG} is answered with {wrong.stderr!r}"
    elif not any(word in wrong.stderr for word in (WRONG.strip("-"), "--help", "usage")):
        yield f"{WRONG} is not named: {wrong.stderr!r}"


def no_sources(folder, names):
    """Those in the folder that hold no sources. A build may have any name."""
    return [name for name in names if name in NO_SOURCES or pathlib.Path(folder, name, "CMakeCache.txt").exists()]


@functools.cache
def copy_of_sources():
    """Scripts run in a copy: one that takes a wrong flag for something else can do no harm there."""
    folder = pathlib.Path(tempfile.mkdtemp()) / "llmes"
    shutil.copytree(ROOT, folder, ignore=no_sources)
    return folder


def scripts():
    """Each script with its text."""
    for path in sorted(copy_of_sources().rglob("*")):
        if path.is_file() and path.suffix in ("", ".sh", ".py"):
            text = path.read_text(encoding="utf-8", errors="ignore")
            if text.startswith("#!") or RUNS.search(text):
                yield path, text


def commands_of_scripts():
    for path, text in scripts():
        yield [str(path)] if text.startswith("#!") else [sys.executable, str(path)]
        if path.name == "lab":
            for line in ask([str(path)], "--help").stdout.splitlines():
                if line.startswith("  "):
                    yield [str(path), line.split()[0]]


class HelpTest(unittest.TestCase):
    def assert_all_answer(self, commands):
        commands = list(commands)
        self.assertGreater(len(commands), 3)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for command, found in zip(commands, pool.map(lambda command: list(faults(command)), commands)):
                with self.subTest(command[-1]):
                    self.assertEqual(found, [])


class Scripts(HelpTest):
    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(copy_of_sources().parent)

    def test_every_script_answers(self):
        self.assert_all_answer(commands_of_scripts())

    def test_what_looks_like_a_program_is_one(self):
        """Those of tests/ belong to ctest, which names their Python."""
        for path, text in scripts():
            with self.subTest(str(path)):
                self.assertEqual(text.startswith("#!"), os.access(path, os.X_OK))
                if path.suffix == ".py":
                    self.assertTrue(RUNS.search(text), "a module that nobody can run")
                    self.assertTrue(text.startswith("#!") or "tests" in path.parts)

    def test_a_python_without_the_packages(self):
        """It makes way for Debian's, or says what to install."""
        without_packages = [sys.executable, "-S"]
        folder = copy_of_sources() / "scripts"
        for command in ([folder / "lab", "code-size"], [folder / "analysis/callgrind.py"]):
            for tried, message in (("", "no-such-folder"), ("/usr/bin/python3", "scripts/setup.sh bench installs them")):
                result = subprocess.run([*without_packages, *map(str, command), "no-such-folder"], text=True, check=False,
                                        env={**os.environ, "LLMES_PYTHON": tried}, stderr=subprocess.PIPE)
                self.assertEqual(result.returncode, 1)
                self.assertIn(message, result.stderr)
                self.assertNotIn("Traceback", result.stderr)


@functools.cache
def programs():
    """Those that read their arguments. GoogleTest and libFuzzer, which have a main of their own, answer for theirs."""
    reads_arguments = re.compile(r"^int main\(int argc", re.M)
    path = pathlib.Path(os.environ["LLMES_PROGRAMS"])
    of_object = re.compile(rf"^{re.escape(str(path.parent))}(/.*)/CMakeFiles/[^/]+[.]dir/(.*)[.]o$")  # of another target
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        program, folder, sources = line.split("|")
        sources = [of_object.sub(lambda found: f"{ROOT}{found[1]}/{found[2]}", source) for source in sources.split(";")]
        texts = [source.read_text(encoding="utf-8") for source in (pathlib.Path(folder, one) for one in sources)
                 if source.suffix == ".cpp"]
        if any(map(reads_arguments.search, texts)):
            found.append(program)
    return found


class Programs(HelpTest):
    def test_they_are_built(self):
        self.assertEqual([program for program in programs() if not os.path.exists(program)], [])

    def test_every_program_answers(self):
        self.assert_all_answer([program] for program in programs())

    def test_every_program_notices_a_full_disk(self):
        for program in programs():
            with self.subTest(program), open("/dev/full", "w", encoding="utf-8") as full:
                answer = ask([program], "--help", full)
                self.assertEqual(answer.returncode, 1)
                self.assertRegex(answer.stderr, "cannot write to standard output: No space left on device\n$")


class FaultsTest(unittest.TestCase):
    """What the tests above would notice."""

    def faults_of(self, on_help, on_wrong):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "script"
            script.write_text(f"[ $1 = --help ] && {{ {on_help}; }} || {{ {on_wrong}; }}\n")
            return list(faults(["sh", str(script)]))

    def test_good_answers(self):
        for on_wrong in ("echo what is $1? >&2; exit 2", "echo usage: script >&2; exit 2"):
            self.assertEqual(self.faults_of("echo a script; exit 0", on_wrong), [])

    def test_bad_answers(self):
        good_help, good_refusal = "echo a script; exit 0", "echo what is $1? >&2; exit 2"
        for on_help in ("echo a script; exit 1", "exit 0", "echo a script >&2; exit 0"):
            self.assertEqual(len(self.faults_of(on_help, good_refusal)), 1, on_help)
        for on_wrong in ("echo what is $1? >&2; exit 0", "echo what is $1? >&2; exit 1", "exit 2", "echo what is $1?; exit 2", "kill -9 $$",
                         "echo Traceback: $1 >&2; exit 1", "echo no >&2; exit 1"):
            self.assertNotEqual(self.faults_of(good_help, on_wrong), [], on_wrong)


if __name__ == "__main__":
    unittest.main()
