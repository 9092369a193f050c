#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Order events of Bitstamp (CSV), read by llmes and by a plain map of orders: the touch at each settled moment.

usage: bitstamp.py FILE [--trades FILE] [--check-tape PROGRAM] [--out FILE]

  FILE                  as collectors write them, plain or packed by gzip
  --trades FILE         the trades of the same time (CSV), to compare the executions with
  --check-tape PROGRAM  the example of that name, whose counts are kept
  --out FILE            an artifact of all counts

Needs llmes (pip install ./scripts/packaging/python). scripts/lab bitstamp installs it, gets a file, and makes a table.
"""
import argparse
import collections
import csv
import datetime
import decimal
import gzip
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("id", "timestamp", "exchange_timestamp", "price", "volume", "action", "direction")

Line = collections.namedtuple("Line", "id time price lots action side")
Touch = collections.namedtuple("Touch", "time bid bid_lots ask ask_lots")


# ---- The plain reader, which shares nothing with llmes.

def text_of(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="") as file:
        return file.read()


def units(text):
    """Hundred-millionths."""
    number = decimal.Decimal(text) * 10**8
    return int(number.to_integral_value(decimal.ROUND_HALF_UP))


def line_of(fields):
    """The line, or None if it cannot be read."""
    try:
        id, received, time, price, lots, action, side = fields
        int(received)
        line = Line(int(id), int(time) * 1_000_000, units(price), units(lots), action, side)
    except (ValueError, decimal.InvalidOperation):
        return None
    return line if action in ("created", "changed", "deleted") and side in ("bid", "ask") else None


def lines_of(text):
    names, *rows = csv.reader(text.splitlines())
    if tuple(name.replace(".", "_") for name in names) != NAMES:
        raise ValueError(f"the first line is not {','.join(NAMES)}")
    return [line for line in map(line_of, rows) if line]


class Side:
    """The orders of a side by price, and the best price."""

    def __init__(self, better):
        self.better, self.levels, self.best = better, {}, None

    def put(self, price, id, lots):
        self.levels.setdefault(price, {})[id] = lots
        self.best = price if self.best is None else self.better(self.best, price)

    def take(self, price, id):
        level = self.levels[price]
        del level[id]
        if not level:
            del self.levels[price]
            if price == self.best:
                self.best = self.better(self.levels, default=None)

    def touch(self):
        return (None, 0) if self.best is None else (self.best, sum(self.levels[self.best].values()))


class Book:
    """The lots of the last line of each order are there: it knows of no takers and no executions.

    `moves`: so is its price. Else an order stays at the price of its first line.
    """

    def __init__(self, moves=False):
        self.sides, self.orders, self.moves = {"bid": Side(max), "ask": Side(min)}, {}, moves

    def apply(self, line, number):
        before, came = self.leave(line.id) or (line, number)
        if line.action != "deleted" and line.lots:
            line = line if self.moves else line._replace(price=before.price)
            self.orders[line.id] = line, came
            self.sides[line.side].put(line.price, line.id, line.lots)

    def leave(self, id):
        """The last line of an order and the number of its first, if it rests."""
        found = self.orders.pop(id, None)
        if found:
            self.sides[found[0].side].take(found[0].price, id)
        return found

    def is_crossed(self):
        bid, ask = self.sides["bid"].best, self.sides["ask"].best
        return bid is not None and ask is not None and bid >= ask

    def oldest_at_touch(self):
        return min((id for side in self.sides.values() for id in side.levels[side.best]), key=lambda id: self.orders[id][1])


def moments_of(lines):
    """The lines of each time of the venue, with the number of the first."""
    begin = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or lines[end].time != lines[begin].time:
            yield begin, lines[begin:end]
            begin = end


def touches_of(lines, moves=False):
    """The touch at each settled moment: after all lines of one time."""
    book = Book(moves)
    for begin, moment in moments_of(lines):
        for number, line in enumerate(moment, begin):
            book.apply(line, number)
        yield Touch(moment[0].time, *book.sides["bid"].touch(), *book.sides["ask"].touch())


def stale_orders(lines):
    """Orders that a newer one crosses at a settled moment, as a venue that is open has no such; in the order of these moments."""
    book, stale = Book(), []
    for begin, moment in moments_of(lines):
        for number, line in enumerate(moment, begin):
            if line.id not in stale:
                book.apply(line, number)
        while book.is_crossed():
            stale.append(book.oldest_at_touch())
            book.leave(stale[-1])
    return stale


# ---- The comparison.

def compare(lines, table, moves):
    """The touch of llmes beside that of the plain reader, at each settled moment."""
    import llmes

    columns = [table[name].astype("i8").tolist() for name in ("time", "bid", "bid_lots", "ask", "ask_lots")]
    ours = [[None if value == llmes.NONE else value for value in row] for row in zip(*columns)]
    counts = dict.fromkeys(("moments", "crossed", "bids", "asks", "prices_differ", "lots_differ"), 0)
    at, now, before = 0, [None, 0, None, 0], None
    for touch in touches_of(lines, moves):
        while at < len(ours) and ours[at][0] <= touch.time:
            now, at = ours[at][1:], at + 1
        counts["moments"] += 1
        counts["crossed"] += None not in (touch.bid, touch.ask) and touch.bid >= touch.ask
        counts["bids"] += before is not None and touch.bid != before.bid
        counts["asks"] += before is not None and touch.ask != before.ask
        counts["prices_differ"] += [now[0], now[2]] != [touch.bid, touch.ask]
        counts["lots_differ"] += [now[0], now[2]] == [touch.bid, touch.ask] and now != list(touch[1:])
        before = touch
    return counts


def executions(table, trades):
    """How many executions are trades to the letter: the maker's id, the price and the lots."""
    ours = collections.Counter(zip(*(table[name].tolist() for name in ("reference", "price", "lots"))))
    theirs = collections.Counter((int(row["sell_order_id" if row["side"] == "buy" else "buy_order_id"]), units(row["price"]), units(row["amount"]))
                                 for row in csv.DictReader(trades.splitlines()))
    return {"executions": ours.total(), "trades": theirs.total(), "equal": (ours & theirs).total()}


def read(path, trades=None):
    import llmes

    warnings.simplefilter("ignore", llmes.TapeWarning)  # the counts say it
    text = text_of(path)
    lines = lines_of(text)
    report = llmes.bitstamp(path).report()
    created = sum(line.action == "created" for line in lines)
    never = sum(one.action == "created" and two.action == "deleted" and (one.id, one.time) == (two.id, two.time) for one, two in zip(lines, lines[1:]))
    found = {"report": report, "lines": {"plain_reader": len(lines), "created": created, "never_rest": never}, "touch": []}
    stale = stale_orders(lines)
    for left_out in dict.fromkeys((0, min(1, len(stale)), len(stale))):
        without = set(stale[:left_out])
        kept = [row for row in text.splitlines(keepends=True) if not without or row.split(",")[0] not in map(str, without)]
        with tempfile.TemporaryDirectory() as folder:
            less = pathlib.Path(folder) / "orders.csv"
            less.write_text("".join(kept), newline="")
            day = llmes.bitstamp(less)
            ours = day.touch()
            for moves in (False, True):
                found["touch"].append({"left_out": stale[:left_out], "price_of": "last" if moves else "first",
                                       **compare([line for line in lines if line.id not in without], ours, moves)})
    if trades:
        found["trades"] = executions(llmes.bitstamp(path).trades(), text_of(trades))
    return found


def check_tape(program, path):
    """What the program counts, in its words."""
    out = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    return [[name.strip(), int(count)] for name, count in re.findall(r"^(.*?) +(\d+)$", out, re.MULTILINE)]


def fingerprint():
    def answer(*command):
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    changes = answer("git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!server_results")
    return {"cpu": cpu[1] if cpu else platform.machine(), "cores": answer("nproc", "--all"),
            "kernel": f"{platform.system()} {platform.release()} {platform.machine()}", "compiler": answer("c++", "--version").splitlines()[0],
            "commit": answer("git", "rev-parse", "HEAD"), "dirty": "yes" if changes else "no",
            "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M:%S} UTC"}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].splitlines()[0], description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--trades", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--check-tape", type=pathlib.Path, metavar="PROGRAM")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    found = read(arguments.file, arguments.trades)
    if arguments.check_tape:
        found["check_tape"] = check_tape(arguments.check_tape, arguments.file)
        counts = dict(found["check_tape"])
        for name, count in (("messages, records or lines", found["report"]["records"]), ("moments, each of one event or more", found["report"]["moments"]),
                            ("fills of resting orders", found["report"]["fills"])):
            if counts.get(name) != count:
                sys.exit(f"bitstamp.py: check_tape counts {counts.get(name)} {name}, the package {count}")
    if arguments.out:
        arguments.out.write_text(json.dumps({"fingerprint": fingerprint(), **found}))
    else:
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
