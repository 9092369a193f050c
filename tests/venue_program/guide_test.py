# SPDX-License-Identifier: MIT
"""The two terminals of report/guide/run_a_venue.md, which README shows too, as printed; only the ports are free ones."""

import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import program


class GuideTest(unittest.TestCase):
    def test_two_terminals_trade_and_show_the_book(self):
        text = (program.ROOT / "report/guide/run_a_venue.md").read_text()
        first, second = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        promised = re.search(r"It prints `([^`]+)`", text)[1]
        # What is installed and built: toolchain.bare_debian does that too.
        here = re.sub(r"(?m)^(sudo apt install|cmake --preset app && .* --target venue\b).*\n", "", first)
        self.assertEqual(len(first.splitlines()) - len(here.splitlines()), 2, first)
        for port, free in zip(("9001", "9002", "9003"), program.free_ports(3)):
            here, second = here.replace(port, str(free)), second.replace(port, str(free))
        with tempfile.TemporaryDirectory(prefix="llmes_guide") as name:
            root = pathlib.Path(name)
            folder = root / "llmes/build/app/examples/venue"
            folder.mkdir(parents=True)
            (folder / "venue").symlink_to(program.PROGRAM)
            (root / "llmes/examples").symlink_to(program.ROOT / "examples")
            said = root / "said"
            with said.open("w") as out:
                venue = subprocess.Popen(["sh", "-e", "-c", here.replace("./venue --journal", "exec ./venue --journal")],
                                         cwd=root, stdout=out, stderr=subprocess.STDOUT)
            try:
                end = time.monotonic() + program.PATIENCE
                while "ready" not in said.read_text():
                    self.assertLess(time.monotonic(), end, said.read_text())
                    self.assertIsNone(venue.poll(), said.read_text())
                    time.sleep(0.05)
                client = subprocess.run(["sh", "-e", "-c", second], cwd=root, capture_output=True, text=True)
                self.assertEqual(client.returncode, 0, client.stderr)
                self.assertIn(promised, client.stdout.splitlines())
            finally:
                venue.kill()
                venue.wait()


if __name__ == "__main__":
    unittest.main()
