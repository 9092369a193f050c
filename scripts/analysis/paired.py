#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds compared, from the runs of scripts/local/paired.sh: tables, and pairs.png. Runs of different machines,
sources or programs are refused, unless scripts/lab table --force-mixed is asked for.

paired.py --finished FOLDER: prints STREAM-seedN for each pair that is there, whole, with its control.
"""

import collections
import pathlib
import sys

import packages  # noqa: F401 before what needs them
import numpy
from scipy import optimize, stats

import command_line
import results
import runs

ROLES = ("a", "b", "control")
OF_ALL = tuple(key for key in results.SAME_EVERYWHERE if key != "compiler")
OF_A_PROGRAM = ("compiler", "flags", "build")
SAME_WORK = ("digest", "workload", "standing", "seed", "rounds", "events")

ERROR = 0.05  # how often noise may pass for a difference
OF_ONE_PAIR = "no interval (one pair)"
POWER = 0.8  # how often a difference must be seen to be one that can be seen


def enough(pairs, error):
    """Whether a Wilcoxon test of so many pairs can find a difference at all: it does when all have one sign."""
    return 2 / 2**pairs <= error


class Pair:
    """A, B and the control on one seed of one stream."""

    def __init__(self, group):
        self.runs = group
        self.seed = group["a"].seed
        rows = {role: row_of(run) for role, run in group.items()}
        self.row = rows["a"]
        for role in ROLES:
            for key in SAME_WORK:
                if rows[role][key] != self.row[key]:
                    raise runs.Unusable(f"{group['a'].where} and {group[role].where} did not do the same work: "
                                        f"'{key}' is '{self.row[key]}' and '{rows[role][key]}'")
        self.a, self.b, self.control = (rows[role]["ns_per_op"] for role in ROLES)
        self.a_first = group["a"].run < group["b"].run


def row_of(run):
    books = [book for book in run.rows if book != "null"]
    if len(books) != 1:
        raise runs.Unusable(f"{run.where}: one book is timed in a pair, not {len(books)}")
    return run.rows[books[0]]


class Ratios:
    """Of the time per operation of one program over that of A, in the order of the pairs."""

    def __init__(self, values):
        self.values = numpy.array(values)
        self.logs = numpy.log(self.values)
        self.median = float(numpy.median(self.values))
        self.low, self.high = results.spread_of([[value] for value in values])
        self.won, self.lost = int((self.values < 1).sum()), int((self.values > 1).sum())

    @property
    def sign_p(self):
        return stats.binomtest(self.won, self.won + self.lost).pvalue if self.won + self.lost else 1.0

    @property
    def wilcoxon_p(self):
        return stats.wilcoxon(self.logs).pvalue if self.won + self.lost else 1.0


class Stream:
    """All pairs on one stream."""

    def __init__(self, name, pairs):
        self.name = name
        self.pairs = sorted(pairs, key=lambda pair: pair.seed)
        self.ratios = Ratios([pair.b / pair.a for pair in self.pairs])
        self.control = Ratios([pair.control / pair.a for pair in self.pairs])
        self.a_first = numpy.array([pair.a_first for pair in self.pairs])

    def mean(self, key):
        return numpy.mean([pair.row[key] for pair in self.pairs])

    @property
    def order_p(self):
        """That it does not matter who is first."""
        groups = self.ratios.logs[self.a_first], self.ratios.logs[~self.a_first]
        return stats.mannwhitneyu(*groups).pvalue if all(map(len, groups)) else None

    def drift(self):
        """By what factor the ratio moves from the first pair to the last, and p that it stays."""
        if len(self.pairs) < 3:
            return None, None
        numbers = numpy.arange(len(self.pairs))
        slope = stats.theilslopes(self.ratios.logs, numbers)[0]
        p = stats.kendalltau(numbers, self.ratios.logs).pvalue
        return numpy.exp(slope * numbers[-1]), 1.0 if numpy.isnan(p) else p  # not defined where all are equal

    def smallest_difference(self):
        """The one that a Wilcoxon test finds with this power among so many pairs, if they differ by it and by noise as
        the control has it. None if it finds nothing, however large, among so few."""
        count = len(self.pairs)
        if not enough(count, ERROR):
            return None
        largest = 2 * abs(self.control.logs).max()
        if largest == 0:
            return 0.0
        random = numpy.random.default_rng(1)
        noise = random.choice(self.control.logs, (1000, count)) * random.choice((-1, 1), (1000, count))
        expected, variance = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24
        limit = stats.norm.ppf(1 - ERROR / 2) * variance**0.5

        def power(difference):
            moved = noise + difference
            ranks = stats.rankdata(abs(moved), axis=1)
            return (abs((ranks * (moved > 0)).sum(axis=1) - expected) > limit).mean()

        return numpy.expm1(optimize.brentq(lambda difference: power(difference) - POWER, 0, largest, xtol=1e-6))

    def verdict(self, streams):
        """On the control. The more streams there are, the more often one of them looks different by chance."""
        error = ERROR / streams
        if not enough(len(self.pairs), error):
            return "too few pairs to tell"
        return "A/A differs: do not trust this campaign" if self.control.wilcoxon_p < error else "no difference"


# ---- Reading.

def read_run(run, artifact_of=results.artifact_of):
    parts = results.NAME.fullmatch(run.name)
    if not parts or parts["build"] not in ROLES:
        raise runs.Unusable(f"{run.where}: the name is not STREAM-seedN-runN-ROLE, ROLE one of {', '.join(ROLES)}")
    return results.Run(run.name, run.where, parts["stream"], int(parts["seed"]), int(parts["run"]), parts["build"],
                       *artifact_of(run))


def in_groups(found):
    """The runs of each pair, by role."""
    groups = collections.defaultdict(dict)
    for run in found:
        groups[run.stream, run.seed][run.build] = run
    return groups


def differences(groups):
    """What tells apart the fingerprints of artifacts that are to be compared."""
    firsts = {}
    for group in groups.values():
        for run in group.values():
            program = "b" if run.build == "b" else "a"
            for keys, first in ((OF_ALL, firsts.setdefault("all", run)),
                                (OF_A_PROGRAM, firsts.setdefault(program, run))):
                for key in keys:
                    values = first.fingerprint.get(key), run.fingerprint.get(key)
                    if values[0] != values[1]:
                        yield (f"fingerprints differ: '{key}' is '{values[0]}' in {first.name} and "
                               f"'{values[1]}' in {run.name}")


def is_whole(group):
    return set(group) == set(ROLES)


def print_finished(folder):
    """While a campaign goes on, its runs are in files of their own."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            found.append(read_run(runs.read_file(path)))
        except runs.Unusable as error:
            print(f"paired.py: {error}; measured again", file=sys.stderr)
    groups = in_groups(found)
    for difference in differences(groups):
        raise runs.Unusable(difference)
    for (stream, seed), group in groups.items():
        if is_whole(group):
            print(f"{stream}-seed{seed}")


def read(folder, force_mixed=False):
    """The streams, and what is odd about the fingerprints."""
    groups = in_groups(map(read_run, runs.read(folder)))
    found = list(differences(groups))
    if found and not force_mixed:
        raise runs.Unusable(f"{found[0]}; --force-mixed compares them all the same")
    by_stream = collections.defaultdict(list)
    for (stream, seed), group in groups.items():
        if not is_whole(group):
            missing = ", ".join(role for role in ROLES if role not in group)
            raise runs.Unusable(f"{folder}: the pair {stream}-seed{seed} is not finished, it has no {missing}; "
                                "scripts/local/paired.sh --resume makes it")
        pair = Pair(group)
        by_stream[results.stream_name(pair.row)].append(pair)
    in_order = sorted(by_stream.items(), key=lambda item: (item[1][0].row["workload"], item[1][0].row["standing"]))
    return [Stream(*item) for item in in_order], found


# ---- Tables.

def probability(p):
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def ratio_cells(ratios):
    return (results.significant(ratios.median),
            f"{results.significant(ratios.low)} - {results.significant(ratios.high)}")


def percent(part):
    return "–" if part is None else f"{100 * part:.2f} %"


def result_cells(stream):
    nanoseconds = [numpy.median([getattr(pair, program) for pair in stream.pairs]) for program in "ba"]
    return (stream.name, *ratio_cells(stream.ratios), f"{stream.ratios.won} of {len(stream.pairs)}",
            probability(stream.ratios.sign_p), probability(stream.ratios.wilcoxon_p),
            " / ".join(f"{value:,.1f}" for value in nanoseconds))


def order_cells(stream):
    medians = [results.significant(numpy.median(stream.ratios.values[which])) if which.any() else "–"
               for which in (stream.a_first, ~stream.a_first)]
    drift, p = stream.drift()
    return (stream.name, *medians, probability(stream.order_p), percent(drift and drift - 1), probability(p))


def control_cells(stream, streams):
    return (stream.name, *ratio_cells(stream.control), probability(stream.control.wilcoxon_p),
            stream.verdict(streams), percent(stream.smallest_difference()))


def state_cells(stream):
    return (stream.name, f"{stream.mean('resting_avg'):,.0f} ({stream.mean('resting_peak'):,.0f})",
            f"{stream.mean('levels_avg'):,.0f}", f"{stream.mean('fills_per_op'):.3f}")


def program_line(role, fingerprint):
    return f"- {role.upper()}: " + ", ".join(fingerprint.get(key) or "unknown" for key in OF_A_PROGRAM)


def tables(folder, found):
    streams, mixed = found
    first = streams[0].pairs[0].runs
    pairs = [len(stream.pairs) for stream in streams]
    spread = results.spread_name(pairs, OF_ONE_PAIR)
    yield results.fingerprint_line(first["a"].fingerprint)
    yield ""
    yield from (program_line(role, first[role].fingerprint) for role in "ab")

    def section(title, text, header, rows):
        return ["", f"## {title}", "", text, "", *results.markdown(header, rows)]

    yield from section("B over A", "The median over the pairs of the time per operation of B over that of A: below 1 B "
                       "is faster, and `won` counts the pairs in which it was. p is how "
                       "likely this is where there is no difference.",
                       ("stream", "ratio", spread, "won", "sign test p", "Wilcoxon p", "ns/op of B / A"),
                       [result_cells(stream) for stream in streams])
    yield from section("The control: A over itself", "The same with a second run of A in place of B. It differs if p "
                       f"is below {ERROR / len(streams):.3g} ({ERROR} shared by the streams). The last column is what "
                       "this campaign could have seen: the difference that the Wilcoxon test finds "
                       f"{100 * POWER:.0f} % of the time, at p = {ERROR}, in noise drawn from that of the control.",
                       ("stream", "ratio", spread, "Wilcoxon p", "verdict", "smallest difference"),
                       [control_cells(stream, len(streams)) for stream in streams])
    yield from section("Order and drift", "The ratio where A ran before B and where it ran after it, with the p of a "
                       "Mann-Whitney test; and by how much the ratio moved from the first pair to the last "
                       "(Theil-Sen), with the p of Kendall's test.",
                       ("stream", "A first", "B first", "p", "drift", "p"),
                       [order_cells(stream) for stream in streams])
    yield from section("The book while it was timed", "The same for A and B: their digests agree.",
                       ("stream", "resting (peak)", "levels", "fills/op"), [state_cells(stream) for stream in streams])
    yield ""
    yield f"- {results.spread_remark(pairs, 'a single pair makes no interval')}"
    yield from (f"- compared all the same: {difference}" for difference in mixed)
    yield from (f"- {note}" for note in results.notes(folder))


# ---- Plot.

def draw_pairs(axes, ratios):
    numbers = numpy.arange(1, len(ratios.values) + 1)
    axes.axhspan(ratios.low, ratios.high, color="0.85")
    axes.axhline(ratios.median, color="black", linewidth=1.2)
    axes.plot(numbers, ratios.values, "o", color="0.3", markersize=2.5)
    axes.set_xlabel("number of the pair")


def draw(folder, found):
    import drawing

    streams, _ = found
    figure, all_axes = drawing.panels(3 * len(streams), 3, 2.0, sharey="row")
    for number, stream in enumerate(streams):
        row = all_axes[3 * number:3 * number + 3]
        draw_pairs(row[0], stream.ratios)
        draw_pairs(row[1], stream.control)
        for ratios, style, label in ((stream.ratios, "-", "B / A"), (stream.control, "--", "A / A")):
            row[2].plot(numpy.linspace(0, 100, len(ratios.values)), numpy.sort(ratios.values), style, color="black",
                        label=label)
        row[2].set_xlabel("percentile of the pairs")
        row[2].legend()
        row[0].set_ylabel(f"{stream.name}\ntime per operation, ratio")
        for axes, what in zip(row, ("B / A", "A / A, the control", "both, in order")):
            axes.set_title(what)
            axes.axhline(1, color="black", linewidth=0.8, linestyle=":")
            drawing.number_axis(axes.yaxis, 5)
            axes.grid()
    first = streams[0].pairs[0].runs
    spread = results.spread_name((len(stream.pairs) for stream in streams), OF_ONE_PAIR)
    drawing.finish(figure, "Time per operation of B over that of A, process by process (lower is faster). Dots: pairs; "
                   f"line and band: median and its {spread}. {program_line('a', first['a'].fingerprint)[2:]}. "
                   f"{program_line('b', first['b'].fingerprint)[2:]}.",
                   results.fingerprint_line(first["a"].fingerprint), folder / "pairs.png")


if __name__ == "__main__":
    parser = command_line.parser(__doc__)
    parser.add_argument("--finished", metavar="FOLDER", type=pathlib.Path, required=True)
    command_line.run(print_finished, parser.parse_args().finished)
