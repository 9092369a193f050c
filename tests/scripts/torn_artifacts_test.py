# SPDX-License-Identifier: MIT
"""What reads artifacts, on artifacts damaged at random: a message that names the file, never a traceback."""

import pathlib
import subprocess
import unittest

import support

ROUNDS = 40


class TornArtifactsTest(support.AnalysisTest):
    def test_every_damage_makes_a_table_or_a_message(self):
        result = subprocess.run([self.python, str(pathlib.Path(__file__).with_name("torn_artifacts.py")),
                                 str(self.repository / "scripts"), str(ROUNDS), "1"], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "\n", ""))


if __name__ == "__main__":
    unittest.main()
