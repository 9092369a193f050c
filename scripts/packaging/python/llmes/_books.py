# SPDX-License-Identifier: MIT
"""The order book, with calls for whole arrays of commands."""
import numpy

from . import _core
from ._tables import Table

Result = _core.Result
_TYPES = ("add_limit", "add_market", "cancel", "modify", "reduce", "replace")
_SIDES = ("buy", "sell")
_TIMES = ("gtc", "post_only", "ioc", "fok")


def _codes(words, names, what):
    words = numpy.asarray(words)
    if words.dtype.kind in "iu":
        return numpy.ascontiguousarray(words, dtype=numpy.uint8)
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
        count = max(numpy.size(one) for one in (types, ids, sides, prices, lots, times_in_force, new_ids))

        def whole(values, kind):
            values = numpy.asarray(values)
            if values.dtype.kind not in "iub":
                raise TypeError("ids, prices and lots are whole numbers")
            return numpy.ascontiguousarray(numpy.broadcast_to(values, count), dtype=kind)

        results, trades = self._apply(
            numpy.ascontiguousarray(numpy.broadcast_to(_codes(types, _TYPES, "type"), count)),
            whole(ids, numpy.uint64),
            numpy.ascontiguousarray(numpy.broadcast_to(_codes(sides, _SIDES, "side"), count)),
            whole(prices, numpy.int64),
            whole(lots, numpy.uint64),
            numpy.ascontiguousarray(numpy.broadcast_to(_codes(times_in_force, _TIMES, "time_in_force"), count)),
            whole(new_ids, numpy.uint64),
        )
        return Table(results), Table(trades)
