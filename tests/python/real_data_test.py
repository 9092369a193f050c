# SPDX-License-Identifier: MIT
"""Real files, in the folder that LLMES_DATA names; without it these tests are skipped."""
import csv
import gzip
import os
import pathlib
import subprocess
import sys
import unittest
import warnings

import llmes
import naive_itch
from package_test import rows

FOLDER = pathlib.Path(os.environ.get("LLMES_DATA", ""))
ITCH = FOLDER / "ex20101224.TEST_ITCH_50.gz"
LOBSTER = FOLDER / "AAPL_2012-06-21_34200000_57600000_message_10.csv"


def needs(path):
    return unittest.skipUnless(os.environ.get("LLMES_DATA") and path.exists(), f"no file {path.name}: LLMES_DATA is to name the folder of real market data")


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
