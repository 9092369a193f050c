# SPDX-License-Identifier: MIT
"""The best prices of a day as `itch-book` has them, which builds books in code of its own."""
import datetime
import unittest

import itch_book
import numpy

import llmes
from package_test import DAY


class ItchBook(unittest.TestCase):
    def test_it_has_the_same_best_prices(self):
        with itch_book.Feed(str(DAY), date=datetime.date(2026, 1, 2), price_type="fixed") as feed:
            theirs = next(iter(feed.batches(("bbo",)))).bbo
        ours = llmes.itch(DAY).touch()
        self.assertGreater(len(ours), 1_000)
        numpy.testing.assert_array_equal(ours["record"] + 1, theirs["seq"])  # it counts from 1
        for column, name in (("bid", "bid_px"), ("ask", "ask_px")):
            numpy.testing.assert_array_equal(numpy.where(ours[column] == llmes.NONE, 0, ours[column]), theirs[name])
        for column, name in (("bid_lots", "bid_sz"), ("ask_lots", "ask_sz")):
            numpy.testing.assert_array_equal(ours[column], theirs[name])
