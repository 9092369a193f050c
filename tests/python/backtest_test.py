# SPDX-License-Identifier: MIT
"""Strategies of Python in a replayed market, against a naive one."""
import ctypes
import gc
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings
import weakref

import numpy

import llmes
import naive_lobster
from package_test import DAY, rows, written

CAUSES = {"it took displayed lots": "took", "an order behind it traded": "behind", "the market traded through its price": "through",
          "an order came that crosses it": "crossed"}


def made_day(lines, folder):
    return llmes.lobster(written(naive_lobster.text_of(lines), folder, "ABC_1.csv"))


class OfADay(unittest.TestCase):
    """Tests on one made day: `lines` of LOBSTER, and `day`."""

    @classmethod
    def setUpClass(cls):
        cls.lines = naive_lobster.made_tape(cls.seed, cls.size)
        cls.folder = tempfile.TemporaryDirectory()
        cls.day = made_day(cls.lines, cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


def made_commands(seed, lines, count):
    """Orders near the touch at times of no line, some cancelled later."""
    draw, taken, commands = random.Random(seed), {line[0] for line in lines}, []

    def moment(after):
        while (time := draw.randint(after, lines[-1][0])) in taken:
            pass
        taken.add(time)
        return time

    for _ in range(count):
        time = moment(lines[0][0] + 1)
        price = next(line[4] for line in lines if line[0] > time) + draw.choice([-300, -200, -100, 0, 0, 100, 200])
        force = draw.choices(["gtc", "post_only", "ioc", "fok"], [6, 2, 1, 1])[0]
        commands.append((time, draw.choice(["buy", "sell"]), price, draw.randint(1, 15), force,
                         moment(time + 1) if draw.random() < 0.7 else None))
    return commands


class Sends:
    """Sends orders and cancels at fixed times."""

    def __init__(self, commands):
        self.commands, self.number = commands, {}

    def on_start(self, desk):
        for i, command in enumerate(self.commands):
            desk.wake_at(command[0], 2 * i)
            if command[5] is not None:
                desk.wake_at(command[5], 2 * i + 1)

    def on_timer(self, desk, tag):
        i = tag // 2
        if tag % 2:
            desk.cancel(self.number[i])
        else:
            _, side, price, lots, force, _ = self.commands[i]
            self.number[i] = desk.add_limit("ABC", side, price, lots, force, tag=i)


class Joins:
    """Joins the best prices of a symbol; takes when it has too much."""

    def __init__(self, symbol="ABC"):
        self.symbol, self.quotes, self.log = symbol, {}, []

    def on_start(self, desk):
        desk.subscribe(self.symbol)

    def on_market(self, desk, symbol):
        bid, bid_lots, ask, ask_lots = desk.touch(symbol)
        self.log.append((desk.now, bid, bid_lots, ask, ask_lots))
        for side, price in (("buy", bid), ("sell", ask)):
            quote = self.quotes.get(side)
            if quote is not None and desk.order(quote).is_open:
                if desk.order(quote).price == price:
                    continue
                desk.cancel(quote)
            if price is not None:
                self.quotes[side] = desk.add_limit(symbol, side, price, 3, "post_only")

    def on_fill(self, desk, fill):
        self.log.append((fill.time, fill.order, fill.side, fill.price, fill.lots, fill.is_maker, desk.position(self.symbol)))
        if abs(desk.position(self.symbol)) > 20:
            desk.add_market(self.symbol, "sell" if fill.side == "buy" else "buy", 20)


class Fills(unittest.TestCase):
    def test_they_are_those_of_a_naive_backtest(self):
        seen = set()
        for seed, entry, cancel in ((1, 0, 0), (2, 700_000, 300_000), (3, 5_000_000, 9_000_000), (4, 0, 0)):
            lines = naive_lobster.made_tape(seed, 1_200)
            commands = made_commands(seed, lines, 150)
            naive = naive_lobster.Own(lines, commands, entry, cancel)
            with tempfile.TemporaryDirectory() as folder, self.subTest(seed):
                run = llmes.backtest(made_day(lines, folder), Sends(commands), latency={"entry": entry, "cancel": cancel})
                tag = run.orders["tag"].tolist()
                fills = [(tag[row[2]], row[5], row[6], row[0], CAUSES[row[7]]) for row in rows(run.fills)]
                self.assertEqual(fills, naive.fills)
                seen |= {fill[4] for fill in fills}
                for order, state, is_open, ahead in zip(tag, run.orders["state"], run.orders["open"], run.orders["ahead_lots"]):
                    self.assertEqual(state.replace("on its way", "sent"), naive.state[order], order)
                    self.assertEqual(is_open, naive.open[order])
                    if order in naive.ahead:
                        self.assertEqual(ahead, naive.ahead[order])
        self.assertEqual(seen, set(CAUSES.values()))


class Market(OfADay):
    seed, size = 9, 2_000

    def results(self, run):
        return rows(run.orders), rows(run.fills), rows(run.equity), run.summary(), run.positions

    def test_a_strategy_sees_each_change_of_the_touch_after_its_latency(self):
        joins = Joins()
        llmes.backtest(self.day, joins, latency={"feed": "20us"})
        expected = [(time + 20_000, *rest) for time, _, *rest in naive_lobster.touch_of(self.lines)
                    if time + 20_000 <= self.lines[-1][0]]
        self.assertEqual([line for line in joins.log if len(line) == 5], expected)
        self.assertGreater(sum(len(line) == 7 for line in joins.log), 20)

    def test_a_strategy_is_woken_by_what_concerns_it_alone(self):
        class Counts:
            def __init__(self):
                self.calls = []

            def on_start(self, desk):
                desk.wake_at(0)
                desk.add_limit("ABC", "buy", 100, 1)

            def __getattr__(self, name):
                if name.startswith("on_"):
                    return lambda desk, *more: self.calls.append(name)
                raise AttributeError(name)

            def __dir__(self):
                return ["on_start"]

        counts = Counts()
        llmes.backtest(self.day, counts)
        self.assertEqual(counts.calls, ["on_timer", "on_answer"])  # of 2,000 messages

    def test_many_strategies_are_each_as_if_alone(self):
        alone = [self.results(llmes.backtest(self.day, one)) for one in (Joins(), Sends(made_commands(1, self.lines, 40)))]
        together = llmes.backtest(self.day, [Joins(), Sends(made_commands(1, self.lines, 40)), Joins()])
        self.assertEqual([self.results(run) for run in together], [*alone, alone[0]])

    def test_the_books_add_up(self):
        for impact in ("none", "displace"):
            run = llmes.backtest(self.day, Joins(), fees=(-20, {"per_lot": 30, "per_order": 5}), impact=impact)
            fills, summary = run.fills, run.summary()
            signed = numpy.where(fills["side"] == "buy", 1, -1) * fills["lots"]
            self.assertEqual(run.positions.get("ABC", 0), signed.sum())
            first = numpy.unique(fills["order"], return_index=True)[1]
            taker = fills["maker"] == "no"
            fees = numpy.where(taker, 30, -20) * fills["lots"] + numpy.isin(numpy.arange(len(fills)), first) * taker * 5
            self.assertEqual(fills["fee"].tolist(), fees.tolist())
            self.assertEqual(summary["fees"], fees.sum())
            self.assertGreaterEqual(summary["lots_peak"], summary["lots_more"] + summary["lots_fewer"])
            self.assertEqual(summary["lots_peak"] > 0, impact == "displace")
            bid, _, ask, _ = naive_lobster.touch_of(self.lines)[-1][2:]
            self.assertEqual(summary["result"], -(signed * fills["price"]).sum() - fees.sum() + signed.sum() * (bid + ask) / 2)
            self.assertEqual(run.equity["value"][-1], summary["result"])
            self.assertTrue(taker.any() and not taker.all())

    def test_it_does_not_matter_where_bytes_are_cut(self):
        expected = rows(llmes.backtest(self.day, Joins()).fills)
        data = naive_lobster.text_of(self.lines)
        options = {"symbols": set(), "delays": [numpy.zeros(1, numpy.uint64)] * 5, "fees": [[0, 0, 0]] * 2, "tick": 0, "lot": 1,
                   "displace": False, "fills_in_auctions": False, "stay": 0, "equity_every": 0, "orders": 5_000, "own_orders": 9_999, "steps": 0}
        core = llmes._core.Backtest(self.day._survey(), options, [Joins()])
        draw, at = random.Random(3), 0
        while at < len(data):
            size = draw.choice([1, 7, 300, 9_000])
            core.feed(data[at : at + size])
            at += size
        core.finish()
        self.assertEqual(rows(llmes.Table(core.fills(0))), expected)

    def test_latency_of_a_series_and_of_words(self):
        once = llmes.backtest(self.day, Joins(), latency=50_000)
        for same in ("50us", numpy.array([50_000, 50_000]), numpy.timedelta64(50, "us").reshape(1),
                     {"feed": "50us", "entry": [50_000], "response": 50_000}):
            self.assertEqual(rows(llmes.backtest(self.day, Joins(), latency=same).fills), rows(once.fills))

    def test_why_tells_the_story(self):
        run = llmes.backtest(DAY, Joins("Q"), symbols="Q", latency={"feed": "20us", "entry": "50us"})
        order = int(run.fills["order"][run.fills["maker"] == "yes"][0])
        story = run.why(order)
        self.assertIn(f"own order {order}: ", story)
        self.assertIn(" in Q, sent at 10:", story)
        self.assertIn("lots of 1 order ahead", story)
        self.assertIn("an order behind it traded (order ", story)
        with self.assertRaises(IndexError):
            run.why(len(run.orders))

    def test_an_order_and_its_story_keep_how_it_was_sent(self):
        class Modifies:
            def on_start(self, desk):
                desk.add_limit("ABC", "buy", 900_000, 5)
                desk.modify(0, 900_100, 4)
                desk.modify(0, 900_100, 3)
                desk.add_market("ABC", "buy", 0x7FFFFFFF)

        run = llmes.backtest(self.day, Modifies(), latency={"entry": 10, "modify": 20})
        orders = run.orders
        self.assertEqual([int(orders[name][0]) for name in ("price", "lots", "last_price", "last_lots")], [900_000, 5, 900_100, 3])
        story = run.why(0).split("\n")
        self.assertIn(": buy 5 at 900000 in ABC, sent at ", story[0])
        self.assertIn("  came at ", story[1])
        self.assertIn(": modified to 4 at 900100: ", story[2])
        self.assertIn(": modified to 3 at 900100: ", story[3])
        self.assertEqual(orders["price"][1], llmes.NONE)
        first, second = repr(orders).split("\n")[1:]
        self.assertIn(" price 900000, ", first)
        self.assertRegex(first, r" sent 09:30:\d\d\.\d{9}, ")
        self.assertIn(" ended none, ", first)
        self.assertIn(" price none, ", second)

    def test_a_desk_knows_what_has_reached_the_strategy(self):
        test = self

        class Asks:
            def on_start(self, desk):
                desk.subscribe("ABC", levels=3)
                self.order = desk.add_limit("ABC", "buy", 900_000, 5, tag=7)
                self.answers, self.trades = [], 0
                test.assertEqual((desk.symbols, desk.open_orders, desk.order(self.order).state), (["ABC"], [], "on its way"))

            def on_answer(self, desk, answer):
                self.answers.append((answer.order, answer.type, answer.reason))
                order = desk.order(self.order)
                if answer.type == "Accepted":
                    test.assertEqual((desk.open_orders, order.state, order.is_open, order.tag), ([0], "resting", True, 7))
                    desk.modify(self.order, 900_100, 4)
                elif answer.type == "Modified":
                    test.assertEqual((order.price, order.open), (900_100, 4))
                    desk.cancel(self.order)
                else:
                    test.assertEqual((desk.open_orders, desk.cash, desk.position("ABC")), ([], 0, 0))

            def on_market(self, desk, symbol):
                bids = desk.depth(symbol, "buy")
                test.assertLessEqual(len(bids), 3)
                test.assertEqual(desk.touch(symbol)[:2], bids[0][:2] if bids else (None, 0))

            def on_trade(self, desk, trade):
                self.trades += trade.symbol == "ABC" and trade.lots > 0

        asks = Asks()
        llmes.backtest(self.day, asks)
        self.assertEqual(asks.answers, [(0, "Accepted", "no reason"), (0, "Modified", "no reason"),
                                        (0, "Cancelled", "the strategy cancelled it")])
        self.assertEqual(asks.trades, sum(line[1] in (4, 5) for line in self.lines))

    def test_summary_and_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        run = llmes.backtest(self.day, Joins())
        self.assertEqual(len(run.plot().axes), 2)
        self.assertEqual(run.summary()["orders"] + run.summary()["rejected"], len(run.orders))
        self.assertIn("lots filled", repr(run))
        self.assertEqual(run.faults, {})


    def test_a_part_of_a_millionth_counts(self):
        for millionths in (27.8, 0.4, -0.4, 3):
            run = llmes.backtest(self.day, Joins(), fees=({"per_notional": millionths}, {"per_notional": millionths}))
            self.assertGreater(len(run.fills), 3)
            for price, lots, fee in zip(run.fills["price"], run.fills["lots"], run.fills["fee"]):
                self.assertAlmostEqual(fee, price * lots * millionths / 1e6, delta=0.51e-4)  # half a millionth of the tick, 100
            self.assertNotEqual(run.summary()["fees"], 0)

    def test_a_strategy_that_subscribes_to_nothing_is_told(self):
        class Deaf:
            def on_market(self, desk, symbol):
                pass

            def on_trade(self, desk, trade):
                pass

        class Timers:
            def on_start(self, desk):
                desk.wake_at(0)

            def on_timer(self, desk, tag):
                pass

        with self.assertWarnsRegex(llmes.TapeWarning, r"Deaf has on_market and on_trade, .*subscribed to no symbol; call desk.subscribe") as caught:
            llmes.backtest(self.day, [Joins(), Deaf()])
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            llmes.backtest(self.day, [Joins(), Timers()])


SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def compiled(function):
    """A C function that calls `function(event, actions, state)` of records of numpy; actions is a list of dicts."""

    def call(event, room, state):
        event = numpy.frombuffer((ctypes.c_char * llmes.EVENT.itemsize).from_address(event), llmes.EVENT)[0]
        actions = []
        result = function(event, actions, ctypes.cast(state, ctypes.POINTER(ctypes.c_int64)))
        place = numpy.frombuffer((ctypes.c_char * (16 * llmes.ACTION.itemsize)).from_address(room), llmes.ACTION)
        for i, action in enumerate(actions[:16]):
            for name, value in action.items():
                place[i][name] = value
        return len(actions) if result is None else result

    return SIGNATURE(call)


def address_of(function):
    return ctypes.cast(function, ctypes.c_void_p).value


class CompiledStrategies(OfADay):
    seed, size = 9, 1_000

    def test_one_does_what_the_same_in_python_does(self):
        commands = made_commands(9, self.lines, 60)

        def sends(event, actions, state):
            if event["type"] == 0:
                for i, command in enumerate(commands[:8]):
                    actions.append({"type": 5, "time": command[0], "tag": 2 * i})
                    if command[5] is not None:
                        actions.append({"type": 5, "time": command[5], "tag": 2 * i + 1})
            elif event["type"] == 5:
                i, is_cancel = divmod(int(event["tag"]), 2)
                if is_cancel:
                    actions.append({"type": 3, "order": state[i]})
                else:
                    state[i] = int(event["next_order"])
                    _, side, price, lots, force, _ = commands[i]
                    actions.append({"type": 0, "side": side == "sell", "price": price, "lots": lots, "tag": i,
                                    "time_in_force": ("gtc", "post_only", "ioc", "fok").index(force)})
            elif event["type"] == 4:
                state[100] += event["lots"]
            state[101 + int(event["type"])] += 1

        state, function = numpy.zeros(200, numpy.int64), compiled(sends)
        run = llmes.backtest(self.day, llmes.Compiled(address_of(function), state), latency="300us")
        expected = llmes.backtest(self.day, Sends(commands[:8]), latency="300us")
        self.assertEqual((rows(run.orders), rows(run.fills)), (rows(expected.orders), rows(expected.fills)))
        self.assertEqual(state[100], run.fills["lots"].sum())
        self.assertEqual((state[101], state[105], run.symbols), (1, len(run.fills), ["ABC"]))

    def test_it_sees_the_touch(self):
        seen = []

        def looks(event, actions, state):
            if event["type"] == 0:
                actions.append({"type": 4, "lots": 1})
            if event["type"] == 1:
                seen.append(tuple(None if int(event[name]) == llmes.NONE else int(event[name])
                                  for name in ("time", "bid", "bid_lots", "ask", "ask_lots")))

        function = compiled(looks)
        llmes.backtest(self.day, address_of(function))
        self.assertEqual(seen, [(time, *rest) for time, _, *rest in naive_lobster.touch_of(self.lines)])

    def test_it_may_end_the_run_and_its_faults_are_said(self):
        for function, words in ((compiled(lambda event, actions, state: -1), None),
                                (compiled(lambda event, actions, state: 17), "17 actions"),
                                (compiled(lambda event, actions, state: actions.append({"type": 0, "price": 1, "lots": 1})), "InvalidPrice"),
                                (compiled(lambda event, actions, state: actions.append({"type": 9})), "InvalidCommand")):
            if words is None:
                self.assertEqual(len(llmes.backtest(self.day, address_of(function)).orders), 0)
            else:
                with self.assertRaisesRegex(RuntimeError, words):
                    llmes.backtest(self.day, address_of(function))


class Faults(OfADay):
    seed, size = 2, 400

    def test_an_exception_ends_the_run_and_nothing_is_lost(self):
        class Throws(Joins):
            def on_fill(self, desk, fill):
                super().on_fill(desk, fill)
                if len(self.log) > 60:
                    raise KeyError("mine")

            def on_market(self, desk, symbol):
                test.assertFalse(self.log and self.log[-1] == "thrown")
                super().on_market(desk, symbol)

        test = self
        throws, whole = Throws(), Joins()
        with self.assertRaisesRegex(KeyError, "mine") as caught:
            llmes.backtest(self.day, throws)
        expected = rows(llmes.backtest(self.day, whole).fills)
        self.assertEqual(throws.log, whole.log[: len(throws.log)])
        fills = rows(caught.exception.run.fills)
        self.assertTrue(fills)
        self.assertEqual([row[:13] for row in fills], [row[:13] for row in expected[: len(fills)]])

    def test_an_exception_is_the_very_one_that_was_raised(self):
        error = RuntimeError("mine")

        class Throws:
            def on_start(self, desk):
                raise error

        with self.assertRaises(RuntimeError) as caught:
            llmes.backtest(self.day, Throws())
        self.assertIs(caught.exception, error)
        self.assertEqual(str(error), "mine")

    def test_a_callback_that_never_returns_is_interrupted(self):
        class Hangs:
            def on_start(self, desk):
                desk.wake_at(0)

            def on_timer(self, desk, tag):
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                while True:
                    pass

        def interrupt(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            with self.assertRaises(KeyboardInterrupt) as caught:
                llmes.backtest(self.day, Hangs())
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(len(caught.exception.run.orders), 0)

    def test_commands_that_cannot_be_sent_say_why(self):
        test = self

        class Wrong:
            def on_start(self, desk):
                self.desk = desk
                for call, words in (
                    (lambda: desk.add_limit("XYZ", "buy", 100, 1), r"no symbol 'XYZ'; desk.symbols has its own, and day.symbols\(\)"),
                    (lambda: desk.add_limit("ABC", "long", 100, 1), "side 'long'"),
                    (lambda: desk.add_limit("ABC", "buy", 101, 1), "price 101: no multiple of the tick, which is 100"),
                    (lambda: desk.add_limit("ABC", "buy", 100, 0), "lots"),
                    (lambda: desk.add_limit("ABC", "buy", 100, 2**63), "lots"),
                    (lambda: desk.add_market("ABC", "buy", 2**64 - 1), "lots"),
                    (lambda: desk.add_limit("ABC", "buy", 100, 1, "day"), "time_in_force 'day'"),
                    (lambda: desk.add_limit("ABC", "buy", 100, -1), "lots: 0 or more, not -1"),
                    (lambda: desk.cancel(2**32), "order: at most 4294967295, not 4294967296"),
                    (lambda: desk.cancel(0), "sent no order"),
                    (lambda: desk.order(0), "sent no order"),
                    (lambda: desk.subscribe("ABC", 11), "levels: 1 to 10"),
                ):
                    with test.assertRaisesRegex(ValueError, words):
                        call()
                for call, words in (
                    (lambda: desk.add_limit("ABC", "buy", 100.5, 1), "price: a whole number, not 100.5"),
                    (lambda: desk.add_limit("ABC", "buy", None, 1), "price: a whole number, not None"),
                    (lambda: desk.add_limit("ABC", "buy", 100, 1.0), "lots: a whole number, not 1.0"),
                    (lambda: desk.add_limit("ABC", 1, 100, 1), "side: one of 'buy' 'sell', not 1"),
                    (lambda: desk.add_limit("ABC", "buy", 100, 1, 3), "time_in_force: one of 'gtc' 'post_only' 'ioc' 'fok', not 3"),
                    (lambda: desk.add_limit("ABC", "buy", 100, 1, tag="t"), "tag: a whole number, not 't'"),
                    (lambda: desk.modify(0, 100.5, 1), "price: a whole number, not 100.5"),
                    (lambda: desk.cancel("0"), "order: a whole number, not '0'"),
                    (lambda: desk.subscribe("ABC", 1.5), "levels: a whole number, not 1.5"),
                    (lambda: desk.wake_at(0.5), "time: a whole number, not 0.5"),
                    (lambda: desk.depth("ABC", 0), "side: one of 'buy' 'sell', not 0"),
                ):
                    with test.assertRaisesRegex(TypeError, f"^{words}$"):
                        call()
                desk.add_limit("ABC", "buy", 100, 1)
                with test.assertRaisesRegex(RuntimeError, "own_orders"):
                    desk.add_limit("ABC", "buy", 100, 1)

        wrong = Wrong()
        run = llmes.backtest(self.day, wrong, own_orders=1)
        self.assertEqual(len(run.orders), 1)
        with self.assertRaisesRegex(RuntimeError, "while a method of its strategy runs"):
            wrong.desk.now

    def test_wrong_arguments_are_named(self):
        class Typo:
            def on_fil(self, desk, fill):
                pass

        for wrong, words in ((lambda: llmes.backtest(self.day, Typo()), "'on_fil'"),
                             (lambda: llmes.backtest(self.day, Joins(), latency={"fed": 1}), "'fed'"),
                             (lambda: llmes.backtest(self.day, Joins(), latency=-1), "latency"),
                             (lambda: llmes.backtest(self.day, Joins(), latency={"entry": "received"}), "feed"),
                             (lambda: llmes.backtest(self.day, Joins(), latency="soon"), "'soon'"),
                             (lambda: llmes.backtest(self.day, Joins(), fees={"makr": 1}), "'makr'"),
                             (lambda: llmes.backtest(self.day, Joins(), impact="some"), "'some'"),
                             (lambda: llmes.backtest(self.day, Joins(), lot=0), "lot"),
                             (lambda: llmes.backtest(self.day, Joins(), tick=-1), "tick: 1 or more"),
                             (lambda: llmes.backtest(self.day, Joins(), own_orders=2**62), "own_orders: at most"),
                             (lambda: llmes.backtest(self.day, Joins(), stay=-1), "stay"),
                             (lambda: llmes.backtest(self.day, Joins(), equity_every=2**64), "equity_every"),
                             (lambda: llmes.backtest(self.day, Joins(), symbols=[]), "None stands for all"),
                             (lambda: llmes.backtest(self.day, Joins(), fees=(1, 2, 3)), "two of them"),
                             (lambda: llmes.backtest(self.day, Joins(), fees=5), "two of them"),
                             (lambda: llmes.backtest(self.day, Joins(), fees=(None, 1)), "of the maker is no number"),
                             (lambda: llmes.backtest(self.day, Joins(), fees=(float("nan"), 1)), "no number"),
                             (lambda: llmes.backtest(self.day, Joins(), fees={"taker": {"per_notional": 1e-7}}), "per_notional 1e-07 is finer"),
                             (lambda: llmes.backtest(self.day, Joins(), fees=(0, 1e-5)), "per_lot 1e-05 is finer .*; the next is 0.0001"),
                             (lambda: llmes.backtest(self.day, Joins(), latency=[]), "latency"),
                             (lambda: llmes.backtest(self.day, []), "strategy: none"),
                             (lambda: llmes.backtest(self.day, 0), "address"),
                             (lambda: llmes.backtest(self.day, Joins(), symbols=["XYZ"]), "no symbol 'XYZ'")):
            with self.assertRaisesRegex(ValueError, words):
                wrong()
        for wrong, words in ((lambda: llmes.backtest([self.day, self.day], Joins()), "day: one, not 2; call it for each day"),
                             (lambda: llmes.shadows([self.day], {}), "day: one, not 1"), (lambda: llmes.backtest(7, Joins()), "path: .*not 7"),
                             (lambda: llmes.backtest(self.day, None), "no strategy"),
                             (lambda: llmes.backtest(self.day, Joins), "no strategy"), (lambda: llmes.backtest(self.day, True), "address"),
                             (lambda: llmes.Compiled(1, [0]), "array of numpy"), (lambda: llmes.backtest(self.day, Joins(), tick=1.5), "tick: .*not 1.5"),
                             (lambda: llmes.backtest(self.day, Joins(), lot=None), "lot"), (lambda: llmes.backtest(self.day, Joins(), stay=None), "stay"),
                             (lambda: llmes.backtest(self.day, Joins()).why("0"), "order")):
            with self.assertRaisesRegex(TypeError, words):
                wrong()
        with self.assertRaisesRegex(ValueError, "order: 0 or more"):
            llmes.backtest(self.day, Joins()).why(-1)

    def test_equity_is_noted_where_something_happens(self):
        run = llmes.backtest(self.day, Joins(), equity_every=1)
        self.assertLessEqual(len(run.equity), 2 * len(self.lines))
        self.assertEqual(run.summary()["result"], llmes.backtest(self.day, Joins(), equity_every=0).summary()["result"])

    def test_a_latency_may_be_longer_than_the_day(self):
        for latency in (2**63, 2**64 - 1, numpy.uint64(2**64 - 2), "2000000h"):
            run = llmes.backtest(self.day, Sends([(self.lines[0][0] + 1, "buy", 900_000, 1, "gtc", None)]), latency=latency)
            self.assertEqual(run.orders["state"].tolist(), ["on its way"])

    def test_a_file_that_is_cut_off_is_refused(self):
        data = DAY.read_bytes()[:-3]
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(RuntimeError, "ends within"):
            llmes.backtest(written(data, folder), Joins("Q"))

    def test_a_strategy_that_keeps_its_run_is_freed(self):
        strategy = Joins()
        strategy.run = llmes.backtest(self.day, strategy)
        gone = weakref.ref(strategy)
        del strategy
        gc.collect()
        self.assertIsNone(gone())


class Programs(unittest.TestCase):
    def test_backtest_runs_a_strategy_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "mine.py"
            program.write_text("class Buys:\n    def on_start(self, desk):\n        desk.add_market('Q', 'buy', 5)\n")
            run = lambda *more: subprocess.run([sys.executable, "-m", "llmes", "backtest", DAY, *more], capture_output=True, text=True)
            result = run(program, "--symbols", "Q", "--latency", "8h", "--fees", "1,2", "--why", "0")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("own order 0: buy 5 at any price in Q", result.stdout)
            self.assertIn("position Q", result.stdout)
            result = run(f"{program}:None")
            self.assertEqual((result.returncode, "it has Buys" in result.stderr), (1, True))
            for more, words in ((["--why", "9"], "there is no own order 9"), (["--fees", "1"], "fees: two of them"), (["--latency", "x"], "'x'")):
                result = run(program, *more)
                self.assertEqual((result.returncode, words in result.stderr, "Traceback" in result.stderr), (1, True, False), result.stderr)
            self.assertNotIn("Traceback", run(folder).stderr)
            program.write_text("class Buys:\n    def on_start(self, desk):\n        desk.add_limit('Q', 'long', 5, 5)  # the line\n")
            result = run(program)
            self.assertEqual((result.returncode, "# the line" in result.stderr), (1, True), result.stderr)
