# SPDX-License-Identifier: MIT
"""Tables of DBN, LOBSTER and Bitstamp against naive readers."""
import gzip
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

import polars
import zstandard

import llmes
import naive_dbn
import naive_lobster
from package_test import DAY, rows, written

DBN = DAY.with_name("day.dbn")
LOBSTER = DAY.with_name("lobster.csv")
BITSTAMP = DAY.with_name("bitstamp.csv")
sys.path.insert(0, str(DAY.parents[2] / "scripts" / "local"))
import bitstamp as naive_bitstamp  # noqa: E402


class Dbn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.naive = naive_dbn.File(DBN.read_bytes())
        cls.day = llmes.dbn(DBN)

    def test_touch_is_that_of_a_naive_reader(self):
        self.assertGreater(len(self.naive.touch), 300)
        self.assertEqual(rows(self.day.touch()), self.naive.touch)
        some = self.naive.touch[0][2]
        self.assertEqual(rows(self.day.touch([some])), [row for row in self.naive.touch if row[2] == some])

    def test_trades_are_the_fills_of_a_naive_reader(self):
        trades = [row for row in rows(self.day.trades()) if row[6] == "order"]
        self.assertGreater(len(trades), 20)
        self.assertEqual([(*row[:6], row[8]) for row in trades], self.naive.fills)

    def test_a_trade_has_the_lots_of_its_record_once(self):
        record = struct.Struct("<BBHIQQqIBBccQiI")  # of the schema mbo
        data = DBN.read_bytes()
        head = data[: 8 + struct.unpack_from("<I", data, 4)[0]]
        cases = (  # records, trades as lots and kind, the last touch: an iceberg, an order filled twice, an auction
            ([("A", "B", 1, 1, True), ("T", "A", 0, 25, False), ("F", "B", 1, 25, False), ("C", "B", 1, 1, True)],
             [(25, "order")], (None, 0, None, 0)),
            ([("A", "B", 1, 1, True), ("T", "A", 0, 25, False), ("F", "B", 1, 25, False), ("M", "B", 1, 1, True)],
             [(25, "order")], (100, 1, None, 0)),
            ([("A", "B", 1, 8, True), ("F", "B", 1, 3, False), ("F", "B", 1, 2, False), ("C", "B", 1, 5, True)],
             [(3, "order"), (2, "order")], (100, 3, None, 0)),
            ([("A", "B", 1, 4, True), ("A", "A", 2, 4, True), ("T", "N", 0, 4, False), ("F", "N", 1, 4, False),
              ("F", "N", 2, 4, False), ("C", "B", 1, 4, False), ("C", "A", 2, 4, True)],
             [(4, "other")], (None, 0, None, 0)))
        with tempfile.TemporaryDirectory() as folder:
            for records, trades, touch in cases:
                with self.subTest(records):
                    body = b"".join(record.pack(14, 0xA0, 2, 1, 5, id, 100, lots, 128 * last, 0, action.encode(), side.encode(),
                                                6, 0, 0) for action, side, id, lots, last in records)
                    day = llmes.dbn(written(head + body, folder))
                    self.assertEqual([(row[4], row[6]) for row in rows(day.trades())], trades)
                    self.assertEqual(rows(day.touch())[-1][3:], touch)

    def test_times_are_dates_for_readers_of_arrow(self):
        frame = polars.DataFrame(self.day.touch())
        self.assertEqual(frame["time"].dtype, polars.Datetime("ns", "UTC"))
        self.assertEqual(str(self.day.touch()["time"][0])[:10], "2026-11-27")

    def test_it_does_not_matter_where_bytes_are_cut(self):
        draw, data = random.Random(4), DBN.read_bytes()
        core = llmes._core.TapeTables(self.day._survey(), {"touch"}, set(), 2_000, 1, 1)
        at = 0
        while at < len(data):
            size = draw.choice([1, 2, 55, 3_000])
            core.feed(data[at : at + size])
            at += size
        core.finish()
        self.assertEqual(rows(llmes.Table(core.take("touch"))), self.naive.touch)

    def test_no_bytes_break_it(self):
        draw = random.Random(12)
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(20):
                data = bytearray(DBN.read_bytes()[:20_000])
                for _ in range(draw.randint(1, 30)):
                    data[draw.randrange(len(data))] = draw.randrange(256)
                try:
                    llmes.dbn(written(bytes(data), folder)).touch()
                except RuntimeError as error:
                    self.assertRegex(str(error), "at byte|neither|not DBN")

    def test_the_report_has_the_fifo_score(self):
        report = self.day.report()
        self.assertEqual((report["records"], report["refused"], report["fifo_score"]), (1_071, {}, 1))

    def test_depth_has_the_touch_as_its_first_level(self):
        depth = rows(self.day.depth(levels=1, every="1s"))
        last = {}
        touch = iter([*self.naive.touch, (2**63, 0, "", None, 0, None, 0)])
        row = next(touch)
        for time, name, *levels in depth:
            while row[0] < time:
                last[row[2]] = row[3:]
                row = next(touch)
            self.assertEqual((time, name, *levels), (time, name, *last[name]))
        self.assertGreater(len(depth), 500)


class Lobster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = naive_lobster.made_tape(5, 3_000)
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = written(naive_lobster.text_of(cls.lines), cls.folder.name, "ABC_2026-11-27_message_10.csv")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_touch_is_that_of_a_naive_reader(self):
        expected = [(time, record, "ABC", *rest) for time, record, *rest in naive_lobster.touch_of(self.lines)]
        self.assertEqual(rows(llmes.lobster(self.path).touch()), expected)

    def test_messages_and_trades_are_the_lines(self):
        day = llmes.lobster(self.path)
        types = {1: "Add", 2: "Reduce", 3: "Cancel", 4: "Execute"}
        expected = [(time, record, "ABC", types[type], id, None, side, price, lots)
                    for record, (time, type, id, lots, price, side) in enumerate(self.lines) if type in types]
        self.assertEqual([row[:9] for row in rows(day.messages())], expected)
        trades = [(record, price, lots, side if type == 4 else "") for record, (_, type, _, lots, price, side)
                  in enumerate(self.lines) if type in (4, 5)]
        self.assertEqual([(row[1], row[3], row[4], row[5]) for row in rows(day.trades())], trades)

    def test_packed_files_are_read_as_they_are(self):
        expected = rows(llmes.lobster(self.path).touch())
        data = self.path.read_bytes()
        for name, packed in (("ABC_1.csv.gz", gzip.compress(data)), ("ABC_1.csv.zst", zstandard.compress(data))):
            self.assertEqual(rows(llmes.lobster(written(packed, self.folder.name, name)).touch()), expected)

    def test_a_time_that_goes_back_is_counted(self):
        lines = [*self.lines[:50], (self.lines[10][0], *self.lines[50][1:]), *self.lines[51:]]
        day = llmes.lobster(written(naive_lobster.text_of(lines), self.folder.name, "ABC_2.csv"))
        self.assertEqual(day.report()["times_back"], 1)
        self.assertEqual([row[2:] for row in rows(day.touch())], [row[2:] for row in rows(llmes.lobster(self.path).touch())])

    def test_halts_are_the_lines_of_type_7(self):
        lines = [*self.lines[:9], (self.lines[8][0], 7, 0, 0, -1, "sell"), (self.lines[8][0], 7, 0, 0, 0, "sell"),
                 (self.lines[8][0], 7, 0, 0, 1, "sell")]
        text = naive_lobster.text_of(lines)
        halts = llmes.lobster(written(text, self.folder.name, "ABC_3.csv")).halts()
        time = self.lines[8][0]
        self.assertEqual(rows(halts), [(time, 9, "ABC", "H"), (time, 10, "ABC", "Q"), (time, 11, "ABC", "T")])

    def test_a_bad_line_is_counted(self):
        report = llmes.lobster(LOBSTER).report()
        self.assertEqual((report["records"], report["unreadable"]), (19, 1))
        self.assertEqual(report["faults"], {"UnknownOrder": 1, "unreadable": 1})
        for read in (llmes.lobster(LOBSTER).touch, lambda: llmes.shadows(LOBSTER, dict.fromkeys(("symbol", "side", "price", "lots", "time"), []))):
            with self.assertWarnsRegex(llmes.TapeWarning, "2 records do not fit: UnknownOrder 1, unreadable 1"):
                read()

    def test_executions_of_orders_older_than_the_file_are_trades(self):
        text = b"34200,1,5,1,999900,1\n34200.1,4,77,5,1000100,1\n34200.2,1,8,5,1000200,1\n34200.2,4,8,2,1000200,1\n34200.3,4,78,9,1000300,-1\n"
        day = llmes.lobster(written(text, self.folder.name, "ABC_4.csv"))
        expected = [("buy", 1000100, 5, 77, 1), ("buy", 1000200, 2, 8, 3), ("sell", 1000300, 9, 78, 4)]
        self.assertEqual([(row[5], row[3], row[4], row[8], row[1]) for row in rows(day.trades())], expected)
        heard = []

        class Hears:
            def on_start(self, desk):
                desk.subscribe("ABC")
                desk.add_limit("ABC", "buy", 1000200, 4)  # is passed by the first trade, at a worse price
                desk.add_limit("ABC", "buy", 1000100, 4)  # is behind the order that traded

            def on_trade(self, desk, trade):
                heard.append((trade.maker, trade.price, trade.lots))

        run = llmes.backtest(day, Hears())
        self.assertEqual(heard, [row[:3] for row in expected])
        self.assertEqual([row[2:7] for row in rows(run.fills)][0], (0, "ABC", "buy", 1000200, 4))
        self.assertEqual(run.orders["filled"].tolist(), [4, 0])
        self.assertEqual(run.faults, day.report()["faults"])
        self.assertEqual(run.faults, {"UnknownOrder": 2})

    def test_a_time_of_more_than_nine_decimals_is_rounded(self):
        text = b"35821.088778456004,1,8,5,1000200,1\n35821.0887784565,3,8,5,1000200,1\n"
        day = llmes.lobster(written(text, self.folder.name, "ABC_5.csv"))
        self.assertEqual(rows(day.touch()), [(35_821_088_778_456, 0, "ABC", 1000200, 5, None, 0), (35_821_088_778_457, 1, "ABC", None, 0, None, 0)])
        self.assertEqual(day.report()["faults"], {})


class Bitstamp(unittest.TestCase):
    def test_touch_is_that_of_a_naive_reader(self):
        expected, before = [], (None, 0, None, 0)
        for touch in naive_bitstamp.touches_of(naive_bitstamp.lines_of(BITSTAMP.read_text())):
            if touch[1:] != before:
                expected.append(tuple(touch))
            before = touch[1:]
        self.assertGreater(len(expected), 8)
        for day in (llmes.bitstamp(BITSTAMP), llmes._days.find_day(BITSTAMP)):
            touch = rows(day.touch())
            settled = {row[0]: row[3:] for row in touch}  # the last of each time
            before = [(None, 0, None, 0), *settled.values()]
            self.assertEqual([(time, *row) for (time, row), last in zip(settled.items(), before) if row != last], expected)
            self.assertEqual({row[2] for row in touch}, {"bitstamp"})

    def test_trades_are_the_executions_of_the_makers(self):
        coin = 10**8
        self.assertEqual([(row[8], row[3], row[4], row[5]) for row in rows(llmes.bitstamp(BITSTAMP).trades())], [
            (15, 101 * coin, coin // 2, "sell"), (16, 101 * coin, coin // 20, "sell"), (11, 100 * coin, coin // 2, "buy"),
            (31, 100 * coin, coin // 50, "buy"), (36, 100 * coin, coin // 50, "sell")])

    def test_times_have_a_date(self):
        day = llmes.bitstamp(BITSTAMP)
        self.assertEqual(str(polars.DataFrame(day.touch())["time"][0]), "2023-11-14 22:13:20+00:00")

        class Joins:
            def on_start(self, desk):
                desk.subscribe("bitstamp")
                desk.add_limit("bitstamp", "buy", 90 * 10**8, 4)

        self.assertIn("sent at 2023-11-14 22:13:20", llmes.backtest(day, Joins()).why(0))

    def test_what_does_not_fit_is_said(self):
        day = llmes.bitstamp(BITSTAMP)
        self.assertEqual(day.report()["faults"], {"UnknownOrder": 1, "suspect": 1, "unreadable": 1})
        with self.assertWarnsRegex(llmes.TapeWarning, "bitstamp.csv: 3 records do not fit: UnknownOrder 1, suspect 1, unreadable 1"):
            day.touch()
        with self.assertRaisesRegex(AttributeError, "a day of bitstamp has no 'halts'; it has touch, trades, messages, depth"):
            day.halts()


class Files(unittest.TestCase):
    def test_a_file_that_is_wrong_is_refused_with_words(self):
        data = DBN.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            for open_day, name, content, words in (
                (llmes.dbn, "cut.dbn", data[:-3], "cut.dbn: .*ends within"),
                (llmes.dbn, "four.dbn", b"DBN\4" + data[4:], "version 4"),
                (llmes.lobster, "text.csv", b"no lines\n", "neither"),
                (llmes.lobster, "orderbook.csv", b"5859400,200,5853300,18,5859800,200,5853200,9\n", "8 whole numbers, as the orderbook file"),
                (llmes.lobster, "seventh.csv", b"34200.1,1,7,50,10000,-1,MPID\n", "7 fields, not 6: time, type"),
                (llmes.lobster, "float.csv", b"34200.1,1,7,50,100.5,-1\n", "the price '100.5' is no whole number"),
                (llmes.lobster, "other.csv", b"2026-11-27,100.5\n", "2 fields, not 6"),
            ):
                path = written(content, folder, name)
                with self.subTest(name), self.assertRaisesRegex(RuntimeError, words):
                    open_day(path).touch()
                for command in (("verify", path), ("convert", path, folder)):
                    out = subprocess.run([sys.executable, "-m", "llmes", *command], capture_output=True, text=True)
                    self.assertEqual((out.returncode, out.stderr.count("\n"), name in out.stderr), (1, 1, True), out.stderr)


class Programs(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([sys.executable, "-m", "llmes", *map(str, arguments)], capture_output=True, text=True)

    def test_verify_knows_the_format(self):
        for path, code, words in ((DBN, 0, "DBN of version 3"), (LOBSTER, 1, "unreadable"), (BITSTAMP, 1, "Bitstamp order events"), (DAY, 0, "first in, first out: 100.00 %")):
            result = self.run_program("verify", path)
            self.assertEqual((result.returncode, result.stderr), (code, ""), result.stdout)
            self.assertIn(words, result.stdout)

    def test_convert_writes_parquet(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_program("convert", DBN, folder, "--tables", "touch,trades,messages,depth")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            frame = polars.read_parquet(pathlib.Path(folder) / "touch.parquet")
            self.assertEqual(frame.height, len(llmes.dbn(DBN).touch()))
            result = self.run_program("convert", DBN, folder, "--tables", "halts")
            self.assertEqual((result.returncode, "there is no table 'halts'" in result.stderr), (1, True))
