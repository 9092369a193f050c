# SPDX-License-Identifier: MIT
"""What rules and a risk stage cost, from the runs of scripts/local/rules.sh: tables, and books.png.

A ratio is one of two times in the same round, and what a stage adds is their difference. Behind the median over all
rounds stands the spread over the seeds.
"""

import re

import numpy

import books
import results
import runs

CORE, BY_ID, CANCELS, STOPS = "core", "core_ids_single_hashed", "cancels", "stops"
MASS_CANCEL, FIRE = re.compile(r"mass_cancel/(\d{1,9})"), re.compile(r"fire/(\d{1,9})")
INSIDE = {CORE: "without rules", "core_rules": "all rules compiled in, none used",
          "core_rules_1": "1 % of the orders have an owner", "core_rules_10": "10 % of the orders have an owner",
          "core_user_map": "a check by a hash map of users, for 10 %"}
BEFORE = {"risk": "64 accounts, all limits but the credit", "risk_maps": "the same limits by hash maps"}
SET = "set_ids_single"
AROUND = {SET: "the set that a venue wraps, by id", "set_ids_published_single": "the same with events and reports, as an engine runs it",
          "venue": "every layer, none used, and its reports", "venue_1": "1 % of the orders good until a time",
          "venue_10": "10 % of the orders good until a time"}


def read(folder):
    streams, fingerprint = books.read(folder)
    for stream, rows in streams.items():
        where = f"{folder}, {stream}"
        if stream == STOPS:
            needed = [f"wait/{size[1]}" for size in filter(None, map(FIRE.fullmatch, rows))]
        else:
            needed = () if stream == CANCELS else (*INSIDE, BY_ID, *BEFORE, *AROUND)
        for book in needed:
            if book not in rows:
                raise runs.Unusable(f"{where}: no row for the book '{book}'")
        if len({tuple(row["seed"] for row in found) for found in rows.values()}) > 1:
            raise runs.Unusable(f"{where}: not every book is in every run")
        for row in (row for found in rows.values() for row in found):
            if len(row.get("times", ())) != len(row["ratios"]):
                raise runs.Unusable(f"{where}: '{row['book']}' has not as many times as ratios")
    if CANCELS not in streams or not of_orders(streams):
        raise runs.Unusable(f"{folder}: there are not both streams of orders and mass cancels")
    return streams, fingerprint


def estimate(groups, digits):
    """The median of all, and the spread over the groups, one of each seed."""
    groups = [numpy.asarray(group, dtype=float) for group in groups]
    low, high = results.spread_of(groups)
    return f"{numpy.median(numpy.concatenate(groups)):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def over_base(rows, book):
    return estimate([row["ratios"] for row in rows[book]], 2)


def added(rows, book):
    """Nanoseconds beyond those of the book by id, round by round."""
    return estimate([numpy.subtract(row["times"], base["times"]) for row, base in zip(rows[book], rows[BY_ID])], 0)


def over_set(rows, book):
    """The time over that of the set by id, round by round."""
    return estimate([numpy.divide(row["times"], base["times"]) for row, base in zip(rows[book], rows[SET])], 2)


def of_orders(streams):
    """The streams of orders, by those that rest."""
    return dict(sorted(((stream, rows) for stream, rows in streams.items() if stream not in (CANCELS, STOPS)),
                       key=lambda item: books.place_of(item[1])))


def draw(folder, found):
    streams, fingerprint = found
    books.draw(folder, (of_orders(streams), fingerprint))


def tables(folder, found):
    streams, fingerprint = found
    cancels, stops, streams = streams[CANCELS], streams.get(STOPS, {}), of_orders(streams)
    yield results.fingerprint_line(fingerprint)
    yield from ("", *results.notes(folder), "", results.spread_remark({len(rows[CORE]) for rows in streams.values()}))
    for title, words, cell, labels in (
            ("Rules inside matching", "Time over that of the plain book.", over_base, INSIDE),
            ("A stage before the book", "Nanoseconds that it adds to a command by id.", added, BEFORE),
            ("A venue", "Time over that of the set that it wraps.", over_set, AROUND)):
        yield from ("", f"## {title}", "", words, "")
        yield from results.markdown(("book", "what it is", *streams), [
            (book, what, *(cell(rows, book) for rows in streams.values())) for book, what in labels.items()])
    yield from ("", "## All orders of an owner", "", "Time of one call over that of cancelling them one by one by handle.", "")
    yield from results.markdown(("orders", "over one by one"), [
        (f"{int(size[1]):,}", over_base(cancels, size[0])) for size in filter(None, map(MASS_CANCEL.fullmatch, cancels))])
    if stops:
        sizes = [size[1] for size in filter(None, map(FIRE.fullmatch, stops))]
        yield from ("", "## Stops", "", "Time over that of two multimaps of triggers with a hash map of ids.", "")
        yield from results.markdown(("stops", *(f"{int(size):,}" for size in sizes)), [
            (what, *(over_base(stops, f"{row}/{size}") for size in sizes))
            for row, what in (("fire", "firing one by one"), ("wait", "waiting while the price moves"))])
    yield from ("", "## Every book, over the plain one", "", *books.table(streams))
