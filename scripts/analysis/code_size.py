#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""code_size.py FOLDER: the bytes of machine code of each book, from its object file under FOLDER, as JSON.

A book's code is what its unit holds for the smaller band, with the replay loop into which most of it is inlined, and
without the rest of the harness. An object that only the linker turns into machine code says nothing and is left out.
"""

import json
import pathlib
import re
import subprocess
import sys

import runs

SYMBOL = re.compile(r"[0-9a-f]+ (?P<size>[0-9a-f]+) (?P<type>.) (?P<name>.*)")
OTHER_BAND = "131072"
HARNESS = re.compile(r"Replay<|bench::(learn|make_book|timed|verify|enter)<|bench::(enter_|CannotHold)|^_GLOBAL__")
CLONE = re.compile(r" \[clone \.(?!cold)[^]]*\]")


def symbols_of(object_file):
    return subprocess.run(["nm", "-S", "-C", object_file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, text=True).stdout


def code_size(listing):
    """Without counting twice what the compiler emitted under two names or as two clones alike."""
    symbols = filter(None, map(SYMBOL.fullmatch, listing.splitlines()))
    functions = {(CLONE.sub("", symbol["name"]), symbol["size"]) for symbol in symbols
                 if symbol["type"] in "tTwW" and OTHER_BAND not in symbol["name"] and
                 not HARNESS.search(symbol["name"])}
    return sum(int(size, 16) for _, size in functions)


def sizes(folder):
    found = {}
    try:
        for path in sorted(folder.rglob("*.cpp.o")):
            book = path.name.partition(".")[0]
            listing = symbols_of(path)
            if f"bench::enter_{book}(" in listing:
                found[book] = code_size(listing)
    except (OSError, subprocess.CalledProcessError) as error:
        raise runs.Unusable(f"no code sizes: {error}") from error
    return {book: size for book, size in found.items() if size}


if __name__ == "__main__":
    try:
        print(json.dumps({"sizes": sizes(pathlib.Path(sys.argv[1]))}, indent=1))
    except runs.Unusable as error:
        sys.exit(f"code_size.py: {error}")
