# SPDX-License-Identifier: MIT
"""The round trip of an order beside a bare echo, from the runs of scripts/local/wire.sh: tables, and wire.png.

Runs of bench_wire are called KIND-MODE-DURABILITY-seedN. Venue and echo of a run took turns block by block, so a ratio
is that of two medians of one round.
"""

import collections
import re

import numpy

import results
import runs

NAME = re.compile(r"(trips|fix|idle|load)-(spin|block)-(none|process|machine)-seed\d{1,4}")
QUANTILES = ("0.5", "0.99")
SHARES = ("p50", "p90", "p99", "p99.9", "worst")


def check(run):
    content = run.content
    made = NAME.fullmatch(run.name)
    if not made:
        raise runs.Unusable(f"{run.where}: no run of this campaign is called so")
    kind = made[1]
    if [row["row"] for row in content["rows"]] != ["venue", "echo", *(["venue_idle"] if kind == "idle" else []), "feed"]:
        raise runs.Unusable(f"{run.where}: its rows are not the venue, the echo and the feed")
    results.check_numbers(run.where, "the run", {"resting": content["resting"]})
    for row in content["rows"]:
        check_times(run.where, f"row '{row['row']}'", row)
    results.check_numbers(run.where, "row 'venue'", {"ratio": content["rows"][0]["ratio"]})
    results.check_numbers(run.where, "processing", {quantile: content["processing"][quantile] for quantile in QUANTILES})
    if kind == "idle":
        results.check_numbers(run.where, "idle", {key: content["idle"][key] for key in ("connections", "ratio")})
    if kind == "load":
        if not content["loads"]:
            raise runs.Unusable(f"{run.where}: it has no loads")
        for load in content["loads"]:
            if load["row"] not in ("venue", "echo"):
                raise runs.Unusable(f"{run.where}: no load is of '{load['row']}'")
            results.check_numbers(run.where, f"load of '{load['row']}'", {key: load[key] for key in ("rate", "achieved")})
            if load["rate"]:
                check_times(run.where, f"load of '{load['row']}'", load)


def check_times(where, what, of):
    results.check_numbers(where, what, {share: of[share] for share in SHARES})
    if min(of[share] for share in SHARES) <= 0:
        raise runs.Unusable(f"{where}: a time of {what} is not above 0")


def asked_of(content):
    return [(load["row"], load["rate"]) for load in content.get("loads", [])]


def read(folder):
    """By kind, mode and durability, the contents of all seeds; and the fingerprint that all share."""
    found = runs.read(folder)
    settings = collections.defaultdict(list)
    results.check_each(found, check)
    for run in found:
        of = settings[NAME.fullmatch(run.name).groups()]
        of.append(run.content)
        if asked_of(of[0]) != asked_of(run.content):
            raise runs.Unusable(f"{run.where}: its loads are not those of the run before")
    return dict(settings), found[0].fingerprint


def row_of(content, name):
    return next(row for row in content["rows"] if row["row"] == name)


def median(values):
    return float(numpy.median(values))


def low_to_high(values, form):
    return f"{median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def round_trips(settings):
    """Of the runs that measure these alone: what they are called, and their contents."""
    for (kind, mode, durability), contents in settings.items():
        if kind in ("trips", "fix"):
            yield ("FIX, " if kind == "fix" else "") + f"{mode}, {durability}", contents


def trips(settings):
    lines = []
    for setting, contents in round_trips(settings):
        for name in ("venue", "echo", "feed"):
            rows = [row_of(content, name) for content in contents]
            ratio = low_to_high([row["ratio"] for row in rows], ".3f") if name == "venue" else ""
            lines.append((f"{name}, {setting}",
                          *(f"{median([row[share] for row in rows]) / 1e3:.1f}" for share in SHARES), ratio))
    return results.markdown(("row, wait, journal survives", *SHARES, "p50 over the echo"), lines)


def loads(settings):
    lines = []
    for (kind, _, _), contents in settings.items():
        if kind != "load":
            continue
        for i, load in enumerate(contents[0]["loads"]):
            all_of = [content["loads"][i] for content in contents]
            times = [f"{median([one[share] for one in all_of]) / 1e3:.1f}" if load["rate"] else "" for share in ("p50", "p99", "p99.9")]
            asked = f"{load['rate']:,.0f}" if load["rate"] else "256 on their way"
            lines.append((f"{load['row']}: {asked}", f"{median([one['achieved'] for one in all_of]):,.0f}", *times))
    return results.markdown(("messages a second", "done", "p50", "p99", "p99.9"), lines)


def p99_ratios(contents):
    return [row_of(content, "venue")["p99"] / row_of(content, "echo")["p99"] for content in contents]


def own_work(contents):
    return median([content["processing"]["0.5"] for content in contents])


def ratio(contents):
    return median([row_of(content, "venue")["ratio"] for content in contents])


def sustained(contents):
    """The highest rate of which the venue did 99 of 100."""
    return max((load["rate"] for i, load in enumerate(contents[0]["loads"]) if load["row"] == "venue"
                and median([content["loads"][i]["achieved"] for content in contents]) >= 0.99 * load["rate"]), default=0)


def p99_ratio(contents):
    return median(p99_ratios(contents))


def idle_ratio(contents):
    return median([content["idle"]["ratio"] for content in contents])


# What of which runs, at most what, and how to find it. What is sustained is to be at least that.
GOALS = (("p50, spin, process", ("trips", "spin", "process"), 1.15, ratio),
         ("p50, spin, none", ("trips", "spin", "none"), 1.15, ratio),
         ("p50, block, process", ("trips", "block", "process"), 1.1, ratio),
         ("p99, spin, process", ("trips", "spin", "process"), 1.3, p99_ratio),
         ("p99, spin, none", ("trips", "spin", "none"), 1.3, p99_ratio),
         ("p99, block, process", ("trips", "block", "process"), 1.3, p99_ratio),
         ("own work, ns, process", ("trips", "spin", "process"), 1_000, own_work),
         ("own work, ns, none", ("trips", "spin", "none"), 1_000, own_work),
         ("1,000 idle connections", ("idle", "spin", "process"), 1.1, idle_ratio),
         ("messages a second", ("load", "spin", "process"), 400_000, sustained))


def goals(settings):
    lines = []
    for what, setting, goal, find in GOALS:
        if setting in settings:
            found = find(settings[setting])
            is_met = found >= goal if find is sustained else found <= goal
            form = ",.0f" if goal >= 100 else ".3f"
            lines.append((what, f"{goal:{form}}", f"{found:{form}}", "met" if is_met else "missed"))
    return results.markdown(("goal", "wanted", "measured", "result"), lines)


def tables(folder, found):
    settings, fingerprint = found
    count = max(len(contents) for contents in settings.values())
    first = next(iter(settings.values()))[0]
    yield results.fingerprint_line(fingerprint)
    yield ""
    yield (f"Loopback. An order is entered and answered; {first['resting']:,} others rest. Round trips in microseconds, from "
           f"the order sent to its answer read; `feed` is from the order sent to its message on the feed. Medians of {count} "
           "runs, and the range of ratios.")
    yield ""
    yield from trips(settings)
    yield ""
    yield "Messages that are due at fixed rates, spinning; microseconds from when one was due to its answer read:"
    yield ""
    yield from loads(settings)
    yield ""
    yield "What else the runs say:"
    yield ""
    lines = []
    for (kind, _, _), contents in settings.items():
        if kind == "idle":
            lines.append((f"{contents[0]['idle']['connections']:,} idle connections, p50 over none",
                          low_to_high([content["idle"]["ratio"] for content in contents], ".3f")))
    for setting, contents in round_trips(settings):
        lines.append((f"p99 over the echo, {setting}", low_to_high(p99_ratios(contents), ".3f")))
        for share in QUANTILES:
            lines.append((f"the venue's own work, ns, quantile {share}, {setting}",
                          low_to_high([content["processing"][share] for content in contents], ",.0f")))
        rests = [row_of(content, "venue")["p50"] - content["processing"]["0.5"] for content in contents]
        lines.append((f"p50 without the venue's own, ns, {setting}", low_to_high(rests, ",.0f")))
    yield from results.markdown(("what", "median"), lines)
    yield ""
    yield ("Goals: p50 and p99 over those of the echo, own work at p50, the p50 with idle connections over none, and what one "
           "connection sustains, half of it orders:")
    yield ""
    yield from goals(settings)
    yield ""
    yield from (f"- {note}" for note in results.notes(folder))


def draw(folder, found):
    import drawing

    settings, fingerprint = found
    figure, (left, right) = drawing.panels(2, 2, 3.6)
    for color, (setting, contents) in zip(drawing.COLORS, round_trips(settings)):
        for name, style in (("venue", "-"), ("echo", ":")):
            values = [median([row_of(content, name)[share] for content in contents]) / 1e3 for share in SHARES]
            left.plot(range(len(SHARES)), values, color=color, linestyle=style, marker="o", markersize=4,
                      label=f"{name}, {setting}")
    left.set_xticks(range(len(SHARES)), SHARES)
    left.set_ylabel("round trip, microseconds")
    left.set_yscale("log")
    drawing.log_axis(left.yaxis)
    for (kind, _, _), contents in settings.items():
        if kind != "load":
            continue
        for color, name in zip(drawing.COLORS, ("venue", "echo")):
            points = collections.defaultdict(list)
            for content in contents:
                for load in content["loads"]:
                    if load["row"] == name and load["rate"]:
                        points[load["rate"]].append((load["p50"] / 1e3, load["p99"] / 1e3))
            rates = sorted(points)
            for i, (share, style) in enumerate((("p50", "-"), ("p99", ":"))):
                right.plot(rates, [median([pair[i] for pair in points[rate]]) for rate in rates], color=color, linestyle=style,
                           marker="o", markersize=4, label=f"{name}, {share}")
    right.set_xlabel("messages a second")
    right.set_ylabel("from due to done, microseconds")
    right.set_xscale("log")
    right.set_yscale("log")
    drawing.log_axis(right.yaxis)
    for axes in (left, right):
        axes.grid(axis="y")
        axes.legend()
    drawing.finish(figure, "The round trip of an order over loopback, beside a bare echo", results.fingerprint_line(fingerprint),
                   folder / "wire.png")
