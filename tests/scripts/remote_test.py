# SPDX-License-Identifier: MIT
"""remote.sh with an ssh server of this machine, whose hosts alpha and beta have a home each."""

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

# What a key opens instead of a shell: the home of its host. Notes the process that serves each connection. Closes the
# second connection if there is a file `closes`; makes it wait for the third if there is a file `waits`.
DOOR = '''#!/bin/sh
HOME={home}; export HOME
cd
echo "$PPID" >>connections
second() {{ [ "$(wc -l <connections)" -eq 2 ]; }}
if [ -e closes ] && second; then exit 255; fi
while [ -e waits ] && second; do sleep 0.05; done
exec sh -c "$SSH_ORIGINAL_COMMAND"
'''

# A campaign that waits while the home has a file `closed`, and exits with what `exit` says.
MEASURE = '''#!/bin/bash
echo "first line"
echo $$ >>"$HOME/begun"
while [ -e "$HOME/closed" ]; do sleep 0.05; done
echo "last line" >&2
[ "$2" != run ] || mkdir -p server_results/run
echo '{"fingerprint": {"commit": "'"${COMMIT-$(git rev-parse HEAD)}"'"}}' >server_results/run/runs.jsonl
exit "$(cat "$HOME/exit" 2>/dev/null || echo 0)"
'''

SETUP = '''#!/bin/sh
[ ! -e "$HOME/lacks" ] || { echo "setup.sh: missing: $(cat "$HOME/lacks") ($*)" >&2; exit 1; }
'''


@unittest.skipUnless(SSHD and shutil.which("ssh-keygen"),
                     "needs sshd and ssh-keygen; scripts/setup.sh long installs them")
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

    def arguments(self, *arguments):
        if "--" not in arguments:
            arguments += ("--", "scripts/measure.sh")
        return ["--ssh-config", str(self.config), *arguments]

    def remote(self, *arguments, **environment):
        return self.script("remote/remote.sh", *self.arguments(*arguments), **environment)

    def start(self, *arguments):
        """A campaign whose command has begun on alpha and waits there."""
        (self.home("alpha") / "closed").touch()
        process = self.launch(*arguments)
        self.wait_until(lambda: (self.home("alpha") / "begun").exists() and self.command(), "the command did not begin")
        return process

    def launch(self, *arguments):
        process = subprocess.Popen([str(self.repository / "scripts/remote/remote.sh"), *self.arguments(*arguments)],
                                   text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        return process

    def connections(self):
        path = self.home("alpha") / "connections"
        return path.read_text().split() if path.exists() else []

    def command(self):
        """The process number of alpha's command."""
        return (self.home("alpha") / "begun").read_text().strip()

    def finish(self, process):
        output, errors = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def assert_delivered(self, folder, host):
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["log.txt", "runs.jsonl"])
        self.assertEqual((folder / "log.txt").read_text(), "first line\nlast line\n")
        self.assertEqual(json.loads((folder / "runs.jsonl").read_text())["fingerprint"]["commit"], self.commit)
        self.assert_clean(host)

    def assert_clean(self, host):
        self.assertEqual(list((self.home(host) / ".cache/llmes-remote").glob("*")), [])

    def assert_failed(self, result, host, *parts):
        """The host has not delivered, which is said with these words; nothing is left on it, and nothing kept."""
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for part in (f"remote.sh: {host}: failed: ", *parts):
            self.assertIn(part, result.stdout)
        self.assertFalse((self.results / "fleet" / host).exists())
        self.assert_clean(host)

    def assert_stopped(self):
        command = pathlib.Path("/proc", self.command())
        self.wait_until(lambda: not command.exists(), "the command is still running")
        self.wait_until(lambda: not list((self.home("alpha") / ".cache/llmes-remote").glob("*")), "the checkout stays")
        self.assertFalse(self.results.exists())

    def test_help(self):
        result = self.remote("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("remote.sh [--save NAME]"), result.stdout)

    def test_bad_arguments(self):
        for arguments, message in (
                (["--fast", "alpha"], "unknown argument '--fast'"), ([], "no host"),
                (["-oProxyCommand=touch x"], "unknown argument '-oProxyCommand"),
                (["me@-oProxyCommand=x"], "'me@-oProxyCommand=x' is not the name of a host"),
                (["alpha beta"], "'alpha beta' is not the name of a host"), ([".."], "'..' is not the name of a host"),
                (["alpha", "beta", "alpha"], "alpha is named twice"), (["--save=a/b", "alpha"], "'a/b' is not a name")):
            self.assert_fails(self.remote(*arguments), 2, message)
        result = self.script("remote/remote.sh", "--ssh-config=/nowhere", "alpha")
        self.assert_fails(result, 1, "cannot read /nowhere")
        self.assertFalse((self.repository / "build").exists())

    def test_two_hosts_deliver(self):
        result = self.remote("--save=fleet", "alpha", "beta")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        for host in ("alpha", "beta"):
            self.assert_delivered(self.results / "fleet" / host, host)
            self.assertIn(f"{host}: first line\n", result.stdout)
            self.assertIn(f"remote.sh: {host}: done: server_results/fleet/{host}/\n", result.stdout)
        self.assert_fails(self.remote("--save=fleet", "alpha"), 1, "server_results/fleet/alpha already exists")

    def test_a_host_that_fails_costs_the_others_nothing(self):
        (self.home("beta") / "exit").write_text("3")
        result = self.remote("dead", "beta", "alpha")
        self.assertEqual(result.returncode, 1)
        self.assertIn("dead: failed: cannot send the commit: ssh: connect to host 127.0.0.1", result.stdout)
        self.assertNotIn("\r", result.stdout)  # ssh ends lines with one
        self.assertIn("beta: failed: the command ended with status 3: last line", result.stdout)
        state, = (self.repository / "build/remote").iterdir()
        self.assert_delivered(state / "alpha" / "results", "alpha")
        self.assert_clean("beta")

    def test_a_host_that_lacks_something(self):
        (self.home("alpha") / "lacks").write_text("valgrind")
        self.assert_failed(self.remote("alpha"), "alpha", "setup.sh: missing: valgrind (--check bench)")

    def test_changes_are_refused(self):
        with open(self.repository / "scripts" / "measure.sh", "a", encoding="ascii") as script:
            script.write("exit 9\n")
        self.assert_fails(self.remote("alpha"), 1, f"changes that commit {self.commit[:12]} does not hold")

    def test_without_a_repository(self):
        shutil.rmtree(self.repository / ".git")
        self.assert_fails(self.remote("alpha", GIT_CEILING_DIRECTORIES=str(self.folder)), 1, "not a git repository")

    def test_results_of_another_commit_are_refused(self):
        result = self.remote("--save=fleet", "alpha", "--", "env", "COMMIT=0123abc", "scripts/measure.sh")
        self.assert_failed(result, "alpha", f"were made from commit 0123abc, not {self.commit}")

    def test_a_command_that_leaves_no_results(self):
        self.assert_failed(self.remote("--save=fleet", "alpha", "--", "true"), "alpha", "it must accept --save NAME")
        result = self.remote("--save=fleet", "alpha", "--", "sh", "-c", "mkdir -p server_results/run")
        self.assert_failed(result, "alpha", "no fingerprint in the results")

    def test_a_connection_that_drops_ends_the_run(self):
        process = self.start("--save=fleet", "alpha")
        os.kill(int(self.connections()[-1]), signal.SIGKILL)
        self.assert_failed(self.finish(process), "alpha", "the connection was lost, and the run ended with it")
        self.assert_stopped()

    def test_an_interruption_ends_the_run(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process = self.start("--save=fleet", "alpha")
            process.send_signal(number)
            self.assert_fails(self.finish(process), status, "ending the runs on the hosts")
            self.assert_stopped()
            (self.home("alpha") / "begun").unlink()
        self.assertEqual(list((self.repository / "build/remote").rglob("checkout.tar.gz")), [])

    def test_a_connection_that_drops_before_the_run_leaves_nothing(self):
        (self.home("alpha") / "closes").touch()
        self.assert_failed(self.remote("--save=fleet", "alpha"), "alpha", "the connection was lost")

    def test_an_interruption_before_the_run_leaves_nothing(self):
        (self.home("alpha") / "waits").touch()
        process = self.launch("--save=fleet", "alpha")
        self.wait_until(lambda: len(self.connections()) == 2, "there is no second connection")
        process.terminate()
        self.assert_fails(self.finish(process), 143, "ending the runs on the hosts")
        self.wait_until(lambda: not list((self.home("alpha") / ".cache/llmes-remote").glob("*")), "the checkout stays")
        self.assertFalse(self.results.exists())

    def test_a_kill_ends_the_run(self):
        process = self.start("--save=fleet", "alpha")
        process.kill()
        process.wait()
        self.assert_stopped()


if __name__ == "__main__":
    unittest.main()
