#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""callgrind.py FOLDER: what callgrind counted in the timed windows, for each operation of each book, as JSON.

FOLDER holds rows.json, as bench_books wrote it under callgrind, and the dumps x.callgrind.N, one for each window.
"""

import collections
import itertools
import json
import pathlib
import re

import command_line
import packages  # noqa: F401 before what needs them
import results
import runs

FIGURES = {"instructions": ("Ir",), "mispredictions": ("Bcm", "Bim"), "d1_misses": ("D1mr", "D1mw")}


def read_dump(path):
    """The label that the program gave a dump, or None at its end, and the count of each event."""
    text = runs.read_text(path)
    trigger = re.search(r"^desc: Trigger: (.*)$", text, re.MULTILINE)
    events = re.search(r"^events: (.*)$", text, re.MULTILINE)
    totals = re.search(r"^totals: ([0-9 ]*)\n", text, re.MULTILINE)
    if not (trigger and events and totals) or len(totals[1].split()) > len(events[1].split()):
        raise runs.Unusable(f"{path}: torn, or no dump of callgrind")
    request, _, label = trigger[1].partition("Client Request: ")
    # Zeros at the end of the line are left out.
    counts = dict(itertools.zip_longest(events[1].split(), map(int, totals[1].split()), fillvalue=0))
    return (None if request else label), collections.Counter(counts)


def figures_of(folder):
    run = runs.read_file(folder / "rows.json")
    rows = results.artifact_of(run).rows
    counts = collections.defaultdict(collections.Counter)
    for path in sorted(folder.glob("x.callgrind*")):
        book, counted = read_dump(path)
        if book:
            counts[book] += counted
    missing = [book for book in rows if book not in counts]
    if missing:
        raise runs.Unusable(f"{folder}: callgrind dumped nothing for {', '.join(missing)}; was bench_books built "
                            "where valgrind is installed?")
    return {"fingerprint": run.fingerprint,
            "books": {book: {figure: sum(counts[book][event] for event in events) / row["events"]
                             for figure, events in FIGURES.items()} for book, row in rows.items()}}


if __name__ == "__main__":
    parser = command_line.parser(__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    print(json.dumps(command_line.run(figures_of, parser.parse_args().folder), indent=1))
