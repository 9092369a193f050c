#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bare_debian.py [--help] FOLDER [WALK ...]

Types what README and the guide print into a bare Debian 12, made in FOLDER, with the packages that the page names and no
others: each command as it stands, in the folder that the page says. Without WALK it takes all of them. Exits with 77, which
ctest takes for skipped, without root, debootstrap or a network.
"""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/venue_program"))

import program  # noqa: E402 the ports that are free

BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
# Whoever uses this has a name, root by `sudo`, and says yes to apt. Nothing is installed that was not asked for.
SUDO = '#!/bin/sh\nexec "$@"\n'
APT = 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\nDpkg::Use-Pty "0";\n'
ENVIRONMENT = {"HOME": "/home/user", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
               "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
PASSED_ON = ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT")
AUTHORITIES = pathlib.Path("usr/local/share/ca-certificates")  # of this machine, where a proxy has one of its own


def skip(why):
    print(f"bare_debian.py: skipped: {why}", file=sys.stderr)
    sys.exit(77)


def blocks(page, heading=None, language="sh"):
    """The blocks of code under a heading of a page, or of all of it."""
    text = (ROOT / page).read_text()
    if heading:
        text = re.split(r"^## ", text.split(f"\n## {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return [code for kind, code in BLOCK.findall(text) if kind == language]


INSTALL, README, VENUE = "report/guide/install.md", "README.md", "report/guide/run_a_venue.md"
HELLO = blocks(README, "A program", "cpp")[0]
HELLO_OUTPUT = blocks(README, "A program", "text")[0]


class Debian:
    """A root that is made once, and copied for each walk."""

    def __init__(self, folder):
        self.base, self.root, self.log = folder / "base", folder / "root", folder / "debootstrap.log"
        self.user = self.root / "home/user"

    def make(self):
        self.remove()
        shutil.rmtree(self.base, ignore_errors=True)
        self.base.mkdir(parents=True)
        with self.log.open("w") as log:
            made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", self.base], stdout=log, stderr=log, check=False)
        if made.returncode:
            skip(f"debootstrap failed; is the network up? It said: {self.log}")
        for name, text, mode in (("usr/local/bin/sudo", SUDO, 0o755), ("etc/apt/apt.conf.d/90test", APT, 0o644)):
            (self.base / name).write_text(text)
            (self.base / name).chmod(mode)
        if (pathlib.Path("/") / AUTHORITIES).is_dir():
            shutil.copytree(pathlib.Path("/") / AUTHORITIES, self.base / AUTHORITIES, dirs_exist_ok=True)
        if subprocess.run(["chroot", self.base, "apt-get", "update"], stdout=subprocess.DEVNULL, check=False).returncode:
            skip("apt-get update failed; is the network up?")

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def begin(self, by_link):
        """A machine as new, with the repository in the user's folder: as `llmes`, or as a link of that name to a folder
        with a space and a plus."""
        self.remove()
        subprocess.run(["cp", "-a", "--reflink=auto", self.base, self.root], check=True)
        folder = self.user / ("a b+c" if by_link else "llmes")
        folder.mkdir(parents=True)
        if by_link:
            (self.user / "llmes").symlink_to(folder.name)
        sources = subprocess.Popen(["tar", "-C", ROOT, "--exclude=./build", "--exclude=./.git", "-c", "."], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-C", folder, "-x"], stdin=sources.stdout, check=True)
        assert sources.wait() == 0

    def write(self, name, text):
        """A file in the user's folder."""
        (self.user / name).write_text(text)

    def shell(self, commands):
        """A terminal in which the commands are typed, at first in the user's folder. It has /proc for as long as it lasts."""
        environment = {**ENVIRONMENT, **{name: os.environ[name] for name in PASSED_ON if name in os.environ}}
        with_proc = 'mount -t proc proc "$0/proc" && exec chroot "$0" bash -e -c "$1"'
        command = ["unshare", "--mount", "sh", "-c", with_proc, self.root, f"cd\n{commands}"]
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.STDOUT, start_new_session=True)

    def type(self, commands, seconds=1200):
        """What the commands print; a failure ends the test."""
        terminal = self.shell(commands)
        try:
            said, _ = terminal.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(terminal.pid, signal.SIGKILL)
            said, _ = terminal.communicate()
            sys.exit(f"after {seconds} s this had not ended:\n{commands}\n{said}")
        if terminal.returncode:
            sys.exit(f"this ended with {terminal.returncode}:\n{commands}\n{said}")
        return said


def expect(said, words):
    if words not in said:
        sys.exit(f"this should have been printed:\n{words}\nbut it was:\n{said}")


# ---- The walks.

def hello(debian, commands, program_name="./hello", lists=""):
    debian.write("hello.cpp", HELLO)
    if lists:
        debian.write("CMakeLists.txt", lists)
    expect(debian.type(f"{commands}\n{program_name}"), HELLO_OUTPUT)


def readme(debian):
    hello(debian, blocks(README, "A program")[0])


def one_header(debian):
    hello(debian, blocks(INSTALL, "One header")[0])


def cmake(debian):
    hello(debian, blocks(INSTALL, "CMake")[0], "build/hello", blocks(README, "Install", "cmake")[0])


def installed(debian):
    first, by_pkg_config = blocks(INSTALL, "Installed")
    lists = blocks(README, "Install", "cmake")[0].replace("add_subdirectory(llmes)\n", blocks(INSTALL, "Installed", "cmake")[0])
    hello(debian, first + blocks(INSTALL, "CMake")[0], "build/hello", lists)
    hello(debian, by_pkg_config)


def conan(debian):
    debian.type(blocks(INSTALL, "Conan and vcpkg")[0])


def python(debian):
    """README and the guide have the same lines; here are those of the guide, with all that it prints."""
    page = "report/guide/python.md"
    install, command_line = blocks(page)
    assert install == blocks(README, "From Python")[0]
    debian.write("first.py", blocks(page, language="python")[0])
    debian.write("readme.py", blocks(README, "From Python", "python")[0])
    debian.write("llmes/seller.py", blocks(page, "Strategies", "python")[0].split("\nrun = ")[0])
    said = debian.type(f"{install}\npython ~/first.py\npython ~/readme.py\n{command_line}")
    expect(said, blocks(page, language="text")[0])
    expect(said, blocks(README, "From Python", "text")[0])


def venue(debian):
    first, second, with_fix = blocks(VENUE)
    session, answers = blocks(VENUE, language="python")[0], blocks(VENUE, language="text")[0]
    assert [first, second] == blocks(README, "A venue to connect to")
    for port, free in zip(("9001", "9002", "9003", "9004"), program.free_ports(4)):
        first, second, with_fix, session = (text.replace(port, str(free)) for text in (first, second, with_fix, session))
    promised = re.search(r"it prints `([^`]+)`", (ROOT / README).read_text())[1]
    for commands, then, printed in ((first, second, promised),
                                    (f"cd llmes/build/app/examples/venue\n{with_fix}", "python3 ~/session.py", answers)):
        debian.write("session.py", session)
        terminal = debian.shell(commands)
        try:
            said = ""
            for line in terminal.stdout:
                said += line
                if line.startswith("ready"):
                    break
            else:
                sys.exit(f"the venue did not start:\n{said}")
            said = debian.type(then, 60)
            expect(said.splitlines() if printed == promised else said, printed)
        finally:
            os.killpg(terminal.pid, signal.SIGKILL)
            terminal.wait()


def check_tape(debian):
    expect(debian.type(blocks("report/guide/simulator.md")[0]), (ROOT / "examples/expected/check_tape_dbn.txt").read_text())


def examples(debian):
    commands = [*blocks("examples/README.md"), *blocks("examples/data/README.md")]
    said = debian.type("\n".join(commands), 3000)
    for name in ("itch_depth", "backtest_itch"):
        expect(said, (ROOT / f"examples/expected/{name}.txt").read_text())


def measure(debian):
    """The two commands of README's last block are of some 40 minutes; this is the short form of one, and below of the other."""
    folder, bench, _ = printed_by_measure_and_test()
    said = debian.type(f"{folder}\n{bench} --quick", 3000)
    expect(said, "bench.sh: raw results: build/bench/")
    expect(said, "| macro 200,000 | core / btree ")


def tests(debian):
    folder, _, test = printed_by_measure_and_test()
    expect(debian.type(f"{folder}\n{test} --presets=debug", 3600), "100% tests passed")


def printed_by_measure_and_test():
    commands = [line.partition("#")[0].strip() for line in blocks(README, "Measure and test")[0].splitlines()]
    assert commands == ["cd llmes", "scripts/bench.sh", "scripts/test.sh"], commands
    return commands


WALKS = {walk.__name__: walk for walk in (readme, one_header, cmake, installed, conan, python, venue, check_tape, examples, measure, tests)}
BY_LINK = (cmake, python, venue, measure)


def processor_time():
    """Seconds that all commands have taken, whatever else the machine did."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments):
    if "--help" in arguments:
        print(f"{__doc__}\nWALK is one of {', '.join(WALKS)}.")
        return
    wrong = [one for one in arguments if one.startswith("-") or one not in WALKS and one != arguments[0]]
    if not arguments or wrong:
        print(f"bare_debian.py: {f'no walk is called {wrong[0]!r}' if wrong else 'which folder?'}; try --help", file=sys.stderr)
        sys.exit(2)
    if os.getuid():
        skip("only root can make a Debian")
    if not shutil.which("debootstrap"):
        skip("there is no debootstrap; install it with: scripts/setup.sh long")
    debian = Debian(pathlib.Path(arguments[0]).resolve())
    debian.make()
    try:
        for name in arguments[1:] or WALKS:
            begun, used = time.monotonic(), processor_time()
            debian.begin(by_link=WALKS[name] in BY_LINK)
            WALKS[name](debian)
            print(f"{name}: {time.monotonic() - begun:.0f} s, {processor_time() - used:.0f} s of processor time", flush=True)
    finally:
        debian.remove()


if __name__ == "__main__":
    main(sys.argv[1:])
