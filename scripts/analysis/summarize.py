#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""summarize.py FOLDER: prints a campaign's results as a table and writes it to FOLDER/table.md."""

import campaign

HEADER = ("stream", "time per operation of", "ratio", "95 % interval", "won", "ns/op", "resting (peak)", "levels",
          "fills/op")


def cells(comparison):
    nanoseconds = campaign.numpy.median([row["ns_per_op"] for row in comparison.rows])
    base_nanoseconds = campaign.numpy.median([row["ns_per_op"] for row in comparison.base_rows])
    return (comparison.stream, f"{comparison.numerator} / {comparison.denominator}",
            campaign.significant(comparison.median), f"{campaign.significant(comparison.low)} - {campaign.significant(comparison.high)}",
            f"{comparison.won} of {len(comparison.ratios)}", f"{nanoseconds:,.1f} / {base_nanoseconds:,.1f}",
            f"{comparison.mean('resting_avg'):,.0f} ({comparison.mean('resting_peak'):,.0f})",
            f"{comparison.mean('levels_avg'):,.0f}", f"{comparison.mean('fills_per_op'):.3f}")


def per_event(runs, book, key):
    """`key` of a book over the timed events, as a range over the runs; nothing if it is 0 in all of them."""
    rates = [run.rows[book][key] / run.rows[book]["events"] for run in runs if book in run.rows]
    if max(rates) == 0:
        return None
    low, high = f"{min(rates):.2g}", f"{max(rates):.2g}"
    return low if low == high else f"{low} to {high}"


def remarks(folder, runs):
    """What a reader must know beside the figures."""
    allocations = {book: per_event(runs, book, "allocations") or "none" for book in campaign.books_of(runs)}
    yield ("allocations per operation in the timed windows: " +
           ", ".join(f"{book} {rate}" for book, rate in allocations.items()))
    for stream, of_stream in campaign.by_stream(runs).items():
        rows = [run.rows[campaign.BASE] for run in of_stream]
        rate = per_event(of_stream, campaign.BASE, "misses")
        if any(row["misses"] != row["misses_planned"] for row in rows):
            yield f"{stream}: the core rejected {rate or 'none'} of the commands, which is not what was planned"
        elif rate:
            yield f"{stream}: {rate} of the commands come too late for their order and are rejected, as planned"
    yield from campaign.notes(folder)


def summarize(folder):
    runs = campaign.read_campaign(folder)
    lines = [campaign.fingerprint_line(runs[0].fingerprint), ""]
    lines += campaign.markdown(HEADER, [cells(comparison) for comparison in campaign.compare(runs)])
    lines += ["", "A ratio is the median over all pairs of the time per operation of the first over the second: "
              "below 1 the first is faster, and `won` counts the pairs in which it was. `null` is the replay loop "
              "with no book. ns/op gives the medians of both."]
    lines += [f"- {remark}" for remark in remarks(folder, runs)]
    table = "\n".join(lines) + "\n"
    (folder / "table.md").write_text(table, encoding="utf-8")
    print(table, end="")


if __name__ == "__main__":
    campaign.main(summarize)
