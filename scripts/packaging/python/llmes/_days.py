# SPDX-License-Identifier: MIT
"""Days of market data as tables."""
import operator
import os
import re
import sys
import warnings

import numpy

from . import _core
from ._files import beginning, pieces, regular, stamp_of
from ._tables import Table

_UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000}


def whole(number, what, least=0, most=2**63 - 1):
    """A whole number from `least` to `most`."""
    try:
        number = operator.index(number)
    except TypeError:
        raise TypeError(f"{what}: a whole number, not {number!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{what}: {f'{least} or more' if number < least else f'at most {most}'}, not {number}")
    return number


def nanoseconds(duration, what, least=0):
    """A number of nanoseconds as it is, a duration of numpy, or words such as '1s', '100ms' or '5min'."""
    if isinstance(duration, numpy.timedelta64):
        duration = int(duration.astype("m8[ns]").astype("i8"))
    if isinstance(duration, str):
        match = re.fullmatch(r"\s*(\d+)\s*(ns|us|ms|s|min|h)\s*", duration)
        if not match:
            raise ValueError(f"{what}: '{duration}' is no duration; write '1s', '100ms' or '5min', or nanoseconds")
        duration = int(match[1]) * _UNITS[match[2]]
    return whole(duration, f"{what} (nanoseconds, or words such as '1s')", least)


def names_of(symbols):
    """The names as a set; an empty one stands for all."""
    if symbols is None:
        return set()
    try:
        names = {symbols} if isinstance(symbols, str) else set(symbols)
    except TypeError:
        names = {symbols}
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"symbols: names, not {name!r}")
    if not names:
        raise ValueError("symbols: no name is there; None stands for all")
    return names


class TapeWarning(UserWarning):
    """What was read, or played, is not all that one may think: records did not fit, or a strategy hears nothing."""


def warn(words):
    """Warns at the line of the caller of this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(words, TapeWarning, stacklevel=level)


def format_of(path, wanted):
    """The `FORMAT` of a file, by its first bytes. RuntimeError if it is another one than is wanted, or none."""
    start = beginning(path, _core.START)
    if start is None:  # reading it says why
        return wanted if wanted != "any" else ItchDay.FORMAT
    try:
        return _core.format_of(start, wanted)
    except RuntimeError as error:
        raise RuntimeError(f"{path}: {error}") from None


def _of_depth(levels, every):
    return whole(levels, "levels", 1, 1_000), nanoseconds(every, "every", 1)


class Day:
    """A file of market data."""

    FORMAT = "any"
    TABLES = ()

    def __init__(self, path, *, orders=16_384, progress=None):
        """`orders`: for how many resting orders there is room at first; there is always room for more, which takes time.

        `progress`: True or False; None shows it on a terminal.
        """
        self._path, self._orders, self._progress = regular(path), whole(orders, "orders", 1, 2**31), progress
        self._known, self._stamp = None, stamp_of(self._path)
        format_of(self._path, self.FORMAT)

    def _read(self, *cores):
        """Feeds the file to `cores`, and yields after each piece. Warns at the end if it did not fit their books."""
        if stamp_of(self._path) != self._stamp:
            raise RuntimeError(f"{self._path}: it has changed since it was opened; open it anew")
        try:
            for piece in pieces(self._path, self._progress):
                for core in cores:
                    core.feed(piece)
                yield
            for core in cores:
                core.finish()
        except RuntimeError as error:
            text = str(error)
            if type(error) is not RuntimeError or text.startswith(self._path):
                raise
            raise RuntimeError(f"{self._path}: {text}") from None
        for core in cores:
            self._tell(getattr(core, "faults", {}))

    def _tell(self, faults):
        if faults:
            words = ", ".join(f"{reason} {count:,}" for reason, count in faults.items())
            warn(f"{self._path}: {sum(faults.values()):,} records do not fit: {words}; report() says more")

    def _play(self, *cores):
        for _ in self._read(*cores):
            pass

    def _survey(self):
        """What the books of the file need: it is read once for that."""
        if self._known is None:
            # Where the file has no symbol, that is in its name; of which UTF-8 may not have all letters.
            survey = _core.Survey(os.path.basename(self._path).encode(errors="replace").decode())
            self._play(survey)
            self._known = survey
        return self._known

    def batches(self, tables, symbols=None, *, levels=10, every="1s", rows=1_000_000):
        """Yields (name, Table) in pieces of about `rows` rows: all `tables` of one reading, in bounded memory.

        `tables` are names of tables, as in `TABLES`; `levels` and `every` are those of depth.
        """
        if isinstance(tables, str):
            tables = [tables]
        try:
            tables = list(tables)
        except TypeError:
            raise TypeError(f"tables: names of tables, not {tables!r}") from None
        if not tables:
            raise ValueError(f"tables: no name is there; of {self.FORMAT} there are {', '.join(self.TABLES)}")
        for name in tables:
            if name not in self.TABLES:
                raise ValueError(f"{self._path}: there is no table '{name}'; of {self.FORMAT} there are {', '.join(self.TABLES)}")
        return self._batches(tables, self._reader(tables, symbols, levels, every), whole(rows, "rows", 1))

    def _batches(self, tables, core, rows):
        for _ in self._read(core):
            for name in tables:
                if core.rows(name) >= rows:
                    yield name, Table(core.take(name))
        for name in tables:
            yield name, Table(core.take(name))

    def __getattr__(self, name):
        lacks = name in ItchDay.TABLES
        raise AttributeError(f"a day of {self.FORMAT} has no '{name}'" + (f"; it has {', '.join(self.TABLES)}" if lacks else ""))

    def _table(self, name, symbols, levels=1, every="1s"):
        core = self._reader([name], symbols, levels, every)
        self._play(core)
        return Table(core.take(name))

    def _check(self):
        core = _core.TapeCheck(self._survey())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TapeWarning)  # it is what the report is about
            self._play(core)
        counts = core.counts
        fills = counts["fills"]
        return {
            "format": self._survey().format_words,
            **{name: counts[name] for name in ("records", "unreadable", "times_back", "suspect", "passed_over")},
            "events": core.types,
            "refused": core.refused,
            "faults": core.faults,
            **{name: counts[name] for name in ("moments", "crossed", "locked", "fills", "fills_first",
                                               "fills_passed_better", "cross_fills", "aggressor_fills")},
            "fifo_score": counts["fills_first"] / fills if fills else None,
        }

    def __repr__(self):
        return f"<llmes.{type(self).__name__} {self._path}>"


class ItchDay(Day):
    """A file of ITCH 5.0 messages with lengths (BinaryFILE), plain or packed by gzip or zstd.

    Each table reads the file once, in bounded memory beside it. Prices are ten-thousandths of a dollar. `symbols`
    is a list of names, or None for all. In every table `time` is since midnight and `record` is the number of the
    message in the file, from 0.
    """

    FORMAT = "itch"
    TABLES = ("touch", "trades", "messages", "depth", "imbalance", "halts", "symbols")

    def _reader(self, tables, symbols, levels, every):
        return _core.ItchTables(set(tables), names_of(symbols), self._orders, *_of_depth(levels, every))

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
        """A row for each message that changed an order: time, record, symbol, type, reference, new_reference, side, price,
        lots, lots_before.

        Side and price are those of the order, which most messages leave out. `type` is ITCH's letter. `lots` is what was
        added, executed, cancelled or deleted; `lots_before` what rested before, null for a new order. Of a replace ('U')
        price and lots are the new ones, and `new_reference` names the new order; else it is null.
        """
        return self._table("messages", symbols)

    def depth(self, symbols=None, levels=10, every="1s"):
        """The best levels at each multiple of `every` since midnight: time, symbol, bid_1, bid_lots_1, ask_1, ask_lots_1, ….

        A row is the book after all messages before its time. A level that is not there has no price and 0 lots. Between two
        messages nothing changes, so moments without a message in between have no row.
        """
        return self._table("depth", symbols, levels, every)

    def imbalance(self, symbols=None):
        """A row for each net order imbalance before an auction: time, record, symbol, paired, imbalance, direction, far, near,
        reference, cross.

        `paired` and `imbalance` are shares. `direction` is 'B' or 'S' (more buys or sells), 'N' (none), 'O' (too few
        orders) or 'P' (paused). `far` and `near` are clearing prices, `reference` the price that both counts are of; one of 0 is null. `cross`
        is 'O' at the open, 'C' at the close, 'H' after a halt, 'A' of extended trading.
        """
        return self._table("imbalance", symbols)

    def halts(self, symbols=None):
        """A row for each trading action: time, record, symbol, state, reason.

        `state` is 'T' (trades), 'H' or 'P' (halted) or 'Q' (collects quotes), `reason` the code of the venue.
        """
        return self._table("halts", symbols)

    def symbols(self):
        """A row for each symbol of the day: locate, symbol, round_lot (shares), market_category, classification.

        The last two are ITCH's letters. `locate` is the number of the symbol in this day alone.
        """
        return self._table("symbols", None)

    def report(self):
        """What is in the file: counts of messages by type, first and last time, the most orders at once; faults: how many
        did not fit, by reason.

        `fifo_score` is the share of fills that hit the head of their queue (guide/simulator.md); the file is read
        three times.
        """
        core = self._reader([], None, 1, "1s")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TapeWarning)
            self._play(core)
        first, last = core.times
        return {
            "messages": sum(core.counts.values()),
            "types": core.counts,
            "first_time": first,
            "last_time": last,
            "most_resting": core.most_resting,
            **self._check(),
        }


class TapeDay(Day):
    """What days of DBN, LOBSTER and Bitstamp have in common.

    The first call reads the file once more, to learn what its books need.
    """

    TABLES = ("touch", "trades", "messages", "depth")

    def _reader(self, tables, symbols, levels, every):
        depth = _of_depth(levels, every)
        return _core.TapeTables(self._survey(), set(tables), names_of(symbols), self._orders, *depth)

    def touch(self, symbols=None):
        """A row for each change of a best price or of the lots there: time, record, symbol, bid, bid_lots, ask, ask_lots.

        A row is the book after all records of one moment of the venue. A side without orders has no price (null, or
        `llmes.NONE`) and 0 lots.
        """
        return self._table("touch", symbols)

    def trades(self, symbols=None):
        """A row for each trade: time, record, symbol, price, lots, maker, kind, printed, reference.

        kind: 'order' (`maker` is the side of the resting order, `reference` its id, `price` what was paid), 'cross' (an
        auction), or 'other' (an order that no one saw; of DBN an auction, too). Of LOBSTER also those of orders that have
        rested since before the file. Of an iceberg, `lots` may be more than it showed. These files tell of no broken trades.
        printed = 'no': a fill of DBN that no trade of its event shows; leave it out of a volume. Without these, the lots are
        those of the file's trade records.
        """
        return self._table("trades", symbols)

    def messages(self, symbols=None):
        """A row for each event that changed an order: time, record, symbol, type, reference, new_reference, side, price, lots,
        lots_before.

        type: 'Add', 'Cancel', 'Reduce', 'Modify', 'Replace' or 'Execute'. A fill of DBN changes no order: the 'Reduce' or
        'Modify' behind it does. `lots` is what was added, executed or cancelled; `lots_before` what rested before, null for a
        new order. `new_reference` is that of a replace, else null.
        """
        return self._table("messages", symbols)

    def depth(self, symbols=None, levels=10, every="1s"):
        """The best levels at each multiple of `every`: time, symbol, bid_1, bid_lots_1, ask_1, ask_lots_1, ….

        A row is the book after all records before its time. A level that is not there has no price and 0 lots. Between
        two records nothing changes, so moments without a record in between have no row.
        """
        return self._table("depth", symbols, levels, every)

    def symbols(self):
        """A row for each book of the file: symbol, orders (that came), price_step (all its prices are multiples of it)."""
        return Table(self._survey().symbols())

    def report(self):
        """What is in the file and what does not fit.

        records, unreadable, times_back, suspect (the publisher speaks of a gap), events by type, those the books refused
        by reason, faults (all of these that are not 0), moments that leave a book crossed or locked, fills, and `fifo_score`: the share of fills that hit the
        head of their queue (guide/simulator.md).
        """
        return self._check()


class DbnDay(TapeDay):
    """A file of DBN, schema mbo, versions 1 to 3, plain or packed by zstd or gzip.

    Prices are billionths, times since 1970 (UTC). `symbols` is a list of names, or None for all; an instrument that the
    header does not name has its number as a name. `record` is the number of the record in the file, from 0. The schema
    tells of no halts and no imbalances.
    """

    FORMAT = "dbn"


class LobsterDay(TapeDay):
    """A message file of LOBSTER (CSV), plain or packed by gzip or zstd.

    Prices are ten-thousandths of a dollar, times since midnight, `record` is the line from 0. Its symbol is what stands
    before the first '_' or '.' of the file's name. It tells of no imbalances.
    """

    FORMAT = "lobster"
    TABLES = (*TapeDay.TABLES, "halts")

    def halts(self, symbols=None):
        """A row for each line of type 7: time, record, symbol, state: 'T' trades, 'H' is halted, 'Q' collects quotes."""
        return self._table("halts", symbols)


class BitstampDay(TapeDay):
    """Order events of Bitstamp (CSV with a line of names), plain or packed by gzip or zstd.

    Prices are hundred-millionths of the currency, lots hundred-millionths of a coin, times since 1970 (UTC), `record` is
    the line from 0, which is that of the names. Its symbol is what stands before the first '_' or '.' of the file's name. It
    tells of no halts and no imbalances. Each order that comes or leaves is a moment of its own; the executions at one time
    are one.
    """

    FORMAT = "bitstamp"


def itch(path, **options):
    """Opens a day of ITCH 5.0; see `ItchDay`."""
    return ItchDay(path, **options)


def dbn(path, **options):
    """Opens a file of DBN; see `DbnDay`."""
    return DbnDay(path, **options)


def lobster(path, **options):
    """Opens a message file of LOBSTER; see `LobsterDay`."""
    return LobsterDay(path, **options)


def bitstamp(path, **options):
    """Opens a file of Bitstamp's order events; see `BitstampDay`."""
    return BitstampDay(path, **options)


def find_day(path, **options):
    """Opens a file of any of these formats, which its first bytes tell."""
    kinds = {kind.FORMAT: kind for kind in (ItchDay, DbnDay, LobsterDay, BitstampDay)}
    path = regular(path)
    return kinds[format_of(path, "any")](path, **options)
