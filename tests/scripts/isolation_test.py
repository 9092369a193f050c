# SPDX-License-Identifier: MIT
"""isolated.sh on a folder that stands for /: what it changes, what it skips, and that it undoes everything."""

import os
import shutil
import signal
import subprocess
import time
import unittest

import support

# They write down how they were called, and run the command.
STAND_INS = {
    "taskset": 'echo taskset "$@" >>"$CALLS"\nshift 2\nexec "$@"\n',
    "chrt": 'echo chrt "$@" >>"$CALLS"\nshift 2\nexec "$@"\n',
}
JOURNAL = "run/llmes-isolation"
UNPRIVILEGED = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
READ_ONLY = "/proc/sys/kernel/ostype"  # refuses writes from root too

CORE = max(os.sched_getaffinity(0))
OTHERS = f"{CORE + 1},{CORE + 2}"
GOVERNOR = f"sys/devices/system/cpu/cpu{CORE}/cpufreq/scaling_governor"
SETTINGS = {  # file: its value before and during the run
    "proc/irq/24/smp_affinity_list": (f"{CORE}-{CORE + 2}", OTHERS),
    "proc/irq/25/smp_affinity_list": (f"{CORE}", ",".join(filter(None, [",".join(map(str, range(CORE))), OTHERS]))),
    "proc/irq/26/smp_affinity_list": (f"{CORE + 2}", f"{CORE + 2}"),
    GOVERNOR: ("powersave", "performance"),
}


class IsolationTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.program = str(self.repository / "scripts/local/isolated.sh")
        self.root = self.folder / "root"
        self.calls = self.folder / "calls"
        self.programs = self.folder / "programs"
        for name, text in STAND_INS.items():
            self.write_program(self.programs / name, "#!/bin/sh\n" + text)
            (self.programs / name).chmod(0o755)
        self.calls.touch()
        self.calls.chmod(0o666)
        self.write("sys/devices/system/cpu/online", f"0-{CORE + 2}")
        (self.root / "run").mkdir()
        for path, (before, _) in SETTINGS.items():
            self.write(path, before)
        self.write(JOURNAL, "", end="")

    def write(self, path, text, end="\n"):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + end)

    def environment(self, path=None):
        return {**os.environ, "PATH": path or f"{self.programs}:{os.environ['PATH']}", "CALLS": str(self.calls),
                "LLMES_SYSROOT": str(self.root)}

    def isolated(self, *arguments, path=None, **options):
        return subprocess.run([self.program, *arguments], text=True, check=False, env=self.environment(path),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def start(self):
        """A long isolated run whose command has begun: its process, and the number of the command's."""
        begun = self.folder / "begun"
        begun.unlink(missing_ok=True)
        process = subprocess.Popen([self.program, "--", "sh", "-c", f"echo $$ >{begun}; exec sleep 60"], text=True,
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 20
        while not begun.exists() or not begun.read_text().endswith("\n"):
            self.assertLess(time.monotonic(), deadline, "the command did not begin")
            time.sleep(0.01)
        self.assert_applied(self.root)
        return process, int(begun.read_text())

    def start_and_kill(self):
        process, command = self.start()
        process.kill()
        os.kill(command, signal.SIGKILL)
        process.wait()
        self.assert_applied(self.root)

    def tree(self):
        """Every file and its bytes."""
        return {str(path.relative_to(self.root)): path.read_bytes() for path in sorted(self.root.rglob("*"))
                if path.is_file()}

    def assert_applied(self, root):
        for path, (_, value) in SETTINGS.items():
            self.assertEqual((root / path).read_text(), value + "\n", path)

    def assert_ends(self, process, status):
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, status, errors)

    def test_help(self):
        result = self.isolated("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("isolated.sh -- COMMAND..."), result.stdout)

    def test_bad_arguments(self):
        before = self.tree()
        for arguments, status, message in (
                ((), 2, "unknown argument ''; the command goes after --"), (("--",), 2, "no command"),
                (("true",), 2, "unknown argument 'true'; the command goes after --"),
                (("--restore", "--", "true"), 2, "--restore takes no command"),
                (("--", "no-such-command"), 1, "there is no command 'no-such-command'")):
            self.assert_fails(self.isolated(*arguments), status, message)
        self.assertEqual(self.tree(), before)

    # ---- What is changed, and undone.

    def test_every_step_is_applied_told_and_undone(self):
        before = self.tree()
        during = self.folder / "during"
        result = self.isolated("--", "sh", "-c", f'cp -r {self.root} {during}; echo "$LLMES_ISOLATION"; exit 7')
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assert_applied(during)
        self.assertEqual(self.tree(), before)
        self.assertTrue(self.calls.read_text().splitlines()[-2].startswith(f"taskset -c {CORE} chrt --fifo 20 sh -c"))
        steps = [f"pin: to core {CORE}", "priority: first in, first out, 20", "governor: powersave -> performance",
                 "interrupts: 2 moved to other cores, 0 cannot be moved"]
        self.assertEqual(result.stdout.splitlines(), [f"isolated: {step}" for step in steps])
        self.assertEqual(result.stderr.splitlines(),
                         [f"isolated.sh: {step}" for step in [*steps, "all settings are as they were"]])

    def test_undone_when_the_command_is_killed(self):
        before = self.tree()
        self.assertEqual(self.isolated("--", "sh", "-c", "kill -SEGV $$").returncode, 128 + 11)
        self.assertEqual(self.tree(), before)

    def test_undone_and_the_command_ended_when_interrupted(self):
        before = self.tree()
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process, command = self.start()
            process.send_signal(number)
            self.assert_ends(process, status)
            self.assertEqual(self.tree(), before)
            with self.assertRaises(ProcessLookupError):
                os.kill(command, 0)

    def test_undone_by_restore_after_a_kill(self):
        before = self.tree()
        self.start_and_kill()
        with open(self.root / JOURNAL, "a", encoding="utf-8") as journal:
            journal.write("/proc/sys/kernel/sched_rt_runtime_us\t12")  # torn: its end was not written
        result = self.isolated("--restore")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a killed run has left settings changed", result.stderr)
        self.assertEqual(self.tree(), before)
        self.assertIn("nothing to restore", self.isolated("--restore").stdout)

    def test_the_next_run_restores_first(self):
        before = self.tree()
        self.start_and_kill()
        result = self.isolated("--", "true")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("governor: powersave -> performance", result.stderr)
        self.assertEqual(self.tree(), before)

    def test_a_run_that_lives_is_not_disturbed(self):
        process, _ = self.start()
        for arguments in (("--", "true"), ("--restore",)):
            self.assert_fails(self.isolated(*arguments), 1, "another isolated run is under way")
        self.assert_applied(self.root)
        process.terminate()
        self.assert_ends(process, 143)

    def test_a_journal_that_cannot_be_followed_is_kept(self):
        self.write(JOURNAL, f"/proc/gone\t1\n/etc/passwd\troot\n/proc/../etc/passwd\troot\nrubbish\n/{GOVERNOR}\tondemand")
        result = self.isolated("--restore")
        self.assert_fails(result, 1, "cannot put back /proc/gone: it was 1", "not a setting: /etc/passwd",
                          "not a setting: /proc/../etc/passwd", "not a setting: rubbish", "4 settings are not put back")
        self.assertEqual((self.root / GOVERNOR).read_text(), "ondemand\n")
        self.assertIn("rubbish", (self.root / JOURNAL).read_text())
        self.assertFalse((self.root / "etc").exists())

    def test_what_cannot_be_undone_is_an_error(self):
        result = self.isolated("--", "rm", str(self.root / GOVERNOR))
        self.assert_fails(result, 1, f"cannot put back /{GOVERNOR}: it was powersave")
        self.assertIn(GOVERNOR, (self.root / JOURNAL).read_text())

    # ---- What is skipped.

    def test_without_root_it_says_what_it_skips(self):
        for path in (*SETTINGS, JOURNAL, "run"):
            path = self.root / path
            path.chmod(path.stat().st_mode & ~0o222)
        before = self.tree()
        result = self.isolated("--", "echo", "ran", **UNPRIVILEGED)
        self.assertEqual((result.returncode, result.stdout), (0, "ran\n"), result.stderr)
        for part in ("pin: to core", "governor: skipped: stays powersave", "interrupts: 0 moved to other cores, 2 cannot"):
            self.assertIn(part, result.stderr)
        self.assertEqual(self.tree(), before)

    def test_without_root_a_journal_is_left_to_root(self):
        self.write(JOURNAL, f"/{GOVERNOR}\tondemand")
        (self.root / JOURNAL).chmod(0o444)
        for arguments in (("--restore",), ("--", "true")):
            self.assert_fails(self.isolated(*arguments, **UNPRIVILEGED), 1, "root can put them back")
        self.assertIn("ondemand", (self.root / JOURNAL).read_text())

    def test_nothing_is_changed_that_could_not_be_undone(self):
        shutil.rmtree(self.root / "run")
        before = self.tree()
        result = self.isolated("--", "cp", "-r", str(self.root), str(self.folder / "during"))
        self.assertEqual((result.returncode, self.tree()), (0, before))
        self.assertEqual((self.folder / "during" / GOVERNOR).read_text(), "powersave\n")

    def test_a_setting_that_refuses(self):
        (self.root / GOVERNOR).unlink()
        (self.root / GOVERNOR).symlink_to(READ_ONLY)
        result = self.isolated("--", "true")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("governor: skipped: stays Linux", result.stderr)

    def test_a_machine_with_nothing_to_set(self):
        (self.root / GOVERNOR).unlink()
        shutil.rmtree(self.root / "proc")
        result = self.isolated("--", "true")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("governor: skipped: this machine has none", result.stderr)
        self.assertIn("interrupts: 0 moved to other cores, 0 cannot", result.stderr)

    def test_programs_that_are_refused(self):
        for name in STAND_INS:
            self.write_program(self.programs / name, "#!/bin/sh\nexit 1\n")
        result = self.isolated("--", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (0, "ran\n"), result.stderr)
        for step in ("pin", "priority"):
            self.assertIn(f"{step}: skipped: this system does not allow it", result.stderr)

    def test_one_core_only(self):
        self.write("sys/devices/system/cpu/online", str(CORE))
        result = self.isolated("--", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (0, "ran\n"), result.stderr)
        self.assertIn("interrupts: skipped: there is no other core", result.stderr)
        self.assertIn("priority: skipped: there is no other core", result.stderr)


if __name__ == "__main__":
    unittest.main()
