# SPDX-License-Identifier: MIT
"""Days of market data as tables."""
import os
import re

from . import _core
from ._files import pieces
from ._tables import Table

_UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000}


def nanoseconds(duration):
    """A number of nanoseconds as it is, or words such as '1s', '100ms' or '5min'."""
    if isinstance(duration, int):
        return duration
    match = re.fullmatch(r"\s*(\d+)\s*(ns|us|ms|s|min|h)\s*", duration)
    if not match:
        raise ValueError(f"every: '{duration}' is no duration; write '1s', '100ms' or '5min', or nanoseconds")
    return int(match[1]) * _UNITS[match[2]]


class ItchDay:
    """A file of ITCH 5.0 messages with lengths (BinaryFILE), plain or packed by gzip or zstd.

    Each call reads the file once, in bounded memory beside its table. Prices are ten-thousandths of a dollar. `symbols`
    is a list of names, or None for all. In every table `time` is since midnight and `record` is the number of the
    message in the file, from 0.
    """

    TABLES = ("touch", "trades", "messages", "depth", "imbalance", "halts", "symbols")

    def __init__(self, path, *, orders=2_500_000, progress=None):
        """`orders` is the most orders that rest at once. `progress`: True or False; None shows it on a terminal."""
        self._path, self._orders, self._progress = os.fspath(path), orders, progress
        with open(self._path, "rb"):  # a file that is not there is said now
            pass

    def _reader(self, tables, symbols, levels, every):
        if isinstance(symbols, str):
            symbols = [symbols]
        return _core.ItchTables(set(tables), set(symbols or ()), self._orders, levels, nanoseconds(every))

    def _read(self, core):
        """Feeds the file to `core`, and yields after each piece."""
        try:
            for piece in pieces(self._path, self._progress):
                core.feed(piece)
                yield
            core.finish()
        except RuntimeError as error:
            text = str(error)
            raise RuntimeError(text if text.startswith(self._path) else f"{self._path}: {text}") from None

    def batches(self, tables, symbols=None, *, levels=10, every="1s", rows=1_000_000):
        """Yields (name, Table) in pieces of about `rows` rows: all `tables` of one reading, in bounded memory."""
        core = self._reader(tables, symbols, levels, every)
        for _ in self._read(core):
            for name in tables:
                if core.rows(name) >= rows:
                    yield name, Table(core.take(name))
        for name in tables:
            yield name, Table(core.take(name))

    def _table(self, name, symbols, levels=1, every="1s"):
        core = self._reader([name], symbols, levels, every)
        for _ in self._read(core):
            pass
        return Table(core.take(name))

    def touch(self, symbols=None):
        """A row for each change of a best price or of the lots there: time, record, symbol, bid, bid_lots, ask, ask_lots.

        A side without orders has no price (null, or `llmes.NONE`) and 0 lots. Hidden orders are in no touch. Before the
        open and in a halt the book may be crossed.
        """
        return self._table("touch", symbols)

    def trades(self, symbols=None):
        """A row for each trade: time, record, symbol, price, lots, maker, kind, printed, reference, match.

        kind: 'order' (`maker` is the side of the resting order), 'hidden' (an order that no one saw), 'cross' (an
        auction: one row for all its lots), or 'broken' (the trade of that `match` is undone; no price, no symbol). Executions
        with printed = 'no' are also in a cross: leave them out of a volume.
        """
        return self._table("trades", symbols)

    def messages(self, symbols=None):
        """A row for each message that changed an order, with the side and the price that most messages leave out.

        type is ITCH's letter. `lots` is what was added, executed, cancelled or deleted; `lots_before` what rested before, null
        for a new order. Of a replace ('U') price and lots are the new ones, and `new_reference` names the new order.
        """
        return self._table("messages", symbols)

    def depth(self, symbols=None, levels=10, every="1s"):
        """The best levels at each multiple of `every` since midnight: time, symbol, bid_1, bid_lots_1, ask_1, ask_lots_1, ….

        A row is the book after all messages before its time. A level that is not there has no price and 0 lots. Between two
        messages nothing changes, so moments without a message in between have no row.
        """
        return self._table("depth", symbols, levels, every)

    def imbalance(self, symbols=None):
        """Net order imbalances before auctions, as sent. A price of 0 is null."""
        return self._table("imbalance", symbols)

    def halts(self, symbols=None):
        """Trading actions: state 'T' trades, 'H' and 'P' are halted, 'Q' collects quotes."""
        return self._table("halts", symbols)

    def symbols(self):
        """The symbols of the day: locate, symbol, round_lot, market_category, classification."""
        return self._table("symbols", None)

    def report(self):
        """What is in the file: counts of messages by type, faults, first and last time, the most orders at once."""
        core = self._reader([], None, 1, "1s")
        for _ in self._read(core):
            pass
        first, last = core.times
        return {
            "messages": sum(core.counts.values()),
            "types": core.counts,
            "faults": core.faults,
            "first_time": first,
            "last_time": last,
            "most_resting": core.most_resting,
        }

    def __repr__(self):
        return f"<llmes.ItchDay {self._path}>"


def itch(path, **options):
    """Opens a day of ITCH 5.0; see `ItchDay`."""
    return ItchDay(path, **options)
