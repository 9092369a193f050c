# SPDX-License-Identifier: MIT
"""The order book, with calls for whole arrays of commands."""
import numpy

from . import _core
from ._tables import Table

Result = _core.Result
_TYPES = ("add_limit", "add_market", "cancel", "modify", "reduce", "replace")
_SIDES = ("buy", "sell")
_TIMES = ("gtc", "post_only", "ioc", "fok")


def numbers(values, kind, what):
    """An array of whole numbers that are in the range of `kind`."""
    values = numpy.asarray(values)
    if values.dtype.kind not in "iub" and values.size:
        raise TypeError(f"{what}: whole numbers")
    limits = numpy.iinfo(kind)
    if values.size and int(values.min()) < limits.min:
        raise ValueError(f"{what}: {limits.min} or more, not {values.min()}")
    if values.size and int(values.max()) > limits.max:
        raise ValueError(f"{what}: at most {limits.max}, not {values.max()}")
    return values.astype(kind)


def count_of(columns):
    """How many rows columns have, if one value stands for all rows."""
    return max({column.size for column in columns if column.ndim} - {1}, default=1)


def spread(values, count, what):
    """A value for each row."""
    if values.ndim > 1 or values.size not in (1, count):
        raise ValueError(f"{what}: {' x '.join(map(str, values.shape))} values; one, or {count} as the others")
    return numpy.ascontiguousarray(numpy.broadcast_to(values, count))


def codes_of(words, names, what):
    words = numpy.asarray(words)
    if words.dtype.kind in "iu":
        return numbers(words, numpy.uint8, what)
    codes = numpy.full(words.shape, 255, dtype=numpy.uint8)
    for code, name in enumerate(names):
        codes[words == name] = code
    if (codes == 255).any():
        wrong = words[codes == 255][0]
        raise ValueError(f"{what} '{wrong}': it is one of {', '.join(names)}")
    return codes


class OrderBook(_core.OrderBook):
    __doc__ = _core.OrderBook.__doc__

    def apply(self, types, ids, sides="buy", prices=0, lots=0, times_in_force="gtc", new_ids=0):
        """Makes many calls at once, in order; an argument may be an array, or one value for all.

        `types` are 'add_limit', 'add_market', 'cancel', 'modify', 'reduce' and 'replace'. Returns two tables: a row for each call
        (status, filled, remaining, cancelled), and a row for each trade (command, taker, maker, price, lots,
        maker_remaining).
        """
        columns = {
            "types": codes_of(types, _TYPES, "type"),
            "ids": numbers(ids, numpy.uint64, "ids"),
            "sides": codes_of(sides, _SIDES, "side"),
            "prices": numbers(prices, numpy.int64, "prices"),
            "lots": numbers(lots, numpy.uint64, "lots"),
            "times_in_force": codes_of(times_in_force, _TIMES, "time_in_force"),
            "new_ids": numbers(new_ids, numpy.uint64, "new_ids"),
        }
        count = count_of(columns.values())
        results, trades = self._apply(*(spread(column, count, name) for name, column in columns.items()))
        return Table(results), Table(trades)
