# SPDX-License-Identifier: MIT
"""A file of DBN (mbo) in the simplest way, and orders of ours in it: struct, dicts and lists. It shares no code with the package."""
import bisect
import struct

NO_PRICE = 2**63 - 1
LAST = 128
SIDES = {b"B": "buy", b"A": "sell"}
SIGN = {"buy": 1, "sell": -1}


class Book:
    """Orders of one instrument, each [side, price, lots, place in time]."""

    def __init__(self):
        self.orders, self.lots, self.prices, self.entered = {}, {"buy": {}, "sell": {}}, {"buy": [], "sell": []}, 0
        self.end_event()

    def end_event(self):
        self.aggressor = None
        self.filled = {}  # lots of orders that have traded in the event at work, and that no record has taken off them

    def change(self, side, price, by):
        """Lots of a price, and all prices in their order."""
        levels = self.lots[side]
        if price not in levels:
            bisect.insort(self.prices[side], price)
        levels[price] = levels.get(price, 0) + by
        if levels[price] == 0:
            del levels[price]
            self.prices[side].remove(price)

    def add(self, id, side, price, lots):
        self.entered += 1
        self.orders[id] = [side, price, lots, self.entered]
        self.change(side, price, lots)

    def take(self, id, lots):
        side, price, had, _ = self.orders[id]
        self.change(side, price, -lots)
        self.orders[id][2] -= lots
        if had == lots:
            del self.orders[id]

    def is_of_taker(self, side):
        return side is not None and side == self.aggressor

    def is_fill_of_a_maker(self, side, id):
        return id in self.orders and not self.is_of_taker(side)

    def left(self, id):
        """What the fills of the event have left of the lots that an order shows."""
        return max(0, self.orders[id][2] - self.filled.get(id, 0))

    def apply(self, action, side, id, price, lots):
        if action == b"A":
            self.add(id, side, price, lots)
        elif action == b"C" and id in self.orders:
            self.filled[id] = max(0, self.filled.get(id, 0) - lots)
            self.take(id, lots)
        elif action == b"M" and id in self.orders:
            _, old, had, place = self.orders[id]
            stays = price == old and lots <= self.left(id)
            self.filled.pop(id, None)
            self.take(id, had)
            self.add(id, side, price, lots)
            if stays:
                self.orders[id][3] = place
        elif action == b"M":
            self.add(id, side, price, lots)
        elif action == b"T":
            self.aggressor = side
        elif action == b"F" and self.is_fill_of_a_maker(side, id):
            self.filled[id] = self.filled.get(id, 0) + lots
        elif action == b"R":
            self.__init__()

    def best(self, side):
        prices = self.prices[side]
        return (prices[-1] if side == "buy" else prices[0]) if prices else None

    def touch(self):
        return tuple(one for side in ("buy", "sell") for one in (self.best(side), self.lots[side].get(self.best(side), 0)))

    def is_crossed(self):
        return None not in (self.best("buy"), self.best("sell")) and self.best("buy") >= self.best("sell")

    def facing(self, side, price):
        """Ids of the orders that an order would meet, the best first."""
        other = "sell" if side == "buy" else "buy"
        return sorted((id for id, order in self.orders.items() if order[0] == other and SIGN[side] * (price - order[1]) >= 0),
                      key=lambda id: (SIGN[side] * self.orders[id][1], self.orders[id][3]))


class File:
    def __init__(self, data):
        assert data[:3] == b"DBN"
        version, length = data[3], struct.unpack_from("<I", data, 4)[0]
        width = 22 if version == 1 else struct.unpack_from("<H", data, 8 + 45)[0]
        at = 8 + 100 + 4
        for _ in range(3):
            at += 4 + width * struct.unpack_from("<I", data, at)[0]
        names = {}
        (mappings,) = struct.unpack_from("<I", data, at)
        at += 4
        for _ in range(mappings):
            name, intervals = data[at : at + width].rstrip(b"\0").decode(), struct.unpack_from("<I", data, at + width)[0]
            at += width + 4
            for _ in range(intervals):
                names[int(data[at + 8 : at + 8 + width].rstrip(b"\0"))] = name
                at += 8 + width
        self.records, self.touch, self.fills = [], [], []
        self.moments, self.crossed, self.of_icebergs = 0, [], []  # times; lots of fills above what the order showed
        self.unknown = 0  # cancels and fills of orders that nobody has shown
        books, before, now = {}, {}, 0
        for record, at in enumerate(range(8 + length, len(data), 56)):
            _, kind, _, instrument, time, id, price, lots, flags, _, action, side = struct.unpack_from("<BBHIQQqIBBcc", data, at)
            assert kind == 0xA0
            now, name, side = max(now, time), names.get(instrument, str(instrument)), SIDES.get(side)
            self.records.append((now, name, action, side, id, price, lots, flags & LAST))
            if action == b"F":
                self.fills.append((now, record, name, price, lots, side, id))
            book = books.setdefault(name, Book())
            if action == b"F" and book.is_fill_of_a_maker(side, id) and lots > book.left(id):
                self.of_icebergs.append(lots)
            if id not in book.orders and (action == b"C" or action == b"F" and not book.is_of_taker(side)):
                self.unknown += 1
            book.apply(action, side, id, price, lots)
            if not flags & LAST:
                continue
            book.end_event()
            self.moments += 1
            if book.is_crossed():
                self.crossed.append(now)
            if book.touch() != before.get(name, (None, 0, None, 0)):
                self.touch.append((now, record, name, *book.touch()))
            before[name] = book.touch()


class Alone:
    """Orders of ours (time, side, price, lots, cancel time or None) in an instrument, each as if alone; auctions fill none."""

    def __init__(self, records, name, orders):
        self.book, self.orders = Book(), orders
        self.open = [order[3] for order in orders]
        self.state, self.ahead, self.place = ["sent"] * len(orders), {}, {}
        self.fills = [[] for _ in orders]                # (price, lots, time, cause)
        self.taken = [{} for _ in orders]                # by id
        self.resting = {"buy": {}, "sell": {}}           # by price
        due = sorted([(order[0], 0, i) for i, order in enumerate(orders)] +
                     [(order[4], 1, i) for i, order in enumerate(orders) if order[4] is not None])
        records = [(time, *rest) for time, of, *rest in records if of == name]
        begins, was_crossed = True, False
        for time, action, side, id, price, lots, last in records:
            if begins:
                while due and due[0][0] < time:  # at one time the market is first
                    self.arrive(*due.pop(0))
                executed, came, is_auction = [], set(), False
            self.now, begins = time, last
            if action == b"T":
                is_auction = is_auction or side is None
            elif action == b"F" and self.book.is_fill_of_a_maker(side, id):
                of, at, _, entered = self.book.orders[id]
                shown = min(lots, self.book.left(id))  # the rest is of the reserve, which is behind all of us
                executed += [(of, at, price, shown, entered), (of, at, price, lots - shown, self.book.entered + 1)]
            elif action == b"M" and id in self.book.orders:
                _, old, had, _ = self.book.orders[id]
                if price == old and self.book.left(id) < lots <= had:
                    for taken in self.taken:  # other lots than those that we took
                        taken.pop(id, None)
            before = self.book.entered
            self.book.apply(action, side, id, price, lots)
            if self.book.entered > before and not (action == b"M" and self.book.orders[id][3] < before):
                came.add(side)
            if not last:
                continue
            self.book.end_event()
            is_crossed = self.book.is_crossed()
            if was_crossed and not is_crossed:
                came = {"buy", "sell"}
            if not is_auction:
                self.trade(executed)
            if not is_crossed and (not is_auction or was_crossed):
                for side in came:
                    self.meet("sell" if side == "buy" else "buy")
            was_crossed = is_crossed

    def of(self, side, meets):
        """Orders of ours that rest at a price for which `meets` says so."""
        return [i for price in list(self.resting[side]) if meets(price) for i in list(self.resting[side][price])]

    def fill(self, i, price, lots, cause):
        self.open[i] -= lots
        self.fills[i].append((price, lots, self.now, cause))
        if self.open[i] == 0:
            self.end(i, "filled")

    def end(self, i, state):
        _, side, price, *_ = self.orders[i]
        if self.state[i] == "resting":
            self.resting[side][price].remove(i)
            if not self.resting[side][price]:
                del self.resting[side][price]
        self.state[i] = state

    def take(self, i, cause):
        _, side, price, *_ = self.orders[i]
        for id in self.book.facing(side, price):
            lots = min(self.open[i], self.book.orders[id][2] - min(self.book.orders[id][2], self.taken[i].get(id, 0)))
            if lots:
                self.taken[i][id] = self.taken[i].get(id, 0) + lots
                self.fill(i, self.book.orders[id][1] if cause == "took" else price, lots, cause)

    def arrive(self, time, is_cancel, i):
        _, side, price, *_ = self.orders[i]
        if is_cancel:
            if self.state[i] == "resting":
                self.end(i, "cancelled")
            return
        self.now = time
        if not self.book.is_crossed():
            self.take(i, "took")
        if self.open[i]:
            self.state[i] = "resting"
            self.resting[side].setdefault(price, []).append(i)
            self.place[i], self.ahead[i] = self.book.entered, self.book.lots[side].get(price, 0)

    def trade(self, executed):
        for side in ("buy", "sell"):
            of_side = sorted((one for one in executed[::-1] if one[0] == side and one[3]), key=lambda one: SIGN[side] * one[1])
            for _, at, paid, lots, entered in of_side:  # the worst first
                for i in self.of(side, lambda price: SIGN[side] * (price - at) >= 0):
                    price = self.orders[i][2]
                    if price != at and paid != at or price == at and entered <= self.place[i]:
                        continue
                    self.fill(i, price, min(lots, self.open[i]), "behind" if price == at else "through")

    def meet(self, side):
        best = self.book.best("sell" if side == "buy" else "buy")
        if best is not None:
            for i in self.of(side, lambda price: SIGN[side] * (price - best) >= 0):
                self.take(i, "crossed")
