# SPDX-License-Identifier: MIT
"""A file of DBN (mbo) in the simplest way: struct and dicts. It shares no code with the package."""
import struct

NO_PRICE = 2**63 - 1
LAST = 128


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
        self.touch, self.fills, self.orders = [], [], {}
        before = {}
        for record, at in enumerate(range(8 + length, len(data), 56)):
            _, kind, _, instrument, time, id, price, size, flags, _, action, side = struct.unpack_from("<BBHIQQqIBBcc", data, at)
            assert kind == 0xA0
            name = names.get(instrument, str(instrument))
            if action == b"F":
                self.fills.append((time, record, name, price, size, {b"B": "buy", b"A": "sell"}[side], id))
            self.apply(action, name, id, side, price, size)
            if flags & LAST:
                now = tuple(number for one in (b"B", b"A") for number in self.best(name, one))
                if now != before.get(name, (None, 0, None, 0)):
                    self.touch.append((time, record, name, *now))
                before[name] = now

    def apply(self, action, name, id, side, price, size):
        key = name, id
        if action == b"A":
            self.orders[key] = [side, price, size]
        elif action == b"C":
            self.orders[key][2] -= size
            if self.orders[key][2] == 0:
                del self.orders[key]
        elif action == b"M":
            self.orders[key] = [side, price, size]
        elif action == b"R":
            self.orders = {other: order for other, order in self.orders.items() if other[0] != name}

    def best(self, name, side):
        prices = [order[1] for key, order in self.orders.items() if key[0] == name and order[0] == side]
        if not prices:
            return None, 0
        best = max(prices) if side == b"B" else min(prices)
        return best, sum(order[2] for key, order in self.orders.items() if key[0] == name and order[:2] == [side, best])
