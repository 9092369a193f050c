# SPDX-License-Identifier: MIT
"""torn_artifacts.py SCRIPTS ROUNDS SEED: what reads results, on sound ones that were damaged at random.

Whatever the damage is, the answer is a table or runs.Unusable, which says which file is wrong. Prints the damage
that had another answer. Drawing is left out: it sees what the tables have seen, and would take most of the time.
"""

import argparse
import contextlib
import copy
import io
import json
import pathlib
import random
import struct
import sys
import tempfile
import traceback
import warnings

import any_price_test
import artifacts
import challenge_test
import compare_test
import engine_test
import feed_test
import rivals_test
import rules_test
import simulator_test
import wire_test

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("scripts", metavar="SCRIPTS")
parser.add_argument("rounds", metavar="ROUNDS", type=int)
parser.add_argument("seed", metavar="SEED", type=int)
options = parser.parse_args()
sys.path.insert(0, f"{options.scripts}/analysis")

import ablation  # noqa: E402
import any_price  # noqa: E402
import books  # noqa: E402
import callgrind  # noqa: E402
import challenge  # noqa: E402
import compare  # noqa: E402
import engine  # noqa: E402
import evolution  # noqa: E402
import feed  # noqa: E402
import growth  # noqa: E402
import paired  # noqa: E402
import percentiles  # noqa: E402
import results  # noqa: E402
import rivals  # noqa: E402
import rules  # noqa: E402
import runs  # noqa: E402
import simulator  # noqa: E402
import summarize  # noqa: E402
import wire  # noqa: E402

ODD_VALUES = (None, True, -1, 0, 1e308, float("nan"), float("inf"), "", "odd", [], [None], {}, {"odd": 1}, 2**70)


# ---- Sound folders.

def write_json(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")


def write_runs(folder, contents):
    runs.write(folder, [runs.Run(name, name, content.pop("fingerprint", {}), content)
                        for name, content in contents.items()])


def single_files(folder):
    for run, build in enumerate(("release", "lto", "lto", "release"), 1):
        write_json(folder / f"macro5000-seed1-run{run}-{build}.json", artifacts.artifact(build=build))


def bench_runs(folder):
    write_runs(folder, {f"macro5000-seed1-run{run}-{build}": artifacts.artifact(build=build)
                        for run, build in enumerate(("release", "lto", "lto", "release"), 1)})


def evolution_runs(folder):
    counted = {"instructions": 1.5, "mispredictions": 0.5, "d1_misses": 0.25}
    write_runs(folder, {
        **{f"wide-seed1-run{run}-release": artifacts.artifact("wide", books=artifacts.RATIOS) for run in (0, 1)},
        "books": {"listed": dict.fromkeys(artifacts.RATIOS, "what it is")},
        "wide-instructions": {"fingerprint": artifacts.artifact()["fingerprint"],
                              "books": {book: counted for book in artifacts.RATIOS}},
        "code_size": {"sizes": {book: 100 for book in artifacts.RATIOS}}})


def ablation_runs(folder):
    passive, whole = artifacts.artifact(rounds=4, books=()), artifacts.artifact(rounds=4, books=())
    row = passive["rows"][0]
    passive["rows"] = [{**row, "book": variant, "times": [1.0, 2.0, 1.0, 2.0]} for variant in ablation.VARIANTS]
    whole["rows"] = [{**row, "book": "full", "times": [1.0, 2.0, 1.5, 2.5]}]
    whole["windows"] = {"events": [10, 10, 10, 10], "markets": [1, 2, 1, 3], "fills": [1, 2, 3, 3]}
    write_runs(folder, {"macro5000-passive-seed1": passive, "macro5000-whole-seed1": whole,
                        "macro5000-instructions":
                            {"fingerprint": artifacts.artifact()["fingerprint"],
                             "books": {variant: dict.fromkeys(results.COUNTED, 1) for variant in ablation.VARIANTS}}})


def growth_runs(folder):
    by_orders = artifacts.artifact(books=growth.BOOKS)
    by_orders["rows"] = [{**row, "book": f"{row['book']}/{standing}", "standing": standing, "times": [1.0, 2.0, 1.5],
                          "over": [1.0, 1.0, 1.0]} for standing in (1000, 100000) for row in by_orders["rows"]]
    content = artifacts.artifact()
    content["rows"] = [{**content["rows"][0], "book": f"{feed}/{levels}", "price_levels": levels,
                        "memory_bytes": 64 * levels, "times": [1.0, 2.0, 1.5], "recenter_us": [1.0, 2.0, 1.5]}
                       for levels in (128, 4096) for feed in growth.FEEDS]
    write_runs(folder, {"orders-seed1": by_orders, "levels5000-seed1": content})


def feed_runs(folder):
    write_runs(folder, {f"symbols{symbols}-seed1": feed_test.artifact_of(symbols=symbols) for symbols in (100, 8907)})


def any_price_runs(folder):
    names = ",".join(book for book in any_price_test.TIMES if book != "null")
    write_runs(folder, {f"{workload}-seed{seed}-run1-{role}": any_price_test.artifact_of(workload, names, seed=seed,
                                                                                        percentiles=True, before=role == "a")
                        for workload in ("fleeting", "gaps") for seed in (1, 2) for role in "ab"})


def rules_runs(folder):
    names = ",".join(book for book in rules_test.TIMES if book != "null")
    write_runs(folder, {f"{workload}-seed{seed}": rules_test.artifact_of(workload, names, "100,10000", seed=seed)
                        for workload in ("macro", "cancels", "stops") for seed in (1, 2)})


def simulator_runs(folder):
    write_runs(folder, {f"{impact}1-seed{seed}": simulator_test.artifact_of(impact, seed=seed, shadows="1000")
                        for impact in ("none", "displace") for seed in (1, 2)})


def rivals_runs(folder):
    write_runs(folder, {f"all-seed{seed}": rivals_test.artifact_of(seed=seed) for seed in (1, 2)})


def wire_runs(folder):
    write_runs(folder, {"trips-spin-process-seed1": wire_test.artifact_of(), "load-spin-process-seed1": wire_test.artifact_of(rate="1000"),
                        "idle-spin-process-seed1": wire_test.artifact_of(idle=10)})


def challenge_runs(folder):
    write_runs(folder, challenge_test.artifacts(rounds=1))


def engine_runs(folder):
    write_runs(folder, {f"{kind}-none-seed1": engine_test.artifact_of(kind)
                        for kind in ("ladder", "saturation", "instruments")})


def pairs(folder):
    write_runs(folder, {f"macro5000-seed{seed}-run{run}-{role}": artifacts.artifact(seed=seed, books=["core"])
                        for seed in (1, 2, 3) for run, role in enumerate(paired.ROLES, 1)})


def compare_runs(folder):
    write_runs(folder, {f"{stream}-seed{seed}-run{run}-{role}": compare_test.artifact_of(program, role, seed=seed)
                        for stream, program in (("wide", "bench_books"), ("feed", "bench_feed"), ("engine", "bench_engine"))
                        for seed in (1, 2) for run, role in enumerate(paired.ROLES, 1)})


def finished_pairs(folder):
    for seed in (1, 2, 3):
        for run, role in enumerate(paired.ROLES, 1):
            write_json(folder / f"macro5000-seed{seed}-run{run}-{role}.json", artifacts.artifact(seed=seed, books=["core"]))


def records(folder):
    fields = {"ns": "<f4", "probe_ns": "<f4", "level_age": "<u4", "slot_age": "<u4", "scenario": "u1", "path": "u1"}
    header = {"fingerprint": artifacts.artifact()["fingerprint"], "book": "core", "workload": "macro", "standing": 5000,
              "seed": 1, "stamps": "tsc", "step_ns": 10.0, "plain_ns_per_op": 12.5, "stamped_ns_per_op": 99.5,
              "records": 9, "scenarios": ["add", "cancel"], "paths": ["none", "leaf"], "fields": fields}
    calls = b"".join(struct.pack("<ffIIBB", 10.0 + i, 20.0, i, i, i % 2, i % 2) for i in range(9))
    (folder / "records").write_bytes(json.dumps(header).encode() + b"\n" + calls)


def dumps(folder):
    write_json(folder / "rows.json", artifacts.artifact())
    for number, book in enumerate(("null", "core", "reference"), 1):
        (folder / f"x.callgrind.{number}").write_text(f"desc: Trigger: Client Request: {book}\nevents: Ir Bcm Bim\n\n"
                                                      "totals: 1000 20 3\n")


# ---- What reads them.

def read_records(folder):
    percentiles.report(percentiles.read_records(folder / "records"))


def table_of(module):
    return lambda folder: list(module.tables(folder, module.read(folder)))


READERS = {
    "runs": (single_files, runs.fold),
    "summarize": (bench_runs, table_of(summarize)),
    "books": (bench_runs, table_of(books)),
    "any_price": (any_price_runs, table_of(any_price)),
    "rules": (rules_runs, table_of(rules)),
    "simulator": (simulator_runs, table_of(simulator)),
    "rivals": (rivals_runs, table_of(rivals)),
    "wire": (wire_runs, table_of(wire)),
    "challenge": (challenge_runs, table_of(challenge)),
    "evolution": (evolution_runs, table_of(evolution)),
    "ablation": (ablation_runs, table_of(ablation)),
    "feed": (feed_runs, table_of(feed)),
    "engine": (engine_runs, table_of(engine)),
    "growth": (growth_runs, table_of(growth)),
    "paired": (pairs, table_of(paired)),
    "compare": (compare_runs, table_of(compare)),
    "paired --finished": (finished_pairs, paired.print_finished),
    "percentiles": (records, read_records),
    "callgrind": (dumps, callgrind.figures_of),
}


# ---- Damage.

def places_in(value, path=()):
    """The way to each value inside this one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places_in(inner, (*path, key))


def is_json(line):
    try:
        return bool(json.loads(line))
    except ValueError:
        return False


def damage_json(chance, line):
    content = copy.deepcopy(json.loads(line))
    *way, last = chance.choice(list(places_in(content)))
    inner = content
    for key in way:
        inner = inner[key]
    if chance.random() < 0.3:
        del inner[last]
        return json.dumps(content).encode(), f"without {[*way, last]}"
    inner[last] = chance.choice(ODD_VALUES)
    return json.dumps(content).encode(), f"{[*way, last]} is {inner[last]!r}"


def damage(chance, path):
    """Damages the file and says how."""
    content = path.read_bytes()
    at = chance.randrange(len(content))
    kind = chance.choice(("cut", "byte", "double", "value", "value", "value", "value"))
    if kind == "value" and content.startswith(b"{"):
        lines = content.split(b"\n")
        number = chance.choice([number for number, line in enumerate(lines) if is_json(line)])
        lines[number], how = damage_json(chance, lines[number])
        content, how = b"\n".join(lines), f"line {number + 1}: {how}"
    elif kind == "cut":
        content, how = content[:at], f"cut at {at}"
    elif kind == "double":
        content, how = content[:at] + content[at // 2:], f"{at // 2} to {at} twice"
    else:
        byte = chance.randrange(256)
        content, how = content[:at] + bytes([byte]) + content[at + 1:], f"byte {at} is {byte}"
    path.write_bytes(content)
    return f"{path.name}: {how}"


def play(name, seed):
    """What was wrong with the answer to one damage, or None."""
    write, read = READERS[name]
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write(folder)
        how = damage(chance, chance.choice(sorted(path for path in folder.rglob("*") if path.is_file()))) if seed else ""
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                read(folder)
        except runs.Unusable as error:
            return f"{name}: sound artifacts are refused: {error}" if not seed else None
        except Exception:  # all but the above is what is looked for
            return f"{name}, seed {seed}: {how}\n{traceback.format_exc()}"
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # numpy's, on numbers beyond all measure
    wrong = [answer for name in READERS for seed in (0, *range(options.seed, options.seed + options.rounds))
             if (answer := play(name, seed))]
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))
