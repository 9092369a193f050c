#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package beside others of PyPI, on the same days of ITCH: what each does in its own way, timed.

usage: python_rivals.py [--messages N] [--seed N] [--rounds N] [--orders N,N] [--out FILE]

  --messages N  of the two days that bench_feed makes, of one symbol and of 2,000 (default: 1000000)
  --seed N      of these days (default: 1)
  --rounds N    in how many rounds all take turns (default: 3)
  --orders N,N  hypothetical orders of a pass (default: 10000,1000000)
  --out FILE    an artifact of all times

Needs llmes (pip install ./scripts/packaging/python), and for its rows hftbacktest, itch-book, mbo-queue, polars and
queuetruth; what is not installed is left out, with words. Times are processor time of all threads.
scripts/lab python-rivals installs all that, and makes a table of it.
"""
import argparse
import datetime
import importlib.metadata
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LATENCY = {"entry": 50_000, "modify": 50_000, "cancel": 50_000, "response": 20_000, "feed": 20_000}
HORIZON = 300_000_000_000  # nanoseconds after which a hypothetical order is cancelled


def needs(*packages):
    """Why a row is left out, or nothing."""
    for package in packages:
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return f"{package} is not installed"
    return None


def run_bench_feed(*arguments):
    program = ROOT / "build" / "release" / "bench" / "bench_feed"
    if not program.exists():
        sys.exit(f"python_rivals.py: {program} is not there: cmake --preset release && cmake --build --preset release --target bench_feed")
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def made_day(folder, messages, seed, symbols):
    path = folder / f"day{symbols}.itch"
    run_bench_feed(f"--write={path}", f"--messages={messages}", f"--symbols={symbols}", f"--seed={seed}")
    return path


def fingerprint(folder):
    """Of this machine and tree, as the benchmark programs have it."""
    path = folder / "fingerprint.json"
    run_bench_feed("--messages=10000", "--symbols=1", "--rows=parse", "--base=parse", "--rounds=1", f"--out={path}")
    return json.loads(path.read_text())["fingerprint"]


# ---- A strategy that joins both best prices, as each package wants it.

class Joins:
    def __init__(self, symbol):
        self.symbol, self.quotes, self.prices, self.wakes = symbol, {}, {}, 0

    def on_start(self, desk):
        desk.subscribe(self.symbol)

    def on_market(self, desk, symbol):
        self.wakes += 1
        bid, _, ask, _ = desk.touch(symbol)
        for side, price in (("buy", bid), ("sell", ask)):
            if price == self.prices.get(side) or price is None:
                continue
            if side in self.quotes:
                desk.cancel(self.quotes[side])
            self.quotes[side] = desk.add_limit(symbol, side, price, 100, "post_only")
            self.prices[side] = price


def compiled_joins():
    import llmes
    import numba

    event_type, action_type = numba.from_dtype(llmes.EVENT), numba.from_dtype(llmes.ACTION)
    pointer = numba.types.CPointer
    none = int(llmes.NONE)

    @numba.cfunc(numba.types.int64(pointer(event_type), pointer(action_type), pointer(numba.types.int64)))
    def joins(events, room, state):  # state: price and number of each side's order
        event, actions = numba.carray(events, 1)[0], numba.carray(room, 16)
        count = 0
        if event.type == 0:
            actions[0].type, actions[0].lots = 4, 1
            return 1
        if event.type != 1:
            return 0
        following = event.next_order
        for side in range(2):
            price = event.bid if side == 0 else event.ask
            if price == none or price == state[side]:
                continue
            if state[side] != 0:
                actions[count].type, actions[count].order = 3, state[2 + side]
                count += 1
            actions[count].type, actions[count].side, actions[count].time_in_force = 0, side, 1
            actions[count].price, actions[count].lots = price, 100
            count += 1
            state[side], state[2 + side] = price, following
            following += 1
        return count

    return joins


def hftbacktest_data(day):
    """The day as events of its level 3; what that takes is not timed."""
    import hftbacktest as hbt
    import numpy

    messages = day.messages()
    kinds = {"A": hbt.ADD_ORDER_EVENT, "F": hbt.ADD_ORDER_EVENT, "D": hbt.CANCEL_ORDER_EVENT, "U": hbt.ADD_ORDER_EVENT,
             "E": hbt.FILL_EVENT, "C": hbt.FILL_EVENT, "X": hbt.MODIFY_ORDER_EVENT}
    rows = []
    for kind, when, id, new, side, price, lots, before in zip(
            *(messages[name].tolist() for name in ("type", "time", "reference", "new_reference", "side", "price", "lots", "lots_before"))):
        flags = hbt.EXCH_EVENT | hbt.LOCAL_EVENT | (hbt.BUY_EVENT if side == "buy" else hbt.SELL_EVENT)
        row = lambda kind, id, lots: rows.append((kind | flags, when, when + LATENCY["feed"], price / 10_000, lots, id, 0, 0.0))
        if kind == "U":
            row(hbt.CANCEL_ORDER_EVENT, id, before)
            row(hbt.ADD_ORDER_EVENT, new, lots)
        elif kind == "X":
            row(hbt.MODIFY_ORDER_EVENT, id, before - lots)
        else:
            row(kinds[kind], id, lots)
            if kind in "EC":  # a fill leaves the book to what follows
                row(hbt.MODIFY_ORDER_EVENT if lots < before else hbt.CANCEL_ORDER_EVENT, id, before - lots)
    events = numpy.array(rows, hbt.types.event_dtype)
    # Its depth walks tick by tick to the next level, which a stub quote far away makes long. So it gets none of these.
    middle = numpy.median(events["px"])
    is_far = (abs(events["px"] - middle) > middle / 2) & (events["ev"] & 0xFF == hbt.ADD_ORDER_EVENT)
    return events[~numpy.isin(events["order_id"], events["order_id"][is_far])].copy()


def hftbacktest_run(data, loop):
    import hftbacktest as hbt

    asset = (hbt.BacktestAsset().data(data).linear_asset(1.0).constant_order_latency(LATENCY["entry"], LATENCY["response"])
             .l3_fifo_queue_model().no_partial_fill_exchange().trading_qty_fee_model(0, 0).tick_size(0.01).lot_size(1))
    market = hbt.HashMapMarketDepthBacktest([asset])
    wakes = loop(market)
    market.close()
    return wakes


def hftbacktest_loop():
    import hftbacktest as hbt
    import numba

    gtx, limit = hbt.GTX, hbt.LIMIT

    @numba.njit
    def loop(market):
        bid, ask, number, buys, sells, wakes = 0, 0, 1, 0, 0, 0
        while market.wait_next_feed(False, 10**15) == 2:
            wakes += 1
            depth = market.depth(0)
            if depth.best_bid_tick != bid and depth.best_bid_tick > 0:
                bid = depth.best_bid_tick
                if buys:
                    market.cancel(0, buys, False)
                market.submit_buy_order(0, number, bid * 0.01, 100, gtx, limit, False)
                buys, number = number, number + 1
            if depth.best_ask_tick != ask and depth.best_ask_tick < 10**9:
                ask = depth.best_ask_tick
                if sells:
                    market.cancel(0, sells, False)
                market.submit_sell_order(0, number, ask * 0.01, 100, gtx, limit, False)
                sells, number = number, number + 1
            market.clear_inactive_orders(0)
        return wakes

    return loop


# ---- Hypothetical orders

def mbo_queue_records(day):
    """The day as records of DBN; what that takes is not timed."""
    import numpy

    messages = day.messages()
    rows = []
    for kind, when, id, new, side, price, lots, before in zip(
            *(messages[name].tolist() for name in ("type", "time", "reference", "new_reference", "side", "price", "lots", "lots_before"))):
        own, other = (b"B", b"A") if side == "buy" else (b"A", b"B")
        if kind == "U":
            rows += [(when, id, price, before, 0, b"C", own), (when, new, price, lots, 128, b"A", own)]
        elif kind in "EC":
            rows += [(when, 0, price, lots, 0, b"T", other), (when, id, price, lots, 0, b"F", own), (when, id, price, lots, 128, b"C", own)]
        else:
            rows.append((when, id, price, lots, 128, b"A" if kind in "AF" else b"C", own))
    names = (("ts_event", "u8"), ("order_id", "u8"), ("price", "i8"), ("size", "u8"), ("flags", "u1"), ("action", "S1"), ("side", "S1"))
    columns = zip(*rows)
    return {name: numpy.array(column, kind) for (name, kind), column in zip(names, columns)}


def random_orders(day, symbol, count):
    """Orders for 100 at a best price of the moment, for some minutes."""
    import llmes
    import numpy

    touch = day.touch([symbol])
    both = (touch["bid"] != llmes.NONE) & (touch["ask"] != llmes.NONE) & (touch["bid"] < touch["ask"])
    draw = numpy.random.default_rng(1)
    at = numpy.sort(draw.choice(numpy.flatnonzero(both), count))
    sides = draw.choice(["buy", "sell"], count)
    when = touch["time"][at].astype("i8")
    return {"symbol": symbol, "time": when, "side": sides, "price": numpy.where(sides == "buy", touch["bid"][at], touch["ask"][at]),
            "lots": 100, "cancel": when + HORIZON}


# ---- The rows

class Rows:
    """What is timed: `add` it, and `play` all in turns."""

    def __init__(self):
        self.rows = []

    def add(self, kind, package, messages, run, why=None, way=""):
        row = {"kind": kind, "package": package, "way": way}
        if why:
            print(f"{kind}: {package} is left out: {why}")
            self.rows.append({**row, "left_out": why})
            return
        run()  # compiles, and warms up
        self.rows.append({**row, "version": importlib.metadata.version(package), "messages": messages, "times": [], "run": run})

    def play(self, rounds):
        for _ in range(rounds):
            for row in self.rows:
                if "run" in row:
                    begun = time.process_time()
                    row["run"]()
                    row["times"].append(time.process_time() - begun)
        for row in self.rows:
            if row.pop("run", None):
                words = " ".join(word for word in (row["package"], row["version"], row["way"]) if word)
                print(f"{row['kind'] + ': ' + words:<60}{row['messages'] / 1e6 / min(row['times']):>8.2f} million messages/s")


def main(arguments):
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        artifact = {"fingerprint": fingerprint(folder), "rows": compare(arguments, folder)}
        if arguments.out:
            pathlib.Path(arguments.out).write_text(json.dumps(artifact))
    finally:
        shutil.rmtree(folder)


def compare(arguments, folder):
    import llmes

    venue_path, path = (made_day(folder, arguments.messages, arguments.seed, symbols) for symbols in (2_000, 1))
    venue, day = llmes.itch(venue_path, progress=False), llmes.itch(path, progress=False)
    symbol, rows = day.symbols()["symbol"][0], Rows()

    # Best prices into a frame of polars.
    messages = venue.report()["messages"]
    why = needs("polars")
    if not why:
        import polars
    rows.add("books", "llmes", messages, lambda: polars.DataFrame(venue.touch()), why)
    why = why or needs("itch-book")

    def itch_book_frame():
        import itch_book

        with itch_book.Feed(str(venue_path), date=datetime.date(2026, 1, 2), price_type="fixed") as feed:
            return [polars.DataFrame(batch.bbo) for batch in feed.batches(("bbo",))]

    rows.add("books", "itch-book", messages, itch_book_frame, why)

    # A strategy woken by the touch.
    messages = day.report()["messages"]
    why = needs("hftbacktest")
    if not why:
        import numpy

        joins, state = compiled_joins(), numpy.zeros(4, numpy.int64)

        def run_compiled():
            state[:] = 0
            llmes.backtest(day, llmes.Compiled(joins.address, state), symbols=[symbol], latency=LATENCY)

        data, loop = hftbacktest_data(day), hftbacktest_loop()
    rows.add("strategy", "llmes", messages, lambda: run_compiled(), why, "compiled")
    rows.add("strategy", "llmes", messages, lambda: llmes.backtest(day, Joins(symbol), symbols=[symbol], latency=LATENCY), way="in Python")
    rows.add("strategy", "hftbacktest", messages, lambda: hftbacktest_run(data, loop), why, "compiled")

    # Hypothetical orders.
    for count in arguments.orders:
        kind, orders = f"{count:,} shadows", random_orders(day, symbol, count)
        rows.add(kind, "llmes", messages, lambda orders=orders: llmes.shadows(day, orders))
        why = needs("queuetruth")
        if not why:
            import queuetruth

            data_set, schedule = {"path": str(folder / "data")}, {"path": str(folder / f"shadows{count}.parquet")}
            if count == arguments.orders[0]:
                queuetruth.ingest({"format": "itch", "inputs": [{"path": str(path)}], "venue": "nasdaq", "session_date": "2026-01-02",
                                   "out": data_set["path"]})
            queuetruth.sample_shadows({"dataset": data_set, "n": count, "out": schedule["path"]})
        rows.add(kind, "queuetruth", messages, lambda schedule=schedule: queuetruth.replay(
            {"dataset": data_set, "shadows": schedule, "bbo": "none", "trajectory": "none"}), why)
        why = needs("mbo-queue")
        if not why:
            from mboq import fast

            if count == arguments.orders[0]:
                records = mbo_queue_records(day)
        rows.add(kind, "mbo-queue", messages, lambda orders=orders: fast.run(
            records, tick=100, place_times=orders["time"], horizon_ns=HORIZON), why)
    rows.play(arguments.rounds)
    return rows.rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__[__doc__.index("usage: ") + 7:], add_help=False)
    parser.add_argument("--help", action="store_true")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--orders", type=lambda words: [int(word) for word in words.split(",")], default=[10_000, 1_000_000])
    parser.add_argument("--out")
    given = parser.parse_args()
    if given.help:
        print(__doc__.strip())
    else:
        main(given)
