#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""challenge.py run|conform|count ...: asks the harness of the public challenge, for challenge.sh.

    run      a run of the harness, in mode perf or audit: its result, which must have the published hash
    conform  the harness's cases of conformance, all of which the engine must pass
    count    what callgrind counted for each engine, by the folder of its dumps
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "analysis"))
import runs  # noqa: E402

# What is kept of a result of the harness. Its platform is in the fingerprint of the campaign.
KEPT = ("engine", "scenario", "mode", "seed", "messages", "wall_time_s", "throughput_msgs_per_s", "excluded_frac", "correctness", "audit",
        "affinity", "verdict")
# Runs the harness's own checker, whose oracle would else lie in /tmp, where another folder's may be.
CHECKER = """import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "scripts")
import conformance_check
conformance_check.ORACLE_CACHE = "conformance_oracle.json"
conformance_check.main()
"""
CASE = re.compile(r"^  (\S+) +report=(\S+) +state=(\S+)$", re.MULTILINE)


class Failed(Exception):
    """What the harness says is not what it should."""


def call(harness, *command):
    """What a program of the harness says. Each run would ask the network by curl whether this is a cloud's machine, and
    wait: it finds one that fails."""
    with tempfile.TemporaryDirectory() as folder:
        curl = pathlib.Path(folder) / "curl"
        curl.write_text("#!/bin/sh\nexit 1\n")
        curl.chmod(0o755)
        result = subprocess.run(list(map(str, command)), cwd=harness, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    return result.stdout


def run(arguments):
    matcher, drainer = arguments.cores.split(",")
    said = call(arguments.harness, "./harness", "--engine", f"./{arguments.engine}_adapter.so", "--scenario", arguments.scenario,
                "--mode", arguments.mode, "--matcher-core", matcher, "--drainer-core", drainer)
    written = re.search(r"^Result file: (.*)$", said, re.MULTILINE)
    if not written:
        raise Failed(said)
    found = json.loads((arguments.harness / written[1]).read_text(encoding="utf-8"))
    if found["correctness"]["status"] != "PASS" or (arguments.mode == "audit" and not found["audit"]["passed"]):
        raise Failed(said)
    return {key: found[key] for key in KEPT}


def conform(arguments):
    said = call(arguments.harness, sys.executable, "-c", CHECKER, f"./{arguments.engine}_adapter.so")
    cases = {case: {"report": report, "state": state} for case, report, state in CASE.findall(said)}
    if ": CONFORMANT (" not in said or any(case["report"] != "PASS" for case in cases.values()) or not cases:
        raise Failed(said)
    return {"engine": arguments.engine, "cases": cases}


def count(arguments):
    import callgrind

    events = runs.read_file(arguments.folder / "rows.json").content["messages"]
    found = {}
    for path in sorted(arguments.folder.glob("x.callgrind*")):
        engine, counted = callgrind.read_dump(path)
        if engine:
            found[engine] = counted["Ir"] / events
    if not found:
        raise Failed("callgrind counted nothing; was bench_challenge built where valgrind is installed?")
    return {"messages": events, "instructions": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True, metavar="run|conform|count")
    for make in (run, conform, count):
        part = parts.add_parser(make.__name__)
        part.set_defaults(make=make)
        part.add_argument("--out", type=pathlib.Path, metavar="FILE", required=True)
        if make is count:
            part.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
            continue
        part.add_argument("--harness", type=pathlib.Path, metavar="FOLDER", required=True)
        part.add_argument("--engine", metavar="NAME", required=True)
        if make is run:
            part.add_argument("--scenario", metavar="NAME", required=True)
            part.add_argument("--mode", choices=("perf", "audit"), required=True)
            part.add_argument("--cores", metavar="MATCHER,DRAINER", required=True)
    arguments = parser.parse_args()
    try:
        found = arguments.make(arguments)
    except (Failed, runs.Unusable, OSError) as error:
        sys.exit(f"challenge.py: {error}")
    arguments.out.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
