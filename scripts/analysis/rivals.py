# SPDX-License-Identifier: MIT
"""The Python package beside others, from the runs of scripts/local/python_rivals.sh: a table, and rivals.png.

Rows of a run took turns round by round, so a ratio is that of two times of one round. The first row of a kind is ours.
"""

import collections

import numpy

import results
import runs

OURS = "llmes"
# How many times as fast ours is to be, by the first word of the kind and the other package.
GOALS = {("books", "itch-book"): 1, ("strategy", "hftbacktest"): 10, ("shadows", "queuetruth"): 5}


def name_of(row):
    return row["kind"], " ".join(word for word in (row["package"], row.get("version"), row["way"]) if word)


def check(run):
    for row in run.content["rows"]:
        for key in ("kind", "package", "way", "left_out" if "left_out" in row else "version"):
            if not isinstance(row[key], str) or not row[key].strip() and key != "way":
                raise runs.Unusable(f"{run.where}: '{key}' of a row is not text")
    timed = [row for row in run.content["rows"] if "left_out" not in row]
    if not timed:
        raise runs.Unusable(f"{run.where}: nothing was timed")
    if len({name_of(row) for row in timed}) < len(timed):
        raise runs.Unusable(f"{run.where}: two rows have one name")
    for row in timed:
        what = "row '" + ": ".join(name_of(row)) + "'"
        results.check_numbers(run.where, what, {"messages": row["messages"], **{f"times {i}": time for i, time in enumerate(row["times"])}})
        if len(row["times"]) != len(timed[0]["times"]) or not row["times"] or min(row["times"]) <= 0:
            raise runs.Unusable(f"{run.where}: 'times' of {what} are not as many numbers above 0 as those of the first row")
        if row["package"] != OURS and not any(ours["kind"] == row["kind"] and ours["package"] == OURS for ours in timed):
            raise runs.Unusable(f"{run.where}: {what} has no row of ours beside it")


def read(folder):
    """The rows of all seeds by kind and name, what was left out and why, and the fingerprint that all share."""
    found = runs.read(folder)
    results.check_each(found, check)
    rows, left_out = collections.defaultdict(list), {}
    for run in found:
        for row in run.content["rows"]:
            if "left_out" in row:
                left_out[row["package"]] = row["left_out"]
            else:
                rows[name_of(row)].append(row)
    if len({len(of) for of in rows.values()}) > 1:
        raise runs.Unusable(f"{folder}: not every row is in every run")
    return dict(rows), left_out, found[0].fingerprint


def ratios(rows, name):
    """For each seed, how many times as much time as ours a row takes, round by round."""
    ours = next(of for other, of in rows.items() if other[0] == name[0] and of[0]["package"] == OURS)
    return [numpy.asarray(row["times"]) / numpy.asarray(base["times"]) for row, base in zip(rows[name], ours)]


def median(groups):
    return float(numpy.median(numpy.concatenate(groups)))


def speed(of):
    return 1e-6 * median([row["messages"] / numpy.asarray(row["times"]) for row in of])


def tables(folder, found):
    rows, left_out, fingerprint = found
    seeds = {len(of) for of in rows.values()}
    yield results.fingerprint_line(fingerprint)
    yield ""
    yield f"Processor time of all threads. Median, {results.spread_name(seeds)}."
    yield ""
    lines, goals = [], []
    for name, of in rows.items():
        groups = ratios(rows, name)
        low, high = results.spread_of(groups)
        lines.append((*name, f"{speed(of):.2f}", f"{median(groups):.2f} ({low:.2f} to {high:.2f})"))
        goal = GOALS.get((name[0].split()[-1], of[0]["package"]))
        if goal:
            goals.append(f"- goal of {name[0]} beside {name[1]}: at least {goal} times as fast; it is {median(groups):.2f}, "
                         f"{'reached' if median(groups) >= goal else 'missed'}")
    yield from results.markdown(("what", "package", "million messages a second", "time over ours"), lines)
    yield ""
    yield from goals
    yield from (f"- left out: {package}, as {why}" for package, why in left_out.items())
    yield f"- {results.spread_remark(seeds)}"
    yield from (f"- {note}" for note in results.notes(folder))


def draw(folder, found):
    import drawing

    rows, _, fingerprint = found
    figure, (axes,) = drawing.panels(1, 1, 3.4)
    places = range(len(rows))
    axes.barh(places, [speed(of) for of in rows.values()],
              color=[drawing.COLORS[0 if of[0]["package"] == OURS else 3] for of in rows.values()])
    axes.set_yticks(places, [": ".join(name) for name in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    drawing.log_axis(axes.xaxis)
    axes.set_xlabel("million messages a second")
    axes.grid(axis="x")
    drawing.finish(figure, "The Python package beside others: median", results.fingerprint_line(fingerprint), folder / "rivals.png")
