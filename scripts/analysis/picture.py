#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""picture.py [--check]: draws each report/guide/NAME.dot as NAME.svg beside it, with Graphviz.

The SVG holds a digest of its text, so `--check` tells whether it is older than that, without Graphviz. A box names in its
head the folder where it is, and then files of it: each must be there.
"""

import hashlib
import html
import pathlib
import re
import shutil
import subprocess

import command_line
import files
import runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOX = re.compile(r"\[label=<(.*?)>\]", re.DOTALL)
PLACE = re.compile(r"[\w/]+(?:/|\.[a-z]+)(?![\w/.])")


def places(text):
    """The folder of each box, and the files in it that the box names."""
    for box in BOX.findall(text):
        named = PLACE.findall(html.unescape(re.sub(r"<[^>]*>", " ", box)))
        folders = [place for place in named if place.endswith("/")]
        if len(folders) != 1 or len(named) == 1:
            raise runs.Unusable(f"a box names one folder and some files of it, not {' '.join(named) or 'nothing'}")
        yield from [*folders, *(folders[0] + place for place in named if not place.endswith("/"))]


def mark(text):
    """What an SVG holds that was drawn from this text."""
    return f"<!-- SPDX-License-Identifier: MIT; drawn by scripts/lab picture from text {hashlib.sha256(text.encode()).hexdigest()} -->"


def draw(name, text):
    if shutil.which("dot") is None:
        raise runs.Unusable("there is no dot, the program of Graphviz; install it with: sudo apt install graphviz")
    drawn = subprocess.run(["dot", "-Tsvg"], input=text, text=True, capture_output=True, check=False)
    if drawn.returncode != 0 or drawn.stderr:
        raise runs.Unusable(f"dot cannot draw {name}: {drawn.stderr.strip()}")
    begin = drawn.stdout.index("<svg")
    return f"{drawn.stdout[:begin]}{mark(text)}\n{drawn.stdout[begin:]}"


def main(arguments=None, root=ROOT):
    parser = command_line.parser(__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether a picture is older than its text")
    options = parser.parse_args(arguments)
    for path in sorted((root / "report/guide").glob("*.dot")):
        name, text, picture = path.relative_to(root), runs.read_text(path), path.with_suffix(".svg")
        for place in places(text):
            if not (root / place).exists() or place.endswith("/") != (root / place).is_dir():
                raise runs.Unusable(f"{name}: there is no {place}")
        if not options.check:
            files.write_text(picture, draw(name, text))
        elif not picture.exists() or mark(text) not in runs.read_text(picture):
            raise runs.Unusable(f"{picture.relative_to(root)} is older than {name}; scripts/lab picture draws it")


if __name__ == "__main__":
    command_line.run(main)
