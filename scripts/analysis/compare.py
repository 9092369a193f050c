# SPDX-License-Identifier: MIT
"""The benchmark programs of two commits, from the runs of scripts/local/compare.sh: a table, and rows.png.

The runs have the names and roles of paired.py: `a` is the earlier commit, `control` its second run, `b` the tree. The
time of a run is the median over its rounds, so a pair of runs makes one ratio.
"""

import collections

import numpy

import paired
import results
import runs

OF_THE_ENGINE = "one_thread"  # its other rows need two cores to themselves

Row = collections.namedtuple("Row", "time digest mib")
Line = collections.namedtuple("Line", "stream row ratios control pairs")  # of each pair its rows, by role
Found = collections.namedtuple("Found", "lines left_out before after")


def artifact_of(run):
    """The rows of a run of any of the programs."""
    rows = {}
    try:
        engine = "saturation" in run.content
        for row in run.content["saturation" if engine else "rows"]:
            name = row["book"] if "book" in row else row["row"]
            if "refused" in row or engine and name != OF_THE_ENGINE:
                continue
            what = f"row '{name}'"
            times = {f"time {i}": time for i, time in enumerate(row["times"])}
            results.check_numbers(run.where, what, {**times, "mib": row.get("mib", 0)})
            if name in rows or not isinstance(name, str) or min(times.values()) <= 0:
                raise runs.Unusable(f"{run.where}: {what} is there twice, or its times are not above 0")
            rows[name] = Row(float(numpy.median(list(times.values()))), row.get("digest"), row.get("mib"))
    except (KeyError, TypeError, ValueError) as error:
        raise runs.Unusable(f"{run.where}: incomplete ({type(error).__name__}: {error})") from error
    return results.Artifact(run.fingerprint, rows, {})


def read(folder):
    groups = paired.in_groups(paired.read_run(run, artifact_of) for run in runs.read(folder))
    first, streams = {}, collections.defaultdict(list)
    for (stream, seed), group in sorted(groups.items()):
        if not paired.is_whole(group):
            raise runs.Unusable(f"{folder}: the pair {stream}-seed{seed} is not finished")
        for role in paired.ROLES:
            run, program = group[role], first.setdefault(role == "b", group[role])
            results.check_same_origin(program.fingerprint, run.fingerprint, run.where)
            results.check_same_origin(first[False].fingerprint, run.fingerprint, run.where, results.MACHINE_AND_BUILD)
        streams[stream].append({role: run.rows for role, run in group.items()})
    lines, left_out = [], []
    for stream, pairs in streams.items():
        for name in dict.fromkeys(name for pair in pairs for rows in pair.values() for name in rows):
            try:
                lines.append(line_of(stream, name, pairs))
            except LookupError as error:
                left_out.append(f"{stream}: without '{name}', {error.args[0]}")
    if not lines:
        raise runs.Unusable(f"{folder}: no row is in both programs")
    return Found(lines, left_out, first[False].fingerprint, first[True].fingerprint)


def line_of(stream, name, pairs):
    if not all(name in rows for pair in pairs for rows in pair.values()):
        raise LookupError("which is not in every run")
    own = [{role: rows[name] for role, rows in pair.items()} for pair in pairs]
    if any(row.digest != pair["a"].digest for pair in own for row in pair.values()):
        raise LookupError("which does other work in the tree: the digests differ")
    ratios, control = (paired.Ratios([pair[role].time / pair["a"].time for pair in own]) for role in ("b", "control"))
    return Line(stream, name, ratios, control, own)


def both(line, of_rows, field):
    """A figure of the earlier commit and of the tree."""
    values = [[getattr(pair[role], field) for pair in line.pairs] for role in "ab"]
    return "–" if None in values[0] + values[1] else " / ".join(f"{of_rows(found):,.1f}" for found in values)


def cells(line):
    return (line.stream, line.row, *paired.ratio_cells(line.ratios), f"{line.ratios.won} of {len(line.pairs)}",
            *paired.ratio_cells(line.control), both(line, numpy.median, "time"), both(line, max, "mib"))


def tables(folder, found):
    counts = [len(line.pairs) for line in found.lines]
    spread = results.spread_name(counts, paired.OF_ONE_PAIR)
    yield results.fingerprint_line(found.after)
    yield from ("", *(f"- {role}: {results.fingerprint_line(fingerprint).rsplit(', ', 1)[1]}"
                      for role, fingerprint in (("A, before", found.before), ("B, after", found.after))), "")
    yield from results.markdown(("stream", "row", "after / before", spread, "won", "A / A", spread,
                                 "ns before / after", "MiB before / after"), [cells(line) for line in found.lines])
    yield from ("", "A ratio is the median over the pairs of processes of the time of B over that of A: below 1 the tree "
                "is faster, and `won` counts the pairs in which it was. A / A is a second run of A over the first: "
                "differences within its spread are noise. It knows nothing of where the code lies, which alone may "
                "move a row by a few percent.", "")
    yield f"- {results.spread_remark(counts, 'a single pair makes no interval')}"
    yield from (f"- {remark}" for remark in (*found.left_out, *results.notes(folder)))


def draw(folder, found):
    import drawing

    figure, (axes,) = drawing.panels(1, 1, 0.6 + 0.2 * len(found.lines))
    for y, line in enumerate(found.lines):
        axes.plot([line.control.low, line.control.high], [y, y], color="0.8", linewidth=7)
        axes.plot([line.ratios.low, line.ratios.high], [y, y], color="black", linewidth=1.5)
        axes.plot(line.ratios.median, y, "o", color="black", markersize=3)
    axes.set_yticks(range(len(found.lines)), [f"{line.stream}  {line.row}" for line in found.lines])
    axes.set_ylim(len(found.lines) - 0.5, -0.5)
    axes.set_xscale("log")
    drawing.log_axis(axes.xaxis)
    drawing.mark_one(axes)
    spread = results.spread_name((len(line.pairs) for line in found.lines), paired.OF_ONE_PAIR)
    drawing.finish(figure, f"Time after over time before (lower is faster): median and {spread}. Grey: a second run of "
                   f"the program before over its first. Before: commit {found.before.get('commit', 'unknown')[:12]}.",
                   results.fingerprint_line(found.after), folder / "rows.png")
