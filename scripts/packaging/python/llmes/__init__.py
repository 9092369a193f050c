# SPDX-License-Identifier: MIT
"""Order books, and tables of market data, on order-level data.

    import llmes
    day = llmes.itch("S081321-v50.txt.gz")
    touch = day.touch(["AAPL"])     # polars.DataFrame(touch), or touch["bid"] as a numpy array

    run = llmes.backtest(day, MyStrategy(), symbols=["AAPL"], latency="50us")
    print(run.why(0))               # the story of the first order

Prices are whole ticks, quantities whole lots, times nanoseconds; none is ever a float.
"""
from ._backtest import ACTION, EVENT, Compiled, Run, backtest, shadows
from ._books import OrderBook, Result
from ._core import Answer, Desk, Fill, Order, Trade
from ._core import VERSION as __version__
from ._days import BitstampDay, DbnDay, ItchDay, LobsterDay, TapeWarning, bitstamp, dbn, itch, lobster
from ._tables import NONE, Table

__all__ = ["ACTION", "EVENT", "NONE", "Answer", "BitstampDay", "Compiled", "DbnDay", "Desk", "Fill", "ItchDay", "LobsterDay",
           "Order", "OrderBook", "Result", "Run", "Table", "TapeWarning", "Trade", "backtest", "bitstamp", "dbn", "itch", "lobster",
           "shadows"]
