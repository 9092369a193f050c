#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_summary.py FOLDER PRESET...: the test results of each preset, from the files of scripts/test.sh in FOLDER.

Of a preset that was begun there is PRESET.seconds, the time taken; PRESET.configured, what CMake said; PRESET.long, how
many tests were left for a long run; and PRESET.xml, the JUnit report of ctest.
"""

import pathlib
import re
import xml.etree.ElementTree

import command_line

CASES = re.compile(r"OK \(skipped=(\d+)\)|\[  SKIPPED \] (\d+) test")  # of Python and of GoogleTest, within one test of ctest


def read(path, otherwise=""):
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else otherwise


def reason(output):
    """Why a test says that it was skipped."""
    found = re.search(r"skipped: (.*)|: Skipped\n(.*)", output)
    return (found[1] or found[2] or "it does not say why").strip() if found else "it does not say why"


def of_tests(report):
    """The numbers of tests that passed, failed and were skipped, and lines on the latter two."""
    passed, failed, skipped, lines = 0, 0, 0, []
    for case in xml.etree.ElementTree.fromstring(report).iter("testcase"):
        name, output = case.get("name"), case.findtext("system-out") or ""
        why = case.find("skipped")
        if case.get("status") == "run":
            passed += 1
            for cases in CASES.finditer(output):
                lines.append(f"{cases[1] or cases[2]} of the cases in {name} were skipped; run alone, it says why")
        elif why is not None and why.get("message", "").startswith("SKIP_"):
            skipped += 1
            lines.append(f"skipped: {name}: {reason(output)}")
        elif case.get("status") == "disabled":
            skipped += 1
            lines.append(f"skipped: {name}: it is disabled")
        else:
            failed += 1
            lines.append(f"failed: {name}")
    return passed, failed, skipped, lines


def of_preset(folder, preset):
    seconds = read(folder / f"{preset}.seconds").strip()
    if not seconds:
        yield f"{preset}: not run"
        return
    time = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
    report = read(folder / f"{preset}.xml")
    if report:
        passed, failed, skipped, lines = of_tests(report)
        yield f"{preset}: {passed} passed, {failed} failed, {skipped} skipped, in {time} with the build"
    else:
        lines = []
        yield f"{preset}: no test was run, in {time}"
    left = int(read(folder / f"{preset}.long", "0") or 0)
    if left:
        lines.append(f"left out, as only --long runs them: {left}")
    lines += re.findall(r"^-- llmes: (.* missing here.*)$", read(folder / f"{preset}.configured"), re.MULTILINE)
    yield from (f"  {line}" for line in lines)


def main(folder, presets):
    for preset in presets:
        print(*of_preset(folder, preset), sep="\n")


if __name__ == "__main__":
    parser = command_line.parser(__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("presets", metavar="PRESET", nargs="+")
    options = parser.parse_args()
    command_line.run(main, options.folder, options.presets)
