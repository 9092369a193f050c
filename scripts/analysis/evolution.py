# SPDX-License-Identifier: MIT
"""The history of the book, from the runs of scripts/local/evolution.sh: tables, evolution.png, core.png and a
family-NAME.png for each family of phases. The run called `books` names the books in the order of history.
"""

import numpy

import results
import runs

# What each phase is compared with: the last one before it that was kept. Other designs begin where phase 10 ends.
PREDECESSOR = {
    "phase2a": "phase1", "phase2b": "phase2a", "phase2c": "phase2b", "phase2d": "phase2b", "phase2e": "phase2b",
    "phase4a": "phase2e", "phase4b": "phase4a", "phase6a": "phase4a", "phase6b": "phase6a", "phase7a": "phase6a",
    "phase7a_8": "phase7a", "phase7a_32": "phase7a", "phase7a_64": "phase7a",
    "phase7b": "phase7a", "phase7c": "phase7b", "phase8a": "phase7c", "phase8b": "phase8a", "phase8c": "phase8b",
    "phase10": "phase8b", "phase11_plain": "phase10", "phase11_lto": "phase11_plain",
    "phase11_pgo": "phase11_plain", "phase11_lto_pgo": "phase11_lto", "core": "phase10", "core_span": "core",
    "core_silent": "core",
}
FOR_OTHER_DESIGNS = "phase10"
WITHOUT_PREDECESSOR = ("null", "phase1")
REJECTED = ("phase2c", "phase2d", "phase4b", "phase6b", "phase7a_8", "phase7a_32", "phase7a_64", "phase8c",
            "phase11_pgo", "phase11_lto_pgo")
HEADLINE = ("phase8a", "phase8b", "phase10", "btree", "phase6a")
FEEDS = ("core", "core_span")
FAMILIES = {
    "pool-and-index": ("phase1", "phase2a", "phase2b", "phase2c", "phase2d", "phase2e"),
    "side-book": ("phase4a", "phase4b", "phase6a", "phase6b"),
    "hot-ring": ("phase7a", "phase7a_8", "phase7a_32", "phase7a_64", "phase7b", "phase7c"),
    "arrays": ("phase8a", "phase8b", "phase8c", "phase10"),
    "translation-units": ("phase11_plain", "phase11_lto", "phase11_pgo", "phase11_lto_pgo"),
}
CORE_BASE = "phase10"
CORE_STYLES = (("core", "o", "#0072B2", "a call per command (core)"),
               ("core_span", "s", "#D55E00", "a call per span of 256 commands (core_span)"))
# What rests in the book, for who does not know the streams by name.
STREAM_WORDS = {"classic": "3 orders (classic)", "wide": "5,000 orders,\nthe price travels (wide)"}
SHOWN_NS = 500  # the scan of the first phases takes up to milliseconds
CORE_FAMILY = (("core", "phase10"), ("core_span", "phase10"), ("core", "phase8b"), ("core_span", "phase8b"))

NOT_MEASURED = "–"
CANNOT_HOLD = "cannot hold"
MARKERS = "os^Dvp"


def predecessor(book):
    return None if book in WITHOUT_PREDECESSOR else PREDECESSOR.get(book, FOR_OTHER_DESIGNS)


class Evolution:
    """The runs of one campaign."""

    def __init__(self, folder):
        others = {run.name: run for run in runs.read(folder)}
        timed = [others.pop(name) for name in list(others) if "-seed" in name]
        if not timed:
            raise runs.Unusable(f"{folder}: nothing was timed")
        self.runs = results.check_campaign(timed)
        self.streams = results.by_stream(self.runs)
        listed = self._listed_books(folder, others.get("books"))
        self.books = [book for book in listed
                      if any(book in run.rows or book in run.refused for run in self.runs)]
        self.left_out = [book for book in listed if book not in self.books]
        self.counts = {name: self._counts(others.get(f"{found[0].stream}-instructions"))
                       for name, found in self.streams.items()}
        self.code_sizes = self._sizes(others.get("code_size"))

    @staticmethod
    def _listed_books(folder, run):
        if not run:
            raise runs.Unusable(f"{folder}: there is no run `books`, which has what bench_books --list prints")
        listed = run.content.get("listed")
        if not isinstance(listed, dict) or not all(isinstance(text, str) for text in listed.values()):
            raise runs.Unusable(f"{run.where}: no list of books")
        return list(listed)

    @staticmethod
    def _sizes(run):
        if not run:
            return {}
        sizes = run.content.get("sizes")
        if not isinstance(sizes, dict):
            raise runs.Unusable(f"{run.where}: no code sizes")
        results.check_numbers(run.where, "the code sizes", sizes)
        return sizes

    def _counts(self, run):
        if not run:
            return {}
        results.check_same_origin(self.runs[0].fingerprint, run.fingerprint, run.where)
        return results.counts_of(run)

    def runs_with(self, stream, *books):
        """Those that timed all of these, and not the short ones with the slow books if there are others."""
        found = [run for run in self.streams[stream] if all(book in run.rows for book in books)]
        return [run for run in found if run.run > 0] or found

    def seeds(self):
        """How many there are of each stream."""
        return {len({run.seed for run in found}) for found in self.streams.values()}

    def refused(self, stream, book):
        return any(book in run.refused for run in self.streams[stream])

    def mean(self, stream, book, key):
        """Over the runs, or None if none has it."""
        values = [run.rows[book][key] for run in self.runs_with(stream, book) if key in run.rows[book]]
        return float(numpy.mean(values)) if values else None

    def nanoseconds(self, stream, book):
        """The median over the seeds, of medians over rounds."""
        values = [run.rows[book]["ns_per_op"] for run in self.runs_with(stream, book)]
        return float(numpy.median(values)) if values else None

    def compare(self, stream, book, other):
        """The ratios of the two in the same round of the same run, or None if they never met."""
        found = self.runs_with(stream, book, other)
        if not found:
            return None
        both = [(run.rows[book], run.rows[other]) for run in found]
        groups = [numpy.divide(row["ratios"], base["ratios"]) for row, base in both]
        return results.Comparison(stream, book, other, groups, both)

    def above_floor(self, stream, book):
        """Nanoseconds more than the replay loop with no book in the same round, for each run that kept them."""
        both = [(run.rows[book]["times"], run.rows["null"]["times"]) for run in self.runs_with(stream, book, "null")
                if "times" in run.rows[book] and "times" in run.rows["null"]]
        if any(len(times) != len(floor) for times, floor in both):
            raise runs.Unusable(f"{stream}: 'times' of {book} and of null are not as many")
        return [numpy.subtract(times, floor) for times, floor in both] or None


# ---- Tables.

def table(evolution, books, value_of, text_of, head="book", label_of=str):
    """A row for each book and a column for each stream; `value_of` is None where there is nothing to say."""
    def cell(stream, book):
        if evolution.refused(stream, book):
            return CANNOT_HOLD
        value = value_of(stream, book)
        return NOT_MEASURED if value is None else text_of(value)

    return results.markdown((head, *evolution.streams),
                            [(label_of(book), *(cell(stream, book) for stream in evolution.streams))
                             for book in books])


def ratio_text(comparison):
    low, high = results.significant(comparison.low), results.significant(comparison.high)
    return f"{results.significant(comparison.median)} ({low} to {high})"


def ratio_table(evolution):
    return table(evolution, [book for book in evolution.books if predecessor(book) in evolution.books],
                 lambda stream, book: evolution.compare(stream, book, predecessor(book)), ratio_text,
                 "time per operation of", lambda book: f"{book} / {predecessor(book)}")


def headline_table(evolution):
    pairs = [(feed, book) for feed in FEEDS for book in HEADLINE if feed in evolution.books and book in evolution.books]
    return table(evolution, pairs, lambda stream, pair: evolution.compare(stream, *pair), ratio_text,
                 "time per operation of", " / ".join)


def above_floor_table(evolution):
    def text(difference):
        low, high = results.spread_of(difference)
        return f"{numpy.median(numpy.concatenate(difference)):.1f} ({low:.1f} to {high:.1f})"

    return table(evolution, [feed for feed in FEEDS if feed in evolution.books and "null" in evolution.books],
                 lambda stream, feed: evolution.above_floor(stream, feed), text,
                 "nanoseconds", lambda feed: f"{feed} - null")


def per_event(evolution, stream, book, key):
    value, events = evolution.mean(stream, book, key), evolution.mean(stream, book, "events")
    return None if value is None else value / events


def state_table(evolution):
    def cells(stream):
        one_sided = evolution.mean(stream, "core", "one_sided")
        return (stream, f"{evolution.mean(stream, 'core', 'resting_avg'):,.0f}",
                f"{evolution.mean(stream, 'core', 'resting_peak'):,.0f}",
                f"{evolution.mean(stream, 'core', 'levels_avg'):,.0f}",
                NOT_MEASURED if one_sided is None else f"{100 * one_sided:.1f} %",
                f"{evolution.mean(stream, 'core', 'fills_per_op'):.3f}")

    return results.markdown(("stream", "resting", "peak", "levels", "one side empty", "fills/op"),
                            [cells(stream) for stream in evolution.streams])


def remarks(folder, evolution):
    yield results.spread_remark(evolution.seeds())
    short = [run for run in evolution.runs if run.run == 0]
    if short:
        deep = results.stream_name(short[0].rows["core"])
        slow = [book for book in short[0].rows if all(run.run == 0 for run in evolution.runs_with(deep, book))]
        yield (f"{deep}: {', '.join(slow)} were timed in short runs of their own "
               f"({short[0].rows['core']['rounds']} rounds), in which each batch starts from a snapshot of the book")
    if evolution.left_out:
        yield f"left out: {', '.join(evolution.left_out)}"
    alone = [f"{book} (over {predecessor(book)})" for book in evolution.books
             if predecessor(book) and predecessor(book) not in evolution.books]
    if alone:
        yield f"not compared, as what it would be compared with was left out: {', '.join(alone)}"
    for book, reason in dict.fromkeys(item for run in evolution.runs for item in run.refused.items()):
        streams = [stream for stream in evolution.streams if evolution.refused(stream, book)]
        yield f"{book} {CANNOT_HOLD} {', '.join(streams)}: it {reason}"
    yield from results.notes(folder)


def read(folder):
    return Evolution(folder)


def tables(folder, evolution):
    books = evolution.books
    spread = results.spread_name(evolution.seeds())
    yield results.fingerprint_line(evolution.runs[0].fingerprint)

    def section(title, text, lines):
        return ["", f"## {title}", "", *([text, ""] if text else []), *lines] if len(lines) > 2 else []

    yield from section("Time per operation", "Nanoseconds: the median over the seeds of the medians over the rounds.",
                       table(evolution, books, evolution.nanoseconds, "{:,.1f}".format))
    yield from section("Over the one before", "Ratios of the time per operation of two books in the same round: the "
                       f"median, and the {spread}. Below 1 the first is faster.",
                       ratio_table(evolution))
    for key, title, text in (("instructions", "Instructions per operation", "{:,.1f}"),
                             ("mispredictions", "Mispredicted branches per operation", "{:.3f}"),
                             ("d1_misses", "First-level data cache misses per operation", "{:.3f}")):
        yield from section(title, "Simulated by callgrind on one batch.", table(
            evolution, books, lambda stream, book, key=key: evolution.counts[stream].get(book, {}).get(key),
            text.format))
    yield from section("Memory", "MiB: the most that the book held on the heap while it played the stream.", table(
        evolution, books, lambda stream, book: evolution.mean(stream, book, "peak_bytes"),
        lambda value: f"{value / 2**20:,.2f}"))
    yield from section("Allocations per operation", "", table(
        evolution, books, lambda stream, book: per_event(evolution, stream, book, "allocations"), "{:.3f}".format))
    yield from section("Code size", "Bytes of machine code for a band of 4,096 prices, the replay loop and what is "
                       "inlined into it included.", results.markdown(("book", "bytes"), [
                           (book, f"{evolution.code_sizes[book]:,}" if book in evolution.code_sizes else NOT_MEASURED)
                           for book in books]))
    yield from section("The book while it was timed", "The same for every book.", state_table(evolution))
    yield from section("The core over others", "Ratios of the time per operation of the core over that of the book, "
                       "as above.", headline_table(evolution))
    yield from section("The core above the floor", "Nanoseconds an operation more than the replay loop with no book: "
                       f"the median over the rounds, and the {spread}. For orientation only: a processor overlaps the "
                       "loop with the book, by at most the time of `null`.", above_floor_table(evolution))
    yield ""
    yield from (f"- {remark}" for remark in remarks(folder, evolution))


# ---- Plots.

def in_groups(books):
    """Phases, other designs, core."""
    books = [book for book in books if book != "null"]
    phases = [book for book in books if book.startswith("phase")]
    core = [book for book in books if book.startswith("core")]
    return phases, [book for book in books if book not in phases + core], core


def note_above(axes, place, text):
    axes.annotate(text, (place, 1.01), xycoords=("data", "axes fraction"), rotation=90, ha="center", va="bottom",
                  fontsize=7, color="0.3")


def draw_evolution(evolution, path):
    import drawing

    groups = in_groups(evolution.books)
    places = {book: x + gap for gap, group in enumerate(groups)
              for x, book in enumerate(group, sum(len(before) for before in groups[:gap]))}
    figure, (axes,) = drawing.panels(1, 1, 5.2)
    for stream, color, marker in zip(evolution.streams, drawing.COLORS, MARKERS):
        for group in groups:
            times = {book: evolution.nanoseconds(stream, book) for book in group}
            kept = [(places[book], time) for book, time in times.items() if time and book not in REJECTED]
            style = {"color": color, "marker": marker, "markersize": 4}
            axes.plot(*zip(*kept) if kept else ([], []), linewidth=1 if group is groups[0] else 0, **style,
                      label=stream if group is groups[0] else None)
            rejected = [(places[book], time) for book, time in times.items() if time and book in REJECTED]
            axes.plot(*zip(*rejected) if rejected else ([], []), linewidth=0, markerfacecolor="white", **style)
    for book, place in places.items():
        times = [evolution.nanoseconds(stream, book) for stream in evolution.streams]
        beyond = [float(f"{time:.2g}") for time in times if time and time > SHOWN_NS]
        if beyond:
            ends = dict.fromkeys((min(beyond), max(beyond)))
            note_above(axes, place, " to ".join(map(drawing.number, ends)) + " ns")
        refused = sum(evolution.refused(stream, book) for stream in evolution.streams)
        if refused:
            note_above(axes, place, f"{CANNOT_HOLD} {refused} of {len(evolution.streams)}")
    floor = [evolution.nanoseconds(stream, "null") for stream in evolution.streams]
    axes.axhline(numpy.median([time for time in floor if time]), color="black", linewidth=0.8, linestyle="--",
                 label="no book (null)")
    axes.plot([], [], "o", color="0.4", markerfacecolor="white", label="rejected phase")
    axes.set_yscale("log")
    axes.set_ylim(top=SHOWN_NS)
    drawing.log_axis(axes.yaxis)
    axes.set_ylabel("nanoseconds per operation")
    axes.set_xticks(list(places.values()), list(places), rotation=90)
    axes.grid()
    axes.legend(ncol=2, loc="upper center", bbox_to_anchor=(0.4, 1))
    drawing.finish(figure, "Time per operation of each book on each stream: median over the seeds. Above "
                   f"{SHOWN_NS} ns the values are written.", origin(evolution), path)


def families(evolution):
    """The pairs of books of each family, those that were measured."""
    of_families = {book for books in FAMILIES.values() for book in books} | {book for book, _ in CORE_FAMILY}
    others = [book for book in evolution.books if book not in of_families]
    pairs = {name: [(book, predecessor(book)) for book in books]
             for name, books in {**FAMILIES, "other-designs": others}.items()}
    for name, of_family in {**pairs, "core": CORE_FAMILY}.items():
        measured = [pair for pair in of_family if all(book in evolution.books for book in pair)]
        if measured:
            yield name, measured


def draw_panel(axes, evolution, stream, pairs):
    import drawing

    comparisons = [evolution.compare(stream, *pair) for pair in pairs]
    for y, (pair, comparison) in enumerate(zip(pairs, comparisons)):
        if comparison:
            axes.plot([comparison.low, comparison.high], [y, y], color="black", linewidth=2)
            axes.plot(comparison.median, y, "o", color="black", markersize=4,
                      markerfacecolor="white" if pair[0] in REJECTED else "black")
        elif any(evolution.refused(stream, book) for book in pair):
            axes.annotate(CANNOT_HOLD, (0.5, y), xycoords=("axes fraction", "data"), fontsize=7, color="0.4",
                          ha="center", va="center")
    drawing.mark_one(axes)
    low, high = axes.get_xlim()
    if high > 4 * max(low, 0.1):
        axes.set_xscale("log")
        drawing.log_axis(axes.xaxis, 5)
    else:
        drawing.number_axis(axes.xaxis, 4)
    axes.set_title(stream)


def draw_family(evolution, pairs, path):
    import drawing

    figure, all_axes = drawing.panels(len(evolution.streams), 3, 0.6 + 0.2 * len(pairs), sharey=True)
    for axes, stream in zip(all_axes, evolution.streams):
        draw_panel(axes, evolution, stream, pairs)
    all_axes[0].set_yticks(range(len(pairs)), [" / ".join(pair) for pair in pairs])
    all_axes[0].set_ylim(len(pairs) - 0.5, -0.5)
    rejected = "; hollow: rejected" if any(book in REJECTED for book, _ in pairs) else ""
    drawing.finish(figure, "Time per operation of one book over that of another (lower is faster): median and "
                   f"{results.spread_name(evolution.seeds())}{rejected}", origin(evolution), path)


def words_of(stream):
    """What a stream is, on the plot that a stranger sees."""
    name, _, standing = stream.partition(" ")
    return f"{standing} orders" if name == "macro" else STREAM_WORDS.get(stream, stream)


def draw_core(evolution, path):
    """The core against the last phase before it, on every stream."""
    import drawing

    feeds = [(book, *style) for book, *style in CORE_STYLES if book in evolution.books and CORE_BASE in evolution.books]
    if not feeds:
        return
    figure, (axes,) = drawing.panels(1, 1, 0.6 + 0.5 * len(evolution.streams))
    for number, (book, marker, color, label) in enumerate(feeds):
        for y, stream in enumerate(evolution.streams):
            comparison = evolution.compare(stream, book, CORE_BASE)
            if not comparison:
                continue
            y += 0.3 * (number - (len(feeds) - 1) / 2)
            medians = [numpy.median(group) for group in comparison.groups]
            axes.plot([min(medians), max(medians)], [y, y], color=color, linewidth=2)
            axes.plot(comparison.median, y, marker, color=color, markersize=6)
            axes.annotate(f"{comparison.median:.2f}", (max(medians), y), xytext=(7, 0), textcoords="offset points",
                          va="center", fontsize=8, color=color)
        axes.plot([], [], f"{marker}-", color=color, linewidth=2, label=label)
    drawing.mark_one(axes)
    axes.set_yticks(range(len(evolution.streams)), [words_of(stream) for stream in evolution.streams])
    axes.set_ylim(len(evolution.streams) - 0.5, -0.5)
    axes.set_ylabel("made stream of commands: orders at rest")
    low, high = axes.get_xlim()
    axes.set_xlim(low, high + 0.04 * (high - low))
    drawing.number_axis(axes.xaxis, 8)
    axes.set_xlabel("time of this library for a command, over that of the published design (below 1: this library is faster)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2)
    drawing.finish(figure, "This library against phase 10 of the published design, Keyuan Wang's llmes: "
                   f"median, and range over {max(evolution.seeds())} seeds",
                   origin(evolution), path)


def origin(evolution):
    return results.fingerprint_line(evolution.runs[0].fingerprint)


def draw(folder, evolution):
    draw_evolution(evolution, folder / "evolution.png")
    draw_core(evolution, folder / "core.png")
    for name, pairs in families(evolution):
        draw_family(evolution, pairs, folder / f"family-{name}.png")
