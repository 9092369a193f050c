# SPDX-License-Identifier: MIT
"""How long single calls take, from the records that bench_hft_macro_scenarios left in files.

Prints, for each file, the percentiles of each scenario and of the probe beside it, and the times of classes of calls,
as Markdown; mean99 is the mean of the fastest 99 %. Draws the percentiles into percentiles.png beside the first file.
"""

import collections
import json
import pathlib

import numpy

import results
import runs

# What each reaches, in ten-thousandths of the calls: whole numbers, since 0.9999 has no exact float.
PERCENTILES = {"p50": 5000, "p90": 9000, "p99": 9900, "p99.9": 9990, "p99.99": 9999, "max": 10000}
NEVER = 2**32 - 1
AGES = (10, 100, 1000, 10_000, 100_000)
AGE_NAMES = ("under 10", *(f"{age:,} to {10 * age - 1:,}" for age in AGES[:-1]), f"{AGES[-1]:,} and more", "never")
HEADER_NUMBERS = ("records", "step_ns", "plain_ns_per_op", "stamped_ns_per_op")

# `header` is what the program says of its run; `records` an array of its calls.
File = collections.namedtuple("File", "title header records")


def read_records(path):
    try:
        with open(path, "rb") as file:
            header = json.loads(file.readline())
            layout = numpy.dtype(list(header["fields"].items()))
            content = file.read()
        title = f"{header['book']} on {results.stream_name(header)}, seed {header['seed']}"
        expected = header["records"]
        results.check_numbers(path, "its header", {key: header[key] for key in HEADER_NUMBERS})
        runs.fingerprint_of(path, dict(header))
        header["stamps"]  # must be there
        for key in ("scenarios", "paths"):
            if not all(isinstance(name, str) for name in header[key]):
                raise runs.Unusable(f"{path}: '{key}' are no names")
    except OSError as error:
        raise runs.Unusable(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise runs.Unusable(f"{path}: no records of bench_hft_macro_scenarios ({error})") from error
    if len(content) != expected * layout.itemsize:
        raise runs.Unusable(f"{path}: torn; {len(content):,} bytes of records instead of "
                            f"{expected * layout.itemsize:,}")
    if expected == 0:
        raise runs.Unusable(f"{path}: no call was timed")
    return File(title, header, numpy.frombuffer(content, layout))


def percentile(in_order, per_10000):
    """The least value that so many of 10,000 values do not exceed."""
    return float(in_order[rank(in_order, per_10000) - 1])


def rank(in_order, per_10000):
    return -(-len(in_order) * per_10000 // 10_000)


def mean99(in_order):
    """The mean of the fastest 99 %, which the clock's step does not hide and interruptions do not drown."""
    return float(in_order[:rank(in_order, 9900)].mean(dtype=float))


def scenarios_of(file):
    """The names of the scenarios that have calls, each with its records."""
    for number, name in enumerate(file.header["scenarios"]):
        records = file.records[file.records["scenario"] == number]
        if len(records):
            yield name, records


def percentile_table(file):
    rows = []
    for name, records in scenarios_of(file):
        for label, count, field in ((name, f"{len(records):,}", "ns"), ("its probe", "", "probe_ns")):
            in_order = numpy.sort(records[field])
            rows.append([label, count, f"{mean99(in_order):.1f}",
                         *(f"{percentile(in_order, part):.1f}" for part in PERCENTILES.values())])
    return results.markdown(["ns", "calls", "mean99", *PERCENTILES], rows)


def age_class(ages):
    return numpy.where(ages == NEVER, len(AGES) + 1, numpy.digitize(ages, AGES))


def class_table(file, title, names, classes_of):
    """The mean99 and p99 of the calls of each class, a row each, by scenario."""
    scenarios = list(scenarios_of(file))
    rows = []
    for number, name in enumerate(names):
        cells = []
        for _, records in scenarios:
            in_order = numpy.sort(records["ns"][classes_of(records) == number])
            cells.append(f"{mean99(in_order):.1f} / {percentile(in_order, 9900):.1f} ({len(in_order):,})"
                         if len(in_order) else "–")
        if set(cells) != {"–"}:
            rows.append([name, *cells])
    return results.markdown([title, *(name for name, _ in scenarios)], rows)


def report(file):
    header = file.header
    return [f"## {file.title}", "",
            f"Stamps by {header['stamps']} in steps of {header['step_ns']:.1f} ns or less, the probe not subtracted. "
            f"All events of a batch took {header['plain_ns_per_op']:.1f} ns each without stamps and "
            f"{header['stamped_ns_per_op']:.1f} ns with them.",
            "", *percentile_table(file), "", "mean99 / p99 in ns (calls):", "",
            *class_table(file, "words of the tree that change", header["paths"], lambda records: records["path"]), "",
            *class_table(file, "events since the slot was touched", AGE_NAMES,
                         lambda records: age_class(records["slot_age"])), "",
            *class_table(file, "events since the level was touched", AGE_NAMES,
                         lambda records: age_class(records["level_age"]))]


def draw_curve(axes, values, **style):
    """A value against 1 / (share of the calls that take longer), up to the second longest: the longest has none."""
    in_order = numpy.sort(values)[:-1]
    if not len(in_order):
        return
    longer = len(values) - 1 - numpy.arange(len(in_order))
    places = numpy.unique(len(in_order) - numpy.geomspace(1, len(in_order), 500).astype(int))  # as many in each decade
    axes.plot(len(values) / longer[places], in_order[places], linewidth=1.2, **style)


def draw(files, path):
    import drawing

    figure, all_axes = drawing.panels(len(files), 2, 2.7, sharey=True)
    for axes, file in zip(all_axes, files):
        for color, (name, records) in zip(drawing.COLORS[::2], scenarios_of(file)):
            draw_curve(axes, records["ns"], color=color, label=name)
        draw_curve(axes, file.records["probe_ns"], color="black", linestyle=":", label="the probe alone")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks([2, 10, 100, 1000, 10_000, 100_000], ["50", "90", "99", "99.9", "99.99", "99.999"])
        axes.minorticks_off()
        axes.set_xlabel("percentile of the calls")
        axes.set_ylabel("nanoseconds between stamps")
        axes.set_title(file.title)
        axes.grid()
    for axes in all_axes:
        drawing.log_axis(axes.yaxis)
    all_axes[0].legend()
    drawing.finish(figure, "Time of single calls, measured from stamp to stamp",
                   results.fingerprint_line(files[0].header["fingerprint"]), path)


def main(paths):
    files = [read_records(path) for path in paths]
    for path, file in zip(paths, files):
        results.check_same_origin(files[0].header["fingerprint"], file.header["fingerprint"], path)
    print(results.fingerprint_line(files[0].header["fingerprint"]))
    for file in files:
        print("", *report(file), sep="\n")
    picture = pathlib.Path(paths[0]).parent / "percentiles.png"
    try:
        draw(files, picture)
    except OSError as error:
        raise runs.Unusable(f"{picture}: {error.strerror}") from error
