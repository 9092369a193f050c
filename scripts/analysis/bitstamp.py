# SPDX-License-Identifier: MIT
"""Order events of Bitstamp as read, from the run of scripts/local/bitstamp.sh: tables of counts. Nothing is timed."""

import results
import runs

TOUCH = ("moments", "crossed", "bids", "asks", "prices_differ", "lots_differ")


def check(run):
    content = run.content
    report, lines, trades = content["report"], content["lines"], content["trades"]
    results.check_numbers(run.where, "the report", {key: report[key] for key in ("records", "unreadable", "suspect", "moments", "crossed", "fills")})
    results.check_numbers(run.where, "the lines", {key: lines[key] for key in ("plain_reader", "created", "never_rest")})
    results.check_numbers(run.where, "the trades", {key: trades[key] for key in ("executions", "trades", "equal")})
    results.check_numbers(run.where, "check_tape", {str(name): count for name, count in content["check_tape"]})
    if not content["touch"] or not content["check_tape"]:
        raise runs.Unusable(f"{run.where}: nothing was compared")
    for row in content["touch"]:
        results.check_numbers(run.where, "the touch", {key: row[key] for key in TOUCH})
        if row["price_of"] not in ("first", "last") or not isinstance(row["left_out"], list):
            raise runs.Unusable(f"{run.where}: a row of the touch does not say of which reader it is")


def read(folder):
    found = runs.read(folder)
    results.check_each(found, check)
    if len(found) != 1:
        raise runs.Unusable(f"{folder}: {len(found)} runs, not 1")
    return found[0]


def tables(folder, run):
    content = run.content
    yield results.fingerprint_line(run.fingerprint)
    yield from ("", "## What was read", "", "By check_tape, and by the plain reader.", "")
    counts = [(name, count) for name, count in content["check_tape"] if ": " not in name]
    counts += [("lines, by the plain reader", content["lines"]["plain_reader"]),
               ("lines that create an order", content["lines"]["created"]),
               ("orders deleted by the next line, at the time of their creation", content["lines"]["never_rest"])]
    yield from results.markdown(("what", "count"), [(name, f"{count:,}") for name, count in counts])
    yield from ("", "## The touch", "", "llmes beside the plain reader, after all lines of one time of the venue.", "")
    rows = []
    for row in content["touch"]:
        left_out = f"{len(row['left_out'])} left out" if row["left_out"] else "all orders"
        rows.append((f"{left_out}, {row['price_of']} price", *(f"{row[key]:,}" for key in TOUCH)))
    yield from results.markdown(("file, and price of an order by its line", "moments", "crossed", "changes of the bid", "changes of the ask",
                                 "prices differ", "lots differ"), rows)
    yield from ("", "## Executions", "", "Equal: the maker's id, the price and the lots.", "")
    yield from results.markdown(("executions", "trades of the file", "equal"), [tuple(f"{content['trades'][key]:,}" for key in ("executions", "trades", "equal"))])
    yield ""
    orders = ", ".join(map(str, max((row["left_out"] for row in content["touch"]), key=len)))
    yield f"- orders that newer ones cross at a settled moment: {orders or 'none'}"
    yield from (f"- {note}" for note in results.notes(folder))


def draw(folder, run):
    """Counts need no plot."""
