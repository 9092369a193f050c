# SPDX-License-Identifier: MIT
"""All runs of a campaign, in one file: runs.jsonl.

The first line of runs.jsonl is {"fingerprint": {...}}, that of the first run. Each line after it is one run: its name,
which was the name of its file, and what its program wrote. A run's own "fingerprint" has only the entries that differ
from the first line; null stands for an entry that the run lacks.
"""

import collections
import json
import pathlib

import files

FILE = "runs.jsonl"

# `where` names the run in messages; `fingerprint` is whole.
Run = collections.namedtuple("Run", "name where fingerprint content")


class Unusable(Exception):
    """The results do not add up to what they should be."""


def read_text(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Unusable(f"{path}: torn, or no text ({error})") from error


def parse(where, text):
    """The object that the text is."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{where}: torn, or not JSON ({error})") from error
    if not isinstance(content, dict):
        raise Unusable(f"{where}: torn, or no object")
    return content


def fingerprint_of(where, content):
    fingerprint = content.pop("fingerprint", {})
    if not isinstance(fingerprint, dict):
        raise Unusable(f"{where}: incomplete (its fingerprint is not an object)")
    for key, value in fingerprint.items():
        if value is not None and not isinstance(value, str):
            raise Unusable(f"{where}: '{key}' of the fingerprint is not text")
    return fingerprint


def read_file(path):
    """One artifact, as its program wrote it."""
    content = parse(path, read_text(path))
    return Run(path.stem, str(path), fingerprint_of(path, content), content)


def read(folder):
    """The runs of a campaign, in the order of the file."""
    path = pathlib.Path(folder) / FILE
    if not path.parent.is_dir():
        raise Unusable(f"{folder}: no such folder")
    if not path.exists():
        raise Unusable(f"{folder}: no runs ({FILE} is not there)")
    first, *lines = read_text(path).splitlines() or ["{}"]
    shared = fingerprint_of(f"{path}, line 1", parse(f"{path}, line 1", first))
    found = {}
    for number, line in enumerate(lines, 2):
        content = parse(f"{path}, line {number}", line)
        name = content.pop("run", None)
        if not isinstance(name, str):
            raise Unusable(f"{path}, line {number}: incomplete (no name of a run)")
        where = f"{path}, run {name}"
        if name in found:
            raise Unusable(f"{where}: two runs have this name")
        fingerprint = {**shared, **fingerprint_of(where, content)}
        found[name] = Run(name, where, {key: value for key, value in fingerprint.items() if value is not None}, content)
    if not found:
        raise Unusable(f"{path}: no runs")
    return list(found.values())


def short(value):
    """The same value, its fractions in ten digits: more than any clock here can tell apart."""
    if isinstance(value, dict):
        return {key: short(part) for key, part in value.items()}
    if isinstance(value, list):
        return [short(part) for part in value]
    if not isinstance(value, float):
        return value
    rounded = float(f"{value:.10g}")
    return int(rounded) if rounded.is_integer() else rounded


def line_of(content):
    return json.dumps(short(content), ensure_ascii=False, separators=(",", ":")) + "\n"


def write(folder, found):
    """All of them or nothing: a file that is there is whole."""
    shared = found[0].fingerprint
    with files.replaced(pathlib.Path(folder) / FILE) as unfinished, open(unfinished, "w", encoding="utf-8") as file:
        file.write(line_of({"fingerprint": shared}))
        for run in found:
            own = {key: run.fingerprint.get(key) for key in {**shared, **run.fingerprint}
                   if run.fingerprint.get(key) != shared.get(key)}
            file.write(line_of({"run": run.name, **({"fingerprint": own} if own else {}), **run.content}))


def fold(folder):
    """Artifacts in files of their own become runs.jsonl. The files stay."""
    paths = sorted(pathlib.Path(folder).glob("*.json"))
    if not paths:
        raise Unusable(f"{folder}: no artifacts (*.json)")
    found = [read_file(path) for path in paths]
    # Some files are counts without a fingerprint of their own: they have that of the campaign.
    shared = next((run.fingerprint for run in found if run.fingerprint), {})
    write(folder, [run if run.fingerprint else run._replace(fingerprint=shared) for run in found])
