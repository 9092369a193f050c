# SPDX-License-Identifier: MIT
"""The table of a campaign of scripts/bench.sh: books against the core, and its builds against each other."""

import results
from plot_ratios import OF_ONE_SEED, draw  # noqa: F401 scripts/lab needs draw

HEADER = ("stream", "time per operation of", "ratio", "{}", "won", "ns/op", "resting (peak)", "levels",
          "fills/op")


def cells(comparison):
    nanoseconds = results.numpy.median([row["ns_per_op"] for row in comparison.rows])
    base_nanoseconds = results.numpy.median([row["ns_per_op"] for row in comparison.base_rows])
    return (comparison.stream, f"{comparison.numerator} / {comparison.denominator}",
            results.significant(comparison.median),
            f"{results.significant(comparison.low)} - {results.significant(comparison.high)}",
            f"{comparison.won} of {len(comparison.ratios)}", f"{nanoseconds:,.1f} / {base_nanoseconds:,.1f}",
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


def tables(folder, found):
    yield results.fingerprint_line(found[0].fingerprint)
    yield ""
    comparisons = results.compare(found)
    seeds = [len(comparison.groups) for comparison in comparisons]
    header = [title.format(results.spread_name(seeds, OF_ONE_SEED)) for title in HEADER]
    yield from results.markdown(header, [cells(comparison) for comparison in comparisons])
    yield ""
    yield ("A ratio is the median over all pairs of the time per operation of the first over the second: "
           "below 1 the first is faster, and `won` counts the pairs in which it was. `null` is the replay loop "
           "with no book. ns/op gives the medians of both.")
    remark = (f"the {OF_ONE_SEED} is a 95 % bootstrap over its rounds, or over its pairs of builds, and knows nothing "
              "of other seeds")
    yield f"- {results.spread_remark(seeds, remark)}"
    yield from (f"- {remark}" for remark in remarks(folder, found))
