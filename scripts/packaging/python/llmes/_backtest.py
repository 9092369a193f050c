# SPDX-License-Identifier: MIT
"""Strategies in a replayed market."""
import numpy

from . import _core
from ._books import _SIDES, _TIMES, codes_of, count_of, numbers, spread
from ._days import Day, find_day, names_of, nanoseconds, warn, whole
from ._tables import NONE, Table

#: What a compiled strategy is told, as a struct of C: see `Compiled`.
EVENT = numpy.dtype([("time", "u8"), ("price", "i8"), ("lots", "u8"), ("bid", "i8"), ("bid_lots", "u8"), ("ask", "i8"),
                     ("ask_lots", "u8"), ("position", "i8"), ("tag", "u8"), ("order", "u4"), ("next_order", "u4"), ("book", "u4"),
                     ("type", "u1"), ("side", "u1"), ("answer", "u1"), ("is_maker", "u1")], align=True)
#: What it does, as a struct of C.
ACTION = numpy.dtype([("price", "i8"), ("lots", "u8"), ("time", "u8"), ("tag", "u8"), ("order", "u4"), ("book", "u4"),
                      ("type", "u1"), ("side", "u1"), ("time_in_force", "u1")], align=True)

_METHODS = ("on_start", "on_market", "on_trade", "on_answer", "on_fill", "on_timer")
_WAYS = ("feed", "entry", "modify", "cancel", "response")
_PARTS = ("per_lot", "per_notional", "per_order")


def _wrong(word, what, words):
    return ValueError(f"{what} '{word}': it is one of {', '.join(words)}")


def _series(delay):
    """The delays of messages of one kind as an array; None for those of the file."""
    if isinstance(delay, str) and delay == "received":
        return None
    delay = numpy.atleast_1d(numpy.asarray(nanoseconds(delay, "latency") if isinstance(delay, str) else delay))
    if delay.dtype.kind == "m":
        delay = delay.astype("m8[ns]").astype("i8")
    if delay.ndim != 1 or not delay.size or delay.dtype.kind not in "iu" or (delay < 0).any():
        raise ValueError("latency: nanoseconds from 0 up, words such as '50us', or an array of these")
    return numpy.ascontiguousarray(delay, dtype=numpy.uint64)


def _delays(latency):
    if latency is None:
        latency = {}
    if not isinstance(latency, dict):
        latency = dict.fromkeys(_WAYS, latency)
    for way in latency:
        if way not in _WAYS:
            raise _wrong(way, "latency", _WAYS)
    entry = latency.get("entry", 0)
    delays = [_series(latency.get(way, entry if way in ("modify", "cancel") else 0)) for way in _WAYS]
    if any(delay is None for delay in delays[1:]):
        raise ValueError("latency: only the feed can take as long as the file says ('received')")
    return delays


def _fees(fees):
    if fees is None:
        fees = {}
    if not isinstance(fees, dict):
        try:
            maker, taker = fees
        except (TypeError, ValueError):
            raise ValueError("fees: two of them, (maker, taker), or a dict") from None
        fees = {"maker": maker, "taker": taker}
    rates = []
    for role in fees:
        if role not in ("maker", "taker"):
            raise _wrong(role, "fees", ("maker", "taker"))
    for role in ("maker", "taker"):
        rate = fees.get(role, 0)
        rate = rate if isinstance(rate, dict) else {"per_lot": rate}
        for part in rate:
            if part not in _PARTS:
                raise _wrong(part, "fees", _PARTS)
        try:
            rates.append([float(rate.get(part, 0)) for part in _PARTS])
        except (TypeError, ValueError):
            raise ValueError(f"fees: {rate} of the {role} is no number") from None
    return rates


class Compiled:
    """A strategy that is a C function, such as one of `numba.cfunc`; it is called without Python's lock.

        int64_t strategy(const EVENT*, ACTION*, void* state)

    `EVENT` and `ACTION` are numpy dtypes; `numba.from_dtype` takes them. It writes at most 16 actions and returns how many,
    or a number below 0 to end the run. `state` is an array of yours, whose address it gets. Such a function cannot be
    interrupted.

    EVENT.type   0 start, 1 market, 2 trade, 3 answer, 4 fill, 5 timer. `book` counts the symbols of `run.symbols`; bid, ask
                 and position are of it. A price that is not there is NONE. `side` 0 buys, 1 sells; of a trade it is the
                 maker's. `answer`: 0 accepted, 1 modified, 2 cancelled, 3 rejected, 4 modify rejected, 5 cancel rejected.
                 `next_order` is the number of the next order sent
    ACTION.type  0 add_limit, 1 add_market, 2 modify, 3 cancel, 4 subscribe (`lots` levels), 5 wake_at. `time_in_force`
                 0 gtc, 1 post_only, 2 ioc, 3 fok. One that cannot be sent ends the run with RuntimeError
    """

    def __init__(self, address, state=None):
        if isinstance(address, bool) or not isinstance(state, (numpy.ndarray, type(None))):
            raise TypeError("Compiled: the address of a C function, such as `address` of numba.cfunc, and an array of numpy")
        self._address, self._state = whole(address, "address", 1), state
        self._place = 0 if state is None else state.ctypes.data


def _checked(strategy):
    if isinstance(strategy, int):
        strategy = Compiled(strategy)
    if isinstance(strategy, Compiled):
        return strategy
    names = [name for name in dir(strategy) if name.startswith("on_")]
    for name in names:
        if name not in _METHODS:
            raise _wrong(name, "method of a strategy", _METHODS)
    if not names or isinstance(strategy, type):
        raise TypeError(f"{strategy!r} is no strategy: an object with some of {', '.join(_METHODS)}")
    return strategy


class Run:
    """What a strategy has done, as the venue knows it. Prices and money are in units of the file."""

    def __init__(self, core, number):
        self._core, self._number = core, number

    @property
    def orders(self):
        """A row for each order sent: its number, what became of it and when, and what was ahead when it began to rest.

        `price` and `lots` are as it was sent, `last_price` and `last_lots` as last modified; a market order has no price.
        `reason` says why it ended unfilled.
        """
        return Table(self._core.orders(self._number))

    @property
    def fills(self):
        """A row for each fill: `record` is that of the file which caused it, `cause` says how, `fee` is below 0 for a rebate.

        `other` is the order of the market that traded, or whose execution it took. `mid` is the mid at that moment,
        `mid_later` a second later; null if there was none.
        """
        return Table(self._core.fills(self._number))

    @property
    def equity(self):
        """time, value: cash, and positions at the mid, or without one at the last that was met.

        A row each `equity_every`, unless nothing has happened since, and one at the end.
        """
        return Table(self._core.equity(self._number))

    @property
    def positions(self):
        """Lots bought less lots sold at the end, by symbol; 0 is left out."""
        return self._core.positions(self._number)

    @property
    def symbols(self):
        """The symbols that were played; a compiled strategy knows them by their place here."""
        return self._core.symbols

    @property
    def faults(self):
        """How many records of the tape did not fit, by reason, as the `faults` of `day.report()`."""
        return self._core.faults

    def summary(self):
        """A dict of numbers.

        fill_rate is a share; spread_captured and adverse_selection (one second later) are prices a lot of maker fills;
        median_wait is nanoseconds from the venue to a maker fill; result is the last equity. lots_more, lots_fewer and
        levels say how far the market has left history at the end, lots_peak how many lots at most, displayed_taken how
        many displayed lots own orders took: as takers, or of orders that came and cross them.
        """
        whole = ("fill_rate", "spread_captured", "adverse_selection", "fees", "result")
        numbers = self._core.summary(self._number)
        return {name: number if name in whole else int(number) for name, number in numbers.items()}

    def why(self, order, steps=6):
        """The story of an order, a line for each step: what was ahead of it, its modifies, what filled it, or why it ended.

        At most the last `steps` other changes of its place are told.
        """
        return self._core.why(self._number, whole(order, "order"), whole(steps, "steps")).rstrip("\n")

    def plot(self, axes=None):
        """Equity and position over time, drawn by matplotlib. Returns the figure."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("run.plot() draws with matplotlib; install it: pip install matplotlib") from None
        if axes is None:
            _, axes = pyplot.subplots(2, 1, sharex=True, figsize=(9, 6), layout="constrained")
        upper, lower = axes

        def when(times):  # hours of the day, or the date
            return times / numpy.timedelta64(1, "h") if times.dtype.kind == "m" else times

        equity, fills = self.equity, self.fills
        if len(equity):
            upper.plot(when(equity["time"]), equity["value"], linewidth=0.9)
        upper.set(title="equity", ylabel="price × lots")
        lots = numpy.where(fills["side"] == "buy", fills["lots"], -fills["lots"])
        for symbol in sorted(set(fills["symbol"])):
            of = fills["symbol"] == symbol
            held = lots[of].cumsum()
            times = numpy.concatenate([equity["time"][:1], fills["time"][of], equity["time"][-1:]])
            lower.step(when(times), [0, *held, held[-1]], where="post", linewidth=0.9, label=symbol)
        lower.set(title="position", ylabel="lots", xlabel="hour of the day" if fills["time"].dtype.kind == "m" else "time")
        if len(fills):
            lower.legend()
        return upper.figure

    def __repr__(self):
        numbers = self.summary()
        return (f"<llmes.Run: {numbers['orders']} orders, {numbers['lots_made'] + numbers['lots_taken']} lots filled, "
                f"result {numbers['result']:.0f}>")


def _day_of(day):
    """A day, or the file at a path."""
    if isinstance(day, Day):
        return day
    if isinstance(day, (list, tuple)):
        raise TypeError(f"day: one, not {len(day)}; call it for each day")
    return find_day(day)


def _options(symbols, latency, tick, lot, auctions, fees=None, impact="none", stay=0, equity_every=0, own_orders=0, steps=0):
    if impact not in ("none", "displace"):
        raise _wrong(impact, "impact", ("none", "displace"))
    if auctions not in ("none", "at_print"):
        raise _wrong(auctions, "auctions", ("none", "at_print"))
    return {
        "symbols": names_of(symbols),
        "delays": _delays(latency),
        "fees": _fees(fees),
        "tick": 0 if tick is None else whole(tick, "tick", 1),
        "lot": whole(lot, "lot", 1),
        "displace": impact == "displace",
        "fills_in_auctions": auctions == "at_print",
        "stay": nanoseconds(stay, "stay"),
        "equity_every": nanoseconds(equity_every, "equity_every"),
        "own_orders": whole(own_orders, "own_orders", 0, 2**32 - 2),
        "steps": whole(steps, "steps", 0, 2**32 - 2),
    }


def backtest(day, strategy, *, symbols=None, latency=None, fees=None, impact="none", stay="1s", tick=None, lot=1, auctions="none",
             equity_every="1min", own_orders=1_000_000, steps=1_000_000):
    """Plays a day with a strategy in it, and returns its `Run`; for a list of strategies a list, each as if alone.

    `day` is `llmes.itch(…)`, `llmes.dbn(…)`, `llmes.lobster(…)`, `llmes.bitstamp(…)` or a path. A strategy is an object with
    some of these methods, or a compiled function (`Compiled`, or its address); `desk` (see `llmes.Desk`) has its commands and what it knows:

        on_start(desk)              before the first event
        on_market(desk, symbol)     a subscribed level has changed
        on_trade(desk, trade)       a subscribed symbol has traded
        on_answer(desk, answer)     the venue has answered a command
        on_fill(desk, fill)         an order has traded
        on_timer(desk, tag)         the time of desk.wake_at(time, tag) has come

    symbols       of the market to play; None for all. Fewer are faster
    latency       one duration for each way (nanoseconds or '50us'), or a dict of 'feed', 'entry', 'modify', 'cancel'
                  (both as 'entry' if left out) and 'response'. An array is a measured series, which repeats; the feed
                  can be 'received': receive time less event time
    fees          (maker, taker), each a price a lot, below 0 for a rebate; or a dict of 'maker' and 'taker', each with
                  'per_lot', 'per_notional' (millionths of what is paid, or parts of one) and 'per_order'. ValueError for one
                  that cannot be counted in millionths of a tick; the fee of a fill is rounded to one
    impact        'none': the tape stays as it is, and no displayed lot is taken twice. 'displace': takers are matched
                  again with our orders in the book; whom we displaced stays for `stay`
    tick, lot     own prices and quantities are multiples of these; the tick of all prices of the file if left out
    auctions      'none': an auction fills no own order. 'at_print': they take part at the print
    equity_every  how often equity is noted
    own_orders, steps   the most orders that a strategy sends, and changes of place, and modifies, of their stories

    An exception in a method ends the run and is raised; so does Ctrl-C. Its attribute `run` has what happened so far.
    The first call on a day reads the file once more, to learn what its books need. A `TapeWarning` says that records did
    not fit (`run.faults`), or that a strategy with `on_market` or `on_trade` has subscribed to nothing.
    """
    day = _day_of(day)
    many = isinstance(strategy, (list, tuple))
    options = _options(symbols, latency, tick, lot, auctions, fees, impact, stay, equity_every, own_orders, steps)
    strategies = [_checked(one) for one in (strategy if many else [strategy])]
    if not strategies:
        raise ValueError("strategy: none is there")
    core = _core.Backtest(day._survey(), options, strategies)
    runs = [Run(core, number) for number in range(len(strategies))]
    try:
        for _ in day._read(core):
            core.check()  # not in there: what a strategy raises is not about the file
        core.check()
    except BaseException as error:
        try:
            error.run = runs if many else runs[0]
        except AttributeError:  # an exception may have no room for it
            pass
        raise
    finally:
        core.end()
    for number, one in enumerate(strategies):
        hears = [name for name in ("on_market", "on_trade") if hasattr(one, name)]
        if hears and not core.has_subscribed(number):
            warn(f"{type(one).__name__} has {' and '.join(hears)}, but was not called: it has subscribed to no symbol; "
                 "call desk.subscribe(symbol) in on_start")
    return runs if many else runs[0]


def _times(times, what):
    times = numpy.asarray(times)
    if times.dtype.kind in "mM":
        times = times.astype(f"{times.dtype.kind}8[ns]").astype("i8")
    if times.dtype.kind not in "iu" and times.size:
        raise TypeError(f"{what}: nanoseconds, or times of numpy" + (what == "cancel") * "; llmes.NONE is never")
    return times


def shadows(day, orders, *, latency=None, tick=None, lot=1, auctions="none"):
    """Plays a day with hypothetical orders, a million of them in one pass, each as if alone; impact 'none'.

    `day` is as for `backtest`. `orders` has columns, by `orders[name]`: a dict of arrays, a `Table`, a data frame of
    polars or pandas. An element is an order; one value stands for all. Returns a table with a row for each order.

        symbol, side, price, lots   as `Desk.add_limit` has them
        time                        when it is sent: nanoseconds, or times of numpy
        cancel                      may be left out: when its cancel is sent; NONE or no time: never
        time_in_force               may be left out: 'gtc'

    `latency` is one duration, or a dict of 'entry' and 'cancel'; of an array order i takes element i.

    The columns: filled and taken (of these as taker) lots, the mean price, state and reason, arrived, ended, what was ahead
    when it began to rest, and of its first and last fill time, record and cause. `other` is the order of the market that
    the last one traded with, or whose execution it took. A wrong order is 'not sent', with the reason.
    """
    day = _day_of(day)
    try:
        has = orders.__contains__ if isinstance(orders, dict) else list(orders.columns).__contains__
    except AttributeError:
        raise TypeError("orders: a dict of columns, a Table or a data frame") from None
    columns = {}
    for name, other in (("symbol", None), ("side", None), ("price", None), ("lots", None), ("time", None),
                        ("cancel", NONE), ("time_in_force", "gtc")):
        if not has(name) and other is None:
            raise ValueError(f"orders: there is no column '{name}'")
        columns[name] = numpy.asarray(orders[name] if has(name) else other)
    symbols, codes = numpy.unique(columns["symbol"].astype(str), return_inverse=True)
    symbols, cancels = symbols.tolist(), _times(columns["cancel"], "cancel")
    never = cancels == NONE
    cancels = numbers(numpy.where(never, 0, cancels), numpy.uint64, "cancel")
    arrays = {
        "symbol": codes.reshape(columns["symbol"].shape).astype(numpy.uint32),
        "side": codes_of(columns["side"], _SIDES, "side"),
        "time_in_force": codes_of(columns["time_in_force"], _TIMES, "time_in_force"),
        "time": numbers(_times(columns["time"], "time"), numpy.uint64, "time"),
        "cancel": numpy.where(never, numpy.iinfo(numpy.uint64).max, cancels),
        "price": numbers(columns["price"], numpy.int64, "price"),
        "lots": numbers(columns["lots"], numpy.uint64, "lots"),
    }
    count = count_of(columns.values())
    core = _core.ShadowPass(day._survey(), _options(symbols or None, latency, tick, lot, auctions), symbols,
                            *(spread(array, count, name) for name, array in arrays.items()))
    day._play(core)
    return Table(core.results())
