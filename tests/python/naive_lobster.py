# SPDX-License-Identifier: MIT
"""A made market as lines of LOBSTER, its books, and orders of ours in it, in the simplest way.

It shares no code with the package.
"""
import random

ADD, REDUCE, CANCEL, EXECUTE, HIDDEN = 1, 2, 3, 4, 5
SIGN = {"buy": 1, "sell": -1}


class Book:
    """Orders of the market, each [side, price, lots, place in time]."""

    def __init__(self):
        self.orders = {}
        self.messages = 0

    def queue(self, side):
        """Ids, the best first."""
        return sorted((id for id, order in self.orders.items() if order[0] == side),
                      key=lambda id: (-SIGN[side] * self.orders[id][1], self.orders[id][3]))

    def best(self, side):
        queue = self.queue(side)
        return self.orders[queue[0]][1] if queue else None

    def level(self, side, price):
        return sum(order[2] for order in self.orders.values() if order[:2] == [side, price])

    def apply(self, type, id, lots, price, side):
        self.messages += 1
        if type == ADD:
            self.orders[id] = [side, price, lots, self.messages]
        elif type in (REDUCE, CANCEL, EXECUTE):
            self.orders[id][2] -= self.orders[id][2] if type == CANCEL else lots
            if self.orders[id][2] == 0:
                del self.orders[id]


def crosses(side, price, other):
    return SIGN[side] * (price - other) >= 0


def made_tape(seed, count):
    """Lines (time, type, id, lots, price, side) of a market that follows price and time."""
    draw, book, lines, time, mid, id = random.Random(seed), Book(), [], 34_200_000_000_000, 1_000_000, 0

    def say(*line):
        lines.append((time, *line))
        book.apply(*line)

    while len(lines) < count:
        time += draw.randint(1, 2_000_000)
        mid += draw.choice([-100, 0, 0, 0, 0, 100])
        side = draw.choice(["buy", "sell"])
        id += 1
        if draw.random() < 0.25 and book.orders:
            other = draw.choice(list(book.orders))
            side, price, lots, _ = book.orders[other]
            if lots > 1 and draw.random() < 0.5:
                say(REDUCE, other, draw.randint(1, lots - 1), price, side)
            else:
                say(CANCEL, other, lots, price, side)
            continue
        if draw.random() < 0.02:
            say(HIDDEN, 0, draw.randint(1, 9), mid, side)
            continue
        price, lots = mid - SIGN[side] * 100 * draw.choice([-4, -2, 0, 1, 1, 2, 2, 3]), draw.randint(1, 20)
        facing = "sell" if side == "buy" else "buy"
        for other in book.queue(facing):
            if lots == 0 or not crosses(side, price, book.orders[other][1]):
                break
            taken = min(lots, book.orders[other][2])
            lots -= taken
            say(EXECUTE, other, taken, book.orders[other][1], facing)
        if lots:
            say(ADD, id, lots, price, side)
    return lines


def text_of(lines):
    return "".join(f"{time // 10**9}.{time % 10**9:09d},{type},{id},{lots},{price},{SIGN[side]}\n"
                   for time, type, id, lots, price, side in lines).encode()


def touch_of(lines):
    """Rows (time, record, bid, bid_lots, ask, ask_lots). Executions of one time are one event."""
    book, rows, before = Book(), [], (None, 0, None, 0)
    for record, (time, type, *rest) in enumerate(lines):
        book.apply(type, *rest)
        following = lines[record + 1] if record + 1 < len(lines) else (None, None)
        if type == EXECUTE and following[:2] == (time, EXECUTE):
            continue
        bid, ask = book.best("buy"), book.best("sell")
        now = (bid, book.level("buy", bid), ask, book.level("sell", ask))
        if now != before:
            rows.append((time, record, *now))
        before = now
    return rows


class Own:
    """Orders of ours: (time, side, price, lots, time_in_force, cancel time or None), the tape as it is."""

    def __init__(self, lines, commands, entry=0, cancel=0):
        self.book, self.taken, self.fills = Book(), {}, []
        self.side, self.price, self.open, self.force = zip(*(c[1:5] for c in commands))
        self.open = list(self.open)
        self.state = ["sent"] * len(commands)
        self.stamp, self.ahead, self.resting = {}, {}, []
        due = []
        last = 0  # what we send does not overtake what we sent before
        for time, kind, i in sorted([(c[0], 0, i) for i, c in enumerate(commands)] +
                                    [(c[5], 1, i) for i, c in enumerate(commands) if c[5] is not None]):
            last = max(last, time + (cancel if kind else entry))
            due.append((last, kind, i))
        at, executions = 0, []
        for record, (time, type, *rest) in enumerate(lines):
            while not executions and due and due[0][0] < time:  # at one time the market is first
                self.arrive(*due.pop(0))
            if type == EXECUTE:
                executions.append((rest[3], rest[2], rest[1], self.book.orders[rest[0]][3]))
            self.book.apply(type, *rest)
            following = lines[record + 1] if record + 1 < len(lines) else (None, None)
            if type == EXECUTE and following[:2] == (time, EXECUTE):
                continue
            self.end(time, executions, rest[1:3] if type == HIDDEN else (0, 0), type == ADD and rest[3])
            executions = []
        while due and due[0][0] <= lines[-1][0]:
            self.arrive(*due.pop(0))

    def own(self, side):
        return sorted((i for i in self.resting if self.side[i] == side),
                      key=lambda i: (-SIGN[side] * self.price[i], self.stamp[i]))

    def displayed(self, i):
        """What an order of ours may take: (id, price, lots left)."""
        facing = "sell" if self.side[i] == "buy" else "buy"
        for id in self.book.queue(facing):
            _, price, lots, _ = self.book.orders[id]
            if not crosses(self.side[i], self.price[i], price):
                return
            left = lots - min(lots, self.taken.get(id, 0))
            if left:
                yield id, price, left

    def fill(self, i, price, lots, time, cause):
        self.open[i] -= lots
        self.fills.append((i, price, lots, time, cause))
        if self.open[i] == 0:
            self.state[i] = "filled"
            if i in self.resting:
                self.resting.remove(i)

    def take(self, i, time, cause):
        for id, price, left in list(self.displayed(i)):
            lots = min(left, self.open[i])
            if lots == 0:
                return
            self.taken[id] = self.taken.get(id, 0) + lots
            self.fill(i, price if cause == "took" else self.price[i], lots, time, cause)

    def arrive(self, time, is_cancel, i):
        if is_cancel:
            if i in self.resting:
                self.resting.remove(i)
                self.state[i] = "cancelled"
            return
        facing = "sell" if self.side[i] == "buy" else "buy"
        can_take = sum(left for _, _, left in self.displayed(i))
        if (any(crosses(self.side[i], self.price[i], self.price[other]) for other in self.own(facing)) or
                self.force[i] == "post_only" and can_take or self.force[i] == "fok" and can_take < self.open[i]):
            self.state[i] = "rejected"
            return
        self.take(i, time, "took")
        if self.open[i] == 0:
            return
        if self.force[i] == "ioc":
            self.state[i] = "cancelled"
            return
        self.state[i] = "resting"
        self.resting.append(i)
        self.stamp[i] = (self.book.messages, len(self.stamp))
        self.ahead[i] = self.book.level(self.side[i], self.price[i])

    def is_first(self, i):
        return not any(order[0] == self.side[i] and (-SIGN[order[0]] * order[1], order[3]) <=
                       (-SIGN[order[0]] * self.price[i], self.stamp[i][0]) for order in self.book.orders.values())

    def end(self, time, executions, hidden, entered):
        for side in ("buy", "sell"):
            of_side = [[price, lots, placed] for one, price, lots, placed in reversed(executions) if one == side]
            of_side.sort(key=lambda execution: SIGN[side] * execution[0])  # the worst first
            for i in self.own(side):
                for execution in of_side:
                    through = SIGN[side] * (self.price[i] - execution[0]) > 0
                    behind = execution[0] == self.price[i] and execution[2] > self.stamp[i][0]
                    lots = min(self.open[i], execution[1])
                    if (through or behind) and lots:
                        execution[1] -= lots
                        self.fill(i, self.price[i], lots, time, "through" if through else "behind")
            left, price = hidden
            for i in self.own(side):
                lots = min(self.open[i], left)
                if lots and self.is_first(i) and crosses(side, self.price[i], price):
                    left -= lots
                    self.fill(i, self.price[i], lots, time, "behind" if self.price[i] == price else "through")
            bid, ask = self.book.best("buy"), self.book.best("sell")
            if entered and entered != side and (bid is None or ask is None or bid < ask):
                for i in self.own(side):
                    self.take(i, time, "crossed")
