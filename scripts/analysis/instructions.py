#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""instructions.py DUMP...: what an operation executes, from dumps of callgrind that bench_hft_macro labelled."""

import pathlib
import re

import callgrind
import command_line
import runs

LABEL = re.compile(r"(?P<run>.+): (?P<operations>[1-9][0-9]*) operations")


def describe(path):
    label, counts = callgrind.read_dump(path)
    of = LABEL.fullmatch(label or "")
    if not of or counts["Ir"] == 0:
        raise runs.Unusable(f"{path}: torn, or no dump of operations")
    operations = int(of["operations"])
    line = (f"{of['run']}: {counts['Ir'] / operations:.4f} instructions/op "
            f"({counts['Ir']} in {operations} operations)")
    if "Bcm" in counts:
        line += (f"; simulated mispredictions/op: {counts['Bcm'] / operations:.4f} of branches, "
                 f"{counts['Bim'] / operations:.4f} of indirect jumps")
    return line


if __name__ == "__main__":
    parser = command_line.parser(__doc__)
    parser.add_argument("dumps", metavar="DUMP", nargs="+", type=pathlib.Path)
    print(*command_line.run(lambda dumps: [describe(dump) for dump in dumps], parser.parse_args().dumps), sep="\n")
