# SPDX-License-Identifier: MIT
"""The recipes for hosted machines, which are not run here, name only scripts, presets and texts that there are."""

import json
import re
import subprocess
import unittest

import support

TEXTS = {path: path.read_text() for path in (support.ROOT / ".github").rglob("*") if path.suffix in (".yml", ".md")}
RECIPES = "\n".join(text for path, text in TEXTS.items() if path.parent.name == "workflows")
PRESETS = json.loads((support.ROOT / "CMakePresets.json").read_text())


def found(pattern):
    result = re.findall(pattern, RECIPES)
    assert result, pattern
    return result


class HostedTest(unittest.TestCase):
    def test_the_files_are_there(self):
        for path, text in TEXTS.items():
            for name in re.findall(r"(?<![\w/.])(?:scripts|examples|include|tests|bench)/[\w./-]*\w", text):
                self.assertTrue((support.ROOT / name).exists(), f"{path.name}: {name}")

    def test_the_presets_are_there(self):
        names = {kind: {preset["name"] for preset in PRESETS[f"{kind}Presets"]} for kind in ("configure", "build", "test")}
        for presets in found(r"presets: \"?([\w,]+)"):
            self.assertLessEqual(set(presets.split(",")), names["configure"] & names["build"])
        for command, kind in (("cmake", "configure"), ("cmake --build", "build"), ("ctest", "test")):
            self.assertLessEqual(set(found(rf"run: {command} --preset (\w+)")), names[kind])

    def test_the_command_takes_the_flags(self):
        usage = subprocess.run([support.ROOT / "scripts/test.sh", "--help"], capture_output=True, text=True, check=True)
        for flag in found(r"scripts/test\.sh (--\w+)"):
            self.assertIn(f"[{flag}", usage.stdout)


if __name__ == "__main__":
    unittest.main()
