# SPDX-License-Identifier: MIT
"""A file that a script writes is whole or as it was, and what went wrong names it and the system's reason."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support

OLD = "kept from another run\n"
WRITE = """import sys
sys.path.insert(0, sys.argv[1])
import files
try:
    files.write_text(sys.argv[2], "x" * 4000)
except OSError as error:
    sys.exit(str(error))
"""


class FilesTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.file = self.folder / "file"
        self.file.write_text(OLD)

    def write(self, path, limit=""):
        return subprocess.run(["bash", "-c", f'{limit} exec "$0" "$@"', sys.executable, "-c", WRITE,
                               str(support.ROOT / "scripts/analysis"), str(path)], text=True, stderr=subprocess.PIPE,
                              check=False)

    def assert_refused(self, result, *parts):
        self.assertEqual(result.returncode, 1)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(self.file.read_text(), OLD)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.is_file()), ["file"])

    def test_it_is_replaced(self):
        self.assertEqual(self.write(self.file).returncode, 0)
        self.assertEqual(self.file.read_text(), "x" * 4000)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["file"])

    def test_a_full_disk(self):
        self.assert_refused(self.write(self.file, "ulimit -f 1;"), f"File too large: '{self.file}'")

    def test_what_is_no_place_for_a_file(self):
        os.mkfifo(self.folder / "pipe")
        for path, reason in (("missing/file", "No such file or directory"), ("file/below", "Not a directory"),
                             (".", "Is a directory"), ("pipe", "it is no file")):
            path = self.folder / path
            self.assert_refused(self.write(path), reason, f"'{path}'")

    def test_a_folder_that_is_not_to_be_written_to(self):
        path = pathlib.Path("/proc/file") if os.geteuid() == 0 else self.folder / "locked/file"
        if os.geteuid() != 0:
            path.parent.mkdir(mode=0o555)
        self.assert_refused(self.write(path), f"'{path}'")


if __name__ == "__main__":
    unittest.main()
