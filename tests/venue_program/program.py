# SPDX-License-Identifier: MIT
"""Starts the venue for tests, with a journal, users and symbols of its own."""

import contextlib
import ctypes
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "venue"))

import client  # noqa: E402

PROGRAM = os.environ.get("VENUE", "")
PASSWORD = "secret"
# PBKDF2 of "SECRET" in one round: a test does not wait for the others.
HASH = "pbkdf2:1:0102030405060708:"


def hash_of(password):
    import hashlib

    return HASH + hashlib.pbkdf2_hmac("sha256", password.upper().encode(), bytes(range(1, 9)), 1).hex()


# Nothing waits longer, however busy the machine is.
PATIENCE = 60


def free_ports(count):
    """Ports of TCP and UDP that stay free: the system gives none of them to who asks for any, and each process of the
    tests tries others first."""
    ports = []
    for port in range(10_000 + os.getpid() * 16 % 20_000, 32_000):
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp, contextlib.suppress(OSError):
            for one in (tcp, udp):
                one.bind(("127.0.0.1", port))
            ports.append(port)
        if len(ports) == count:
            return ports
    raise AssertionError("no port is free")


class Venue:
    """A directory with the files of a venue, and the program while it runs."""

    def __init__(self, users=("ANN", "BOB"), options="", symbols="ACME\nZINC tick=50\n"):
        self.folder = tempfile.TemporaryDirectory(prefix="llmes_venue")
        path = pathlib.Path(self.folder.name)
        (path / "journal").mkdir()
        self.users, self.symbols, self.journal = path / "users", path / "symbols", path / "journal"
        self.users.write_text("".join(f"{name} {i + 1} {hash_of(PASSWORD)} {options}\n" for i, name in enumerate(users)))
        self.symbols.write_text(symbols)
        self.process = self.reader = None
        self.ports = {}
        self.lines = []

    def command(self, *flags):
        return [PROGRAM, "--journal", self.journal, "--users", self.users, "--symbols", self.symbols,
                *(str(flag) for flag in flags)]

    def start(self, *flags, prefix=()):
        """Starts it, and waits until it is ready."""
        self.process = subprocess.Popen([*prefix, *self.command(*flags)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        ready = threading.Event()
        self.lines = lines = []

        def read(output):
            for line in output:
                lines.append(line.rstrip("\n"))
                if found := re.match(r"(\w+) (?:at|to) [\d.]+:(\d+)(?:, requests at [\d.]+:(\d+))?", line):
                    self.ports[found[1]] = int(found[2])
                    if found[3]:
                        self.ports["requests"] = int(found[3])
                if line.startswith("ready"):
                    ready.set()
            ready.set()

        self.reader = threading.Thread(target=read, args=(self.process.stdout,), daemon=True)
        self.reader.start()
        if not ready.wait(PATIENCE) or self.process.poll() is not None:
            raise AssertionError("the venue did not start: " + "\n".join(lines))
        return self

    def fails(self, *flags):
        """Starts it where it cannot start. Its exit status and words."""
        done = subprocess.run(self.command(*flags), capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stderr

    def kill(self):
        self.process.kill()
        self.end()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.end()

    def end(self, patience=PATIENCE):
        status = self.process.wait(patience)
        if self.reader:
            self.reader.join(patience)
            self.process.stdout.close()
        return status

    def log_in(self, user, session="", sequence=1, port="orders"):
        return client.Soup("127.0.0.1", self.ports[port], user, PASSWORD, session, sequence)

    def connections(self):
        """Copies of the sockets that it has taken connections with. An OSError where no process may look into its child."""
        system, getfd = ctypes.CDLL(None, use_errno=True), 438
        process = os.pidfd_open(self.process.pid)
        found = []
        for entry in os.scandir(f"/proc/{self.process.pid}/fd"):
            if not os.readlink(entry).startswith("socket:"):
                continue
            copy = system.syscall(getfd, process, int(entry.name), 0)
            if copy < 0:
                raise OSError(ctypes.get_errno(), "pidfd_getfd")
            one = socket.socket(fileno=copy)
            try:
                one.getpeername()
                found.append(one)
            except OSError:
                one.close()  # it listens, or is of the feed
        os.close(process)
        return found

    def page(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports['metrics']}/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
        return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))

    def says(self, line, patience=PATIENCE):
        """Whether it prints a line that begins so within some time."""
        end = time.monotonic() + patience
        while not (said := any(one.startswith(line) for one in self.lines)) and time.monotonic() < end:
            time.sleep(0.01)
        return said

    def counts(self, name, value):
        """Whether it comes to count so many."""
        end = time.monotonic() + PATIENCE
        while not (does := self.page()[f"llmes_venue_{name}"] == str(value)) and time.monotonic() < end:
            time.sleep(0.1)
        return does

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.kill()
        self.folder.cleanup()


def words(soup):
    """What comes until the connection is over, in words."""
    return [client.words_of(message) for _, message in soup.messages(PATIENCE)]


def until(soup, count):
    """The next so many messages, in words; fewer if the connection is over."""
    got = []
    end = time.monotonic() + PATIENCE
    while len(got) < count and time.monotonic() < end and not soup.over:
        kind, payload = soup.receive(0.2)
        if kind == b"S":
            soup.next += 1
            got.append(client.words_of(payload))
    return got


def missing(feed, venue, user):
    """The messages of the feed until now that it lacks."""
    snapshot = venue.log_in(user, port="snapshots")
    *_, (_, end) = snapshot.messages(PATIENCE)
    snapshot.socket.close()
    until = time.monotonic() + PATIENCE
    while feed.next < int(end[1:]) and time.monotonic() < until:
        yield from feed.messages(0.1)


def follow(feed, books, lines):
    """Follows the feed until the books are so, or for a minute. What they are."""
    end = time.monotonic() + PATIENCE
    while list(books.lines()) != lines and time.monotonic() < end:
        for message in feed.messages(0.1):
            books.apply(message)
    return list(books.lines())
