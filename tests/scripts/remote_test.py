# SPDX-License-Identifier: MIT
"""remote/campaign.sh against an ssh server of this machine, whose users alpha and beta have a home each."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

import support

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")

# Where a key leads instead of a shell: to the home of its host. Notes each call with the process that serves its
# connection, and cuts off one connection for each file in `drops`, whose command has the words in there: ahead of the
# command, or where the file's name begins with `late`, after it.
DOOR = '''#!/bin/sh
HOME={home}; export HOME
cd
echo "$PPID $SSH_ORIGINAL_COMMAND" >>calls
for drop in $(ls drops 2>/dev/null); do
  case $SSH_ORIGINAL_COMMAND in
    *"$(cat drops/$drop)"*)
      rm drops/$drop
      case $drop in late*) sh -c "$SSH_ORIGINAL_COMMAND" ;; esac
      kill -9 $PPID
      exit 1
      ;;
  esac
done
if [ -d sysroot ]; then LLMES_SYSROOT={home}/sysroot; export LLMES_SYSROOT; fi
exec sh -c "$SSH_ORIGINAL_COMMAND"
'''

# A campaign that waits, where the home has a file `closed`, until that is gone, and exits with what `exit` says.
MEASURE = '''#!/bin/bash
echo "first line"
echo $$ >>"$HOME/begun"
while [ -e "$HOME/closed" ]; do sleep 0.05; done
echo "last line"
mkdir -p server_results/run
echo '{"fingerprint": {"commit": "'"${1:-$(git rev-parse HEAD)}"'"}}' >server_results/run/macro.json
exit "$(cat "$HOME/exit" 2>/dev/null || echo 0)"
'''

SETUP = '''#!/bin/sh
[ ! -e "$HOME/lacks" ] || { echo "setup.sh: missing: $(cat "$HOME/lacks") ($*)" >&2; exit 1; }
'''


@unittest.skipUnless(SSHD and shutil.which("ssh-keygen") and shutil.which("parallel"),
                     "needs sshd, ssh-keygen and parallel; scripts/setup.sh test installs them")
class RemoteTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.write_program(self.repository / "scripts" / "measure.sh", MEASURE)
        self.write_program(self.repository / "scripts" / "setup.sh", SETUP)
        (self.repository / ".gitignore").write_text("/build/\n")
        self.git("init", "-q")
        self.git("add", ".")
        self.git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "All")
        self.commit = self.git("rev-parse", "HEAD").strip()
        self.results = self.repository / "server_results"
        self.start_server()

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.repository, stdout=subprocess.PIPE, text=True,
                              check=True).stdout

    def start_server(self):
        ssh = self.folder / "ssh"
        ssh.mkdir(mode=0o700)
        with socket.socket() as listener, socket.socket() as closed:
            for some in (listener, closed):
                some.bind(("127.0.0.1", 0))
            port, closed_port = listener.getsockname()[1], closed.getsockname()[1]
        config = ""
        for host in ("server", "alpha", "beta", "dead"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(ssh / host)], check=True)
            if host == "server":
                continue
            self.home(host).mkdir(parents=True)
            self.write_program(ssh / f"{host}-door", DOOR.format(home=self.home(host)))
            with open(ssh / "authorized_keys", "a", encoding="ascii") as keys:
                keys.write(f'command="{ssh}/{host}-door" {(ssh / (host + ".pub")).read_text()}')
            config += (f"Host {host}\n  HostName 127.0.0.1\n  Port {closed_port if host == 'dead' else port}\n"
                       f"  IdentityFile {ssh}/{host}\n  IdentitiesOnly yes\n  IdentityAgent none\n"
                       f"  UserKnownHostsFile {ssh}/known_hosts\n  StrictHostKeyChecking yes\n")
        key = (ssh / "server.pub").read_text()
        (ssh / "known_hosts").write_text(f"[127.0.0.1]:{port} {key}")
        self.config = ssh / "config"
        self.config.write_text(config)
        (ssh / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1:{port}\nHostKey {ssh}/server\nAuthorizedKeysFile {ssh}/authorized_keys\n"
            "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nMaxStartups 100\n")
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # sshd gives up its rights in there
        log = open(ssh / "log", "wb")
        self.addCleanup(log.close)
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(ssh / "sshd_config")], stderr=log,
                                  stdin=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.wait_until(lambda: b"listening" in (ssh / "log").read_bytes(), "sshd does not listen")

    def wait_until(self, condition, message):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, message)
            time.sleep(0.05)

    def home(self, host):
        return self.folder / "homes" / host

    def calls(self, host, words):
        """Process numbers of the connections whose command has these words."""
        path = self.home(host) / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [int(line.split()[0]) for line in lines if words in line]

    def arguments(self, *arguments):
        if "--fetch" not in arguments and "--" not in arguments:
            arguments += ("--", "scripts/measure.sh")
        return ["--ssh-config", str(self.config), *arguments]

    def campaign(self, *arguments, **environment):
        return self.script("remote/campaign.sh", *self.arguments(*arguments), **environment)

    def start(self, *arguments):
        """A campaign whose command has begun on alpha and waits there."""
        (self.home("alpha") / "closed").touch()
        process = subprocess.Popen([str(self.repository / "scripts/remote/campaign.sh"), *self.arguments(*arguments)],
                                   text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        self.addCleanup(self.open_gate)
        self.wait_until(lambda: self.calls("alpha", "runner.sh follow"), "nobody follows the run")
        self.wait_until((self.home("alpha") / "begun").exists, "the command did not begin")
        return process

    def open_gate(self):
        (self.home("alpha") / "closed").unlink(missing_ok=True)

    def finish(self, process):
        output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def assert_delivered(self, folder, host):
        folder = folder / host
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["log.txt", "run"])
        self.assertEqual((folder / "log.txt").read_text(), "first line\nlast line\n")
        self.assertEqual(json.loads((folder / "run" / "macro.json").read_text())["fingerprint"]["commit"], self.commit)
        self.assert_clean(host)

    def assert_clean(self, host):
        self.assertEqual(list((self.home(host) / ".cache/llmes-campaign").glob("*")), [])

    def the_state(self):
        states = list((self.repository / "build" / "remote").iterdir())
        self.assertEqual(len(states), 1)
        return states[0]

    def test_help(self):
        result = self.campaign("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("campaign.sh [--save NAME]"), result.stdout)

    def test_bad_arguments(self):
        for arguments, message in (
                (["--fast", "alpha"], "unknown argument '--fast'"), ([], "no host"),
                (["-oProxyCommand=touch x"], "unknown argument '-oProxyCommand"),
                (["me@-oProxyCommand=x"], "'me@-oProxyCommand=x' is no name of a host"),
                (["alpha beta"], "'alpha beta' is no name of a host"), ([".."], "'..' is no name of a host"),
                (["alpha", "beta", "alpha"], "alpha is named twice"), (["--save=a/b", "alpha"], "'a/b' is no name"),
                (["--jobs", "0", "alpha"], "--jobs: '0'"), (["--timeout=soon", "alpha"], "--timeout: 'soon'"),
                (["--isolate", "pin;x", "alpha"], "--isolate: 'pin;x'"),
                (["--fetch", str(self.repository / "build")], "is no folder of a remote campaign")):
            self.assert_fails(self.campaign(*arguments), 1 if "--fetch" in arguments else 2, message)
        result = self.script("remote/campaign.sh", "--ssh-config=/nowhere", "alpha")
        self.assert_fails(result, 1, "cannot read /nowhere")
        self.assertFalse((self.repository / "build").exists())

    def test_two_hosts_deliver(self):
        result = self.campaign("--save=fleet", "alpha", "beta")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for host in ("alpha", "beta"):
            self.assert_delivered(self.results / "fleet", host)
            self.assertIn(f"{host}\tfirst line\n", result.stdout)
            self.assertIn(f"campaign.sh: {host}: done, server_results/fleet/{host}/\n", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_what_is_there_is_replaced_only_by_force(self):
        (self.results / "fleet" / "alpha" / "old").mkdir(parents=True)
        self.assert_fails(self.campaign("--save=fleet", "alpha"), 1, "server_results/fleet/alpha is there already")
        self.assertEqual(self.campaign("--save=fleet", "--force", "alpha").returncode, 0)
        self.assert_delivered(self.results / "fleet", "alpha")

    def test_a_dead_host_costs_nothing_but_itself(self):
        result = self.campaign("--jobs=1", "dead", "alpha")
        self.assert_fails(result, 1, "dead\thost_job.sh: failed at connect: ssh: connect to host 127.0.0.1")
        self.assertNotIn(b"\r", (self.the_state() / "hosts" / "dead" / "outcome").read_bytes())  # ssh ends lines so
        self.assertIn("campaign.sh: dead: failed at connect: ", result.stdout)
        self.assert_delivered(self.the_state() / "results", "alpha")

    def test_a_connection_that_drops_during_the_run(self):
        process = self.start("--save=fleet", "alpha", "beta")
        os.kill(self.calls("alpha", "runner.sh follow")[0], signal.SIGKILL)
        self.wait_until(lambda: len(self.calls("alpha", "runner.sh follow")) == 2, "the run is not followed again")
        self.open_gate()
        result = self.finish(process)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.count("alpha\tfirst line\n"), 1)
        for host in ("alpha", "beta"):
            self.assert_delivered(self.results / "fleet", host)

    def test_a_connection_that_drops_at_any_other_step(self):
        drops = self.home("alpha") / "drops"
        drops.mkdir()
        for i, words in enumerate(("tar -xzof", "runner.sh setup", "runner.sh start", "runner.sh state",
                                   "runner.sh log", "runner.sh pack")):
            (drops / str(i)).write_text(words)
        (drops / "late").write_text("runner.sh start")
        result = self.campaign("--save=fleet", "alpha")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(list(drops.iterdir()), [])
        self.assertEqual(len((self.home("alpha") / "begun").read_text().split()), 1, "begun more than once")
        self.assert_delivered(self.results / "fleet", "alpha")

    def test_a_command_that_fails(self):
        (self.home("alpha") / "exit").write_text("3")
        result = self.campaign("--save=fleet", "alpha", "beta")
        self.assert_fails(result, 1, "failed at run: the command ended with status 3")
        log = self.the_state() / "hosts" / "alpha" / "log.txt"
        self.assertIn(f"(log: {log.relative_to(self.repository)})", result.stdout)
        self.assertEqual(log.read_text(), "first line\nlast line\n")
        self.assertFalse((self.results / "fleet" / "alpha").exists())
        self.assert_clean("alpha")
        self.assert_delivered(self.results / "fleet", "beta")

    def test_a_host_that_lacks_something(self):
        (self.home("alpha") / "lacks").write_text("valgrind")
        self.assert_fails(self.campaign("alpha"), 1, "failed at setup: setup.sh: missing: valgrind (--check bench)")
        self.assert_fails(self.campaign("--setup", "alpha"), 1, "missing: valgrind (bench)")
        self.assert_clean("alpha")

    def test_changes_are_refused_or_left_out(self):
        with open(self.repository / "scripts" / "measure.sh", "a", encoding="ascii") as script:
            script.write("exit 9\n")
        self.assert_fails(self.campaign("alpha"), 1, f"changes that commit {self.commit[:12]} does not hold", "--dirty")
        self.assertEqual(self.campaign("--dirty", "--save=fleet", "alpha").returncode, 0)
        self.assert_delivered(self.results / "fleet", "alpha")

    def test_a_command_that_is_in_no_commit(self):
        self.assert_fails(self.campaign("alpha", "--", "scripts/new.sh"), 1, "has no scripts/new.sh")

    def test_without_a_repository(self):
        shutil.rmtree(self.repository / ".git")
        self.assert_fails(self.campaign("alpha", GIT_CEILING_DIRECTORIES=str(self.folder)), 1, "no commit to ship")

    def test_without_parallel(self):
        programs = [path for path in pathlib.Path("/usr/bin").iterdir() if path.name != "parallel"]
        path = self.links_to(programs)
        self.assert_fails(self.campaign("alpha", PATH=str(path)), 1, "no GNU parallel; scripts/setup.sh remote")
        self.write_program(path / "parallel", "#!/bin/sh\necho 'parallel [OPTIONS] command -- arguments'\n")
        self.assert_fails(self.campaign("alpha", PATH=str(path)), 1, "no GNU parallel; scripts/setup.sh remote")

    def test_artifacts_of_another_commit_are_refused(self):
        result = self.campaign("--save=fleet", "alpha", "--", "scripts/measure.sh", "0123abc")
        self.assert_fails(result, 1, "failed at fetch", f"was made from commit 0123abc, not {self.commit}",
                          "~/.cache/llmes-campaign/")
        self.assertFalse(self.results.exists())

    def test_a_command_that_leaves_no_artifact(self):
        self.assert_fails(self.campaign("--save=fleet", "alpha", "--", "true"), 1, "it may need --save")
        result = self.campaign("--save=fleet", "alpha", "--", "sh", "-c",
                               "mkdir server_results; echo >server_results/x")
        self.assert_fails(result, 1, "none of what came back carries a fingerprint")
        self.assertFalse(self.results.exists())

    def test_a_run_that_takes_too_long_is_stopped(self):
        process = self.start("--timeout=3", "--save=fleet", "alpha")
        self.assert_fails(self.finish(process), 1, "failed at run: stopped, still running after 3 seconds")
        self.assert_stopped()

    def test_an_interruption_stops_the_run(self):
        process = self.start("--save=fleet", "alpha")
        process.send_signal(signal.SIGINT)
        result = self.finish(process)
        self.assert_fails(result, 130, "interrupted; stopping the runs")
        self.assertIn("campaign.sh: alpha: interrupted", result.stdout)
        self.assert_stopped()

    def assert_stopped(self):
        number = (self.home("alpha") / "begun").read_text().strip()
        self.assertFalse(pathlib.Path("/proc", number).exists(), "the command is still running")
        self.assertFalse(self.results.exists())
        self.assert_clean("alpha")

    def test_a_terminal_that_goes_away_leaves_the_run(self):
        process = self.start("--save=fleet", "alpha")
        process.send_signal(signal.SIGHUP)
        state = self.the_state()
        self.assert_fails(self.finish(process), 129, f"--fetch {state.relative_to(self.repository)}")
        self.assertFalse(self.results.exists())
        self.open_gate()
        result = self.campaign("--fetch", str(state))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assert_delivered(self.results / "fleet", "alpha")
        self.assertIn("nothing is left on any host", self.campaign("--fetch", str(state)).stdout)

    def kill_runner(self):
        there = next((self.home("alpha") / ".cache/llmes-campaign").iterdir())
        os.killpg(int((there / "pid").read_text()), signal.SIGKILL)

    def test_a_run_that_was_killed(self):
        process = self.start("alpha")
        self.kill_runner()
        self.assert_fails(self.finish(process), 1, "failed at run: the run was killed, or the host was started again")

    def test_isolation(self):
        watchdog = self.make_sysroot()
        result = self.campaign("--isolate=watchdog", "--keep", "--save=fleet", "alpha")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(watchdog.read_text(), "1\n")
        report = [json.loads(line) for line in (self.results / "fleet/alpha/isolation.jsonl").read_text().splitlines()]
        self.assertIn(("watchdog", "applied"), [(line["step"], line["state"]) for line in report])
        self.assertIn("nothing to restore", (self.results / "fleet/alpha/log.txt").read_text())
        kept = next((self.home("alpha") / ".cache/llmes-campaign").iterdir())
        self.assertTrue((kept / "source" / "scripts").is_dir())

    def make_sysroot(self):
        """A tree that stands for / in the isolation of alpha. The file of its one setting."""
        root = self.home("alpha") / "sysroot"
        watchdog = root / "proc/sys/kernel/watchdog"
        for path, text in ((root / "proc/self/status", "Cpus_allowed_list:\t0"), (root / "proc/cmdline", ""),
                           (root / "proc/stat", ""), (root / "sys/devices/system/cpu/online", "0"), (watchdog, "1")):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        (root / "run").mkdir()
        return watchdog

    def start_isolated(self):
        """As start, with the setting changed. Its file, and the process."""
        watchdog = self.make_sysroot()
        process = self.start("--isolate=watchdog", "--save=fleet", "alpha")
        self.assertEqual(watchdog.read_text(), "0\n")
        return watchdog, process

    def test_an_interruption_undoes_the_isolation(self):
        watchdog, process = self.start_isolated()
        process.send_signal(signal.SIGINT)
        self.assert_fails(self.finish(process), 130, "interrupted")
        self.assertEqual(watchdog.read_text(), "1\n")
        self.assert_stopped()

    def test_isolation_is_undone_though_nobody_is_connected(self):
        watchdog, process = self.start_isolated()
        process.send_signal(signal.SIGHUP)
        self.finish(process)
        self.open_gate()
        self.wait_until(lambda: watchdog.read_text() == "1\n", "the setting is not put back")

    def test_isolation_of_a_run_that_was_killed_is_undone(self):
        watchdog, process = self.start_isolated()
        self.kill_runner()
        self.open_gate()
        self.assert_fails(self.finish(process), 1, "failed at run: the run was killed")
        self.assertEqual(watchdog.read_text(), "1\n")


if __name__ == "__main__":
    unittest.main()
