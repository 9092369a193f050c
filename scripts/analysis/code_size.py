#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""code_size.py FOLDER: the bytes of machine code of each book, from its object file under FOLDER, as JSON.

A book's code is what its unit holds for the smallest band, with the replay loop into which most of it is inlined, and
without the rest of the harness. The unit is the one that defines how to enter the book. An object without machine code,
which only the linker makes, is left out, and so are the units that stamp calls and the variants of the ablation.
"""

import json
import pathlib
import re
import subprocess

import command_line
import runs

SYMBOL = re.compile(r"[0-9a-f]+ (?P<size>[0-9a-f]+) (?P<type>.) (?P<name>.*)")
ENTRY = re.compile(r" T llmes::bench::enter_(?P<book>\w+)\(")
OTHER_BANDS = re.compile("131072|16384")
HARNESS = re.compile(r"Replay<|bench::(learn|make_book|timed|verify|enter)<|bench::(enter_|CannotHold)|^_GLOBAL__")
CLONE = re.compile(r" \[clone \.(?!cold)[^]]*\]")


def symbols_of(object_file):
    return subprocess.run(["nm", "-S", "-C", object_file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, text=True).stdout


def code_size(listing):
    """Without counting twice what the compiler emitted under two names or as two clones alike."""
    symbols = filter(None, map(SYMBOL.fullmatch, listing.splitlines()))
    functions = {(CLONE.sub("", symbol["name"]), symbol["size"]) for symbol in symbols
                 if symbol["type"] in "tTwW" and not OTHER_BANDS.search(symbol["name"]) and
                 not HARNESS.search(symbol["name"])}
    return sum(int(size, 16) for _, size in functions)


def is_compared(book, listing):
    """A variant of the ablation has types of its own name."""
    return not book.endswith("_stamped") and f"OrderBook_{book}<" not in listing


def sizes(folder):
    found = {}
    try:
        for path in sorted(folder.rglob("entry.cpp.o")):
            listing = symbols_of(path)
            entry = ENTRY.search(listing)
            # The program that makes the profile of a book has a unit of the same name, built to count.
            if entry and is_compared(entry["book"], listing) and not path.parent.name.startswith("train_"):
                found[entry["book"]] = code_size(listing)
    except (OSError, subprocess.CalledProcessError) as error:
        raise runs.Unusable(f"no code sizes: {error}") from error
    found = {book: size for book, size in found.items() if size}
    if not found:
        raise runs.Unusable(f"no code sizes: no object under {folder} defines how to enter a book")
    return found


if __name__ == "__main__":
    parser = command_line.parser(__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    print(json.dumps({"sizes": command_line.run(sizes, parser.parse_args().folder)}, indent=1))
