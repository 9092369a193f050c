# SPDX-License-Identifier: MIT
"""The parts of the core's time, from the runs of scripts/local/ablation.sh: tables, and ablation.png.

A part is the difference of two variants in the same round.
"""

import collections

import numpy

import results
import runs

# For each part: with it and without it.
PARTS = {
    "loop and dispatch": ("null", None),
    "crossing check": ("full", "no_cross"),
    "linking (nothing is unlinked)": ("no_unlink", "no_links"),
    "unlinking": ("full", "no_unlink"),
    "linking and unlinking": ("full", "no_links"),
    "totals and counts of levels": ("full", "no_totals"),
    "occupancy": ("full", "no_occupancy"),
    "all of these but the dispatch": ("full", "bare"),
    "generation check of handles": ("full", "no_generation"),
    "time in force": ("full", "no_time_in_force"),
    "the rest: checks, slots, orders": ("bare", "null"),
    "the core": ("full", None),
}
VARIANTS = tuple(dict.fromkeys(variant for pair in PARTS.values() for variant in pair if variant))
KINDS = ("market order", "fill", "other operation")  # what the time of a window is made of

Estimate = collections.namedtuple("Estimate", "value low high")


def text(estimate):
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


class Stream:
    """The artifacts of one stream."""

    def __init__(self):
        self.passive = []  # rows by variant, one for each seed
        self.windows = []  # for each seed, how many of each of KINDS, and nanoseconds, of each window
        self.fills_per_op = []
        self.counts = {}

    def times(self, variant):
        return [numpy.array(rows[variant]["times"], dtype=float) for rows in self.passive]

    def part(self, part):
        """Nanoseconds an operation."""
        groups = self.times(PARTS[part][0])
        if PARTS[part][1]:
            groups = [whole - rest for whole, rest in zip(groups, self.times(PARTS[part][1]))]
        return Estimate(float(numpy.median(numpy.concatenate(groups))), *results.spread_of(groups))

    def counted(self, part, figure):
        whole, rest = PARTS[part]
        return round(self.counts[whole][figure] - (self.counts[rest][figure] if rest else 0), 3) + 0.0  # never -0.0

    def trades(self):
        """Nanoseconds that one more of each kind adds to a window. Of a single seed windows are drawn again."""
        seeds = [numpy.array(windows, dtype=float) for windows in self.windows]
        whole = numpy.concatenate(seeds)
        if len(seeds) == 1:
            random = numpy.random.default_rng(1)
            drawn = [fit(whole[random.integers(len(whole), size=len(whole))]) for _ in range(200)]
            spreads = numpy.transpose(numpy.percentile(drawn, (2.5, 97.5), axis=0))
        else:
            spreads = [results.spread_of([[cost] for cost in costs]) for costs in zip(*map(fit, seeds))]
        return {kind: Estimate(cost, *spread) for kind, cost, spread in zip(KINDS, fit(whole), spreads)}


def fit(windows):
    """Nanoseconds for one of each kind. Few windows meet an interrupt, and those weigh little."""
    import scipy.optimize

    counts, times = windows[:, :-1], windows[:, -1]
    start = numpy.linalg.lstsq(counts, times, rcond=None)[0]
    scale = 1.5 * numpy.median(numpy.abs(times - counts @ start)) or 1.0
    return scipy.optimize.least_squares(lambda costs: (counts @ costs - times) / scale, start, lambda _: counts / scale,
                                        loss="cauchy", x_scale="jac").x


def read(folder):
    """The streams by name, and the fingerprint that all runs share."""
    streams = collections.defaultdict(Stream)
    names = {}
    found = runs.read(folder)
    for run in found:
        results.check_same_origin(found[0].fingerprint, run.fingerprint, run.where)
        if not run.name.endswith("-instructions"):
            add(streams, names, run)
    counts = {run.name: run for run in found}
    for name, stream in names.items():
        run = counts.get(f"{name}-instructions")
        if not run:
            raise runs.Unusable(f"{folder}: the run {name}-instructions is not there")
        stream.counts = results.counts_of(run)
        missing = [variant for variant in VARIANTS if variant not in stream.counts]
        if missing:
            raise runs.Unusable(f"{run.where}: incomplete (no counts of {', '.join(missing)})")
        if not stream.passive or not stream.windows:
            raise runs.Unusable(f"{folder}: {name} lacks its passive or its whole runs")
    if not streams:
        raise runs.Unusable(f"{folder}: nothing was timed")
    in_order = sorted(streams.items(), key=lambda item: item[1].passive[0]["full"]["standing"])
    return dict(in_order), found[0].fingerprint


def add(streams, names, run):
    """Takes a run into the stream that it is of."""
    rows = results.artifact_of(run).rows
    try:
        stream = streams[results.stream_name(rows["full"])]
        names[run.name.split("-")[0]] = stream
        if "-passive-" in run.name:
            for variant in VARIANTS:
                if len(rows[variant]["times"]) != len(rows["full"]["times"]):
                    raise runs.Unusable(f"{run.where}: '{variant}' was not timed as often as 'full'")
            stream.passive.append(rows)
        else:
            windows = run.content["windows"]
            counts = [windows[key] for key in ("events", "markets", "fills")]
            for kind in counts:
                results.check_numbers(run.where, "the windows", dict(enumerate(kind)))
            stream.windows.append([[markets, fills, events - markets, events * time] for events, markets, fills, time
                                   in zip(*counts, rows["full"]["times"], strict=True)])
            stream.fills_per_op.append(rows["full"]["fills_per_op"])
    except (KeyError, TypeError, ValueError) as error:
        raise runs.Unusable(f"{run.where}: incomplete ({type(error).__name__}: {error})") from error


def tables(folder, found):
    streams, fingerprint = found
    seeds = [len(stream.passive) for stream in streams.values()]
    spread = results.spread_name(seeds)
    spread_of_windows = results.spread_name(seeds, "per-window interval")
    yield results.fingerprint_line(fingerprint)

    def table(title, text_of, names, head="part"):
        return ["", title, "", *results.markdown((head, *streams), [
            (name, *(text_of(stream, name) for stream in streams.values())) for name in names])]

    yield from table(f"Nanoseconds an operation: median over the rounds of all seeds, {spread}. For orientation only: "
                     "a processor overlaps the loop with the book, by at most the time of `loop and dispatch`.",
                     lambda stream, part: text(stream.part(part)), PARTS)
    yield from table("Instructions an operation, counted by callgrind.",
                     lambda stream, part: f"{stream.counted(part, 'instructions'):.1f}", PARTS)
    yield from table("Mispredicted branches an operation, simulated by callgrind.",
                     lambda stream, part: f"{stream.counted(part, 'mispredictions'):.3f}", PARTS)
    trades = {name: stream.trades() for name, stream in streams.items()}
    yield from ["", "Nanoseconds that one more of each adds to a window of 1,000 events as planned, trades included: "
                f"a robust regression, {spread_of_windows}.", ""]
    rows = [(kind, *(text(trades[name][kind]) for name in streams)) for kind in KINDS]
    fills = [numpy.mean(stream.fills_per_op) for stream in streams.values()]
    rows.append(("fills/op", *(f"{fill:.3f}" for fill in fills)))
    rows.append(("fills, ns/op", *(f"{fill * trades[name]['fill'].value:.2f}" for fill, name in zip(fills, streams))))
    yield from results.markdown(("one more of", *streams), rows)
    yield ""
    yield f"- {results.spread_remark(seeds)}"
    yield "- parts overlap in a processor that does several things at a time, so they do not add up"
    yield from (f"- {note}" for note in results.notes(folder))


def draw(folder, found):
    import drawing

    streams, fingerprint = found
    figure, all_axes = drawing.panels(len(streams), len(streams), 0.6 + 0.22 * len(PARTS), sharey=True)
    for axes, (name, stream) in zip(all_axes, streams.items()):
        parts = [stream.part(part) for part in PARTS]
        errors = numpy.transpose([(part.value - part.low, part.high - part.value) for part in parts])
        axes.barh(range(len(parts)), [part.value for part in parts], xerr=errors, color="0.75", ecolor="black")
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_title(name)
        drawing.number_axis(axes.xaxis, 4)
        axes.set_xlabel("ns per operation")
        axes.grid(axis="x")
    all_axes[0].set_yticks(range(len(PARTS)), PARTS)
    all_axes[0].invert_yaxis()
    spread = results.spread_name(len(stream.passive) for stream in streams.values())
    drawing.finish(figure, "What each part of the core costs on streams without trades: nanoseconds per operation, "
                   f"{spread}", results.fingerprint_line(fingerprint), folder / "ablation.png")
