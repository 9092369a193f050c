# SPDX-License-Identifier: MIT
"""Shared by all plots: size, numbers and titles. Every plot is readable at a width of 800 pixels.

Loading Matplotlib takes longer than finding that a result is torn, so this is imported only where a plot is drawn.
"""

import math
import os
import tempfile
import textwrap

import files

os.environ.setdefault("MPLCONFIGDIR", tempfile.gettempdir())  # there may be no home folder

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402
import matplotlib.ticker as ticker  # noqa: E402

WIDTH = 8  # inches
COLORS = ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#CC79A7")  # the colour-blind can tell them apart
pyplot.rcParams.update({
    "font.size": 8.5, "figure.titlesize": 9, "axes.titlesize": 9, "axes.labelsize": 8.5, "xtick.labelsize": 8,
    "ytick.labelsize": 8, "legend.fontsize": 8, "legend.frameon": False, "axes.axisbelow": True, "grid.color": "0.9",
    "savefig.dpi": 150, "figure.constrained_layout.use": True})


def number(value, _=None):
    """1,000,000 or 0.25: never with an exponent."""
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def panels(count, columns, height, **options):
    """A figure and its first `count` axes, in rows of `columns`, each `height` inches high."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, axes = pyplot.subplots(rows, columns, squeeze=False, figsize=(WIDTH, 0.8 + rows * height), **options)
    for unused in axes.flat[count:]:
        unused.set_visible(False)
    return figure, axes.flat[:count]


def number_axis(axis, ticks=6):
    """A linear axis with at most so many numbers."""
    axis.set_major_locator(ticker.MaxNLocator(ticks, steps=(1, 2, 2.5, 5, 10)))
    axis.set_major_formatter(number)


def log_axis(axis, ticks=8):
    """The numbers of a logarithmic axis whose ends are settled: as many as there can be, but no more than `ticks`."""
    low, high = axis.get_view_interval()
    for steps, stride in (((1, 1.5, 2, 3, 5, 7), 1), ((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 3)):
        exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        places = [step * 10.0 ** exponent for exponent in exponents if exponent % stride == 0 for step in steps
                  if low <= step * 10.0 ** exponent <= high]
        if len(places) <= ticks:
            break
    axis.set_major_locator(ticker.FixedLocator(places))
    axis.set_major_formatter(number)
    axis.set_minor_locator(ticker.NullLocator())


def mark_one(axes):
    """The line at which neither of two is faster."""
    axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
    axes.grid(axis="x")


def finish(figure, title, origin, path):
    """Sets the title, and at the bottom what machine and commit the figures come from; then writes the file."""
    figure.suptitle(textwrap.fill(title, 120))
    figure.supxlabel(textwrap.fill(origin, 140), fontsize=7, color="0.4")
    with files.replaced(path) as unfinished:
        figure.savefig(unfinished)
    pyplot.close(figure)
