# SPDX-License-Identifier: MIT
"""Real files, in the folder that LLMES_DATA names; without it these tests are skipped."""
import csv
import gzip
import os
import pathlib
import random
import subprocess
import sys
import unittest
import warnings

import zstandard

import llmes
import naive_dbn
import naive_itch
from package_test import rows

FOLDER = pathlib.Path(os.environ.get("LLMES_DATA", ""))
ITCH = FOLDER / "ex20101224.TEST_ITCH_50.gz"
CME = FOLDER / "esh4-glbx-mdp3-20231225.mbo.dbn.zst"
OF_DBN = FOLDER / "dbn"
LOBSTER = FOLDER / "AAPL_2012-06-21_34200000_57600000_message_10.csv"


def needs(path):
    return unittest.skipUnless(os.environ.get("LLMES_DATA") and path.exists(), f"no file {path.name}: LLMES_DATA is to name the folder of real market data")


def unpacked(path):
    data = path.read_bytes()
    return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read() if path.suffix == ".zst" else data


class Quiet(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__)
        warnings.simplefilter("ignore", llmes.TapeWarning)


class Subscribes:
    def on_start(self, desk):
        for symbol in ("ALC", "BOB"):
            desk.subscribe(symbol)

    def on_market(self, desk, symbol):
        pass


@needs(ITCH)
class Itch(Quiet):
    """All lengths of it are 0, and it lacks some orders that it goes on to name."""

    naive_frames = 3_000  # the naive reader is slow

    @classmethod
    def setUpClass(cls):
        data, frames, orders, cls.unknown, at, cls.records = gzip.open(ITCH).read(), [], set(), [], 0, 0
        while at + 2 < len(data):
            cls.records += len(frames) < cls.naive_frames
            assert data[at : at + 2] == bytes(2)
            kind = chr(data[at + 2])
            message = data[at + 2 : at + 2 + naive_itch.SIZES[kind]]
            at += 2 + len(message)
            reference = message[11:19]
            if kind in "AF":
                orders.add(reference)
            elif kind in "ECXDU" and reference not in orders:
                cls.unknown.append(kind)
                continue
            elif kind == "U":
                orders.add(message[19:27])
            frames.append(len(message).to_bytes(2, "big") + message)
        cls.naive = naive_itch.Day(b"".join(frames[: cls.naive_frames]))

    def test_its_tables_are_those_of_a_naive_reader(self):
        for name in ("touch", "trades", "messages"):
            with self.subTest(name):
                got = rows(getattr(llmes.itch(ITCH), name)())
                expected = getattr(self.naive, name)
                self.assertEqual([(row[0], *row[2:]) for row in got if row[1] < self.records], [(row[0], *row[2:]) for row in expected])
                self.assertGreater(len(expected), 100)
        touch = llmes.itch(ITCH).touch()
        self.assertEqual((len(touch), len(set(touch["symbol"]))), (392, 3))

    def test_what_does_not_fit_is_the_same_everywhere(self):
        faults = {"UnknownOrder": len(self.unknown)}
        self.assertEqual(sum(kind in "EC" for kind in self.unknown), 18)
        report = llmes.itch(ITCH).report()
        self.assertEqual((report["faults"], report["refused"]), (faults, faults))
        self.assertEqual(report["events"]["Execute"] - report["fills"] - report["cross_fills"], 18)
        self.assertEqual(llmes.backtest(ITCH, Subscribes(), symbols=["ALC", "BOB", "CHAR"]).faults, faults)
        out = subprocess.run([sys.executable, "-m", "llmes", "verify", ITCH], capture_output=True, text=True)
        self.assertEqual((out.returncode, out.stderr, f"fault: UnknownOrder: {len(self.unknown)}" in out.stdout), (1, "", True))
        with self.assertWarnsRegex(llmes.TapeWarning, f"UnknownOrder {len(self.unknown)}"):
            llmes.itch(ITCH).touch()


@needs(LOBSTER)
class Lobster(Quiet):
    def test_all_executions_are_trades(self):
        with open(LOBSTER) as file:
            lines = [(int(price), int(lots)) for _, type, _, lots, price, _ in csv.reader(file) if type in "45"]
        trades = llmes.lobster(LOBSTER).trades()
        self.assertEqual(list(zip(trades["price"].tolist(), trades["lots"].tolist())), lines)
        self.assertEqual(len(lines), 159)

    def test_what_does_not_fit_is_the_same_everywhere(self):
        faults = {"UnknownOrder": 9}
        day = llmes.lobster(LOBSTER)
        self.assertEqual((day.report()["faults"], llmes.backtest(day, Sleeps()).faults), (faults, faults))

    def test_its_companion_is_refused(self):
        companion = LOBSTER.with_name(LOBSTER.name.replace("message", "orderbook"))
        for open_day in (llmes.lobster, llmes.itch, llmes._days.find_day):
            with self.assertRaisesRegex(RuntimeError, "40 whole numbers, as the orderbook file has beside it"):
                open_day(companion)
        with self.assertRaisesRegex(RuntimeError, "this is LOBSTER, not ITCH 5.0; use llmes.lobster"):
            llmes.itch(LOBSTER)


class Sleeps:
    def on_timer(self, desk, tag):
        pass


@needs(CME)
class Cme(Quiet):
    tick = 250_000_000

    @classmethod
    def setUpClass(cls):
        cls.naive = naive_dbn.File(unpacked(CME))
        cls.day = llmes.dbn(CME)

    def test_a_naive_reader_finds_its_facts(self):
        naive = self.naive
        traded = [record for record in naive.records if record[2] == b"T"]
        self.assertEqual((len(naive.records), naive.moments, len(naive.crossed)), (68_792, 47_022, 891))
        self.assertLess(max(naive.crossed), traded[0][0])
        self.assertEqual(sum(record[6] for record in traded), 9_892)
        self.assertEqual([record[6] for record in traded if record[3] is None], [44])
        self.assertEqual(naive.unknown, 7)  # of the auction
        self.assertEqual((len(naive.of_icebergs), sum(naive.of_icebergs)), (27, 309))

    def test_the_tables_and_the_report_have_them(self):
        self.assertEqual(rows(self.day.touch()), self.naive.touch)
        trades = rows(self.day.trades())
        self.assertEqual(sum(row[4] for row in trades), 9_892)
        self.assertEqual([row[4] for row in trades if row[6] == "other"], [44])
        report = self.day.report()
        self.assertEqual([report[name] for name in ("records", "moments", "crossed", "locked", "fifo_score")],
                         [68_792, 47_022, 891, 0, 1])
        self.assertEqual(llmes.backtest(self.day, Sleeps()).faults, report["faults"])

    def test_own_orders_fill_as_in_a_naive_place_in_the_queue(self):
        draw, orders = random.Random(9), []
        while len(orders) < 200:
            time, _, name, bid, _, ask, _ = draw.choice(self.naive.touch)
            side = draw.choice(["buy", "sell"])
            best = bid if side == "buy" else ask
            price = best - naive_dbn.SIGN[side] * self.tick * draw.choice([-2, -1, 0, 0, 0, 1, 1, 2])
            cancel = None if draw.random() < 0.5 else time + draw.randint(1, 10**12)
            orders.append((time + draw.choice([0, 1]), side, price, draw.randint(1, 8), cancel))
        naive = naive_dbn.Alone(self.naive.records, name, orders)
        time, side, price, lots, cancel = zip(*orders)
        table = llmes.shadows(self.day, {"symbol": name, "time": time, "side": side, "price": price, "lots": lots, "cancel": [
            llmes.NONE if one is None else one for one in cancel]}, tick=self.tick)
        for i, fills in enumerate(naive.fills):
            expected = {"state": naive.state[i], "filled": sum(fill[1] for fill in fills),
                        "taken": sum(fill[1] for fill in fills if fill[3] == "took")}
            if fills:
                expected.update(first_fill=fills[0][2], last_fill=fills[-1][2])
            if i in naive.ahead:
                expected["ahead_lots"] = naive.ahead[i]
            self.assertEqual({column: type(one)(table[column][i]) for column, one in expected.items()}, expected, orders[i])
        causes = [fill[3] for fills in naive.fills for fill in fills]
        for cause in ("took", "behind", "through", "crossed"):
            self.assertGreater(causes.count(cause), 20)


@needs(OF_DBN)
class EachFile(Quiet):
    """All ways in read it, with the books of a naive reader, or refuse it with the same words."""

    def test_it_is_read_or_refused(self):
        doors = (lambda path: llmes._days.find_day(path).report(), lambda path: llmes.dbn(path).touch(), lambda path: llmes.backtest(path, Sleeps()),
                 lambda path: llmes.shadows(path, dict.fromkeys(("symbol", "side", "price", "lots", "time"), [])))
        kinds = {}
        for path in sorted(OF_DBN.iterdir()):
            with self.subTest(path.name):
                schema = path.name.removeprefix("test_data.").removeprefix("multi-frame.").split(".")[0]
                kind = "fragment" if ".frag" in path.name else "mbo" if schema == "mbo" else "other"
                kinds[kind] = kinds.get(kind, 0) + 1
                if kind == "mbo":
                    naive = naive_dbn.File(unpacked(path))
                    self.assertEqual(rows(llmes.dbn(path).touch()), naive.touch)
                    report = llmes.dbn(path).report()
                    self.assertEqual((report["records"], report["moments"]), (len(naive.records), naive.moments))
                    self.assertEqual(report["faults"], {"UnknownOrder": naive.unknown} if naive.unknown else {})
                    self.assertEqual(llmes.backtest(path, Sleeps()).faults, report["faults"])
                    continue
                words = "neither ITCH 5.0 .* nor DBN" if kind == "fragment" else f"DBN of the schema {schema} .*; only mbo can be read"
                said = set()
                for door in doors:
                    with self.assertRaisesRegex(RuntimeError, f"{path.name}: {words}") as caught:
                        door(path)
                    said.add(str(caught.exception))
                self.assertEqual(len(said), 1)
        self.assertEqual((kinds["mbo"], kinds["fragment"]), (5, 7))
        self.assertGreater(kinds["other"], 50)
