# SPDX-License-Identifier: MIT
"""What own orders cost in a replayed market, from the runs of scripts/local/simulator.sh: a table, and simulator.png.

Runs of bench_simulator are called IMPACTstrategies-seedN. All rows of a run took turns window by window, so a ratio is
one of two times in the same round.
"""

import collections
import re

import numpy

import results
import runs

BARE = "bare"
AHEAD = "bare_ahead"
OWN = re.compile(r"own_(\d{1,6})")
SHADOWS = re.compile(r"shadows_([1-9]\d{0,7})")
IMPACTS = ("none", "displace")
ROW_NUMBERS = ("ns_per_event", "allocations", "mib")
GOALS = {0: 1.05, 1000: 1.5}  # over the bare replay, of one strategy with impact none


def check(run):
    content = run.content
    results.check_numbers(run.where, "the run", {key: content[key] for key in ("events", "timed", "strategies")})
    if content["impact"] not in IMPACTS:
        raise runs.Unusable(f"{run.where}: no impact is called '{content['impact']}'")
    names = [row["row"] for row in content["rows"]]
    if names[:1] != [BARE] or len(names) == 1 or not all(
            name == AHEAD or OWN.fullmatch(name) or SHADOWS.fullmatch(name) for name in names[1:]):
        raise runs.Unusable(f"{run.where}: its rows are not '{BARE}', '{AHEAD}', own and hypothetical orders")
    if len(set(names)) < len(names):
        raise runs.Unusable(f"{run.where}: two rows have one name")
    for row in content["rows"]:
        name = row["row"]
        results.check_numbers(run.where, f"row '{name}'", {key: row[key] for key in ROW_NUMBERS})
        for key in ("times", "ratios"):
            results.check_numbers(run.where, f"row '{name}'", {f"{key} {i}": number for i, number in enumerate(row[key])})
            if len(row[key]) != len(content["rows"][0]["times"]) or not row[key] or min(row[key]) <= 0:
                raise runs.Unusable(f"{run.where}: '{key}' of '{name}' are not as many numbers above 0 as those of '{BARE}'")


def read(folder):
    """By impact and number of strategies, the rows of each seed by name; and the fingerprint that all share."""
    found = runs.read(folder)
    settings = collections.defaultdict(lambda: collections.defaultdict(list))
    results.check_each(found, check)
    for run in found:
        of = settings[run.content["impact"], run.content["strategies"]]
        for row in run.content["rows"]:
            of[row["row"]].append({**row, "events": run.content["events"], "timed": run.content["timed"]})
    for (impact, strategies), rows in settings.items():
        if len({len(of) for of in rows.values()}) > 1:
            raise runs.Unusable(f"{folder}: not every row is in every run of impact {impact} with {strategies} strategies")
    return dict(sorted(settings.items(), key=lambda item: (IMPACTS.index(item[0][0]), item[0][1]))), found[0].fingerprint


def own_orders(row):
    return int(OWN.fullmatch(row)[1])


def of_own(rows):
    """The rows with own orders."""
    return [name for name in rows if OWN.fullmatch(name)]


def over_bare(rows):
    low, high = spread(rows)
    return f"{median(rows, 'ratios'):.3f} ({low:.3f} to {high:.3f})"


def each_shadow(rows, bare):
    """Nanoseconds that a hypothetical order adds to the pass, for each seed."""
    count = int(SHADOWS.fullmatch(rows[0]["row"])[1])
    return numpy.median([(numpy.median(row["times"]) - numpy.median(base["times"])) * row["timed"] / count
                         for row, base in zip(rows, bare)])


def median(rows, key):
    return float(numpy.median(numpy.concatenate([row[key] for row in rows])))


def spread(rows):
    return results.spread_of([numpy.asarray(row["ratios"], dtype=float) for row in rows])


def over_ahead(rows, name):
    """The time of a row over that of bare books that look ahead, in the same round."""
    return float(numpy.median(numpy.concatenate([numpy.divide(row["times"], base["times"])
                                                 for row, base in zip(rows[name], rows[AHEAD])])))


def seeds(settings):
    return {len(rows[BARE]) for rows in settings.values()}


def tables(folder, found):
    settings, fingerprint = found
    bare = next(iter(settings.values()))[BARE]
    yield results.fingerprint_line(fingerprint)
    yield ""
    yield (f"Days of {bare[0]['events']:,} events. Own orders are those that each strategy keeps at rest. The bare replay "
           f"took {median(bare, 'times'):.1f} ns an event. Median, {results.spread_name(seeds(settings))}.")
    of_one = settings.get(("none", 1), {})
    if AHEAD in of_one:
        yield ""
        yield (f"The bare replay takes its events one by one. Simulators look ahead; if it does so, too, it takes {over_bare(of_one[AHEAD])} "
               "of its time.")
    yield ""
    lines = []
    for (impact, strategies), rows in settings.items():
        for name in of_own(rows):
            of = rows[name]
            lines.append((impact, f"{strategies:,}", f"{own_orders(name):,}", f"{1e3 / median(of, 'times'):.2f}",
                          over_bare(of),
                          f"{max(one['allocations'] for one in of):,}", f"{max(one['mib'] for one in of):,.0f}"))
    yield from results.markdown(("impact", "strategies", "own orders", "million events a second", "over the bare replay",
                                 "allocations", "MiB"), lines)
    yield ""
    if shadows := [name for name in of_one if SHADOWS.fullmatch(name)]:
        yield "Hypothetical orders in one pass, impact none; each was sent in the timed half of the day, for a minute."
        yield ""
        yield from results.markdown(("orders", "million events a second", "over the bare replay", "ns an order", "MiB"), [
            (f"{int(SHADOWS.fullmatch(name)[1]):,}", f"{1e3 / median(of_one[name], 'times'):.2f}", over_bare(of_one[name]),
             f"{each_shadow(of_one[name], of_one[BARE]):,.0f}", f"{max(one['mib'] for one in of_one[name]):,.0f}")
            for name in shadows])
        yield ""
    for own, goal in GOALS.items():
        name = f"own_{own}"
        if name in of_one:
            reached = median(of_one[name], "ratios")
            ahead = f"; {over_ahead(of_one, name):.3f} of one that looks ahead" if AHEAD in of_one else ""
            yield (f"- goal of {own:,} own orders: at most {goal:.2f} of the bare replay; it is {reached:.3f}, "
                   f"{'reached' if reached <= goal else 'missed'}{ahead}")
    yield f"- {results.spread_remark(seeds(settings))}"
    yield from (f"- {note}" for note in results.notes(folder))


def draw(folder, found):
    import drawing

    settings, fingerprint = found
    figure, (axes,) = drawing.panels(1, 1, 3.4)
    names = list(dict.fromkeys(name for rows in settings.values() for name in of_own(rows)))
    for color, ((impact, strategies), rows) in zip(drawing.COLORS, settings.items()):
        shown = [name for name in names if name in rows]
        places = [names.index(name) for name in shown]
        values = [median(rows[name], "ratios") for name in shown]
        ends = [spread(rows[name]) for name in shown]
        errors = [[value - low for value, (low, _) in zip(values, ends)], [high - value for value, (_, high) in zip(values, ends)]]
        axes.errorbar(places, values, numpy.maximum(errors, 0), color=color, marker="o", markersize=4, linewidth=1, capsize=2,
                      label=f"{impact}, {strategies} {'strategy' if strategies == 1 else 'strategies'}")
    axes.set_yscale("log")
    drawing.log_axis(axes.yaxis)
    axes.axhline(1, color="black", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(names)), [f"{own_orders(name):,}" for name in names])
    axes.set_xlabel("own orders that each strategy keeps at rest")
    axes.set_ylabel("time over the bare replay")
    axes.grid(axis="y")
    axes.legend()
    drawing.finish(figure, f"What own orders cost in a replayed market: median and {results.spread_name(seeds(settings))}",
                   results.fingerprint_line(fingerprint), folder / "simulator.png")
