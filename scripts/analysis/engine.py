# SPDX-License-Identifier: MIT
"""Latency of the engine under load: tables, and engine-JOURNAL.png with percentiles and the knee.

Runs of bench_engine are called KIND-JOURNAL-seedN. The knee is the highest rate that was sustained, if a higher one
was not: at least 95 % of the messages a second that were due were done.
"""

import collections

import numpy

import feed
import results
import runs

PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99", "worst")
COLUMNS = {"service_ns": "service", "due_to_done_ns": "due to done"}
JOURNALS = ("none", "process", "machine")
WAYS = ("engine", "one_thread")
FORMS = ("binary", "binary_one_thread", "json", "json_one_thread")  # of messages about instruments
SUSTAINED = 0.95  # the time to the last answer counts too, so a short run never comes to all of it
RECOVERIES = {"from_journal": "an engine, from the journal alone", "make_snapshot": "a snapshot, from the journal",
              "from_snapshot": "an engine, from the snapshot"}
RECOVERY_NUMBERS = ("commands", "resting", "journal_bytes", "snapshot_bytes")
RING_BASE = "boost_spsc_span"
TRIPS = ("p50", "p99", "p999", "max")
FLOW_NUMBERS = ("symbols", "resting_avg", "levels_avg", "fills_per_message", "rejected", "busiest_share")
MARKET_NUMBERS = ("symbols", "resting_avg", "levels_peak")
SATURATED_NUMBERS = ("rounds", "ns_per_message", "rate", "allocations")
# What is wanted: the rows whose times are divided, and whether the ratio may be at most or must be at least so much.
TARGETS = (("time a message, engine over one_thread", "engine", "one_thread", "at most", 1.5),
           ("rate, engine_process over engine", "engine", "engine_process", "at least", 0.7),
           ("rate, engine_machine over engine", "engine", "engine_machine", "at least", 0.5))


class Campaign:
    def __init__(self, fingerprint):
        self.fingerprint = fingerprint
        self.flows = []
        self.threads = []
        self.rungs = collections.defaultdict(list)  # by journal, arrivals, way and rate: a row of each seed
        self.saturated = collections.defaultdict(list)  # by row, likewise
        self.recoveries = []
        self.rings = collections.defaultdict(lambda: collections.defaultdict(list))  # by room of the queues, then by row
        self.market = None  # the same of the other case, whose ways are forms

    def ladders(self):
        """The journal and arrivals of each, in order."""
        found = {key[:2] for key in self.rungs}
        return sorted(found, key=lambda ladder: (JOURNALS.index(ladder[0]), ladder[1] != "poisson"))

    def rates(self, ladder, way):
        return sorted(key[3] for key in self.rungs if key[:3] == (*ladder, way))

    def median(self, ladder, way, rate, *path):
        """Of one number of each seed."""
        return float(numpy.median([number_at(row, path) for row in self.rungs[(*ladder, way, rate)]]))

    def knee(self, ladder, way):
        """Nothing if all rates were sustained, or none."""
        rates = self.rates(ladder, way)
        sustained = [rate for rate in rates if self.median(ladder, way, rate, "achieved") >= SUSTAINED * rate]
        return max(sustained) if sustained and sustained[-1:] != rates[-1:] else None

    def curve(self, ladder, way, rate, column):
        """The shares of the messages, and what that many do not exceed: the median over the seeds."""
        curves = [row[column]["curve"] for row in self.rungs[(*ladder, way, rate)]]
        length = min(map(len, curves))
        found = numpy.array([curve[:length] for curve in curves], dtype=float)
        return numpy.median(found, axis=0)

    def ratio(self, row, base):
        """The time of a row over that of another in the same round."""
        return ratio_of(self.saturated, row, base)


def ratio_of(rows, row, base):
    return feed.estimate([numpy.divide(one["times"], other["times"]) for one, other in zip(rows[row], rows[base])])


def number_at(content, path):
    for key in path:
        content = content[key]
    return content


def check_rung(where, row, ways):
    name = f"{row['way']} at {row['rate']}"
    results.check_numbers(where, name, {key: row[key] for key in ("rate", "achieved", "messages", "allocations")})
    for column in COLUMNS:
        results.check_numbers(where, name, {key: row[column][key] for key in PERCENTILES})
        for i, (share, value) in enumerate(row[column]["curve"]):
            results.check_numbers(where, name, {f"share {i}": share, f"value {i}": value})
    if row["way"] not in ways or row["journal"] not in JOURNALS or not isinstance(row["arrivals"], str):
        raise runs.Unusable(f"{where}: nobody knows '{row['way']}' with journal '{row['journal']}'")


def check_saturated(where, row):
    name = f"row '{row['row']}'"
    results.check_numbers(where, name, {key: row[key] for key in SATURATED_NUMBERS})
    results.check_numbers(where, name, {f"time {i}": time for i, time in enumerate(row["times"])})
    if len(row["times"]) != row["rounds"] or min(row["times"]) <= 0:
        raise runs.Unusable(f"{where}: 'times' of {name} are not {row['rounds']} numbers above 0")


def add(campaign, run):
    content = run.content
    if "instruments" in content:
        campaign.market = campaign.market or Campaign(campaign.fingerprint)
        add_market(campaign.market, run.where, content["instruments"])
    if "span_max" in content:
        add_queues(campaign, run.where, content)
        return
    if "recovery" in content:
        check_recovery(run.where, content["recovery"])
        campaign.recoveries.append(content["recovery"])
    if "flow" not in content:
        return
    results.check_numbers(run.where, "its flow", {key: content["flow"][key] for key in FLOW_NUMBERS})
    for name, count in content["flow"]["commands"].items():
        results.check_numbers(run.where, "its flow", {name: count})
    campaign.flows.append(content["flow"])
    campaign.threads.append({key: content["threads"][key] for key in ("wait", "pinned")})
    add_rows(campaign, run.where, content, WAYS)


def check_recovery(where, recovery):
    results.check_numbers(where, "its recovery", {key: recovery[key] for key in RECOVERY_NUMBERS})
    for name in RECOVERIES:
        results.check_numbers(where, name, {f"time {i}": time for i, time in enumerate(recovery[name])})


def add_queues(campaign, where, content):
    for row in content["rows"]:
        results.check_numbers(where, f"row '{row['row']}'", {
            "ns_per_message": row["ns_per_message"], **{f"time {i}": time for i, time in enumerate(row["times"])},
            **{key: row["round_trip_ns"][key] for key in TRIPS}})
        campaign.rings[content["capacity"]][row["row"]].append(row)


def add_market(market, where, content):
    results.check_numbers(where, "its market", {key: content["flow"][key] for key in MARKET_NUMBERS})
    market.flows.append(content["flow"])
    add_rows(market, where, content, FORMS)


def add_rows(campaign, where, content, ways):
    for row in content["rows"]:
        check_rung(where, row, ways)
        campaign.rungs[(row["journal"], row["arrivals"], row["way"], row["rate"])].append(row)
    for row in content.get("saturation", ()):
        check_saturated(where, row)
        campaign.saturated[row["row"]].append(row)


def read(folder):
    found = runs.read(folder)
    campaign = Campaign(found[0].fingerprint)
    results.check_each(found, lambda run: add(campaign, run))
    for journal, arrivals, _, rate in campaign.rungs:
        if (journal, arrivals, "engine", rate) not in campaign.rungs:
            raise runs.Unusable(f"{folder}: there is no engine at {rate:,.0f} a second, {arrivals}, journal {journal}")
    for row in dict.fromkeys(name for _, *names, _, _ in TARGETS for name in names):
        if row not in campaign.saturated:
            raise runs.Unusable(f"{folder}: no row is called '{row}'")
    check_shapes(folder, campaign.saturated)
    if campaign.market:
        if "binary_one_thread" not in campaign.market.saturated:
            raise runs.Unusable(f"{folder}: no row is called 'binary_one_thread'")
        check_shapes(folder, campaign.market.saturated)
    return campaign


def check_shapes(folder, saturated):
    shapes = [[row["rounds"] for row in rows] for rows in saturated.values()]
    if any(shape != shapes[0] for shape in shapes):
        raise runs.Unusable(f"{folder}: the rows at saturation were not timed in the same rounds of the same runs")


# ---- Words.

def flow_text(campaign):
    """What the books are like: the mean over the seeds."""
    def mean(key):
        return float(numpy.mean([flow[key] for flow in campaign.flows]))

    commands = collections.Counter()
    for flow in campaign.flows:
        commands.update(flow["commands"])
    shares = ", ".join(f"{100 * count / sum(commands.values()):.1f} % {name}" for name, count in commands.items()
                       if count)
    return (f"{mean('symbols'):,.0f} books, {mean('resting_avg'):,.0f} orders rest on {mean('levels_avg'):,.0f} "
            f"levels; {mean('fills_per_message'):.3f} fills a message; {shares}")


def threads_text(campaign):
    waits = " and ".join(sorted({threads["wait"] for threads in campaign.threads}))
    pinned = all(threads["pinned"] for threads in campaign.threads)
    return f"the threads wait by {waits} and are {'' if pinned else 'not '}bound to cores of their own"


def ladder_name(ladder):
    return f"journal {ladder[0]}, {ladder[1]}"


# ---- Tables.

def ladder_rows(campaign, ladder, way):
    knee = campaign.knee(ladder, way)
    for rate in campaign.rates(ladder, way):
        name = f"{rate:,.0f}{' (the knee)' if rate == knee else ''}"
        yield (way, name, f"{campaign.median(ladder, way, rate, 'achieved'):,.0f}",
               *(f"{campaign.median(ladder, way, rate, column, key):,.0f}" for column, keys in
                 (("service_ns", ("p50", "p99", "p99.9")), ("due_to_done_ns", PERCENTILES)) for key in keys))


def ladder_table(campaign, ladder, ways):
    header = ("", "a second", "achieved", *(f"service {key}" for key in ("p50", "p99", "p99.9")),
              *(f"due {key}" for key in PERCENTILES))
    return results.markdown(header, [row for way in ways for row in ladder_rows(campaign, ladder, way)])


def saturated_table(campaign, base):
    return results.markdown(
        ("row", "ns a message", "messages a second", f"time over {base}", "allocations"),
        [(row, f"{numpy.median([one['ns_per_message'] for one in rows]):,.1f}",
          f"{numpy.median([one['rate'] for one in rows]):,.0f}", feed.text(campaign.ratio(row, base), 3),
          f"{max(one['allocations'] for one in rows):,}") for row, rows in campaign.saturated.items()])


def market_tables(market, counts):
    flow = market.flows[0]
    yield from ("", f"## {flow['symbols']:,} instruments", "",
                f"Messages as bytes, a book for each instrument, and an answer with the imbalance of its best prices; "
                f"{flow['resting_avg']:,.0f} orders rest on up to {flow['levels_peak']:,} levels. Nanoseconds; median "
                "over the seeds.", "")
    for ladder in market.ladders():
        yield from ladder_table(market, ladder, FORMS)
    yield from ("", f"At saturation: median, {results.spread_name(counts)}.", "")
    yield from saturated_table(market, "binary_one_thread")


def recovery_tables(recoveries):
    first = recoveries[0]
    yield from ("", "## recovery", "",
                f"Of {first['commands']:,} commands, {first['resting']:,} orders at the end; {first['journal_bytes'] / 2**20:,.0f} "
                f"MiB of records, a snapshot of {first['snapshot_bytes'] / 2**20:,.0f} MiB. Seconds; all files are in memory.",
                "")
    rows = []
    for name, words in RECOVERIES.items():
        times = [time for recovery in recoveries for time in recovery[name]]
        rows.append((words, f"{numpy.median(times):.2f}", f"{min(times):.2f}", f"{max(times):.2f}"))
    yield from results.markdown(("what is made", "median", "least", "most"), rows)


def ring_tables(room, rings):
    yield from ("", f"## queues, {room_name(room)}", "",
                f"Messages of 64 bytes from one thread to another; round trips in nanoseconds. Median, with the range of the "
                f"ratios.", "")
    rows = []
    for row, found in rings.items():
        rows.append((row, f"{numpy.median([one['ns_per_message'] for one in found]):,.2f}",
                     feed.text(ratio_of(rings, row, RING_BASE), 3) if RING_BASE in rings else "",
                     *(f"{numpy.median([one['round_trip_ns'][key] for one in found]):,.0f}" for key in TRIPS)))
    yield from results.markdown(("queue", "ns a message", f"time over {RING_BASE}", "trip p50", "trip p99", "trip p99.9",
                                 "trip worst"), rows)


def room_name(room):
    return f"room for {room:,}"


def target_rows(campaign):
    wanted = [(what, campaign.ratio(over, under), bound, limit) for what, over, under, bound, limit in TARGETS]
    for room, rings in campaign.rings.items():
        if RING_BASE in rings:
            wanted.append((f"time a message, ring_span over {RING_BASE}, {room_name(room)}",
                           ratio_of(rings, "ring_span", RING_BASE), "at most", 0.5))
    for what, found, bound, limit in wanted:
        met = found.value <= limit if bound == "at most" else found.value >= limit
        yield what, f"{bound} {limit}", feed.text(found, 3), "yes" if met else "no"


def tables(folder, campaign):
    counts = {len(rows) for rows in (*campaign.rungs.values(), *campaign.saturated.values())}
    yield results.fingerprint_line(campaign.fingerprint)
    yield ""
    yield f"{flow_text(campaign)}; {threads_text(campaign)}. Nothing was allocated while the clock ran."
    for ladder in campaign.ladders():
        yield from ("", f"## {ladder_name(ladder)}", "", "Nanoseconds; median over the seeds.", "")
        yield from ladder_table(campaign, ladder, WAYS)
    yield from ("", "## at saturation", "", f"Median, {results.spread_name(counts)}.", "")
    yield from saturated_table(campaign, "one_thread")
    yield from ("", "## targets", "")
    yield from results.markdown(("what", "wanted", "measured", "met"), list(target_rows(campaign)))
    if campaign.recoveries:
        yield from recovery_tables(campaign.recoveries)
    for room, rings in campaign.rings.items():
        yield from ring_tables(room, rings)
    if campaign.market:
        yield from market_tables(campaign.market, counts)
    yield ""
    yield "- service: from right before a command is written into the ring until its last report has been read"
    yield "- due: the same from when the command was due, so a full ring and a late client count"
    yield (f"- the knee is the highest rate of which at least {SUSTAINED:.0%} was done, if there was less of a higher "
           "one; past it, due grows for as long as the run lasts")
    yield "- one_thread has no rings: a client that applies its commands itself, in spans of at most 64"
    yield f"- {results.spread_remark(counts)}"
    yield from (f"- {note}" for note in results.notes(folder))


# ---- Plots.

def draw(folder, campaign):
    import drawing

    for journal in dict(campaign.ladders()):
        ladders = [ladder for ladder in campaign.ladders() if ladder[0] == journal]
        figure, all_axes = drawing.panels(2 * len(ladders), 2, 3)
        for ladder, left, right in zip(ladders, all_axes[::2], all_axes[1::2]):
            draw_curves(drawing, left, campaign, ladder)
            draw_ladder(drawing, right, campaign, ladder)
        drawing.finish(figure, f"Time from due to done, journal {journal}; {flow_text(campaign)}",
                       f"{results.fingerprint_line(campaign.fingerprint)}; {threads_text(campaign)}",
                       folder / f"engine-{journal}.png")


def draw_curves(drawing, axes, campaign, ladder):
    """A percentile curve for each rate."""
    rates = campaign.rates(ladder, "engine")
    for i, rate in enumerate(rates):
        shares, values = campaign.curve(ladder, "engine", rate, "due_to_done_ns").T
        whole = shares < 1
        axes.plot(1 / (1 - shares[whole]), values[whole] / 1000, linewidth=1.2, label=f"{rate:,.0f}",
                  color=drawing.pyplot.cm.viridis(i / len(rates)))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([2, 10, 100, 1000, 10_000, 100_000], ["50", "90", "99", "99.9", "99.99", "99.999"])
    axes.minorticks_off()
    axes.set_xlabel("percentile of the messages")
    axes.set_ylabel("microseconds")
    axes.set_title(f"engine, {ladder[1]}, by messages a second")
    axes.grid()
    axes.legend(fontsize=7)
    drawing.log_axis(axes.yaxis)


def draw_ladder(drawing, axes, campaign, ladder):
    """Percentiles against the rate, and the knee."""
    for way, style in zip(WAYS, ("-", ":")):
        rates = campaign.rates(ladder, way)
        for color, key in zip(drawing.COLORS[::2], ("p50", "p99", "p99.9")):
            values = [campaign.median(ladder, way, rate, "due_to_done_ns", key) / 1000 for rate in rates]
            axes.plot(rates, values, style, marker=".", color=color, linewidth=1.2, label=f"{key} {way}")
    knee = campaign.knee(ladder, "engine")
    if knee is not None:
        axes.axvline(knee, color="black", linewidth=0.8)
        axes.annotate("the knee ", (knee, 0.02), xycoords=("data", "axes fraction"), ha="right", fontsize=8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    rates = campaign.rates(ladder, "engine")
    axes.set_xticks(rates, [f"{rate / 1e6:.3g}" for rate in rates])
    axes.minorticks_off()
    axes.set_xlabel("million messages a second")
    axes.set_ylabel("microseconds")
    axes.set_title(f"percentiles, {ladder[1]}")
    axes.grid()
    axes.legend(fontsize=7)
    drawing.log_axis(axes.yaxis)
