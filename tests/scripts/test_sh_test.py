# SPDX-License-Identifier: MIT
"""What test.sh says before and after the tests: ctest is real, and all else stands in."""

import os
import pathlib
import shutil
import unittest

import support

# Of these tests, one passes with cases left out, and three are skipped.
TESTS = """add_test(passes sh -c "echo 'OK (skipped=2)'")
add_test(asks sh -c "echo 'from_pypi.sh: skipped: PyPI gave no package; is the network up?' >&2; exit 77")
set_tests_properties(asks PROPERTIES SKIP_RETURN_CODE 77)
add_test(counts sh -c "printf 'f.cpp:3: Skipped\\\\nno counters here\\\\n[  SKIPPED ] X.Y (0 ms)\\\\n'")
set_tests_properties(counts PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(asleep true)
set_tests_properties(asleep PROPERTIES DISABLED TRUE)
add_test(lasts true)
set_tests_properties(lasts PROPERTIES LABELS long)
"""
FAILS = "add_test(breaks false)\n"


class TestShTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        for name in ("valgrind", "shellcheck", "clang-format-16"):
            self.write_program(self.folder / "bin" / name, "#!/bin/sh\n")
        self.write_program(self.folder / "bin/cmake", """#!/bin/sh
[ "$1" = --build ] || echo "-- llmes: leaves out rows, which need what is missing here: boost"
""")
        for name in ("foreign", "python"):
            shutil.copytree(support.ROOT / "tests" / name, self.repository / "tests" / name)
        shutil.copytree(support.ROOT / "tests/build/toolchains", self.repository / "tests/build/toolchains")
        for name in ("include", "bench", "examples", ".ci"):
            (self.repository / name).mkdir()

    def write_tests(self, preset, text):
        path = self.repository / "build" / preset / "CTestTestfile.cmake"
        path.parent.mkdir(parents=True)
        path.write_text(text)

    def run_tests(self, *arguments):
        return self.script("test.sh", "--no-setup", *arguments, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def summary(self, result):
        return result.stdout.partition("test.sh: summary\n")[2]

    def test_what_was_skipped_and_why(self):
        self.write_tests("release", TESTS)
        result = self.run_tests("--presets=release")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, "test.sh: tests ask PyPI for: itchfeed, itchcpp, databento-dbn, .*numpy, .*; without a network they are skipped\n")
        self.assertIn("100% tests passed, 0 tests failed out of 3", result.stdout)
        self.assertRegex(self.summary(result), r"""^release: 1 passed, 0 failed, 3 skipped, in \d+:\d\d with the build
  2 of the cases in passes were skipped; run alone, it says why
  skipped: asks: PyPI gave no package; is the network up\?
  skipped: counts: no counters here
  skipped: asleep: it is disabled
  left out, as only --long runs them: 1
  leaves out rows, which need what is missing here: boost
test.sh: \d+:\d\d in all
$""")

    def test_a_failure_ends_it_with_a_summary_too(self):
        self.write_tests("debug", FAILS)
        result = self.run_tests("--presets=debug,asan")
        self.assert_fails(result, 1, "failed at: debug: test")
        self.assertNotIn("PyPI", result.stdout)
        self.assertRegex(self.summary(result), r"^debug: 0 passed, 1 failed, 0 skipped, in \d+:\d\d with the build\n  failed: breaks\n")
        self.assertIn("\nasan: not run\n", self.summary(result))

    def test_what_is_missing_is_said_at_once(self):
        path = self.links_to([pathlib.Path(shutil.which(name)) for name in ("bash", "dirname", "realpath", "sed", "nproc", "mktemp", "rm", "ls", "env")])
        result = self.script("test.sh", "--quick", PATH=str(path))
        self.assert_fails(result, 1, "test.sh: missing: clang-format-16 cmake ctest shellcheck valgrind; "
                          "root can install them: scripts/setup.sh\n")
        self.assertEqual(result.stdout, "")

    def test_a_build_that_fails(self):
        self.write_program(self.folder / "bin/cmake", "#!/bin/sh\nexit 1\n")
        result = self.run_tests("--presets=debug")
        self.assert_fails(result, 1, "failed at: debug: configure")
        self.assertRegex(self.summary(result), r"^debug: no test was run, in \d+:\d\d\n")

    def test_a_long_run_asks_for_more_and_leaves_out_nothing(self):
        self.write_tests("release", TESTS)
        result = self.run_tests("--presets=release", "--long")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"tests ask PyPI for: itchfeed, itchcpp, databento-dbn, .*numpy, .*, cmake, conan;")
        self.assertIn("release: 2 passed", self.summary(result))
        self.assertNotIn("left out", self.summary(result))


if __name__ == "__main__":
    unittest.main()
