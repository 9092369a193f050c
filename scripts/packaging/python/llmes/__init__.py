# SPDX-License-Identifier: MIT
"""Order books, and tables of market data, on order-level data.

    import llmes
    day = llmes.itch("S081321-v50.txt.gz")
    touch = day.touch(["AAPL"])     # polars.DataFrame(touch), or touch["bid"] as a numpy array

Prices are whole ticks, quantities whole lots, times nanoseconds; none is ever a float.
"""
from ._books import OrderBook, Result
from ._days import ItchDay, itch
from ._tables import NONE, Table

__all__ = ["NONE", "ItchDay", "OrderBook", "Result", "Table", "itch"]
