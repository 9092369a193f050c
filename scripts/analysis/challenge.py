# SPDX-License-Identifier: MIT
"""The public challenge for matching engines, from the runs of scripts/local/challenge.sh: tables.

Runs are called KIND-SCENARIO-roundN-ENGINE. A round of the harness (perf) has one run of each engine in each scenario,
so a ratio is that of two runs of a round. Those of one process (all-process) hold the rounds of all engines.
"""

import collections
import re

import numpy

import results
import runs

NAME = re.compile(r"(all-process|conform|audit|perf|count)-([a-z0-9-]+)-round(\d{1,4})-(\w+)")
BASE, IN_SPANS = "cpptrader", "matcher_spans"
NAMES = {BASE: "CppTrader", "banded": "banded book", "any_price": "book for any price", "set_published": "set with its publisher", "matcher": "engine's matcher",
         IN_SPANS: "engine's matcher, in spans", "venue": "venue with accounts"}
SCENARIOS = ("static", "normal", "swing-25", "swing-40", "flash-crash")
PERCENTILES = ("p50", "p99", "p99.9")
# In one process: at least how many times CppTrader's worst of five, and whose p99.9 is to be at most CppTrader's in each scenario.
WORST_GOALS = (("any_price", 4), ("set_published", 2.2), (IN_SPANS, 2.2), ("venue", 1))
TAIL_GOALS = ("any_price", "set_published", "matcher")

Found = collections.namedtuple("Found", "fingerprint speeds verdicts hashes audits cases rows counts")


def check_speed(run):
    content = run.content
    results.check_numbers(run.where, "the run", {key: content[key] for key in ("throughput_msgs_per_s", "messages")})
    if content["throughput_msgs_per_s"] <= 0 or content["verdict"] not in ("VALID", "INVALID"):
        raise runs.Unusable(f"{run.where}: no throughput or no verdict")


def check_rows(run):
    rows = run.content["rows"]
    if [row["engine"] for row in rows] != list(NAMES):
        raise runs.Unusable(f"{run.where}: its engines are not {', '.join(NAMES)}")
    for row in rows:
        times = row["ns_per_message"]
        results.check_numbers(run.where, row["engine"], {f"round {i}": time for i, time in enumerate(times)})
        if not times or min(times) <= 0 or len(times) != len(rows[0]["ns_per_message"]):
            raise runs.Unusable(f"{run.where}: the rounds of {row['engine']} are not those of {BASE}")
        if row["engine"] == IN_SPANS:
            continue
        results.check_numbers(run.where, row["engine"], {key: row["calls"][key] for key in PERCENTILES})
        if min(row["calls"][key] for key in PERCENTILES) <= 0:
            raise runs.Unusable(f"{run.where}: a call of {row['engine']} takes no time")


def check(run):
    made = NAME.fullmatch(run.name)
    if not made:
        raise runs.Unusable(f"{run.where}: no run of this campaign is called so")
    kind, content = made[1], run.content
    if kind in ("conform", "audit", "perf") and made[4] not in NAMES:
        raise runs.Unusable(f"{run.where}: no engine of this campaign is called so")
    if kind == "all-process":
        check_rows(run)
    elif kind == "count":
        results.check_numbers(run.where, "the counts", {engine: content["instructions"][engine] for engine in NAMES})
    elif kind == "conform":
        if not content["cases"] or any(case["report"] != "PASS" or case["state"] == "FAIL" for case in content["cases"].values()):
            raise runs.Unusable(f"{run.where}: not every case of conformance is passed")
    else:
        if content["correctness"]["status"] != "PASS" or (kind == "audit" and content["audit"]["passed"] is not True):
            raise runs.Unusable(f"{run.where}: the harness refuses what the engine reports")
        results.check_numbers(run.where, "the audit", {"checks": content["audit"]["checks"]})
        if kind == "perf":
            check_speed(run)


def read(folder):
    found = runs.read(folder)
    results.check_each(found, check)
    made = Found(found[0].fingerprint, collections.defaultdict(dict), collections.Counter(), collections.Counter(), collections.Counter(),
                 {}, {}, {})
    for run in found:
        kind, scenario, number, engine = NAME.fullmatch(run.name).groups()
        content = run.content
        if kind == "all-process":
            made.rows[scenario] = {row["engine"]: row for row in content["rows"]}
        elif kind == "count":
            made.counts[scenario] = dict(content["instructions"])
        elif kind == "conform":
            made.cases[engine] = content["cases"]
        else:
            made.hashes[engine] += 1
            if kind == "audit":
                made.audits[engine] += content["audit"]["checks"]
            else:
                made.speeds[engine][scenario, int(number)] = content["throughput_msgs_per_s"] / 1e6
                made.verdicts[content["verdict"]] += 1
    numbers = {number for _, number in made.speeds[BASE]}
    every = {(scenario, number) for scenario in SCENARIOS for number in numbers}
    if not every or any(made.speeds[engine].keys() != every for engine in NAMES):
        raise runs.Unusable(f"{folder}: not every engine is in every round of every scenario")
    if made.rows.keys() != set(SCENARIOS) or made.counts.keys() not in (set(), set(SCENARIOS)):
        raise runs.Unusable(f"{folder}: not all scenarios are there")
    if len({len(rows[BASE]["ns_per_message"]) for rows in made.rows.values()}) > 1:
        raise runs.Unusable(f"{folder}: the scenarios have other numbers of rounds")
    return made


def rounds_of(speeds):
    return sorted({number for _, number in speeds[BASE]})


def low_to_high(values, digits=2):
    return f"{numpy.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def throughput(found):
    """What the harness says, and the worst of five, round by round."""
    speeds, numbers = found.speeds, rounds_of(found.speeds)
    lows = {engine: [min(of[scenario, number] for scenario in SCENARIOS) for number in numbers] for engine, of in speeds.items()}
    lines = []
    for engine in NAMES:
        medians = [numpy.median([speeds[engine][scenario, number] for number in numbers]) for scenario in SCENARIOS]
        ratios = [low / base for low, base in zip(lows[engine], lows[BASE])]
        lines.append((NAMES[engine], *(f"{median:.2f}" for median in medians), f"{numpy.median(lows[engine]):.2f}", low_to_high(ratios)))
    return results.markdown(("M messages a second", *SCENARIOS, "worst of five", "over CppTrader's worst"), lines)


def times_as_fast(found):
    """Of the harness, scenario by scenario."""
    lines = []
    for engine in NAMES:
        if engine != BASE:
            ratios = [[found.speeds[engine][scenario, number] / found.speeds[BASE][scenario, number] for number in rounds_of(found.speeds)]
                      for scenario in SCENARIOS]
            lines.append((NAMES[engine], *map(low_to_high, ratios)))
    return results.markdown(("times as fast as CppTrader", *SCENARIOS), lines)


def worst_of_rounds(rows, engine):
    """ns a message in the slowest scenario of each round in one process."""
    return [max(times) for times in zip(*(rows[scenario][engine]["ns_per_message"] for scenario in SCENARIOS))]


def over_worst(rows, engine):
    return [base / own for own, base in zip(worst_of_rounds(rows, engine), worst_of_rounds(rows, BASE))]


def in_one_process(rows):
    lines = []
    for engine in NAMES:
        ratios = [[base / own for own, base in zip(rows[scenario][engine]["ns_per_message"], rows[scenario][BASE]["ns_per_message"])]
                  for scenario in SCENARIOS]
        speed = 1e3 / numpy.median(worst_of_rounds(rows, engine))
        lines.append((NAMES[engine], *map(low_to_high, ratios), f"{speed:.2f}", low_to_high(over_worst(rows, engine))))
    return results.markdown(("times as fast as CppTrader, one process", *SCENARIOS, "worst of five, M messages a second",
                             "over CppTrader's worst"), lines)


def times(rows):
    lines = [(NAMES[engine], *(f"{numpy.median(rows[scenario][engine]['ns_per_message']):.1f}" for scenario in SCENARIOS))
             for engine in NAMES]
    return results.markdown(("ns a message", *SCENARIOS), lines)


def single_calls(rows):
    lines = [(f"{NAMES[engine]}, {share}", *(f"{rows[scenario][engine]['calls'][share]:.0f}" for scenario in SCENARIOS))
             for share in PERCENTILES for engine in NAMES if engine != IN_SPANS]
    return results.markdown(("ns a call", *SCENARIOS), lines)


def instructions(counts):
    lines = [(NAMES[engine], *(f"{counts[scenario][engine]:.1f}" for scenario in SCENARIOS)) for engine in NAMES]
    return results.markdown(("instructions a message", *SCENARIOS), lines)


def goals(rows):
    lines = []
    for engine, goal in WORST_GOALS:
        measured = numpy.median(over_worst(rows, engine))
        lines.append((f"{NAMES[engine]}: worst of five over CppTrader's", f"at least {goal:.1f}", f"{measured:.2f}", measured >= goal))
    for engine in TAIL_GOALS:
        measured = max(rows[scenario][engine]["calls"]["p99.9"] / rows[scenario][BASE]["calls"]["p99.9"] for scenario in SCENARIOS)
        lines.append((f"{NAMES[engine]}: p99.9 over CppTrader's, the worst of five", "at most 1.0", f"{measured:.2f}", measured <= 1))
    return results.markdown(("goal", "wanted", "measured", "on this machine"),
                            [(*line, "holds" if holds else "missed") for *line, holds in lines])


def correctness(found):
    lines = []
    for engine in NAMES:
        cases = found.cases.get(engine)
        states = sum(case["state"] == "PASS" for case in (cases or {}).values())
        lines.append((NAMES[engine], f"{found.hashes[engine]} of {found.hashes[engine]}",
                      f"{len(cases)} of {len(cases)}, the book's state in {states}" if cases else "–",
                      f"{found.audits[engine]}" if found.audits[engine] else "–"))
    return results.markdown(("engine", "runs with the published hash", "cases of conformance", "states that agree in the audits"), lines)


def tables(folder, found):
    rounds, inside = len(rounds_of(found.speeds)), len(found.rows[SCENARIOS[0]][BASE]["ns_per_message"])
    invalid = found.verdicts["INVALID"]
    yield results.fingerprint_line(found.fingerprint)
    yield from ("", "## What is right", "", *correctness(found))
    yield from ("", "## The harness", "",
                f"An engine a process, and its reports read by another thread. Rounds in turns: {rounds}. Medians. A ratio is of two runs "
                "of a round, with its range; above 1 is faster.", "")
    yield from throughput(found)
    yield from ("", *times_as_fast(found), "")
    yield (f"Of {sum(found.verdicts.values())} timed runs the harness calls {invalid} INVALID" +
           (", as it could not bind its threads to two cores of their own; hash and figure stand." if invalid else "."))
    yield from ("", "## In one process", "",
                f"All engines in turns in one process, with one push for reports that nobody reads. Rounds: {inside}.", "")
    yield from in_one_process(found.rows)
    yield from ("", "Medians of the same rounds:", "", *times(found.rows))
    yield from ("", "Single calls, each between two time stamps, in rounds of their own:", "", *single_calls(found.rows))
    yield from ("", "Goals, of one process:", "", *goals(found.rows))
    if found.counts:
        yield from ("", "Instructions, by callgrind, of adapters built without -march=native:", "", *instructions(found.counts))
    yield from ("", "Spans read later messages to prefetch, which the challenge does not allow: that row is not for its tables.", "")
    yield from (f"- {note}" for note in results.notes(folder))


def draw(folder, found):
    """The tables are enough."""
