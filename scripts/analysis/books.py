# SPDX-License-Identifier: MIT
"""Books against their base, from runs of bench_books: a table of streams and books, and books.png.

A figure is the median over the rounds of all runs on a stream; behind it stands the range of the medians of single runs.
"""

import collections
import re

import results
import runs

# Words for the books that only server_results/core-steps has.
LABELS = {
    "null": "no book", "step0_first": "the first version", "step1_rank": "1: rank by bit flips",
    "step2_retire": "2: retire by arithmetic", "step3_outline": "3: matching out of line",
    "step4_handle": "4: one handle check", "step5_anchor": "5: anchor computed",
}
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
    yield from memory_table(streams)
    yield from calls_table(streams)


def memory_table(streams):
    """The heap of each book of a market, whose memory is part of the question."""
    markets = {stream: rows for stream, rows in streams.items() if stream.startswith("many ")}
    if not markets:
        return
    books = books_of(markets)
    yield from ("", "## Memory", "", "MiB of heap at most, the index of references included.", "",
                "| stream | " + " | ".join(books) + " |", "|---" * (1 + len(books)) + "|")
    for stream, rows in markets.items():
        cells = [f"{max(row['mib'] for row in rows[book]):,.1f}" if book in rows else "–" for book in books]
        yield f"| {stream} | " + " | ".join(cells) + " |"


PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99", "max")


def calls_table(streams):
    """The times of single messages, where bench_books --percentiles has stamped them: medians over the runs."""
    stamped = [(stream, book, [row["calls"] for row in rows[book]]) for stream, rows in streams.items()
               for book in rows if all("calls" in row for row in rows[book])]
    if not stamped:
        return
    yield from ("", "## Single messages", "", "Nanoseconds, the probe included; the probe alone is in brackets.", "",
                "| stream | book | " + " | ".join(PERCENTILES) + " |", "|---" * (2 + len(PERCENTILES)) + "|")
    for stream, book, calls in stamped:
        cells = [f"{results.numpy.median([call[name] for call in calls]):,.0f} "
                 f"({results.numpy.median([call['probe_' + name] for call in calls]):,.0f})" for name in PERCENTILES]
        yield f"| {stream} | {book} | " + " | ".join(cells) + " |"


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


def place_of(rows):
    """For the order of streams: by workload, then by the orders that rest."""
    row = next(iter(rows.values()))[0]
    return row["workload"], row["standing"]


def base_of(streams):
    """The book whose every ratio is 1."""
    return next(book for book in books_of(streams)
                if all(ratio == 1 for rows in streams.values() for row in rows.get(book, ()) for ratio in row["ratios"]))


def words_of(book):
    return LABELS.get(book) or re.sub(r"^phase", "phase ", book).replace("_", " ")


def draw(folder, found):
    import drawing

    streams, fingerprint = found
    # NAME_span is the book NAME, fed spans: both have one line.
    fed_spans = {book for book in books_of(streams) if book.endswith("_span")}
    books = [book for book in books_of(streams) if book not in fed_spans]
    figure, all_axes = drawing.panels(len(streams), 2 if len(streams) == 4 else 3, 0.6 + 0.2 * len(books), sharey=True)
    for axes, (stream, rows) in zip(all_axes, sorted(streams.items(), key=lambda item: place_of(item[1]))):
        for y, book in enumerate(books):
            for name, color, marker, shift in ((book, "black", "o", -0.15), (f"{book}_span", "#D55E00", "s", 0.15)):
                if name in rows:
                    value = figure_of(rows[name])
                    at = y + (shift if fed_spans else 0)
                    axes.plot([value.low, value.high], [at, at], color=color, linewidth=1.5)
                    axes.plot(value.median, at, marker, color=color, markersize=3)
        axes.set_xscale("log")
        axes.margins(x=0.1)
        drawing.log_axis(axes.xaxis, 5)
        drawing.mark_one(axes)
        axes.set_title(stream)
    all_axes[0].set_yticks(range(len(books)), map(words_of, books))
    all_axes[0].set_ylim(len(books) - 0.5, -0.5)
    feeds = " Black: a call per command; orange: spans of 256 commands." if fed_spans else ""
    drawing.finish(figure, f"Time per operation over that of {words_of(base_of(streams))} (lower is faster): median, and "
                   f"range over the seeds.{feeds}", results.fingerprint_line(fingerprint), folder / "books.png")
