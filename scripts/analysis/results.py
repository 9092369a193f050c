# SPDX-License-Identifier: MIT
"""Reads the results of a campaign and pairs them up.

The runs of scripts/bench.sh are called STREAM-seedN-runN-BUILD. Books were timed in turns within a run, so a run holds
the ratios of its books (those of the first build are reported); builds were timed in turns run by run (A B B A, runs 1
to 4), so runs 1 and 2, and runs 3 and 4, make one ratio of builds. A run 0 stands by itself.
"""

import collections
import math
import re

import numpy

import runs
from runs import Unusable

NAME = re.compile(r"(?P<stream>.+)-seed(?P<seed>\d+)-run(?P<run>\d+)-(?P<build>[a-z]+)")
ROW_NUMBERS = ("standing", "seed", "rounds", "ns_per_op", "ratio", "resting_avg", "resting_peak", "levels_avg",
               "fills_per_op", "events", "misses", "misses_planned", "allocations")
ROW_TEXTS = ("book", "workload", "digest")
OTHER_ROW_NUMBERS = ("one_sided", "peak_bytes")  # not in every row
ROW_LISTS = ("ratios", "times")
COUNTED = ("instructions", "mispredictions", "d1_misses")  # by callgrind
SAME_EVERYWHERE = ("cpu", "cores", "kernel", "compiler", "commit", "dirty")
MACHINE_AND_BUILD = ("cpu", "cores", "kernel", "compiler", "flags", "build")
BASE = "core"
OURS = (BASE, "core_span")  # which others are compared with
LOOP = "null"  # the replay loop with no book
ENOUGH_SEEDS = 8  # of fewer, an interval would claim more than they can show

# Of one run of bench_books: `rows` by book, and in `refused` why a book could not play the stream.
Artifact = collections.namedtuple("Artifact", "fingerprint rows refused")
Run = collections.namedtuple("Run", "name where stream seed run build fingerprint rows refused")


class Comparison:
    """Ratios of one thing over another on one stream: groups of them, one of each seed."""

    def __init__(self, stream, numerator, denominator, groups, both):
        self.stream = stream
        self.numerator = numerator
        self.denominator = denominator
        self.groups = [numpy.asarray(group, dtype=float) for group in groups]
        self.rows, self.base_rows = zip(*both)
        self.ratios = numpy.concatenate(self.groups)
        self.median = float(numpy.median(self.ratios))
        self.low, self.high = spread_of(self.groups)

    @property
    def speed(self):
        """How many times as fast the first is."""
        return 1 / self.median

    @property
    def won(self):
        return int((self.ratios < 1).sum())

    def mean(self, key):
        """Of a number that every row carries."""
        return float(numpy.mean([row[key] for row in self.rows]))


def spread_of(groups):
    """What stands behind the median of all groups together, one of each seed: the range of their medians, or, if there
    are enough of them, an interval of the median. That of a single one comes from its values."""
    if 1 < len(groups) < ENOUGH_SEEDS:
        medians = [float(numpy.median(group)) for group in groups]
        return min(medians), max(medians)
    return interval_of_median(groups)


def spread_name(counts, of_one="per-round interval"):
    """What to call the spreads of figures of so many seeds each, and `of_one` seed."""
    names = {of_one if count == 1 else "range over the seeds" if count < ENOUGH_SEEDS else "95 % interval"
             for count in counts}
    return names.pop() if len(names) == 1 else "spread"


def spread_remark(counts, of_one="the per-round interval is a 95 % bootstrap over the rounds of a single run, and "
                  "knows nothing of other runs"):
    """The rule, as far as it concerns figures of so many seeds each, and `of_one` seed."""
    few, many = ([count for count in sorted(set(counts)) if low <= count < high]
                 for low, high in ((2, ENOUGH_SEEDS), (ENOUGH_SEEDS, math.inf)))
    words = []
    if 1 in counts:
        words.append(f"one seed: {of_one}")
    if few:
        words.append(f"{' or '.join(map(str, few))} seeds: the range over the seeds is that of the median of each; "
                     f"fewer than {ENOUGH_SEEDS} make no interval")
    if many:
        words.append(f"{' or '.join(map(str, many))} seeds: the 95 % interval is a bootstrap over the seeds, and over "
                     "the values of each")
    return "; ".join(words)


def interval_of_median(groups, resamples=2000):
    """95 % bootstrap interval of the median of all groups together. The values of a group come from one seed: they
    share its stream, its memory layout and its moment, so they are not independent of each other. What is drawn again
    is therefore groups, and then values within each."""
    sizes = numpy.array([len(group) for group in groups])
    values = numpy.concatenate(groups)
    starts = numpy.concatenate(([0], numpy.cumsum(sizes)[:-1]))
    random = numpy.random.default_rng(1)
    drawn = random.integers(len(groups), size=(resamples, len(groups)))
    places = (random.random((resamples, len(groups), sizes.max())) * sizes[drawn][..., None]).astype(int)
    samples = values[starts[drawn][..., None] + places]
    samples[numpy.arange(sizes.max()) >= sizes[drawn][..., None]] = numpy.nan  # beyond the end of a shorter group
    medians = numpy.nanmedian(samples.reshape(resamples, -1), axis=1)
    low, high = numpy.percentile(medians, (2.5, 97.5))
    return float(low), float(high)


def is_number(value):
    """One that can be reckoned with: Python's JSON knows NaN and infinity."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check_numbers(where, what, numbers):
    """`numbers` is a dictionary of them, by name."""
    for name, number in numbers.items():
        if not is_number(number):
            raise Unusable(f"{where}: '{name}' of {what} is not a number")


def check_row(where, row):
    book = f"book '{row['book']}'"
    check_numbers(where, book, {key: row[key] for key in ROW_NUMBERS})
    check_numbers(where, book, {key: row[key] for key in OTHER_ROW_NUMBERS if key in row})
    for key in ROW_LISTS:
        check_numbers(where, book, {f"{key} {number}": value for number, value in enumerate(row.get(key, ()))})
    for key in ROW_TEXTS:
        if not isinstance(row[key], str):
            raise Unusable(f"{where}: '{key}' of {book} is not text")
    if row["ns_per_op"] <= 0 or row["events"] <= 0:
        raise Unusable(f"{where}: {book} did no work")
    if len(row["ratios"]) == 0 or not all(ratio > 0 for ratio in row["ratios"]):
        raise Unusable(f"{where}: 'ratios' of {book} are not all above 0")


def artifact_of(run):
    """The rows of a run, by book. A name that two rows have would hide one of them."""
    rows, refused = {}, {}
    try:
        for row in run.content["rows"]:
            book = row["book"]
            if book in rows or book in refused:
                raise Unusable(f"{run.where}: two rows for the book '{book}'")
            if "refused" in row:
                refused[book] = str(row["refused"])
            else:
                check_row(run.where, row)
                rows[book] = row
        if len({len(row["ratios"]) for row in rows.values()}) > 1:
            raise Unusable(f"{run.where}: its books were not timed in the same number of rounds")
    except (KeyError, TypeError, ValueError) as error:
        raise Unusable(f"{run.where}: incomplete ({type(error).__name__}: {error})") from error
    return Artifact(run.fingerprint, rows, refused)


def counts_of(run):
    """By book, the figures that callgrind.py found."""
    try:
        books = dict(run.content["books"])
        for book, figures in books.items():
            check_numbers(run.where, f"book '{book}'", {figure: figures[figure] for figure in COUNTED})
    except (KeyError, TypeError, ValueError) as error:
        raise Unusable(f"{run.where}: incomplete ({type(error).__name__}: {error})") from error
    return books


def check_same_origin(first, other, where, keys=SAME_EVERYWHERE):
    """Figures of two machines or two sources are not compared."""
    for key in keys:
        if other.get(key) != first.get(key):
            raise Unusable(f"fingerprints differ: '{key}' is '{first.get(key)}' in the first run "
                           f"and '{other.get(key)}' in {where}")


def check_each(found, check):
    """Gives each run to `check`, whose exceptions say that it is incomplete. All must have one origin."""
    for run in found:
        check_same_origin(found[0].fingerprint, run.fingerprint, run.where)
        try:
            check(run)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Unusable(f"{run.where}: incomplete ({type(error).__name__}: {error})") from error


def run_of(run):
    parts = NAME.fullmatch(run.name)
    if not parts:
        raise Unusable(f"{run.where}: the name is not STREAM-seedN-runN-BUILD")
    artifact = artifact_of(run)
    if BASE not in artifact.rows:
        raise Unusable(f"{run.where}: incomplete (no row for the book '{BASE}')")
    return Run(run.name, run.where, parts["stream"], int(parts["seed"]), int(parts["run"]), parts["build"], *artifact)


def check_campaign(found):
    """The runs in the order in which they were made. They are of one machine, source and plan."""
    made = sorted(map(run_of, found), key=lambda run: (run.seed, run.stream, run.run))
    for run in made[1:]:
        check_same_origin(made[0].fingerprint, run.fingerprint, run.where)

    plans = {}
    for run in made:
        row = run.rows[BASE]
        same = plans.setdefault((run.stream, run.seed, row["rounds"]), run)
        if row["digest"] != same.rows[BASE]["digest"]:
            raise Unusable(f"{same.where} and {run.where} did not do the same work: their digests differ")
    return made


def read_campaign(folder):
    return check_campaign(runs.read(folder))


def stream_name(row):
    workload = row["workload"]
    if workload == "many":
        return f"many {row['symbols']:,.0f}, {row['standing']:,.0f}"
    return f"{workload} {row['standing']:,.0f}" if workload in ("macro", "fleeting", "far", "gaps") else workload


def by_stream(found):
    """The runs on each stream, by the name of the stream."""
    streams = collections.defaultdict(list)
    for run in sorted(found, key=lambda run: (run.rows[BASE]["workload"], run.rows[BASE]["standing"])):
        streams[stream_name(run.rows[BASE])].append(run)
    return streams


def books_of(found):
    """The books that were in any of the runs."""
    return list(dict.fromkeys(book for run in found for book in run.rows))


def compare(found):
    """One comparison for each stream and each pair of books, and one for each stream and pair of builds. Of two books the
    first is ours."""
    comparisons = []
    for name, of_stream in by_stream(found).items():
        for ours, other in pairs_of(books_of(of_stream)):
            both = [(run.rows[ours], run.rows[other]) for run in of_stream
                    if ours in run.rows and other in run.rows and run.build == of_stream[0].build]
            if both:
                comparisons.append(Comparison(name, ours, other, by_seed(both, ratios_of_rounds), both))
        comparisons.extend(compare_builds(name, of_stream))
    return comparisons


def pairs_of(books):
    ours = [book for book in OURS if book in books]
    rivals = [book for book in books if book not in (*OURS, LOOP)]
    return [*((book, rival) for book in ours for rival in rivals), *((book, BASE) for book in ours if book != BASE),
            *((LOOP, BASE) for book in books if book == LOOP)]


def ratios_of_rounds(row, base):
    """In each round, of two books that were both compared with a third."""
    return [ratio / of_base for ratio, of_base in zip(row["ratios"], base["ratios"])]


def by_seed(both, ratios_of):
    """The ratios of pairs of rows, in groups of one seed."""
    groups = collections.defaultdict(list)
    for row, base in both:
        groups[base["seed"]].extend(ratios_of(row, base))
    return list(groups.values())


def compare_builds(name, of_stream):
    base_build = of_stream[0].build
    pairs = collections.defaultdict(list)
    for first, second in zip(of_stream, of_stream[1:]):
        if first.seed == second.seed and first.run % 2 == 1 and second.run == first.run + 1:
            other, base = (second, first) if first.build == base_build else (first, second)
            if base.build == base_build and other.build != base_build:
                pairs[other.build].append((other.rows[BASE], base.rows[BASE]))
    for build, both in pairs.items():
        yield Comparison(name, f"{BASE} {build}", f"{BASE} {base_build}",
                         by_seed(both, lambda row, base: [row["ns_per_op"] / base["ns_per_op"]]), both)


def times(speed):
    """How many times as fast, in three significant digits or to the whole."""
    for limit, digits in ((10, 2), (100, 1)):
        if speed < limit:
            return f"{speed:.{digits}f}"
    return f"{speed:,.0f}"


def significant(number):
    """Three significant digits, without an exponent."""
    if number < 0.1:
        return numpy.format_float_positional(number, precision=3, min_digits=3, fractional=False)
    for limit, digits in ((10, 3), (100, 1)):
        if number < limit:
            return f"{number:.{digits}f}"
    return f"{number:,.0f}"


def state_of_book(comparison):
    """What the book was like while it was timed: the same for every book, as the runs have checked."""
    return (f"{comparison.mean('resting_avg'):,.0f} resting (peak {comparison.mean('resting_peak'):,.0f}), "
            f"{comparison.mean('levels_avg'):,.0f} levels, {comparison.mean('fills_per_op'):.3f} fills/op")


def is_dirty(fingerprint):
    return fingerprint.get("dirty", "unknown").lower() in ("yes", "true", "1", "dirty")


def fingerprint_line(fingerprint):
    def get(key):
        return fingerprint.get(key) or "unknown"

    changed = " with uncommitted changes" if is_dirty(fingerprint) else ""
    return (f"{get('cpu')}, {get('cores')} cores, {get('kernel')}, {get('compiler')}, "
            f"commit {get('commit')[:12]}{changed}")


def markdown(header, rows):
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]

    def line(row):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"

    return [line(header), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, rows)]


def notes(folder):
    """What the script that made the campaign had to do without, and how it was called."""
    path = folder / "campaign.txt"
    if path.exists():
        command, *others = runs.read_text(path).splitlines() or [""]
        yield from (line for line in others if not line.startswith("answers: "))  # for the index
        yield f"made by `{command}`"
