# SPDX-License-Identifier: MIT
"""torn_artifacts.py SCRIPTS ROUNDS SEED: what reads artifacts, on sound ones that were damaged at random.

Whatever the damage is, the answer is a table or campaign.Unusable, which says which file is wrong. Prints the damage
that had another answer. Drawing is left out: it sees what the tables have seen, and would take most of the time.
"""

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

import artifacts

SCRIPTS, ROUNDS, SEED = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
sys.path[:0] = [str(SCRIPTS / "analysis"), str(SCRIPTS / "remote")]

import ablation  # noqa: E402
import books  # noqa: E402
import callgrind  # noqa: E402
import campaign  # noqa: E402
import check_commit  # noqa: E402
import evolution  # noqa: E402
import growth  # noqa: E402
import paired  # noqa: E402
import percentiles  # noqa: E402
import summarize  # noqa: E402

ODD_VALUES = (None, True, -1, 0, 1e308, float("nan"), float("inf"), "", "odd", [], [None], {}, {"odd": 1}, 2**70)


# ---- Sound folders.

def write_json(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")


def runs(folder):
    for run, build in enumerate(("release", "lto", "lto", "release"), 1):
        write_json(folder / f"macro5000-seed1-run{run}-{build}.json", artifacts.artifact(build=build))


def evolution_runs(folder):
    (folder / "books.txt").write_text("".join(f"{book}  what it is\n" for book in artifacts.RATIOS))
    for run in (0, 1):
        write_json(folder / f"wide-seed1-run{run}-release.json", artifacts.artifact("wide", books=artifacts.RATIOS))
    counted = {"instructions": 1.5, "mispredictions": 0.5, "d1_misses": 0.25}
    write_json(folder / "wide-instructions.json", {"fingerprint": artifacts.artifact()["fingerprint"],
                                                   "books": {book: counted for book in artifacts.RATIOS}})
    write_json(folder / "code_size.json", {book: 100 for book in artifacts.RATIOS})


def ablation_runs(folder):
    content = artifacts.artifact(rounds=4, books=())
    row = content["rows"][0]
    content["rows"] = [{**row, "book": variant, "times": [1.0, 2.0, 1.0, 2.0]} for variant in ablation.VARIANTS]
    write_json(folder / "macro5000-passive-seed1.json", content)
    content["rows"] = [{**row, "book": "full", "times": [1.0, 2.0, 1.5, 2.5]}]
    content["windows"] = {"events": [10, 10, 10, 10], "markets": [1, 2, 1, 3], "fills": [1, 2, 3, 3]}
    write_json(folder / "macro5000-whole-seed1.json", content)
    write_json(folder / "macro5000-instructions.json",
               {"fingerprint": content["fingerprint"],
                "books": {variant: dict.fromkeys(campaign.COUNTED, 1) for variant in ablation.VARIANTS}})


def growth_runs(folder):
    content = artifacts.artifact(books=growth.BOOKS)
    for row in content["rows"]:
        row["times"] = [1.0, 2.0, 1.5]
    for standing in (1000, 100000):
        for row in content["rows"]:
            row["standing"] = standing
        write_json(folder / f"macro{standing}-seed1.json", content)
    row = content["rows"][0]
    content["rows"] = [{**row, "book": f"{feed}/{levels}", "price_levels": levels, "memory_bytes": 64 * levels,
                        "recenter_us": [1.0, 2.0, 1.5]} for levels in (128, 4096) for feed in growth.FEEDS]
    write_json(folder / "spread5000-seed1.json", content)


def pairs(folder):
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


def nested(folder):
    (folder / "stream").mkdir()
    runs(folder / "stream")


# ---- What reads them.

def read_pairs(folder):
    streams, found = paired.read_streams(folder, False)
    list(paired.tables(folder, streams, found))
    paired.print_finished(folder)


def read_records(folder):
    percentiles.report(percentiles.read_records(folder / "records"))


def without_drawing(module, *functions):
    for function in functions:
        setattr(module, function, lambda *_: None)
    return module.main


READERS = {
    "summarize.py": (runs, summarize.summarize),
    "books.py": (runs, without_drawing(books, "draw")),
    "evolution.py": (evolution_runs, without_drawing(evolution, "draw_evolution", "draw_family")),
    "ablation.py": (ablation_runs, without_drawing(ablation, "draw")),
    "growth.py": (growth_runs, without_drawing(growth, "draw")),
    "paired.py": (pairs, read_pairs),
    "percentiles.py": (records, read_records),
    "callgrind.py": (dumps, callgrind.figures_of),
    "check_commit.py": (nested, lambda folder: check_commit.check(folder, artifacts.COMMIT)),
}


# ---- Damage.

def places_in(value, path=()):
    """The way to each value inside this one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places_in(inner, (*path, key))


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
        line, newline, rest = content.partition(b"\n")
        line, how = damage_json(chance, line)
        content = line + newline + rest
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
        except campaign.Unusable as error:
            return f"{name}: sound artifacts are refused: {error}" if not seed else None
        except Exception:  # all but the above is what is looked for
            return f"{name}, seed {seed}: {how}\n{traceback.format_exc()}"
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # numpy's, on numbers beyond all measure
    wrong = [answer for name in READERS for seed in (0, *range(SEED, SEED + ROUNDS)) if (answer := play(name, seed))]
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))
