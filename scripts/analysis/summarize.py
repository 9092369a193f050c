# SPDX-License-Identifier: MIT
"""The table of a campaign of scripts/bench.sh: books against the core, and its builds against each other."""

import pathlib
import re

import results
from plot_ratios import OF_ONE_SEED, draw  # noqa: F401 scripts/lab needs draw

HEADER = ("stream", "time per operation of", "ratio", "{}", "times as fast", "won", "ns/op", "resting (peak)", "levels",
          "fills/op")
STREAMS = {
    "classic": "the stream of the published benchmark, which leaves the book almost empty",
    "macro": "adds, cancels, modifies and market orders near a touch that moves slowly; the number is that of resting orders",
    "wide": "the price travels over tens of thousands of ticks, in a band of 131,072 prices",
}
BOOKS = {
    "core": "llmes::OrderBook, with one call for each command",
    "core_span": "the same book, fed spans of 256 commands",
    "phase10": "the fastest phase of the published history: direct levels and a tree over those in use",
    "tree_hash": "a tree of price levels with queues and a hash map from ids; answers each message with a report",
    "btree": "a B-tree of orders by price and arrival, and a hash map from ids",
    "reference": "a tree of lists of orders; to cancel, it looks through all of them",
    "null": "the loop that feeds the books, with no book",
}
LISTED = pathlib.Path(__file__).resolve().parents[2] / "bench/contenders/books.inc"


def cells(comparison):
    nanoseconds = results.numpy.median([row["ns_per_op"] for row in comparison.rows])
    base_nanoseconds = results.numpy.median([row["ns_per_op"] for row in comparison.base_rows])
    return (comparison.stream, f"{comparison.numerator} / {comparison.denominator}",
            results.significant(comparison.median),
            f"{results.significant(comparison.low)} - {results.significant(comparison.high)}",
            results.times(comparison.speed), f"{comparison.won} of {len(comparison.ratios)}", f"{nanoseconds:,.1f} / {base_nanoseconds:,.1f}",
            f"{comparison.mean('resting_avg'):,.0f} ({comparison.mean('resting_peak'):,.0f})",
            f"{comparison.mean('levels_avg'):,.0f}", f"{comparison.mean('fills_per_op'):.3f}")


def per_event(found, book, key):
    """`key` of a book over the timed events, as a range over the runs; nothing if it is 0 in all of them."""
    rates = [run.rows[book][key] / run.rows[book]["events"] for run in found if book in run.rows]
    if max(rates) == 0:
        return None
    low, high = f"{min(rates):.2g}", f"{max(rates):.2g}"
    return low if low == high else f"{low} to {high}"


def remarks(folder, found):
    """What a reader must know beside the figures."""
    allocations = {book: per_event(found, book, "allocations") or "none" for book in results.books_of(found)}
    yield ("allocations per operation in the timed windows: " +
           ", ".join(f"{book} {rate}" for book, rate in allocations.items()))
    for stream, of_stream in results.by_stream(found).items():
        rows = [run.rows[results.BASE] for run in of_stream]
        rate = per_event(of_stream, results.BASE, "misses")
        if any(row["misses"] != row["misses_planned"] for row in rows):
            yield f"{stream}: the core rejected {rate or 'none'} of the commands, which is not what was planned"
        elif rate:
            yield f"{stream}: {rate} of the commands come too late for their order and are rejected, as planned"
    yield from results.notes(folder)


def read(folder):
    return results.read_campaign(folder)


def speeds(comparisons):
    """How many times as fast ours are, with a row for each pair of books and a column for each stream."""
    streams = list(dict.fromkeys(comparison.stream for comparison in comparisons))
    rows = {}
    for comparison in comparisons:
        if comparison.numerator in results.OURS:
            row = rows.setdefault((comparison.numerator, comparison.denominator), dict.fromkeys(streams, "–"))
            row[comparison.stream] = results.times(comparison.speed)
    if rows:
        yield "How many times as fast the first book is as the second:"
        yield ""
        yield from results.markdown(("times as fast", *streams), [(f"{ours} against {other}", *cells.values())
                                                     for (ours, other), cells in rows.items()])
        yield ""


def legend(found):
    """A line for each word that the tables use."""
    listed = LISTED.read_text(encoding="utf-8") if LISTED.exists() else ""
    others = dict(re.findall(r'^LLMES_BOOK\((\w+),.*"(.*)"\)$', listed, re.MULTILINE))
    workloads = dict.fromkeys(run.rows[results.BASE]["workload"] for run in found)
    yield from (f"- `{word}`: {STREAMS[word]}" for word in workloads if word in STREAMS)
    yield from (f"- `{book}`: {BOOKS.get(book) or others[book]}" for book in results.books_of(found)
                if book in BOOKS or book in others)
    if len({run.build for run in found}) > 1:
        yield "- `lto`, `release`: the program built with link-time optimisation and without"


def tables(folder, found):
    yield results.fingerprint_line(found[0].fingerprint)
    yield ""
    comparisons = results.compare(found)
    yield from speeds(comparisons)
    yield from legend(found)
    yield ""
    seeds = [len(comparison.groups) for comparison in comparisons]
    header = [title.format(results.spread_name(seeds, OF_ONE_SEED)) for title in HEADER]
    yield from results.markdown(header, [cells(comparison) for comparison in comparisons])
    yield ""
    yield ("A ratio is the median over all pairs of the time per operation of the first over the second: below 1 the "
           "first is faster, 1 / ratio times as fast, and `won` counts the pairs in which it was. ns/op gives the medians "
           "of both.")
    remark = (f"the {OF_ONE_SEED} is a 95 % bootstrap over its rounds, or over its pairs of builds, and knows nothing "
              "of other seeds")
    yield f"- {results.spread_remark(seeds, remark)}"
    yield from (f"- {remark}" for remark in remarks(folder, found))
