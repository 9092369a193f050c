#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""books.py FOLDER: books against their base, from the artifacts of bench_books in a folder.

Prints a table of streams and books and writes it to FOLDER/table.md, and draws it into FOLDER/books.png. A figure is
the median over the rounds of all runs on a stream; behind it stands the range of the medians of single runs.
"""

import collections
import pathlib

import campaign

Figure = collections.namedtuple("Figure", "median low high")


def read_folder(folder):
    """For each stream, for each book, its rows; and the fingerprint that all of them share."""
    streams = collections.defaultdict(lambda: collections.defaultdict(list))
    fingerprint = None
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        found, rows, _ = campaign.read_artifact(path)
        campaign.check_same_origin(fingerprint or found, found, path)
        fingerprint = fingerprint or found
        for book, row in rows.items():
            streams[campaign.stream_name(row)][book].append(row)
    if not streams:
        raise campaign.Unusable(f"{folder}: no artifacts (*.json)")
    return streams, fingerprint


def figure_of(rows):
    medians = [campaign.numpy.median(row["ratios"]) for row in rows]
    pooled = campaign.numpy.concatenate([row["ratios"] for row in rows])
    return Figure(float(campaign.numpy.median(pooled)), min(medians), max(medians))


def books_of(streams):
    return list(dict.fromkeys(book for rows in streams.values() for book in rows))


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


def draw(streams, fingerprint, path):
    from drawing import pyplot

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
    figure.suptitle("time per operation over the base book; " + campaign.fingerprint_line(fingerprint), fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main(folder):
    streams, fingerprint = read_folder(folder)
    lines = [campaign.fingerprint_line(fingerprint), "", *table(streams)]
    (folder / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    draw(streams, fingerprint, folder / "books.png")


if __name__ == "__main__":
    campaign.main(main)
