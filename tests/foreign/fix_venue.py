# SPDX-License-Identifier: MIT
"""The venue program with a port of FIX, for tests with clients that others wrote. VENUE names it."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "venue_program"))

from program import PATIENCE, free_ports  # noqa: E402


def far_from_now():
    """A time of the day for sessions to begin and end, when all numbers begin at 1 again: in no test."""
    return time.strftime("%H:%M:%S", time.gmtime(time.time() + 12 * 3600))


class Venue:
    """The program in a folder of its own; it may be killed and started again."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "journal").mkdir()
        made = subprocess.run([os.environ["VENUE"], "hash-password"], input="secret\n", text=True, capture_output=True,
                              check=True)
        users = [f"{name} {account} {made.stdout.strip()} fix={name.upper()}"
                 for account, name in enumerate(("ann", "bob", "eve"), 1)]
        (self.folder / "users").write_text("\n".join(users) + "\n", encoding="utf-8")
        (self.folder / "symbols").write_text("ABC tick=100\n", encoding="utf-8")
        self.port, = free_ports(1)
        self.process = self.reader = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [os.environ["VENUE"], "--journal", self.folder / "journal", "--symbols", self.folder / "symbols", "--users",
             self.folder / "users", "--fix-port", str(self.port)], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("ready"):
                self.reader = threading.Thread(target=self.process.stdout.read, daemon=True)
                self.reader.start()
                return
        raise AssertionError("the venue did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)
