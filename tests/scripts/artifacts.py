# SPDX-License-Identifier: MIT
"""Artifacts as bench_books writes them, whose answer is known. Imports nothing: a campaign of the tests runs its
stand-ins for the programs dozens of times."""

# The books of the stand-in and their ratios over the core. The lto build's core takes 0.9 of the release build's.
RATIOS = {"null": 0.25, "reference": 4.0, "phase1": 8.0, "phase2a": 6.0, "phase2b": 3.0, "phase10": 2.0,
          "ring1024": 1.5, "tree_hash": 5.0, "btree": 12.5, "core": 1.0, "core_span": 1.25}

COMMIT = "0b0e9bfa714876137f548b774973f0b9167f723e"  # where the repositories of the tests stand


def asks_for_commit(arguments):
    """Whether a campaign only wants to know which commit the program was built from."""
    return arguments.get("batch") == "100"


def artifact(workload="macro", standing=5000, seed=1, rounds=3, build="release", books=("core", "reference")):
    core_ns = 9.0 if build == "lto" else 10.0
    books = list(dict.fromkeys(("null", *books)))
    refused = [book for book in books if (book, workload) == ("ring1024", "wide")]
    rows = [{"book": book, "workload": workload, "standing": standing, "seed": seed, "rounds": rounds,
             "batch": 100000, "ns_per_op": core_ns * RATIOS[book], "ratio": RATIOS[book],
             "ratio_lo": RATIOS[book], "ratio_hi": RATIOS[book], "ratios": [RATIOS[book]] * rounds,
             "won": rounds if RATIOS[book] < 1 else 0, "resting_avg": 4987.5, "resting_peak": 5123,
             "levels_avg": 217.25, "one_sided": 0.5, "fills_per_op": 0.125, "events": 100000 * rounds,
             "misses": 0, "misses_planned": 0, "allocations": 0, "peak_bytes": 3 * 2**20,
             "digest": f"{workload}-{standing}-{seed}",
             "shares": {"add": 0.45, "cancel": 0.48, "modify": 0.05, "market": 0.02}}
            for book in books if book not in refused]
    rows += [{"book": book, "workload": workload, "standing": standing, "seed": seed,
              "refused": "has no place for all of its prices"} for book in refused]
    fingerprint = {"commit": COMMIT, "dirty": "no", "compiler": "GCC 12.2.0", "flags": "-O3", "build": build,
                   "cpu": "Test CPU", "cores": "2", "kernel": "Linux 6.1", "governor": "unknown",
                   "pinned": "1", "counters": "no"}
    return {"fingerprint": fingerprint, "rows": rows}
