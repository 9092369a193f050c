# SPDX-License-Identifier: MIT
"""Books for any price on streams whose prices jump, from the runs of scripts/local/any_price.sh: tables, and books.png.

A ratio is one of two times in the same round; behind the median over all rounds stands the range of the medians of the
seeds. Percentiles are of messages timed one by one, in rounds of their own: their ratios are those of single runs. Books
of an earlier commit have a name that begins with "before: ", and are set against other books of the same process.
"""

import collections

import numpy

import books
import results
import runs

BAND, TREE = "core_ids_hashed", "tree_hash"
BEFORE = "before: "
# The first form of today's book for any price is a row of an earlier commit.
IN_SPANS = (("any_ids_hashed", BAND), ("places_ids_hashed", BAND), ("set_ids", TREE), ("set_ids_published", TREE))
ONE_AT_A_TIME = (("any_ids_single_hashed", "core_ids_single_hashed"), ("set_ids_single", TREE),
                 ("set_ids_published_single", TREE))
SINGLE = ("any_ids_single_hashed", "set_ids_single", "set_ids_published_single")
# Books of the earlier commit, and those of the tree that took their place. The last is in both as it was.
FORMS = tuple((BEFORE + book, now) for book, now in (
    ("any_ids_hashed", "any_ids_hashed"), ("places_ids_hashed", "any_ids_hashed"), ("set_ids", "set_ids"),
    ("set_ids_published", "set_ids_published"), (BAND, BAND), (TREE, TREE)))
CANNOT_HOLD = "–"

STATE = ("jumps_64", "jumps_4096", "jump_max")


def draw(folder, found):
    books.draw(folder, found[:2])


def read(folder):
    """The streams with their books, and the fingerprints of the tree and of the earlier commit, if there is one."""
    streams, fingerprints = collections.defaultdict(lambda: collections.defaultdict(list)), {}
    for run in runs.read(folder):
        before = run.name.endswith("-a")
        artifact = results.artifact_of(run)
        results.check_same_origin(fingerprints.setdefault(before, run.fingerprint), run.fingerprint, run.where)
        for book, row in artifact.rows.items():
            check_row(run.where, row)
            streams[results.stream_name(row)][BEFORE * before + book].append(row)
    if not fingerprints.get(False):
        raise runs.Unusable(f"{folder}: no run of the tree")
    if True in fingerprints:
        results.check_same_origin(fingerprints[False], fingerprints[True], folder, results.MACHINE_AND_BUILD)
    for stream, rows in streams.items():
        where = f"{folder}, {stream}"
        trees = [rows.get(BEFORE * before + TREE, []) for before in fingerprints]
        if not all(trees):
            raise runs.Unusable(f"{where}: no row for the book '{TREE}'")
        if len({tuple(row["seed"] for row in found) for found in rows.values()}) > 1:
            raise runs.Unusable(f"{where}: not every book is in every run")
        if len({tuple(row["digest"] for row in found) for found in trees}) > 1:
            raise runs.Unusable(f"{where}: the earlier commit plays another stream: the digests differ")
    return streams, fingerprints.get(False), fingerprints.get(True)


def check_row(where, row):
    book = f"book '{row['book']}'"
    try:
        numbers = {key: row[key] for key in (*STATE, *(("wander",) if "wander" in row else ()))}
        if "calls" in row:
            numbers |= {key: row["calls"][key] for name in books.PERCENTILES for key in (name, f"probe_{name}")}
        results.check_numbers(where, book, numbers)
        if "calls" in row and not row["calls"]["p99.9"] > 0:
            raise runs.Unusable(f"{where}: 'p99.9' of {book} is not above 0")
    except (KeyError, TypeError) as error:
        raise runs.Unusable(f"{where}: {book} is incomplete ({type(error).__name__}: {error})") from error


def estimate(groups, digits=2):
    """The median of all, and the range of the medians of the groups, one of each seed."""
    low, high = results.spread_of(groups)
    return f"{numpy.median(numpy.concatenate(groups)):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def time_ratio(rows, book, other):
    if book not in rows or other not in rows:
        return CANNOT_HOLD
    return estimate([numpy.divide(row["ratios"], base["ratios"]) for row, base in zip(rows[book], rows[other])])


def program_ratio(rows, book, now):
    """Of the times of two programs on the same stream and seed."""
    if book not in rows or now not in rows:
        return CANNOT_HOLD
    return estimate([[numpy.median(row["times"]) / numpy.median(base["times"])] for row, base in zip(rows[book], rows[now])])


def percentile_ratio(rows, book, other, name):
    if book not in rows or not all("calls" in row for row in (*rows[book], *rows[other])):
        return CANNOT_HOLD
    return estimate([[row["calls"][name] / base["calls"][name]] for row, base in zip(rows[book], rows[other])])


def worst_calls(rows, book):
    """The range over the seeds, in microseconds."""
    if book not in rows or not all("calls" in row for row in rows[book]):
        return CANNOT_HOLD
    worst = [row["calls"]["max"] / 1000 for row in rows[book]]
    return f"{min(worst):,.0f} to {max(worst):,.0f}"


def table(streams, head, pairs, cell):
    return results.markdown((head, *streams), [(" / ".join(filter(None, pair)), *(cell(rows, *pair) for rows in
                                                                                streams.values())) for pair in pairs])


def state_table(streams):
    """What each stream was like, the same for every book."""
    lines = []
    for stream, rows in streams.items():
        row = rows[TREE][0]
        lines.append((stream, f"{row['wander']:,}" if "wander" in row else "–", f"{row['resting_avg']:,.0f}",
                      f"{row['levels_avg']:,.0f}", f"{row['fills_per_op']:.3f}", f"{100 * row['jumps_64']:.1f} %",
                      f"{100 * row['jumps_4096']:.1f} %", f"{row['jump_max']:,}"))
    return results.markdown(("stream", "wander", "resting", "levels", "fills/op", "best moves by over 64 ticks",
                             "over 4,096", "at most"), lines)


def both(pairs, streams):
    """The pairs that some stream has: of the tree, and of the earlier commit."""
    known = books.books_of(streams)
    return [(prefix + book, prefix + base) for prefix in ("", BEFORE) for book, base in pairs if prefix + book in known]


def tables(folder, found):
    streams, fingerprint, before = found
    streams = dict(sorted(streams.items(), key=lambda item: books.place_of(item[1])))
    seeds = {len(rows[TREE]) for rows in streams.values()}
    yield results.fingerprint_line(fingerprint)
    if before:
        yield from ("", f"- before: {results.fingerprint_line(before).rsplit(', ', 1)[1]}, in turns with the tree")
    yield from ("", *results.notes(folder), "", results.spread_remark(seeds))
    yield from ("", "## The streams", "", *state_table(streams))
    yield from ("", "## Time a message, in spans", "", *table(streams, "over", both(IN_SPANS, streams), time_ratio))
    if before:
        yield from ("", "## The earlier forms over those of the tree, in spans", "",
                    *table(streams, "over", FORMS, program_ratio))
    yield from ("", "## Time a message, one at a time", "",
                *table(streams, "over", both(ONE_AT_A_TIME, streams), time_ratio))
    yield from ("", f"## p99.9 of single messages, over that of {TREE}", "", "The probe included.", "",
                *table(streams, "over", both([(book, TREE) for book in SINGLE], streams),
                       lambda rows, book, other: percentile_ratio(rows, book, other, "p99.9")))
    yield from ("", "## The worst single message, in microseconds", "",
                "The machine's own interruptions included; the probe's worst is below.", "",
                *table(streams, "book", [(book, "") for book, _ in both([(book, TREE) for book in (*SINGLE, TREE)], streams)],
                       lambda rows, book, _: worst_calls(rows, book)))
    yield from ("", f"## Every book, over {TREE}", "", *books.table(streams))
    yield from books.calls_table(streams)
