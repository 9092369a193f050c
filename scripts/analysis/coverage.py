#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py PROFILE PROGRAM...: which lines and branches of include/llmes/ the programs ran.

PROFILE is what llvm-profdata merged of their runs. Each template is counted once: a line is covered if any instance
of it ran, and a branch if any instance went each way. Prints what is not covered, then a line with the figures of
each folder, then one with those of all. Exits with 0 if all is.
"""

import bisect
import collections
import json
import pathlib
import re
import subprocess
import sys

import command_line

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "llmes"


def header_name(path):
    """As `#include` has it, behind llmes/."""
    return str(path).rpartition("/include/llmes/")[2]


def export(form, profile, program):
    """What llvm-cov says of the headers. Of one program, since of several it takes some functions that one has left out,
    for want of calls, to have run in none: those whose hash has the bit of context-sensitive profiles."""
    done = subprocess.run(["llvm-cov-16", "export", f"-format={form}", f"-instr-profile={profile}", program, "-sources",
                           str(HEADERS)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"coverage.py: llvm-cov-16 failed on {program}: {done.stderr.strip()}")
    return done.stdout


def lines_of(profile, programs):
    """The executions of each line that has code, by header and line."""
    counts = collections.Counter()
    for program in programs:
        header = None
        for record in export("lcov", profile, program).splitlines():
            kind, _, content = record.partition(":")
            if kind == "SF":
                header = header_name(content)
            elif kind == "DA":
                line, count = map(int, content.split(",")[:2])
                counts[header, line] += count
    return counts


def reached(segments, line, column):
    """How often the code at a place was reached, from where the count changes: the last such place before counts."""
    place = bisect.bisect_right(segments, [line, column, float("inf")]) - 1
    return segments[place][2] if place >= 0 else 0


def branches_of(profile, programs):
    """How often each condition was true and false, by header, line and column.

    Without those that the compiler decides in each instance, which a run reaches and which go neither way; those that
    it writes itself, for a comparison `= default`; and those that the processor decides, by what is `available()`.
    """
    counts = collections.defaultdict(lambda: [0, 0])
    run = set()
    for program in programs:
        for file in json.loads(export("text", profile, program))["data"][0]["files"]:
            for line, column, _, _, when_true, when_false, *_ in file["branches"]:
                place = header_name(file["filename"]), line, column
                counts[place][0] += when_true
                counts[place][1] += when_false
                if reached(file["segments"], line, column):
                    run.add(place)
    return {place: ways for place, ways in counts.items() if any(ways) or place not in run}


def main(profile, programs):
    lines = lines_of(profile, programs)
    branches = branches_of(profile, programs)
    if not lines or not branches:
        sys.exit("coverage.py: the programs have no code of include/llmes/; were they built with the preset coverage?")
    texts = {header_name(path): path.read_text().splitlines() for path in HEADERS.rglob("*.hpp")}
    # Between two regions LLVM counts a line without code too, but only in programs that do not run it.
    lines = {place: count for place, count in lines.items()
             if not re.match(r"\s*(//|$)", texts[place[0]][place[1] - 1])}
    branches = {place: counts for place, counts in branches.items()
                if not re.search(r"\bif constexpr\b|= default;|::available\(\)", texts[place[0]][place[1] - 1])}
    for (header, line), count in sorted(lines.items()):
        if count == 0:
            print(f"include/llmes/{header}:{line}: never run: {texts[header][line - 1].strip()}")
    for (header, line, column), counts in sorted(branches.items()):
        for count, way in zip(counts, ("true", "false")):
            if count == 0:
                print(f"include/llmes/{header}:{line}:{column}: never {way}: {texts[header][line - 1].strip()}")
    run_of, ways_of = collections.defaultdict(list), collections.defaultdict(list)
    for (header, _), count in lines.items():
        run_of[header.partition("/")[0]].append(count > 0)
    for (header, _, _), counts in branches.items():
        ways_of[header.partition("/")[0]].extend(count > 0 for count in counts)
    for folder in sorted(run_of):
        run, ways = run_of[folder], ways_of[folder]
        print(f"{folder}: {sum(run)} of {len(run)} lines, {sum(ways)} of {len(ways)} branches")
    run, ways = sum(run_of.values(), []), sum(ways_of.values(), [])
    print(f"coverage: {sum(run)} of {len(run)} lines ({sum(run) / len(run):.1%}) and {sum(ways)} of {len(ways)} "
          f"branches ({sum(ways) / len(ways):.1%}) of include/llmes/")
    sys.exit(0 if all(ways) and all(run) else 1)


if __name__ == "__main__":
    parser = command_line.parser(__doc__)
    parser.add_argument("profile", metavar="PROFILE")
    parser.add_argument("programs", metavar="PROGRAM", nargs="+")
    command_line.run(main, *vars(parser.parse_args()).values())
