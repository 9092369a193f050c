#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""single_header.py [--out=FILE]: makes one header of all those in include/llmes/ but the engine's.

It stands for "llmes/llmes.hpp" where one file is easier to have than a folder. It can also be pasted at the head of a
program, as for Compiler Explorer; the program then includes nothing of llmes. Comments are kept.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/analysis"))

import files  # noqa: E402

LICENSE = "// SPDX-License-Identifier: MIT\n"
ONCE = "#pragma once\n"
INCLUDE = re.compile(r'#include "(llmes/.*)"(?: *//.*)?\n')


def inlined(name, seen):
    """The lines of a header, with our own headers in the places where they are first included."""
    seen.add(name)
    yield f"// ---- {name}\n"
    for line in (ROOT / "include" / name).read_text(encoding="utf-8").splitlines(keepends=True):
        include = INCLUDE.match(line)
        if not include:
            if line not in (LICENSE, ONCE):
                yield line
        elif include[1] not in seen:
            yield from inlined(include[1], seen)


def single_header():
    body = "".join(inlined("llmes/llmes.hpp", set()))
    version = ".".join(re.findall(r"#define LLMES_VERSION_\w+ (\d+)", body))
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    head = f"llmes {version} in one header. Made by `scripts/lab single-header`: change the sources, not this file.\n\n{text}"
    comment = "".join(f"// {line}".rstrip() + "\n" for line in head.splitlines())
    # Not `#pragma once`: compilers warn of it in a program that the header is pasted into.
    return f"{LICENSE}//\n{comment}#ifndef LLMES_SINGLE_HEADER\n#define LLMES_SINGLE_HEADER\n\n{body}\n#endif\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="FILE", type=pathlib.Path, help="write it to FILE instead of printing it")
    out = parser.parse_args().out
    if not out:
        print(single_header(), end="")
        return
    try:
        files.write_text(out, single_header())
    except OSError as error:
        sys.exit(f"single_header.py: cannot write: {error}")


if __name__ == "__main__":
    main()
