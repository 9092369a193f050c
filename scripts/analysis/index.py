# SPDX-License-Identifier: MIT
"""The index of server_results: what each campaign answers, when and from which commit it was made, what quotes it."""

import pathlib
import re

import results
import runs
import texts

# What a campaign answers if its campaign.txt has no line that begins with "answers: ". By what made it.
ANSWERS = {
    "bench.sh": "How long does the core take beside other books, and does link-time optimisation help?",
    "evolution.sh": "What did each phase of the history gain, and how do other designs compare?",
    "growth.sh": "How does the time of an operation grow with resting orders and with price levels?",
    "feed.sh": "How long does it take to build the books of a venue from its ITCH messages?",
    "any_price.sh": "What does a book for any price cost where prices jump?",
    "rules.sh": "What do rules inside matching, a risk stage and a mass cancel cost?",
    "simulator.sh": "What do own orders cost in a replayed market?",
    "python_rivals.sh": "How fast is the Python package beside others of PyPI?",
    "bitstamp.sh": "Is a real file of order events read as it is, and what does not fit?",
    "wire.sh": "How long is the round trip of an order to the venue, beside a bare echo?",
    "engine.sh": "What latency does a user of the engine feel at which rate, and what does it do at most?",
    "challenge.sh": "How fast are the books, the engine's matcher and the venue in the public challenge, beside CppTrader?",
    "ablation.sh": "What does each part of an operation cost?",
    "paired.sh": "Which of two builds is faster?",
    "compare.sh": "Which rows of the benchmark programs became faster or slower since an earlier commit?",
    "trust.sh": "What did the long checks find?",
    "walk.sh": "How many functions does an order enter on its way through the venue?",
}
HEADER = ("campaign", "what it answers", "made", "commit", "command", "quoted in (numbers: of the report)")


def campaigns(folder):
    return [path for path in sorted(folder.iterdir()) if (path / runs.FILE).exists() or list(path.glob("*.txt"))]


def described(path):
    """The command, what it answers, and of each record when it was made from which commit."""
    if (path / runs.FILE).exists():
        lines = runs.read_text(path / "campaign.txt").splitlines() if (path / "campaign.txt").exists() else []
        fingerprint = runs.read(path)[0].fingerprint
        dirty = " and changes" if results.is_dirty(fingerprint) else ""
        made = {(fingerprint.get("date", "")[:10], fingerprint.get("commit", "")[:12] + dirty)}
        command = lines[0] if lines else "unknown"
    else:
        records = [dict(re.findall(r"^(command|commit|begun): (.*)$", runs.read_text(record), re.MULTILINE))
                   for record in sorted(path.glob("*.txt"))]
        lines = []
        made = {(record.get("begun", "")[:10], record.get("commit", "")[:12]) for record in records}
        commands = [record["command"] for record in records if "command" in record]
        command = commands[0] if len(commands) == 1 else f"{commands[0].split()[0]} TASK" if commands else "unknown"
    words = [pathlib.PurePath(word).name for word in command.split()]
    answers = next((line.removeprefix("answers: ") for line in lines if line.startswith("answers: ")),
                   next((ANSWERS[word] for word in words if word in ANSWERS), "–"))
    return command, answers, sorted(made)


def quoting(root, name):
    """The texts that link to the campaign, have a table of it, or quote a figure of it."""
    name = re.escape(name)
    mention = re.compile(rf"server_results/{name}(?![\w-])|<!-- (?:table )?{name}[ /]|^from: {name} ", re.MULTILINE)
    side_file = root / texts.SIDE_FILE
    lines = runs.read_text(side_file) if side_file.exists() else ""
    quoted = set(re.findall(rf"^(\S+): .* <- {name}[ /]", lines, re.MULTILINE))
    for path in texts.texts_in(root):
        text = str(path.relative_to(root))
        if text in quoted or mention.search(runs.read_text(path)):
            number = re.match(r"\d+(?=_)", path.name)
            yield f"[{number[0] if number else path.stem}](../{text})"


def text_of(root):
    rows = []
    for path in campaigns(root / "server_results"):
        name = str(path.relative_to(root / "server_results"))
        command, answers, made = described(path)
        dates, commits = ([*dict.fromkeys(item)] for item in zip(*made))
        rows.append((f"[{name}]({name}/)", answers, " to ".join([dates[0], *dates[1:][-1:]]), ", ".join(commits),
                     f"`{command}`", ", ".join(quoting(root, name)) or "–"))
    lines = ["| " + " | ".join(row) + " |" for row in (HEADER, ("---",) * len(HEADER), *rows)]
    head = ("Written by `scripts/lab index`. A campaign's `campaign.txt` says how it was made, `runs.jsonl` has its "
            "runs, and `scripts/lab table FOLDER` makes its table and plots of them.")
    return "\n".join(["# Kept results", "", head, "", *lines]) + "\n"
