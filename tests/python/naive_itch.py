# SPDX-License-Identifier: MIT
"""A day of ITCH 5.0 in the simplest way: struct, dicts and lists. It shares no code with the package."""
import struct

SIZES = dict(S=12, R=39, H=25, Y=20, L=26, V=35, W=12, K=28, J=35, h=21, A=36, F=40, E=31, C=36, X=23, D=19, U=35, P=44,
             Q=40, B=19, I=50, N=20, O=48)


def frames(data):
    at = 0
    while at + 2 < len(data):
        (size,) = struct.unpack_from(">H", data, at)
        yield data[at + 2 : at + 2 + size]
        at += 2 + size


def text(raw):
    return raw.decode("ascii").rstrip(" ")


class Day:
    """All tables of a day as lists of tuples."""

    def __init__(self, data, every=None, levels=0):
        self.names, self.orders, self.now = {}, {}, {}
        self.touch, self.trades, self.messages, self.imbalance, self.halts, self.depth = [], [], [], [], [], []
        next_sample = None
        for record, message in enumerate(frames(data)):
            kind = chr(message[0])
            assert len(message) == SIZES[kind]
            locate, _, high, low = struct.unpack_from(">HHHI", message, 1)
            time = high << 32 | low
            if every:
                if next_sample is None:
                    next_sample = time - time % every + every
                if time >= next_sample:
                    self.sample(time - time % every, levels)
                    next_sample = time - time % every + every
            self.take(record, kind, locate, time, message)

    def sample(self, time, levels):
        for locate in sorted(self.names):
            row = [self.side(locate, "buy"), self.side(locate, "sell")]
            if not any(row):
                continue
            flat = [time, self.names[locate]]
            for level in range(levels):
                for side in row:
                    flat += list(side[level]) if level < len(side) else [None, 0]
            self.depth.append(tuple(flat))

    def side(self, locate, side):
        lots = {}
        for of, one, price, open_lots in self.orders.values():
            if of == locate and one == side:
                lots[price] = lots.get(price, 0) + open_lots
        return sorted(lots.items(), reverse=side == "buy")

    def take(self, record, kind, locate, time, message):
        name = self.names.get(locate, "")
        say = lambda *row: self.messages.append((time, record, name, kind, *row))
        if kind == "R":
            self.names[locate] = text(message[11:19])
        elif kind in "AF":
            reference, side, lots = struct.unpack_from(">QcI", message, 11)
            (price,) = struct.unpack_from(">I", message, 32)
            side = "buy" if side == b"B" else "sell"
            self.orders[reference] = (locate, side, price, lots)
            say(reference, None, side, price, lots, None)
        elif kind in "ECXD":
            (reference,) = struct.unpack_from(">Q", message, 11)
            _, side, price, before = self.orders[reference]
            lots = before if kind == "D" else struct.unpack_from(">I", message, 19)[0]
            say(reference, None, side, price, lots, before)
            if kind in "EC":
                (match,) = struct.unpack_from(">Q", message, 23)
                paid = struct.unpack_from(">I", message, 32)[0] if kind == "C" else price
                printed = "no" if kind == "C" and message[31:32] == b"N" else "yes"
                self.trades.append((time, record, name, paid, lots, side, "order", printed, reference, match))
            if lots == before:
                del self.orders[reference]
            else:
                self.orders[reference] = (locate, side, price, before - lots)
        elif kind == "U":
            old, new, lots, price = struct.unpack_from(">QQII", message, 11)
            _, side, _, before = self.orders.pop(old)
            self.orders[new] = (locate, side, price, lots)
            say(old, new, side, price, lots, before)
        elif kind == "P":
            lots, price, match = struct.unpack_from(">I8xIQ", message, 20)
            self.trades.append((time, record, name, price, lots, "", "hidden", "yes", None, match))
        elif kind == "Q":
            lots, price, match = struct.unpack_from(">Q8xIQ", message, 11)
            self.trades.append((time, record, name, price, lots, "", "cross", "yes", None, match))
        elif kind == "B":
            (match,) = struct.unpack_from(">Q", message, 11)
            self.trades.append((time, record, "", None, 0, "", "broken", "no", None, match))
        elif kind == "I":
            paired, imbalance, direction = struct.unpack_from(">QQc", message, 11)
            far, near, reference, cross = struct.unpack_from(">IIIc", message, 36)
            price = lambda number: number or None
            self.imbalance.append((time, record, name, paired, imbalance, text(direction), price(far), price(near),
                                   price(reference), text(cross)))
        elif kind == "H":
            self.halts.append((time, record, name, text(message[19:20]), text(message[21:25])))
        if kind in "AFECXDU":
            best = []
            for side in ("buy", "sell"):
                levels = self.side(locate, side)
                best += list(levels[0]) if levels else [None, 0]
            if self.now.get(locate, [None, 0, None, 0]) != best:
                self.now[locate] = best
                self.touch.append((time, record, name, *best))
