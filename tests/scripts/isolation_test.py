# SPDX-License-Identifier: MIT
"""isolated.sh on a tree that stands for /: what it changes, what it leaves out, and that all of it is undone."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import support

# Like the programs they stand for, and they write down how they were called. `sleep` is what passes between the
# two looks at /proc/stat.
STAND_INS = {
    "taskset": 'echo taskset "$@" >>"$CALLS"\nshift 2\nexec "$@"\n',
    "numactl": 'echo numactl "$@" >>"$CALLS"\nshift\nexec "$@"\n',
    "chrt": 'if [ "$1" = -p ]; then echo SCHED_OTHER; exit; fi\necho chrt "$@" >>"$CALLS"\nshift 2\nexec "$@"\n',
    "sleep": 'cp "$LLMES_SYSROOT/later" "$LLMES_SYSROOT/proc/stat"\n',
    "update-grub": 'echo update-grub >>"$CALLS"\n',
}
JOURNAL = "run/llmes-isolation"
NOBODY = 65534
UNPRIVILEGED = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
READ_ONLY = "/proc/sys/kernel/ostype"  # refuses writes from root too

SETTINGS = {  # file: its value before, with every step applied on core 3, whose sibling is core 1
    "proc/irq/default_smp_affinity": ("f", "5"),
    "proc/irq/24/smp_affinity": ("f", "5"),
    "proc/irq/25/smp_affinity": ("8", "5"),
    "proc/irq/26/smp_affinity": ("1", "1"),
    "proc/irq/27/smp_affinity": ("00000010,0000000f", "00000010,00000005"),
    "proc/sys/kernel/nmi_watchdog": ("1", "0"),
    "proc/sys/kernel/watchdog": ("1", "0"),
    "sys/devices/virtual/workqueue/cpumask": ("f", "5"),
    "sys/devices/system/cpu/cpufreq/boost": ("1", "0"),
    "sys/devices/system/cpu/intel_pstate/no_turbo": ("0", "1"),
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": ("powersave", "performance"),
    "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor": ("powersave", "performance"),
    "sys/devices/system/cpu/cpu1/online": ("1", "0"),
    "sys/devices/system/cpu/cpu3/online": ("1", "1"),
}
ALL = "pin,memory,priority,governor,boost,irq,workqueue,watchdog,sibling"


def stat(busy):
    """A /proc/stat: 100 ticks of each core, so many of them busy."""
    return "cpu  1 2 3 4\n" + "".join(f"cpu{core} {ticks} 0 0 {100 - ticks} 0 0 0 0 0 0\n"
                                      for core, ticks in enumerate(busy))


class IsolationTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.program = str(self.repository / "scripts/local/isolated.sh")
        self.root = self.folder / "root"
        self.calls = self.folder / "calls"
        self.programs = self.folder / "programs"
        self.report = self.folder / "report"
        for name, text in STAND_INS.items():
            self.write_program(self.programs / name, "#!/bin/sh\n" + text)
            (self.programs / name).chmod(0o755)
        self.calls.touch()
        self.calls.chmod(0o666)
        self.write("proc/self/status", "Name:\tbash\nCpus_allowed_list:\t0-3")
        self.write("proc/cmdline", "quiet")
        self.write("proc/sys/kernel/sched_rt_runtime_us", "950000")
        self.write("sys/devices/system/cpu/online", "0-3")
        self.write("sys/devices/system/cpu/isolated", "")
        self.write("sys/devices/system/cpu/nohz_full", "(null)")
        for core in range(4):
            self.write(f"sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list",
                       f"{core % 2},{core % 2 + 2}")
            (self.root / f"sys/devices/system/cpu/cpu{core}/node{core % 2}").mkdir()
            (self.root / f"sys/devices/system/node/node{core % 2}").mkdir(parents=True, exist_ok=True)
        (self.root / "run").mkdir()
        for path, (before, _) in SETTINGS.items():
            self.write(path, before)
        self.set_load(0, 0, 0, 0)

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")

    def read(self, path):
        return (self.root / path).read_text().rstrip("\n")

    def set_load(self, *busy):
        (self.root / "proc/stat").write_text(stat([0] * len(busy)).replace("100", "0"))
        (self.root / "later").write_text(stat(busy))
        (self.root / "proc/stat").chmod(0o666)

    def environment(self, path=None):
        return {**os.environ, "PATH": path or f"{self.programs}:{os.environ['PATH']}", "CALLS": str(self.calls),
                "LLMES_SYSROOT": str(self.root)}

    def isolated(self, *arguments, **options):
        path = options.pop("path", None)
        return subprocess.run([self.program, *arguments], text=True, check=False, env=self.environment(path),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def start(self):
        """A long isolated run, once its command has begun: its process, and the number of the command's."""
        begun = self.folder / "begun"
        process = subprocess.Popen([self.program, "--apply", ALL, "--", "sh", "-c",
                                    f"echo $$ >{begun}; exec {shutil.which('sleep')} 60"],
                                   text=True, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 20
        while not begun.exists() or not begun.read_text().endswith("\n"):
            self.assertLess(time.monotonic(), deadline, "the command did not begin")
            time.sleep(0.01)
        self.assert_applied()
        return process, int(begun.read_text())

    def tree(self):
        """Every file but /proc/stat, which lives, and its bytes."""
        return {str(path.relative_to(self.root)): path.read_bytes() for path in sorted(self.root.rglob("*"))
                if path.is_file() and path.name != "stat"}

    def assert_applied(self):
        for path, (_, value) in SETTINGS.items():
            self.assertEqual(self.read(path), value, path)

    def assert_ends(self, process, status):
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, status, errors)
        return errors

    def records(self):
        return [(record["step"], record["state"], record["detail"])
                for record in map(json.loads, self.report.read_text().splitlines())]

    def core_chosen(self, *arguments):
        result = self.isolated("--dry-run", "--apply=pin", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.splitlines()[0].partition("core: chosen: ")[2]

    # ---- Arguments.

    def test_help(self):
        result = self.isolated("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("isolated.sh [--dry-run]"), result.stdout)
        for step in (*ALL.split(","), "boot"):
            self.assertIn(f"\n  {step} ", result.stdout)

    def test_bad_arguments(self):
        before = self.tree()
        for arguments, status, message in (
                ((), 2, "no command; it goes after --"),
                (("true",), 2, "unknown argument 'true'; the command goes after --"),
                (("--apply",), 2, "--apply needs a value"),
                (("--apply=irq,turbo", "--", "true"), 2, "there is no step 'turbo'; there are: pin memory"),
                (("--apply=boot", "--", "true"), 2, "there is no step 'boot'"),
                (("--core", "4", "--", "true"), 2, "there is no core '4'; there are: 0 1 2 3"),
                (("--core", "one", "--", "true"), 2, "there is no core 'one'"),
                (("--boot", "3", "--apply=irq"), 2, "--apply takes 'boot' alone"),
                (("--boot", "0"), 1, "core 0 and its siblings keep the kernel's own work"),
                (("--boot", "2"), 1, "core 0 and its siblings keep the kernel's own work"),
                (("--restore", "--", "true"), 2, "--restore takes no command"),
                (("--", "no-such-command"), 1, "there is no command 'no-such-command'"),
                (("--report", "/no/such/folder/report", "--", "true"), 1, "cannot write the report")):
            self.assert_fails(self.isolated(*arguments), status, message)
        self.assertEqual(self.tree(), before)

    # ---- What is changed, and undone.

    def test_a_dry_run_lists_every_step_and_changes_nothing(self):
        before = self.tree()
        result = self.isolated("--dry-run", "--report", str(self.report), "--", "touch", str(self.folder / "ran"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for path, (old, new) in SETTINGS.items():
            if old != new:
                self.assertIn(f"planned: /{path}: {old} -> {new}\n", result.stdout)
        for step in ALL.split(","):
            self.assertIn(f"isolated.sh: {step}: planned: ", result.stdout)
        self.assertIn("isolated.sh: boot: skipped: not isolated since boot", result.stdout)
        self.assertEqual({state for _, state, _ in self.records()}, {"chosen", "planned", "already", "skipped"})
        self.assertEqual(self.tree(), before)
        self.assertFalse((self.folder / "ran").exists())

    def test_without_being_asked_it_pins_and_no_more(self):
        before = self.tree()
        result = self.isolated("--", "sh", "-c", f"cp -r {self.root} {self.folder / 'during'}; echo fine; exit 7")
        self.assertEqual((result.returncode, result.stdout), (7, "fine\n"), result.stderr)
        self.assertIn("pin: applied: to core 3", result.stderr)
        during = self.folder / "during"
        for path in SETTINGS:
            self.assertEqual((during / path).read_bytes(), before[path])
        self.assertEqual(self.tree(), before)
        self.assertTrue(self.calls.read_text().splitlines()[-1].startswith("taskset -c 3 sh -c"))

    def test_every_step_is_applied_recorded_and_undone(self):
        before = self.tree()
        result = self.isolated(f"--apply={ALL}", "--report", str(self.report), "--", "cp", "-r", str(self.root),
                               str(self.folder / "during"))
        self.assertEqual(result.returncode, 0, result.stderr)
        for path, (_, value) in SETTINGS.items():
            self.assertEqual((self.folder / "during" / path).read_text(), value + "\n", path)
        self.assertEqual(self.tree(), before)

        calls = self.calls.read_text().splitlines()
        self.assertTrue(calls[-3].startswith("taskset -c 3 numactl --membind=1 chrt -f 20 cp"), calls)
        records = self.records()
        changed = [(path, old, new) for path, (old, new) in SETTINGS.items() if old != new]
        for path, old, new in changed:
            self.assertIn(("applied", f"/{path}: {old} -> {new}"), [record[1:] for record in records])
        self.assertIn(("irq", "already", "/proc/irq/26/smp_affinity is 1"), records)
        self.assertIn(("priority", "applied", "first in, first out, 20; sched_rt_runtime_us is 950000"), records)
        self.assertEqual(records[-1], ("undo", "restored", f"{len(changed)} settings are as they were"))

    def test_all_leaves_the_sibling_alone(self):
        result = self.isolated("--apply=all", "--report", str(self.report), "--", "true")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted({step for step, _, _ in self.records()} - {"core", "boot", "undo"}),
                         sorted(set(ALL.split(",")) - {"sibling"}))

    def test_undone_when_the_command_fails(self):
        before = self.tree()
        self.assertEqual(self.isolated(f"--apply={ALL}", "--", "sh", "-c", "exit 3").returncode, 3)
        self.assertEqual(self.tree(), before)
        self.assertEqual(self.isolated(f"--apply={ALL}", "--", "sh", "-c", "kill -SEGV $$").returncode, 128 + 11)
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
            (self.folder / "begun").unlink()

    def test_undone_by_restore_after_a_kill(self):
        before = self.tree()
        process, command = self.start()
        process.kill()
        os.kill(command, signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, and still in the table of processes
        self.assert_applied()
        with open(self.root / JOURNAL, "a", encoding="utf-8") as journal:
            journal.write("/proc/sys/kernel/sched_rt_runtime_us\t12")  # torn: its end was not written
        self.assertIn("--restore, puts them back", self.isolated("--dry-run").stdout)
        self.assert_applied()

        result = self.isolated("--restore")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a run that was killed has left settings changed", result.stderr)
        self.assertEqual(self.tree(), before)
        self.assertIn("nothing to restore", self.isolated("--restore").stdout)

    def test_the_next_run_restores_first(self):
        before = self.tree()
        process, command = self.start()
        process.kill()
        os.kill(command, signal.SIGKILL)
        self.assert_ends(process, -signal.SIGKILL)
        result = self.isolated("--", "cat", str(self.root / "proc/irq/24/smp_affinity"))
        self.assertEqual((result.returncode, result.stdout), (0, "f\n"), result.stderr)
        self.assertEqual(self.tree(), before)

    def test_a_run_that_lives_is_not_disturbed(self):
        process, _ = self.start()
        for arguments in (("--", "true"), ("--restore",)):
            self.assert_fails(self.isolated(*arguments), 1, f"under way, process {process.pid}")
        self.assert_applied()
        process.terminate()
        self.assert_ends(process, 143)

    def test_a_journal_that_cannot_be_followed_is_kept(self):
        (self.root / JOURNAL).write_text("owner 1 0\n/proc/gone\t1\n/etc/passwd\troot\n"
                                         "/proc/../etc/passwd\troot\nrubbish\n/proc/sys/kernel/watchdog\t0\n")
        result = self.isolated("--restore")
        self.assert_fails(result, 1, "cannot put back /proc/gone: it was 1", "line 3: no setting: /etc/passwd",
                          "line 4: no setting: /proc/../etc/passwd", "line 5: no setting: rubbish",
                          "4 settings are not back")
        self.assertEqual(self.read("proc/sys/kernel/watchdog"), "0")
        self.assertTrue((self.root / JOURNAL).exists())
        self.assertFalse((self.root / "etc").exists())

    def test_what_cannot_be_undone_is_an_error(self):
        path = "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor"
        result = self.isolated("--apply=governor", "--", "rm", f"{self.root}{path}")
        self.assert_fails(result, 1, f"cannot put back {path}: it was powersave")
        self.assertTrue((self.root / JOURNAL).exists())

    # ---- What is left out.

    def test_without_root_it_says_what_it_leaves_out(self):
        paths = [self.root / path for path in SETTINGS]
        for path in (*paths, self.root / "run"):
            path.chmod(path.stat().st_mode & ~0o222)
        before = self.tree()
        result = self.isolated("--apply", ALL, "--", "echo", "ran", **UNPRIVILEGED)
        self.assertEqual((result.returncode, result.stdout), (0, "ran\n"), result.stderr)
        self.assertIn("pin: applied", result.stderr)
        for step in ("governor", "boost", "irq", "workqueue", "watchdog", "sibling"):
            self.assertRegex(result.stderr, f"{step}: skipped: .* cannot be written without root")
        self.assertNotIn("restored", result.stderr)
        self.assertEqual(self.tree(), before)

    def test_without_root_a_journal_is_left_to_root(self):
        self.write(JOURNAL, "owner 1 0")
        (self.root / JOURNAL).chmod(0o444)
        for arguments in (("--restore",), ("--", "true")):
            self.assert_fails(self.isolated(*arguments, **UNPRIVILEGED), 1, "root can put them back: --restore")
        self.assertTrue((self.root / JOURNAL).exists())

    def test_nothing_is_changed_that_could_not_be_undone(self):
        (self.root / "run").rmdir()
        before = self.tree()
        result = self.isolated("--apply=watchdog", "--", "true")
        self.assertRegex(result.stderr, "watchdog: skipped: 2 settings, .*: its value cannot be kept in /run/")
        self.assertEqual((result.returncode, self.tree()), (0, before))

    def test_a_setting_that_refuses(self):
        (self.root / "proc/sys/kernel/watchdog").unlink()
        (self.root / "proc/sys/kernel/watchdog").symlink_to(READ_ONLY)
        result = self.isolated("--apply=watchdog", "--report", str(self.report), "--", "true")
        self.assertEqual(result.returncode, 0, result.stderr)
        state, detail = [record[1:] for record in self.records() if "watchdog" in record[2]][-1]
        self.assertEqual(state, "skipped")
        self.assertRegex(detail, "refuses to change it|without root")

    def test_a_machine_with_nothing_to_set(self):
        shutil.rmtree(self.root / "sys/devices/system/cpu/cpufreq")
        shutil.rmtree(self.root / "sys/devices/system/cpu/intel_pstate")
        shutil.rmtree(self.root / "sys/devices/system/node/node1")
        result = self.isolated("--apply=boost,memory", "--", "true")
        self.assertIn("boost: skipped: this machine has no such setting", result.stderr)
        self.assertIn("memory: already: there is but one memory node", result.stderr)

    def test_missing_programs(self):
        needed = ("bash", "awk", "cat", "cp", "dirname", "ln", "realpath", "rm", "sed", "seq", "sort", "tail", "tr",
                  "true")
        path = self.links_to([pathlib.Path(shutil.which(name)) for name in needed])
        (path / "sleep").symlink_to(self.programs / "sleep")
        result = self.isolated("--apply=pin,memory,priority", "--", "true", path=str(path))
        self.assertEqual(result.returncode, 0, result.stderr)
        for step, program in (("pin", "taskset"), ("memory", "numactl"), ("priority", "chrt")):
            self.assertIn(f"{step}: skipped: there is no {program}; Debian's package", result.stderr)

    def test_programs_that_are_refused(self):
        for name in ("taskset", "numactl", "chrt"):
            self.write_program(self.programs / name, "#!/bin/sh\nexit 1\n")
        result = self.isolated("--apply=pin,memory,priority", "--", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (0, "ran\n"), result.stderr)
        for step in ("pin", "memory", "priority"):
            self.assertIn(f"{step}: skipped: this system does not let us", result.stderr)

    # ---- The core.

    def test_the_last_idle_core_is_chosen(self):
        self.assertEqual(self.core_chosen(), "core 3 of 0 1 2 3: busy 0 %, its sibling 1: busy 0 %")

    def test_a_busy_sibling_disqualifies(self):
        self.set_load(0, 60, 0, 0)
        self.assertEqual(self.core_chosen(), "core 2 of 0 1 2 3: busy 0 %, its sibling 0: busy 0 %")

    def test_a_little_load_does_not(self):
        self.set_load(0, 9, 0, 0)
        self.assertTrue(self.core_chosen().startswith("core 3 of"))

    def test_the_least_busy_if_none_is_idle(self):
        self.set_load(20, 60, 0, 70)
        self.assertEqual(self.core_chosen(),
                         "core 2 of 0 1 2 3: busy 0 %, its sibling 0: busy 20 %; not idle, so expect noise")

    def test_a_load_that_is_not_known_is_not_made_up(self):
        self.set_load(0, 0, 0)
        self.assertEqual(self.core_chosen(), "core 3 of 0 1 2 3: busy ? %, its sibling 1: busy 0 %")

    def test_core_0_is_the_last_resort(self):
        for core in range(4):
            self.write(f"sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list", str(core))
        self.set_load(0, 0, 50, 50)
        self.assertTrue(self.core_chosen().startswith("core 1 of"))
        self.set_load(0, 50, 50, 50)
        self.assertTrue(self.core_chosen().startswith("core 0 of"))

    def test_an_isolated_core_comes_first(self):
        self.write("proc/self/status", "Cpus_allowed_list:\t0,2-3")
        self.write("sys/devices/system/cpu/isolated", "1")
        self.assertTrue(self.core_chosen().startswith("core 1, the only one to choose from"))

    def test_a_core_of_ones_own_choice(self):
        self.assertTrue(self.core_chosen("--core=0").startswith("core 0, as told: busy 0 %, its sibling 2"))

    def test_one_core_only(self):
        self.write("proc/self/status", "Cpus_allowed_list:\t0")
        self.write("sys/devices/system/cpu/online", "0")
        self.write("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0")
        self.set_load(50)
        result = self.isolated(f"--apply={ALL}", "--", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (0, "ran\n"), result.stderr)
        self.assertIn("core 0, the only one to choose from: busy 50 %; not idle, so expect noise", result.stderr)
        for step in ("irq", "workqueue"):
            self.assertIn(f"{step}: skipped: there is no other core to move them to", result.stderr)
        self.assertIn("priority: applied", result.stderr)

        self.write("proc/sys/kernel/sched_rt_runtime_us", "-1")
        result = self.isolated("--apply=priority", "--", "true")
        self.assertIn("priority: skipped: sched_rt_runtime_us is -1, no core is left", result.stderr)

    def test_no_core_to_be_told(self):
        self.write("proc/self/status", "Name:\tbash")
        self.assert_fails(self.isolated("--", "true"), 1, "cannot tell which cores this process may use")

    # ---- From boot on.

    parameters = "isolcpus=domain,managed_irq,1,3 nohz_full=1,3 rcu_nocbs=1,3"

    def test_boot_prints_the_parameters_and_writes_them_when_asked(self):
        (self.root / "etc/default/grub.d").mkdir(parents=True)
        before = self.tree()
        self.assertEqual(self.isolated("--boot", "3").stdout, self.parameters + "\n")
        self.assertEqual(self.isolated("--boot", "3", "--apply=boot", "--dry-run").stdout, self.parameters + "\n")
        self.assertEqual(self.tree(), before)

        result = self.isolated("--boot", "3", "--apply=boot")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--boot-check 3", result.stdout)
        self.assertEqual(self.read("etc/default/grub.d/llmes.cfg").splitlines()[1],
                         f'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT {self.parameters}"')
        self.assertEqual(self.calls.read_text(), "update-grub\n")

    def test_boot_where_it_cannot_be_written(self):
        self.assert_fails(self.isolated("--boot", "3", "--apply=boot"), 1, "no /etc/default/grub.d: give the param")
        (self.root / "etc/default/grub.d").mkdir(parents=True)
        self.write_program(self.programs / "update-grub", "#!/bin/sh\nexit 1\n")
        self.assert_fails(self.isolated("--boot", "3", "--apply=boot"), 1, "update-grub failed")
        self.assertFalse((self.root / "etc/default/grub.d/llmes.cfg").exists())

    def test_boot_check(self):
        self.assert_fails(self.isolated("--boot-check", "3"), 1, "/proc/cmdline has no isolcpus, not core 1 3",
                          "/sys/devices/system/cpu/nohz_full has (null)")
        self.write("proc/cmdline", f"quiet {self.parameters}")
        self.write("sys/devices/system/cpu/isolated", "1,3")
        (self.root / "sys/devices/system/cpu/nohz_full").unlink()
        self.assert_fails(self.isolated("--boot-check", "3"), 1, "nohz_full cannot be read")
        self.write("sys/devices/system/cpu/nohz_full", "0-3")
        result = self.isolated("--boot-check", "3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("boot: already: isolated since boot", self.isolated("--dry-run").stdout)


if __name__ == "__main__":
    unittest.main()
