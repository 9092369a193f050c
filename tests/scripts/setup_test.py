# SPDX-License-Identifier: MIT
"""setup.sh and test.sh: their arguments, and what they say when they cannot install."""

import pathlib
import shutil
import unittest

import support


class SetupTest(support.ScriptTest):
    INSTALLS = ("mktemp", "rm", "tee", "tr", "grep", "tail")  # what it runs in order to install

    def bare_path(self, *names):
        """A PATH that holds what the script itself runs, and `names`, and so lacks everything it looks for."""
        tools = [pathlib.Path(shutil.which(name)) for name in ("bash", "dirname", "realpath", "sed", *names)]
        return self.links_to(tools)

    def test_help(self):
        for script in ("setup.sh", "test.sh"):
            result = self.script(script, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue(result.stdout.startswith(f"{script} [--help]"), result.stdout)

    def test_bad_arguments(self):
        self.assert_fails(self.script("setup.sh", "everything"), 2, "unknown argument 'everything'", "--help")
        self.assert_fails(self.script("setup.sh", "test", "bench"), 2, "one argument, not 2")
        self.assert_fails(self.script("test.sh", "--fast"), 2, "unknown argument '--fast'", "--help")

    def test_without_root_it_names_the_command(self):
        path = self.bare_path()
        self.write_program(path / "id", "#!/bin/sh\necho 1000\n")
        self.write_program(path / "apt-get", "#!/bin/sh\necho apt-get was called; exit 9\n")
        result = self.script("setup.sh", "bench", PATH=str(path))
        self.assert_fails(result, 1, "missing: cmake g++", "python3-matplotlib", "sudo scripts/setup.sh bench")
        self.assertEqual(result.stdout, "")

    def test_a_check_installs_nothing(self):
        path = self.bare_path()
        self.write_program(path / "apt-get", "#!/bin/sh\necho apt-get was called; exit 9\n")
        result = self.script("setup.sh", "--check", "bench", PATH=str(path))
        self.assert_fails(result, 1, "missing: cmake g++")
        self.assertNotIn("clang", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_without_apt_it_names_what_is_needed(self):
        result = self.script("setup.sh", PATH=str(self.bare_path()))
        self.assert_fails(result, 1, "no apt-get", "clang-16", "--no-setup")

    def test_as_root_it_installs_just_what_is_missing(self):
        path = self.bare_path(*self.INSTALLS)
        self.write_program(path / "id", "#!/bin/sh\necho 0\n")
        asked = self.folder / "asked"
        self.write_program(path / "apt-get", f"#!/bin/sh\necho Setting up many\necho apt-get \"$@\" >>{asked}\n")
        for command in ("cmake", "ninja", "git", "clang++-16", "clang-format-16", "shellcheck", "taskset"):
            self.write_program(path / command, "#!/bin/sh\n")
        self.write_program(path / "dpkg-query", "#!/bin/sh\n[ $3 = libgtest-dev ] || printf installed\n")
        result = self.script("setup.sh", PATH=str(path))
        self.assertEqual(result.returncode, 0, result.stderr)
        install = asked.read_text().splitlines()[-1]
        self.assertTrue(install.startswith("apt-get install -y"), install)
        self.assertTrue(install.endswith(" libgtest-dev"), install)
        # Under a heading, and without the hundreds of lines of apt-get.
        self.assertRegex(result.stdout, r"^setup.sh: installing 1 packages and what these need: libgtest-dev\n"
                                        r"setup.sh: installed in \d:\d\d\n$")

    def test_an_installation_that_fails_shows_what_apt_said(self):
        path = self.bare_path(*self.INSTALLS)
        self.write_program(path / "id", "#!/bin/sh\necho 0\n")
        self.write_program(path / "apt-get", "#!/bin/sh\necho some line\necho E: no such package\n[ $1 = update ]\n")
        result = self.script("setup.sh", "bench", PATH=str(path))
        self.assert_fails(result, 1, "setup.sh: apt-get install failed: E: no such package\n", "\nsome line\n",
                          "Debian 12 has them all")
        self.write_program(path / "apt-get", "#!/bin/sh\necho E: no address\nexit 1\n")
        self.assert_fails(self.script("setup.sh", "bench", PATH=str(path)), 1, "apt-get update failed: E: no address", "network up?")

    def test_with_everything_there_it_is_silent(self):
        path = self.bare_path()
        self.write_program(path / "dpkg-query", "#!/bin/sh\nprintf installed\n")
        result = self.script("setup.sh", PATH=str(path))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
