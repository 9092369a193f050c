#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""flame.py COSTS PROGRAM UNIT FOLDER: which functions and lines of PROGRAM the costs belong to.

COSTS has lines of an address in PROGRAM and a number of UNIT. addr2line gives the functions that were inlined at an
address: that is the stack of the flame graph. Prints the most expensive functions and lines, writes them to
FOLDER/top.txt
and draws FOLDER/flame.svg.
"""

import collections
import linecache
import os
import pathlib
import re
import subprocess

import command_line
import files
import packages  # noqa: F401 before what needs them

Frame = collections.namedtuple("Frame", "function place")
ELSEWHERE = (Frame("(elsewhere: the system, or no debug information)", "??:0"),)
ROWS = 25


def short(name):
    """Without namespaces, arguments and what templates are made of."""
    name = name.replace("operator()", "operator_call").replace("operator->", "operator_arrow")
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", name)) != name:
        name = shorter
    return "::".join(name.split()[-1 if "const" not in name.split()[-1:] else -2].split("::")[-2:])


def read_costs(path):
    costs = collections.Counter()
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        address, cost = line.split()
        costs[int(address, 16)] += int(cost)
    return costs


def stacks_of(addresses, program):
    """For each address its frames, the outermost first."""
    answer = subprocess.run(["addr2line", "-aifC", "-e", program], input="\n".join(map(hex, addresses)), text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    for frames in re.split(r"^0x.*\n", answer, flags=re.MULTILINE)[1:]:
        lines = frames.splitlines()
        pairs = zip(lines[::2], lines[1::2])
        stack = tuple(Frame(short(name), place.split(" ")[0]) for name, place in pairs)[::-1]
        yield ELSEWHERE if stack[-1].function == "??" else stack


def where(place):
    """A place as path from the sources' root and the text that stands there."""
    path, _, line = place.rpartition(":")
    text = linecache.getline(path, int(line)).strip() if line.isdigit() else ""
    return f"{os.path.relpath(path) if path.startswith('/') else path}:{line}", text


def top(stacks, unit):
    total = sum(stacks.values())
    inclusive, own, lines = (collections.Counter() for _ in range(3))
    for stack, cost in stacks.items():
        inclusive.update({function: cost for function in {frame.function for frame in stack}})
        own[stack[-1].function] += cost
        lines[stack[-1]] += cost
    yield f"{total:,} {unit}"
    yield from ("", "with what is inlined into it, by itself, function")
    yield from (f"{cost / total:7.1%} {own[function] / total:7.1%}  {function}"
                for function, cost in inclusive.most_common(ROWS))
    yield from ("", "by itself, line, function")
    for frame, cost in lines.most_common(ROWS):
        place, text = where(frame.place)
        yield f"{cost / total:7.1%}  {place}  {frame.function}\n         {text}"


def draw(axes, stacks, total, depth=0, left=0.0):
    """The functions at `depth` of these stacks side by side, in shares of the total, those inlined into them above."""
    from drawing import pyplot

    groups = collections.defaultdict(collections.Counter)
    for stack, cost in stacks.items():
        if depth < len(stack):
            groups[stack[depth].function][stack] += cost
    for function, group in sorted(groups.items()):
        width = 100 * sum(group.values()) / total
        axes.barh(depth, width, left=left, height=0.95, align="edge", edgecolor="white", linewidth=0.5,
                  color=pyplot.cm.YlOrRd(0.15 + 0.4 * (sum(map(ord, function)) % 97) / 97))
        axes.text(left, depth + 0.5, f" {function}", fontsize=6, va="center", clip_on=True).set_clip_path(
            axes.patches[-1])
        draw(axes, group, total, depth + 1, left)
        left += width


def main(costs_path, program, unit, folder):
    from drawing import pyplot

    costs = read_costs(costs_path)
    stacks = collections.Counter()
    for stack, cost in zip(stacks_of(costs, program), costs.values(), strict=True):
        stacks[stack] += cost
    lines = "\n".join(top(stacks, unit)) + "\n"
    print(lines, end="")
    files.write_text(pathlib.Path(folder) / "top.txt", lines)

    figure, axes = pyplot.subplots(figsize=(14, 0.8 + 0.3 * max(map(len, stacks))))
    draw(axes, stacks, sum(stacks.values()))
    axes.set_xlim(0, 100)
    axes.set_yticks([])
    axes.set_xlabel(f"% of {unit}; above a function stand those inlined into it", fontsize=8)
    axes.tick_params(labelsize=7)
    figure.tight_layout()
    with files.replaced(pathlib.Path(folder) / "flame.svg") as unfinished:
        figure.savefig(unfinished)


if __name__ == "__main__":
    parser = command_line.parser(__doc__)
    for name in ("costs", "program", "unit", "folder"):
        parser.add_argument(name, metavar=name.upper())
    command_line.run(main, *vars(parser.parse_args()).values())
