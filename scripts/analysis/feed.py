# SPDX-License-Identifier: MIT
"""The books of a venue built from its messages: tables, and feed.png with the percentiles of single messages.

Runs of bench_feed are called symbolsN-seedM. All rows of a run took turns window by window, so a ratio is one of two
times in the same round; days of different numbers of symbols are different runs.
"""

import collections

import numpy

import results
import runs

OPERATIONS = ("add", "execute", "cancel", "delete", "replace")
PERCENTILES = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9", "max": "worst"}
BASES = ("tree_hash", "btree_huge")
GROWING = ("feed", "feed_batch", "tree_hash")
ROW_NUMBERS = ("ns_per_message", "mib", "allocations")
TAPE_NUMBERS = ("messages", "timed", "symbols", "resting_peak", "levels_peak")

Estimate = collections.namedtuple("Estimate", "value low high")


class Days:
    """The days of one number of symbols: for each row what each seed has."""

    def __init__(self):
        self.tapes = []
        self.rows = collections.defaultdict(list)

    def ratio(self, row, base):
        return estimate([numpy.divide(one["times"], other["times"])
                         for one, other in zip(self.rows[row], self.rows[base])])

    def time(self, row):
        return estimate([numpy.array(one["times"], dtype=float) for one in self.rows[row]])

    def stamped(self):
        """The rows whose single messages were timed."""
        return [row for row, found in self.rows.items() if all("operations" in one for one in found)]

    def percentile(self, row, operation, unit, name):
        """The median over the seeds; nothing if no day has such a message."""
        found = [one["operations"][operation][unit][name] for one in self.rows[row]
                 if unit in one["operations"].get(operation, ())]
        return float(numpy.median(found)) if found else None

    def curve(self, row, operation, name):
        found = [one["operations"][operation][name] for one in self.rows[row] if operation in one["operations"]]
        return numpy.median(numpy.array(found, dtype=float), axis=0) if found else None


def estimate(groups):
    return Estimate(float(numpy.median(numpy.concatenate(groups))), *results.spread_of(groups))


def text(found, digits):
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def check(run):
    tape = run.content["tape"]
    results.check_numbers(run.where, "its tape", {key: tape[key] for key in TAPE_NUMBERS})
    for row in run.content["rows"]:
        name = row["row"]
        results.check_numbers(run.where, f"row '{name}'", {key: row[key] for key in ROW_NUMBERS})
        times = row["times"]
        results.check_numbers(run.where, f"row '{name}'", {f"time {i}": time for i, time in enumerate(times)})
        if len(times) != row["rounds"] or min(times) <= 0:
            raise runs.Unusable(f"{run.where}: 'times' of '{name}' are not {row['rounds']} numbers above 0")
        for operation, found in row.get("operations", {}).items():
            check_operation(run.where, f"'{operation}' of '{name}'", found)
    if len({row["rounds"] for row in run.content["rows"]}) > 1:
        raise runs.Unusable(f"{run.where}: its rows were not timed in the same number of rounds")
    names = [row["row"] for row in run.content["rows"]]
    if len(set(names)) < len(names):
        raise runs.Unusable(f"{run.where}: two rows have one name")


def check_operation(where, what, found):
    for unit in ("ns", "probe_ns", *({"cycles", "probe_cycles"} & found.keys())):
        results.check_numbers(where, what, {key: found[unit][key] for key in PERCENTILES})
    for curve in ("curve", "probe_curve"):
        results.check_numbers(where, what, {f"{curve} {i}": number for i, (_, number) in enumerate(found[curve])})


def read(folder):
    """The days by their number of symbols, and the fingerprint that all of them share."""
    found = runs.read(folder)
    days = collections.defaultdict(Days)
    results.check_each(found, check)
    for run in found:
        of = days[run.content["tape"]["symbols"]]
        of.tapes.append(run.content["tape"])
        for row in run.content["rows"]:
            of.rows[row["row"]].append(row)
    for symbols, of in days.items():
        for row, rows in of.rows.items():
            if len(rows) != len(of.tapes):
                raise runs.Unusable(f"{folder}: '{row}' is not in every run of {symbols:,} symbols")
    whole = days[max(days)]
    for row in ("feed", "feed_batch", *BASES):
        if row not in whole.rows:
            raise runs.Unusable(f"{folder}: no row is called '{row}'")
    return days, found[0].fingerprint


def seeds(days):
    return {len(of.tapes) for of in days.values()}


def tables(folder, found):
    days, fingerprint = found
    whole = days[max(days)]
    tape = whole.tapes[0]
    spread = results.spread_name(seeds(days))
    yield results.fingerprint_line(fingerprint)
    yield ""
    yield (f"Days of {tape['messages']:,} messages about {max(days):,} symbols, {tape['resting_peak']:,} resting "
           f"orders on {tape['levels_peak']:,} levels at the peak; {tape['timed']:,} messages timed. Finding and reading the "
           f"messages is included. Median, {spread}.")
    yield ""
    yield from results.markdown(
        ("row", "ns a message", *(f"over {base}" for base in BASES), "MiB", "allocations"),
        [(row, text(whole.time(row), 1), *(text(whole.ratio(row, base), 3) for base in BASES),
          f"{max(one['mib'] for one in rows):,.1f}", f"{max(one['allocations'] for one in rows):,}")
         for row, rows in whole.rows.items()])
    if len(days) > 1:
        few = days[min(days)]
        yield ""
        yield (f"Growth from {min(days):,} to {max(days):,} symbols: nanoseconds a message, and the ratio of their "
               f"medians, which come from different runs; {spread}.")
        yield ""
        yield from results.markdown(
            ("row", f"{min(days):,}", f"{max(days):,}", "growth"),
            [(row, text(few.time(row), 1), text(whole.time(row), 1),
              f"{whole.time(row).value / few.time(row).value:.2f}") for row in GROWING if row in few.rows])
    yield from percentile_tables(whole)
    yield ""
    yield f"- {results.spread_remark(seeds(days))}"
    yield "- a feed that takes spans has no time of a single message"
    yield from (f"- {note}" for note in results.notes(folder))


def percentile_tables(whole):
    for operation in OPERATIONS:
        yield from ("", f"## {operation}", "", "Cycles of the time-stamp counter and, in brackets, nanoseconds; the "
                    "probe is part of them.", "")
        rows = []
        for label, prefix, row in ((label, prefix, row) for row in whole.stamped()
                                   for label, prefix in ((row, ""), ("its probe", "probe_"))):
            cells = [[whole.percentile(row, operation, prefix + unit, name) for unit in ("cycles", "ns")]
                     for name in PERCENTILES]
            rows.append((label, *map(cell, cells)))
        yield from results.markdown(("row", *PERCENTILES.values()), rows)


def cell(times):
    """Without cycles if there is no counter, and empty if no message was timed."""
    cycles, ns = times
    return "–" if ns is None else f"({ns:,.0f})" if cycles is None else f"{cycles:,.0f} ({ns:,.0f})"


def draw(folder, found):
    import drawing

    days, fingerprint = found
    whole = days[max(days)]
    shown = [row for row in ("feed", "tree_hash", "vector_levels", "btree_huge", "map_seq_huge", "aggregates")
             if row in whole.stamped()]
    figure, all_axes = drawing.panels(len(OPERATIONS), 2, 2.4, sharey=True)
    for axes, operation in zip(all_axes, OPERATIONS):
        for color, row in zip(drawing.COLORS, shown):
            draw_curve(axes, whole.curve(row, operation, "curve"), color=color, label=row)
        draw_curve(axes, whole.curve("feed", operation, "probe_curve"), color="black", linestyle=":",
                   label="the probe alone")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks([2, 10, 100, 1000, 10_000], ["50", "90", "99", "99.9", "99.99"])
        axes.minorticks_off()
        axes.set_xlabel("percentile of the messages")
        axes.set_ylabel("nanoseconds between stamps")
        axes.set_title(operation)
        axes.grid()
    for axes in all_axes:
        drawing.log_axis(axes.yaxis)
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="center", bbox_to_anchor=(0.75, 0.2))  # the empty panel
    drawing.finish(figure, "Time of single messages, measured from stamp to stamp",
                   results.fingerprint_line(fingerprint), folder / "feed.png")


def draw_curve(axes, points, **style):
    """A value against 1 / (share of the messages that take longer)."""
    if points is not None:
        axes.plot(100 / (100 - points[:, 0]), points[:, 1], linewidth=1.2, **style)
