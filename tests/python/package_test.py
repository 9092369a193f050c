# SPDX-License-Identifier: MIT
"""The tables of a day against a naive reader, and everything that a file may have wrong."""
import ast
import contextlib
import gzip
import importlib.metadata
import inspect
import io
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy
import polars
import pyarrow
import pyarrow.parquet
import zstandard

import llmes
from naive_itch import Day

DAY = pathlib.Path(__file__).parents[2] / "examples" / "data" / "day.itch"
DATA = DAY.read_bytes()
MAKER = """47 orders, 300 shares bought or sold, -0.60 dollars of fees
spread captured: 1.00 cents a share
own order 1: sell 100 at 73400 in I, sent at 05:00:48.648681317
  came at 05:00:48.648731317, record 124: 8200 lots of 2 orders ahead
  at 07:15:00.000002703, record 252: 700 lots of 1 order ahead
  at 07:31:12.972972948, record 288: 0 lots of 0 orders ahead
  at 07:53:55.135137609, record 347: filled 100 at 73400: an order behind it traded (order 285)
"""


def rows(table):
    """As tuples: numbers, words, None."""
    columns = []
    for name in table.columns:
        values = table[name]
        if values.dtype.kind == "m":
            values = values.astype("i8")
        columns.append([None if value == llmes.NONE or value != value else value for value in values.tolist()])
    return list(zip(*columns))


def written(data, folder, name="day.itch"):
    path = pathlib.Path(folder) / name
    path.write_bytes(data)
    return path


def directory(name):
    """A frame of ITCH that gives locate 1 a name."""
    return b"\0\x27" + struct.pack(">cHHHI8s", b"R", 1, 0, 0, 1, name.ljust(8).encode()) + bytes(20)


class Package(unittest.TestCase):
    def test_it_says_its_version(self):
        self.assertEqual(llmes.__version__, importlib.metadata.version("llmes"))
        out = subprocess.run([sys.executable, "-m", "llmes", "--version"], capture_output=True, text=True)
        self.assertEqual((out.returncode, out.stdout), (0, llmes.__version__ + "\n"))

    def test_one_wheel_serves_all_pythons_from_3_10(self):
        package = importlib.metadata.distribution("llmes")
        self.assertRegex(package.read_text("WHEEL"), r"Tag: cp310-abi3-\w+")
        self.assertTrue(llmes._core.__file__.endswith("_core.abi3.so"))
        self.assertIn("nanobind-backend>=1.0", package.requires)  # split mode: no copy of nanobind in the module

    def test_all_that_is_public_says_what_it_is(self):
        for one in (getattr(llmes, name) for name in llmes.__all__):
            if inspect.isclass(one):
                self.assertTrue(one.__doc__, one)
                if issubclass(one, Warning):  # its members are Python's
                    continue
                for name, member in inspect.getmembers(one):
                    if not name.startswith("_") and name not in ("FORMAT", "TABLES"):
                        self.assertTrue(member.__doc__, (one, name))
            elif callable(one):
                self.assertTrue(one.__doc__, one)

    def test_stubs_have_types(self):
        folder = pathlib.Path(llmes.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        classes = {one.name: one for one in ast.parse((folder / "_core.pyi").read_text()).body if isinstance(one, ast.ClassDef)}
        for name in ("Answer", "Desk", "Fill", "Order", "OrderBook", "Result", "Trade"):
            for call in (one for one in classes[name].body if isinstance(one, ast.FunctionDef)):
                self.assertIsNotNone(call.returns, (name, call.name))

    def test_each_column_is_in_the_words_of_its_table(self):
        for day, more in ((llmes.itch(DAY), ()), (llmes.dbn(DAY.with_name("day.dbn")), ("symbols",)),
                          (llmes.lobster(DAY.with_name("lobster.csv")), ("symbols",)),
                          (llmes.bitstamp(DAY.with_name("bitstamp.csv")), ("symbols",))):
            for name in (*day.TABLES, *more):
                for column in getattr(day, name)().columns:
                    if not re.search(r"_\d+$", column) or column.endswith("_1"):
                        self.assertRegex(getattr(day, name).__doc__, rf"\b{column}\b", (day, name))

    def test_a_table_that_a_format_lacks(self):
        day = llmes.dbn(DAY.with_name("day.dbn"))
        with self.assertRaisesRegex(AttributeError, "a day of dbn has no 'halts'; it has touch, trades, messages, depth"):
            day.halts()
        with self.assertRaisesRegex(ValueError, "no table 'imbalance'; of dbn there are touch"):
            day.batches(["imbalance"])


class LongCalls(unittest.TestCase):
    """On a day of many copies: all that its messages say is wrong, but they take their time."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = DATA * 60
        cls.path = written(cls.data, cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_lock_is_released(self):
        turns, done = [0], threading.Event()

        def take_turns():
            while not done.is_set():
                turns[0] += 1
                time.sleep(0)  # gives the lock back

        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1_000)  # or else the other thread would get the lock between two steps of this one
        other = threading.Thread(target=take_turns)
        other.start()
        end = time.monotonic() + 60
        during = 0
        while not during and time.monotonic() < end:  # a core must be free for the other thread meanwhile
            core = llmes._core.ItchTables({"messages"}, set(), 2_000, 1, 1)
            before = turns[0]
            core.feed(self.data)  # one call
            during = turns[0] - before
        done.set()
        other.join()
        self.assertGreater(during, 0)

    def test_it_ends_at_control_c(self):
        read, unpacked = [], llmes._days.pieces

        def seen(*arguments):
            for piece in unpacked(*arguments):
                read.append(len(piece))
                if len(read) == 2:
                    signal.raise_signal(signal.SIGINT)
                yield piece

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        with unittest.mock.patch("llmes._days.pieces", seen), self.assertRaises(KeyboardInterrupt):
            llmes.itch(self.path).messages()
        self.assertEqual(len(read), 2)
        self.assertLess(sum(read), len(self.data))
        self.assertFalse([one for one in threading.enumerate() if one.name == "llmes reader"])

    def test_progress_is_told_and_unpacking_has_a_thread(self):
        path = written(gzip.compress(self.data, 1), self.folder.name, "day.itch.gz")
        clock, threads = iter(range(1_000)), set()
        with contextlib.redirect_stderr(io.StringIO()) as said, unittest.mock.patch("llmes._files.time.monotonic", lambda: next(clock)):
            for _ in llmes.itch(path, progress=True).batches(["messages"], rows=1):
                threads |= {one.name for one in threading.enumerate()}
        self.assertRegex(said.getvalue(), r"day.itch.gz: +\d+%, \d+ s left")
        self.assertIn("llmes reader", threads)
        with contextlib.redirect_stderr(io.StringIO()) as said, warnings.catch_warnings():
            warnings.simplefilter("ignore", llmes.TapeWarning)
            llmes.itch(path, progress=False).messages()
        self.assertEqual(said.getvalue(), "")

    def test_memory_is_bounded(self):
        sizes = [len(table) for _, table in llmes.itch(self.path).batches(["messages"], rows=10_000)]
        self.assertGreater(len(sizes), 10)
        self.assertLess(max(sizes), 10_000 + (1 << 20) // 19)  # those of one more piece of the file


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.naive = Day(DATA, every=60_000_000_000, levels=3)
        cls.day = llmes.itch(DAY)

    def test_each_table_is_that_of_a_naive_reader(self):
        for name in ("touch", "trades", "messages", "imbalance", "halts"):
            with self.subTest(name):
                expected = getattr(self.naive, name)
                self.assertGreater(len(expected), 0)
                self.assertEqual(rows(getattr(self.day, name)()), expected)

    def test_depth_is_that_of_a_naive_reader(self):
        self.assertGreater(len(self.naive.depth), 1_000)
        self.assertEqual(rows(self.day.depth(levels=3, every="1min")), self.naive.depth)

    def test_symbols_leave_out_the_others(self):
        some = sorted(self.naive.names.values())[:3]
        for name in ("touch", "trades", "messages"):
            expected = [row for row in getattr(self.naive, name) if row[2] in some or row[2] == "" and name == "trades"]
            self.assertEqual(rows(getattr(self.day, name)(some)), expected)

    def test_the_report_counts_all_messages(self):
        report = self.day.report()
        self.assertEqual(report["messages"], 10_000)
        self.assertEqual(report["faults"], {})
        self.assertEqual(report["types"]["E"] + report["types"]["C"],
                         sum(row[6] == "order" for row in self.naive.trades))

    def test_readers_of_arrow_get_the_same(self):
        table = self.day.touch()
        frame = polars.DataFrame(table)
        self.assertEqual(frame["bid"].to_list(), [row[3] for row in self.naive.touch])
        self.assertEqual(frame["symbol"].to_list(), [row[2] for row in self.naive.touch])
        self.assertEqual(frame["time"].dtype, polars.Duration("ns"))
        arrow = pyarrow.table(table)
        arrow.validate(full=True)
        self.assertEqual(arrow["ask"].null_count, sum(row[5] is None for row in self.naive.touch))
        for name in ("time", "bid", "bid_lots"):  # numpy and Arrow read the same memory
            self.assertEqual(arrow[name].chunk(0).buffers()[1].address, table[name].ctypes.data)
        del table  # the memory stays while a reader has it
        self.assertEqual(arrow["bid_lots"].to_pylist(), [row[4] for row in self.naive.touch])

    def test_a_stream_that_nobody_reads_is_freed(self):
        for _ in range(3):
            self.day.symbols().__arrow_c_stream__()
        self.assertEqual(polars.DataFrame(llmes.OrderBook().apply("cancel", [])[1]).shape, (0, 6))


class Files(unittest.TestCase):
    def test_packed_files_are_read_as_they_are(self):
        expected = rows(llmes.itch(DAY).trades())
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("a.gz", gzip.compress(DATA)), ("two.gz", gzip.compress(DATA[:999]) + gzip.compress(DATA[999:])),
                               ("a.zst", zstandard.compress(DATA)),
                               ("two.zst", zstandard.compress(DATA[:999]) + b"\x50\x2a\x4d\x18\3\0\0\0abc" + zstandard.compress(DATA[999:]))):
                with self.subTest(name):
                    self.assertEqual(rows(llmes.itch(written(data, folder, name)).trades()), expected)

    def test_it_does_not_matter_where_bytes_are_cut(self):
        expected = rows(llmes.itch(DAY).messages())
        draw = random.Random(7)
        core = llmes._core.ItchTables({"messages"}, set(), 2_000, 1, 1)
        at = 0
        while at < len(DATA):
            size = draw.choice([1, 2, 3, 40, 5_000])
            core.feed(DATA[at : at + size])
            at += size
        core.finish()
        self.assertEqual(rows(llmes.Table(core.take("messages"))), expected)

    def test_batches_are_the_table_in_pieces(self):
        day = llmes.itch(DAY)
        pieces = {"touch": [], "trades": []}
        for name, table in day.batches(["touch", "trades"], rows=100):
            pieces[name] += rows(table)
        self.assertEqual(pieces["touch"], rows(day.touch()))
        self.assertEqual(pieces["trades"], rows(day.trades()))

    def test_a_file_that_is_wrong_is_refused_with_words(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(FileNotFoundError):
                llmes.itch(pathlib.Path(folder) / "none.itch")
            for name, data, words in (
                ("cut.itch", DATA[:-3], "the file ends within a message, at byte"),
                ("damaged.itch", DATA + b"\0\5S", "a message is shorter than its type, at byte"),
                ("text.itch", b"this is no day of messages\n" * 9, "neither ITCH 5.0 with .* nor DBN .* nor a message file of LOBSTER"),
                ("csv.itch", b"5859400,200,5853300,18\n", "4 whole numbers, as the orderbook file has"),
                ("twice.gz", gzip.compress(gzip.compress(DATA)), "it is packed by gzip; unpack it first"),
                ("packed.xz", b"\xfd7zXZ\0", "it is packed by xz; unpack it first"),
                ("cut.gz", gzip.compress(DATA)[:-50], "cut off"),
                ("bad.gz", gzip.compress(DATA)[:400] + b"\0" * 400, "bad.gz"),
                ("magic.zst", zstandard.compress(DATA)[:4], "cut off"),
                ("bad.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 50, "bad.zst"),
                ("empty.itch", b"", "it is empty"),
            ):
                with self.subTest(name):
                    path = written(data, folder, name)
                    for read in (lambda: llmes.itch(path).touch(), lambda: llmes.itch(path).report(), lambda: llmes._days.find_day(path).report()):
                        with self.assertRaisesRegex(RuntimeError, f"{name}: .*{words}" if words != name else name):
                            read()

    def test_a_packed_file_that_is_cut_anywhere_is_refused(self):
        data = zstandard.compress(DATA[:3_000]) + zstandard.compress(DATA[3_000:6_000])
        ends = len(zstandard.compress(DATA[:3_000]))
        with tempfile.TemporaryDirectory() as folder:
            for size in (*range(4, 60), *range(60, len(data), 37), ends - 1, ends + 1, len(data) - 1):
                path = written(data[:size], folder, "cut.zst")
                with self.subTest(size), self.assertRaisesRegex(RuntimeError, "cut off"):
                    for _ in llmes._files.pieces(path):
                        pass

    def test_what_is_no_file_or_has_changed_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = folder + "/pipe"
            os.mkfifo(pipe)
            for open_day in (llmes.itch, llmes.dbn, llmes._days.find_day):
                with self.assertRaisesRegex(ValueError, "pipe: not a file"):
                    open_day(pipe)
                with self.assertRaises(IsADirectoryError):
                    open_day(folder)
            path = written(DATA, folder)
            day = llmes.itch(path)
            day.report()
            with open(path, "ab") as file:
                file.write(DATA[:50])
            for read in (day.report, day.touch):
                with self.assertRaisesRegex(RuntimeError, "it has changed since it was opened"):
                    read()

    def test_names_that_are_no_text_are_read(self):
        at = DATA.index(b"I       ")
        with tempfile.TemporaryDirectory() as folder:
            day = llmes.itch(written(DATA[:at] + b"\xe6" + DATA[at + 1 :], folder))
            self.assertIn("?", day.symbols()["symbol"])
            self.assertEqual(rows(day.touch(["?"])), [(*row[:2], "?", *row[3:]) for row in rows(llmes.itch(DAY).touch(["I"]))])
            self.assertEqual(llmes.shadows(day, {"symbol": "?", "side": "buy", "price": 100, "lots": 1, "time": 0})["filled"].tolist(), [0])
            day = llmes.itch(written(DATA + b"\0\x02\xe6\0", folder))
            self.assertEqual(day.report()["types"]["?"], 1)

    def test_no_bytes_break_it(self):
        draw = random.Random(11)
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(40):
                data = bytearray(DATA[:40_000])
                for _ in range(draw.randint(1, 30)):
                    data[draw.randrange(len(data))] = draw.randrange(256)
                try:
                    day = llmes.itch(written(bytes(data), folder), orders=500)
                    for name in ("touch", "trades", "messages", "depth"):
                        rows(getattr(day, name)())
                except RuntimeError as error:
                    self.assertRegex(str(error), "at byte|neither")

    def test_there_is_always_room_for_more_orders(self):
        for open_day, path in ((llmes.itch, DAY), (llmes.dbn, DAY.with_name("day.dbn")), (llmes.lobster, DAY.with_name("lobster.csv")),
                               (llmes.bitstamp, DAY.with_name("bitstamp.csv"))):
            for name in ("touch", "trades", "messages", "depth"):
                self.assertEqual(rows(getattr(open_day(path, orders=1), name)()), rows(getattr(open_day(path), name)()), (path, name))
            self.assertEqual(open_day(path, orders=1).report(), open_day(path).report())
        self.assertGreater(llmes.itch(DAY).report()["most_resting"], 500)
        adds = b"".join(b"\0\x24" + struct.pack(">cHHHIQcI8sI", b"A", 1, 0, 0, 1, id, b"B", 1, b"Q       ", 100 * (1 + id % 50)) for id in range(60_000))
        with tempfile.TemporaryDirectory() as folder:  # more than there is room for at first, nearly all in one piece
            day = llmes.itch(written(directory("Q") + adds, folder))
            touch = rows(day.touch())
            self.assertEqual((len(touch), touch[-1][3:5]), (50 - 1 + 60_000 // 50, (5_000, 60_000 // 50)))
            self.assertEqual(day.report()["most_resting"], 60_000)
            self.assertEqual(day.report()["faults"], {})

    def test_a_file_that_does_not_fit_is_warned_of_and_its_report_says_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(directory("Q") + b"\0\x13" + struct.pack(">cHHHIQ", b"D", 1, 0, 0, 1, 7), folder)
            day = llmes.itch(path)
            for read in (day.touch, day.trades, day.messages, day.depth, lambda: list(day.batches("touch"))):
                with self.assertWarnsRegex(llmes.TapeWarning, "day.itch: 1 records do not fit: UnknownOrder 1; report") as caught:
                    read()
                self.assertEqual(caught.filename, __file__)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(day.report()["faults"], {"UnknownOrder": 1})
                llmes.itch(DAY).touch()
            out = subprocess.run([sys.executable, "-m", "llmes", "convert", path, folder], capture_output=True, text=True)
            self.assertEqual((out.returncode, out.stderr), (0, f"llmes: {path}: 1 records do not fit: UnknownOrder 1; report() says more\n"))
            out = subprocess.run([sys.executable, "-m", "llmes", "verify", path], capture_output=True, text=True)
            self.assertEqual((out.returncode, out.stderr, "fault: UnknownOrder: 1" in out.stdout), (1, "", True))

    def test_lengths_may_all_be_zero(self):
        data, at = bytearray(DATA), 0
        while at < len(data):
            size = data[at + 1]
            data[at + 1] = 0
            at += 2 + size
        with tempfile.TemporaryDirectory() as folder:
            path = written(gzip.compress(data), folder, "day.gz")
            for open_day in (llmes.itch, llmes._days.find_day):
                self.assertEqual(rows(open_day(path).touch()), rows(llmes.itch(DAY).touch()))
            self.assertEqual(llmes.itch(path).report(), llmes.itch(DAY).report())
            out = subprocess.run([sys.executable, "-m", "llmes", "verify", path], capture_output=True, text=True)
            self.assertEqual((out.returncode, out.stderr), (0, ""))

    def test_a_file_of_another_format_is_named(self):
        folder = DAY.parent
        for open_day, name, words in ((llmes.itch, "lobster.csv", "this is LOBSTER, not ITCH 5.0; use llmes.lobster"),
                                      (llmes.itch, "day.dbn", "this is DBN, not ITCH 5.0; use llmes.dbn"),
                                      (llmes.dbn, "day.itch", "this is ITCH 5.0, not DBN; use llmes.itch"),
                                      (llmes.lobster, "day.dbn", "this is DBN, not LOBSTER; use llmes.dbn"),
                                      (llmes.lobster, "bitstamp.csv", "this is Bitstamp order events, not LOBSTER; use llmes.bitstamp"),
                                      (llmes.bitstamp, "lobster.csv", "this is LOBSTER, not Bitstamp order events; use llmes.lobster")):
            with self.assertRaisesRegex(RuntimeError, f"{name}: {words}"):
                open_day(folder / name)

    def test_wrong_arguments_are_named(self):
        day = llmes.itch(DAY)
        for call, words in ((lambda: day.depth(every="soon"), "soon"), (lambda: day.depth(levels=0), "levels"),
                            (lambda: list(day.batches(["tuch"])), "tuch"), (lambda: llmes.itch(DAY, orders=0).touch(), "orders"),
                            (lambda: day.depth(levels=-1), "levels: 1 or more"), (lambda: day.depth(levels=2**20), "at most 1000"),
                            (lambda: day.depth(every=0), "every"), (lambda: day.batches(["touch"], rows=0), "rows"),
                            (lambda: day.batches([]), "no name is there; of itch there are touch"),
                            (lambda: day.touch([]), "None stands for all"), (lambda: day.touch(["Q", "XX"]), "no symbol 'XX'"),
                            (lambda: llmes.dbn(DAY.parent / "day.dbn").touch("XX"), "no symbol 'XX'")):
            with self.assertRaisesRegex(ValueError, words):
                call()
        for call, words in ((lambda: day.batches(5), "tables: names of tables, not 5"),
                            (lambda: llmes.itch([DAY, DAY]), "path: one file, not 2"), (lambda: llmes.itch(5), "path: the path of a file, not 5"),
                            (lambda: llmes.itch(None), "path: .*not None"), (lambda: llmes.itch(DAY, orders="9"), "orders: a whole number"),
                            (lambda: day.touch(5), "symbols: names, not 5"), (lambda: day.touch(["Q", b"Q"]), "b'Q'"),
                            (lambda: day.depth(every=1.5), "every .*not 1.5"), (lambda: day.depth(levels="3"), "levels")):
            with self.assertRaisesRegex(TypeError, words):
                call()
        with self.assertRaisesRegex(KeyError, "no column 'bids'; there are time, "):
            day.touch("Q")["bids"]
        self.assertEqual(rows(day.depth("Q", every=numpy.timedelta64(1, "h"))), rows(day.depth("Q", every="1h")))


class Programs(unittest.TestCase):
    def run_program(self, *arguments):
        return subprocess.run([sys.executable, "-m", "llmes", *map(str, arguments)], capture_output=True, text=True)

    def test_convert_writes_parquet(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_program("convert", DAY, folder, "--tables", "touch,trades")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(sorted(os.listdir(folder)), ["touch.parquet", "trades.parquet"])
            frame = polars.read_parquet(pathlib.Path(folder) / "touch.parquet")
            self.assertEqual(frame["ask"].to_list(), polars.DataFrame(llmes.itch(DAY).touch())["ask"].to_list())

    def test_a_run_that_fails_leaves_no_file_of_the_name(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_program("convert", written(DATA[:-3], folder), folder + "/out")
            self.assertEqual(result.returncode, 1)
            self.assertIn("ends within a message", result.stderr)
            self.assertFalse(any(name.endswith(".parquet") for name in os.listdir(folder + "/out")))
            self.assertIn("tuch", self.run_program("convert", DAY, folder, "--tables", "tuch").stderr)
            result = self.run_program("convert", DAY, DAY)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)

    def test_verify_says_what_is_wrong(self):
        result = self.run_program("verify", DAY)
        self.assertEqual(result.returncode, 0)
        self.assertIn("10,000 messages", result.stdout)


class Texts(unittest.TestCase):
    def test_what_the_texts_show_is_what_happens(self):
        root = pathlib.Path(__file__).parents[2]
        shown = 0
        for text in (root / "report" / "guide" / "python.md", root / "README.md"):
            for code, output in re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", text.read_text(), re.DOTALL):
                result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
                self.assertEqual((result.stdout, result.stderr), (output, ""), text)
                shown += 1
        self.assertGreater(shown, 0)


class Examples(unittest.TestCase):
    def test_rebuild_day_draws_a_picture(self):
        program = DAY.parents[1] / "python" / "rebuild_day.py"
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "day.png"
            result = subprocess.run([sys.executable, program, DAY, "Q", picture], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout, "Q: 145 changes of the touch, 21 trades of 10146 shares\nmedian spread: 2.0 cents\n")
            self.assertGreater(picture.stat().st_size, 10_000)
            result = subprocess.run([sys.executable, program, DAY, "NOSUCH", picture], capture_output=True, text=True)
            self.assertEqual((result.returncode, "no symbol 'NOSUCH'" in result.stderr), (1, True))

    def test_market_maker_draws_a_picture_and_says_why(self):
        program = DAY.parents[1] / "python" / "market_maker.py"
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "maker.png"
            result = subprocess.run([sys.executable, program, DAY, "I", picture], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout, MAKER)
            self.assertGreater(picture.stat().st_size, 10_000)


class Books(unittest.TestCase):
    def test_price_then_time(self):
        book = llmes.OrderBook()
        for id, price in ((1, 101), (2, 100), (3, 100)):
            self.assertTrue(book.add_limit(id, "sell", price, 10))
        self.assertEqual(book.queue_ahead(3), (10, 1))
        taken = book.add_limit(4, "buy", 101, 25, "ioc")
        self.assertEqual(taken.trades, [(2, 100, 10), (3, 100, 10), (1, 101, 5)])
        self.assertEqual((taken.filled, book.depth("sell"), len(book)), (25, [(101, 5, 1)], 1))

    def test_a_rejection_says_why_and_changes_nothing(self):
        book = llmes.OrderBook(capacity=1)
        book.add_limit(1, "buy", 5, 5)
        for call, status in ((lambda: book.add_limit(1, "buy", 5, 5), "DuplicateId"), (lambda: book.cancel(9), "UnknownOrder"),
                             (lambda: book.add_limit(2, "buy", 5, 5), "PoolFull"), (lambda: book.modify(1, 5, 0), "InvalidQuantity"),
                             (lambda: book.add_limit(2, "sell", 5, 1, "post_only"), "WouldCross"),
                             (lambda: book.add_limit(2, "sell", 5, 6, "fok"), "NotFillable")):
            result = call()
            self.assertFalse(result)
            self.assertEqual(result.status, status)
            self.assertEqual((book.depth("buy"), book.depth("sell"), book.find(1)), ([(5, 5, 1)], [], ("buy", 5, 5)))
        for kind, wrong, words in (
            (ValueError, lambda: book.add_limit(2, "long", 5, 5), "side 'long': it is one of 'buy' 'sell'"),
            (ValueError, lambda: book.add_limit(2, "buy", 5, 5, "day"), "time_in_force 'day': it is one of 'gtc' 'post_only' 'ioc' 'fok'"),
            (ValueError, lambda: book.add_limit(-2, "buy", 5, 5), "id: 0 or more, not -2"),
            (ValueError, lambda: book.add_limit(2, "buy", 2**63, 5), f"price: at most {2**63 - 1}, not {2**63}"),
            (ValueError, lambda: book.reduce(1, -1), "by: 0 or more, not -1"),
            (ValueError, lambda: llmes.OrderBook(capacity=0), "capacity 0: .*"),
            (TypeError, lambda: book.add_limit(2, "buy", 5.5, 5), "price: a whole number, not 5.5"),
            (TypeError, lambda: book.add_limit(2, "buy", numpy.float64(5), 5), "price: a whole number, not .*5.0.*"),
            (TypeError, lambda: book.add_limit(2, "buy", None, 5), "price: a whole number, not None"),
            (TypeError, lambda: book.add_limit(2, "buy", 5, 5, time_in_force=3), "time_in_force: one of 'gtc' 'post_only' 'ioc' 'fok', not 3"),
            (TypeError, lambda: book.add_market(2, 0, 5), "side: one of 'buy' 'sell', not 0"),
            (TypeError, lambda: book.modify(1, 5.5, 5), "price: a whole number, not 5.5"),
            (TypeError, lambda: book.replace(1, "2", 5, 5), "new_id: a whole number, not '2'"),
            (TypeError, lambda: book.cancel("1"), "id: a whole number, not '1'"),
            (TypeError, lambda: book.find(1.0), "id: a whole number, not 1.0"),
            (TypeError, lambda: book.depth("buy", 1.5), "levels: a whole number, not 1.5"),
            (TypeError, lambda: llmes.OrderBook(capacity=1e5), "capacity: a whole number, not 100000.0"),
            # What a call has no argument for, it says by its own line, which must not promise to take None.
            (TypeError, lambda: book.add_limit(2, "buy", 5, 5, tif="ioc"), "(?s:.*)price: int, lots: int, time_in_force: str = 'gtc'(?s:.*)tif: str(?s:.*)"),
        ):
            with self.assertRaisesRegex(kind, f"^{words}$"):
                wrong()
        self.assertTrue(book.modify(numpy.int64(1), numpy.int32(5), numpy.uint8(5)))

    def test_arrays_do_the_same_as_single_calls(self):
        draw = numpy.random.default_rng(3)
        count = 3_000
        types = draw.choice(["add_limit", "add_market", "cancel", "modify", "reduce", "replace"], count, p=[0.5, 0.05, 0.15, 0.1, 0.1, 0.1])
        ids, new_ids = draw.integers(0, 200, count), draw.integers(0, 200, count)
        sides = draw.choice(["buy", "sell"], count)
        prices, lots = draw.integers(-20, 20, count), draw.integers(0, 9, count)
        all_at_once, one_at_a_time = llmes.OrderBook(), llmes.OrderBook()
        results, trades = all_at_once.apply(types, ids, sides, prices, lots, new_ids=new_ids)
        singles, fills = [], []
        for i in range(count):
            id, side, price, many = int(ids[i]), str(sides[i]), int(prices[i]), int(lots[i])
            arguments = {"add_limit": (id, side, price, many), "add_market": (id, side, many), "cancel": (id,), "modify": (id, price, many),
                         "reduce": (id, many), "replace": (id, int(new_ids[i]), price, many)}[str(types[i])]
            result = getattr(one_at_a_time, str(types[i]))(*arguments)
            singles.append((result.status, result.filled, result.remaining, result.cancelled))
            fills += [(i, maker, price, lots) for maker, price, lots in result.trades]
        self.assertEqual(rows(results), singles)
        self.assertEqual([(row[0], row[2], row[3], row[4]) for row in rows(trades)], fills)
        self.assertGreater(len(fills), 100)
        self.assertEqual(all_at_once.depth("buy"), one_at_a_time.depth("buy"))
        self.assertGreater(len(all_at_once), 10)

    def test_arrays_that_do_not_fit_are_refused(self):
        book = llmes.OrderBook()
        for wrong in (lambda: book.apply(["add_limt"], [1]), lambda: book.apply("add_limit", [1, 2], prices=[1, 2, 3])):
            with self.assertRaises(ValueError):
                wrong()
        for wrong in ({"prices": [1.5]}, {"lots": [None]}):
            with self.assertRaises(TypeError):
                book.apply("add_limit", [1], **{"prices": 1, "lots": 1, **wrong})
        for wrong in ({"ids": [-1]}, {"lots": -5}, {"lots": [2**64]}, {"prices": numpy.array([2**63], numpy.uint64)}, {"sides": 256}, {"types": [-1]},
                      {"prices": [[1]]}, {"lots": [1, 2], "ids": [1, 2, 3]}):
            with self.assertRaises((TypeError, ValueError)):
                book.apply(**{"types": "add_limit", "ids": [1], "prices": 1, "lots": 1, **wrong})
        self.assertEqual(len(book), 0)
        results, _ = book.apply(numpy.array(["add_limit"] * 6)[::2], numpy.arange(6, dtype=numpy.int16)[::2], prices=numpy.int8(5), lots=1)
        self.assertEqual((len(results), book.depth("buy")), (3, [(5, 3, 3)]))
        self.assertEqual(len(book.apply("add_limit", [])[0]), 0)
