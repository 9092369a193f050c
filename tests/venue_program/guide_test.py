# SPDX-License-Identifier: MIT
"""The terminals of report/guide/run_a_venue.md, two of which README shows too, and its session of FIX, as printed; only the
ports are free ones."""

import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import program


class GuideTest(unittest.TestCase):
    def start(self, commands, cwd):
        """The venue, once it is ready."""
        said = self.root / "said"
        with said.open("w") as out:
            venue = subprocess.Popen(["sh", "-e", "-c", commands.replace("./venue --journal", "exec ./venue --journal")],
                                     cwd=cwd, stdout=out, stderr=subprocess.STDOUT)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        end = time.monotonic() + program.PATIENCE
        while "ready" not in said.read_text():
            self.assertLess(time.monotonic(), end, said.read_text())
            self.assertIsNone(venue.poll(), said.read_text())
            time.sleep(0.05)
        return venue

    def test_its_terminals_trade_and_show_the_book(self):
        text = (program.ROOT / "report/guide/run_a_venue.md").read_text()
        promised = re.search(r"it prints `([^`]+)`", text)[1]
        for port, free in zip(("9001", "9002", "9003", "9004"), program.free_ports(4)):
            text = text.replace(port, str(free))
        first, second, with_fix = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        (session, answers), = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", text, re.DOTALL)
        # What is installed and built: toolchain.bare_debian does that too.
        here = re.sub(r"(?m)^(sudo apt install|cmake --preset app && .* --target venue\b).*\n", "", first)
        self.assertEqual(len(first.splitlines()) - len(here.splitlines()), 2, first)
        name = tempfile.TemporaryDirectory(prefix="llmes_guide")
        self.addCleanup(name.cleanup)
        self.root = pathlib.Path(name.name)
        folder = self.root / "llmes/build/app/examples/venue"
        folder.mkdir(parents=True)
        (folder / "venue").symlink_to(program.PROGRAM)
        (self.root / "llmes/examples").symlink_to(program.ROOT / "examples")
        venue = self.start(here, self.root)
        client = subprocess.run(["sh", "-e", "-c", second], cwd=self.root, capture_output=True, text=True)
        self.assertEqual(client.returncode, 0, client.stderr)
        self.assertIn(promised, client.stdout.splitlines())
        venue.send_signal(signal.SIGINT)
        self.assertEqual(venue.wait(program.PATIENCE), 0)
        self.start(with_fix, folder)
        client = subprocess.run([sys.executable, "-c", session], capture_output=True, text=True, timeout=program.PATIENCE)
        self.assertEqual((client.returncode, client.stdout), (0, answers), client.stderr)


if __name__ == "__main__":
    unittest.main()
