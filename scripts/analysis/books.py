# SPDX-License-Identifier: MIT
"""Books against their base, from runs of bench_books: a table of streams and books, and books.png.

A figure is the median over the rounds of all runs on a stream; behind it stands the range of the medians of single runs.
"""

import collections

import results
import runs

Figure = collections.namedtuple("Figure", "median low high")


def read(folder):
    """For each stream, for each book, its rows; and the fingerprint that all of them share."""
    streams = collections.defaultdict(lambda: collections.defaultdict(list))
    found = runs.read(folder)
    for run in found:
        artifact = results.artifact_of(run)
        results.check_same_origin(found[0].fingerprint, run.fingerprint, run.where)
        for book, row in artifact.rows.items():
            streams[results.stream_name(row)][book].append(row)
    if not streams:
        raise runs.Unusable(f"{folder}: no book was timed")
    return streams, found[0].fingerprint


def figure_of(rows):
    medians = [results.numpy.median(row["ratios"]) for row in rows]
    pooled = results.numpy.concatenate([row["ratios"] for row in rows])
    return Figure(float(results.numpy.median(pooled)), min(medians), max(medians))


def books_of(streams):
    return list(dict.fromkeys(book for rows in streams.values() for book in rows))


def tables(_, found):
    streams, fingerprint = found
    yield results.fingerprint_line(fingerprint)
    yield ""
    yield from table(streams)


def table(streams):
    header = ["book", *streams]
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    for book in books_of(streams):
        cells = [book]
        for rows in streams.values():
            if book in rows:
                figure = figure_of(rows[book])
                cells.append(f"{figure.median:.3f} ({figure.low:.3f} to {figure.high:.3f})")
            else:
                cells.append("–")
        lines.append("| " + " | ".join(cells) + " |")
    state = ["resting / levels / fills an op"]
    for rows in streams.values():
        row = next(iter(rows.values()))[0]
        state.append(f"{row['resting_avg']:,.0f} / {row['levels_avg']:,.0f} / {row['fills_per_op']:.3f}")
    return lines + ["| " + " | ".join(state) + " |"]


def draw(folder, found):
    from drawing import pyplot

    streams, fingerprint = found
    books = books_of(streams)
    figure, all_axes = pyplot.subplots(1, len(streams), sharey=True, squeeze=False,
                                       figsize=(1.6 + 2.4 * len(streams), 1 + 0.34 * len(books)))
    for axes, (stream, rows) in zip(all_axes[0], streams.items()):
        for book in rows:
            y = books.index(book)
            value = figure_of(rows[book])
            axes.plot([value.low, value.high], [y, y], color="black", linewidth=2)
            axes.plot(value.median, y, "o", color="black", markersize=4)
        axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
        axes.set_title(stream, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(axis="x", color="0.9")
    all_axes[0][0].set_yticks(range(len(books)), books)
    all_axes[0][0].invert_yaxis()
    figure.suptitle("time per operation over the base book; " + results.fingerprint_line(fingerprint), fontsize=7)
    figure.tight_layout()
    figure.savefig(folder / "books.png", dpi=110)
