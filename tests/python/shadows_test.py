# SPDX-License-Identifier: MIT
"""Hypothetical orders, each against a naive backtest of it alone."""

import numpy
import polars

import llmes
import naive_lobster
from backtest_test import CAUSES, OfADay, Sends, made_commands
from package_test import rows


def table_of(commands):
    time, side, price, lots, force, cancel = zip(*commands)
    return {"symbol": "ABC", "time": time, "side": side, "price": price, "lots": lots, "time_in_force": force,
            "cancel": [llmes.NONE if one is None else one for one in cancel]}


class Shadows(OfADay):
    seed, size = 6, 600

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.commands = made_commands(6, cls.lines, 80)

    def test_each_is_as_if_alone(self):
        table = llmes.shadows(self.day, table_of(self.commands), latency={"entry": 300_000, "cancel": "100us"})
        seen = set()
        for row, command in enumerate(self.commands):
            alone = naive_lobster.Own(self.lines, [command], 300_000, 100_000)
            lots = sum(fill[2] for fill in alone.fills)
            self.assertEqual((table["filled"][row], table["state"][row].replace("on its way", "sent")), (lots, alone.state[0]), command)
            self.assertEqual(table["taken"][row], sum(fill[2] for fill in alone.fills if fill[4] == "took"))
            if lots:
                self.assertAlmostEqual(table["price"][row], sum(fill[1] * fill[2] for fill in alone.fills) / lots)
                self.assertEqual((int(table["first_fill"][row]), int(table["last_fill"][row])), (alone.fills[0][3], alone.fills[-1][3]))
                seen.add(CAUSES[table["last_cause"][row]])
            if 0 in alone.ahead:
                self.assertEqual(table["ahead_lots"][row], alone.ahead[0])
        self.assertGreaterEqual(seen, {"took", "behind", "through"})

    def test_it_is_what_strategies_of_one_order_get(self):
        runs = llmes.backtest(self.day, [Sends([command]) for command in self.commands])
        table = llmes.shadows(self.day, table_of(self.commands))
        self.assertEqual(table["filled"].tolist(), [int(run.fills["lots"].sum()) for run in runs])
        self.assertEqual(table["ended"].tolist(), [run.orders["ended"].tolist()[0] for run in runs])

    def test_a_million_are_played_in_one_pass(self):
        times = -(-1_000_000 // len(self.commands))
        many = {name: numpy.tile(numpy.array(column), times) for name, column in table_of(self.commands).items() if name != "symbol"}
        few, table = (llmes.shadows(self.day, {"symbol": "ABC", **one}) for one in (table_of(self.commands), many))
        self.assertGreaterEqual(len(table), 1_000_000)
        for name in ("filled", "taken", "ahead_lots", "state", "last_fill", "other"):
            numpy.testing.assert_array_equal(table[name], numpy.tile(few[name], times))

    def test_columns_may_be_of_a_frame_and_of_times(self):
        expected = rows(llmes.shadows(self.day, table_of(self.commands)))
        table = table_of(self.commands)
        table["time"] = numpy.array(table["time"]).astype("m8[ns]")
        frame = polars.DataFrame({**table, "symbol": ["ABC"] * len(self.commands)})
        self.assertEqual(rows(llmes.shadows(self.day, table)), expected)
        self.assertEqual(rows(llmes.shadows(self.day, frame)), expected)

    def test_a_wrong_order_stops_no_other(self):
        table = table_of(self.commands)
        table["lots"] = [0, *table["lots"][1:]]
        result = llmes.shadows(self.day, table)
        self.assertEqual((result["state"][0], result["reason"][0]), ("not sent", "InvalidQuantity"))
        self.assertEqual(rows(result)[1:], rows(llmes.shadows(self.day, table_of(self.commands)))[1:])

    def test_wrong_columns_are_named(self):
        good = table_of(self.commands)
        for change, kind, words in (({"side": "long"}, ValueError, "'long'"), ({"price": 1.5}, TypeError, "price"), ({"price": 101}, ValueError, "price 101"),
                                    ({"symbol": "XYZ"}, ValueError, "'XYZ'"), ({"lots": -1}, ValueError, "lots"), ({"time": -5}, ValueError, "time"),
                                    ({"lots": [1, 2, 3]}, ValueError, "lots: 3 values; one, or 80"), ({"lots": [[1]]}, ValueError, "lots: 1 x 1 values"),
                                    ({"side": 256}, ValueError, "side"), ({"cancel": -1}, ValueError, "cancel"), ({"cancel": numpy.nan}, TypeError, "NONE"),
                                    ({"price": numpy.array([2**63], numpy.uint64)}, ValueError, "price: at most"), ({"lots": 2**64}, TypeError, "lots")):
            with self.assertRaisesRegex(kind, words):
                llmes.shadows(self.day, {**good, **change})
        del good["price"]
        with self.assertRaisesRegex(ValueError, "no column 'price'"):
            llmes.shadows(self.day, good)
        self.assertEqual(len(llmes.shadows(self.day, {**table_of(self.commands), **dict.fromkeys(
            ("time", "side", "price", "lots", "time_in_force", "cancel", "symbol"), numpy.array([], int))})), 0)
        frame = polars.DataFrame({name: column for name, column in good.items() if name in ("time", "side", "lots")}).head(0)
        self.assertEqual(len(llmes.shadows(self.day, {"symbol": "ABC", "price": [], **{name: frame[name] for name in frame.columns}})), 0)
        with self.assertRaisesRegex(TypeError, "orders: a dict"):
            llmes.shadows(self.day, [1])
