#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small client of the venue, to copy: order entry by OUCH 5.0 over SoupBinTCP, and the feed by MoldUDP64.

client.py orders HOST:PORT USER PASSWORD [--session NAME --next N]
    reads commands from the input, one a line, and prints what the venue says:
        buy|sell REFERENCE QUANTITY SYMBOL PRICE [ioc]
        replace REFERENCE NEW-REFERENCE QUANTITY PRICE
        cancel REFERENCE [QUANTITY]
        query
client.py feed PORT [--snapshot HOST:PORT USER PASSWORD] [--seconds N]
    follows the feed, asks for what is lost, and prints the books at the end

Prices are in dollars. --session and --next go on after the last message that was printed.
"""

import argparse
import select
import socket
import struct
import sys
import time

SECOND = 10_000


def price4(text):
    """Dollars as ten-thousandths, without a float."""
    whole, _, part = text.partition(".")
    if not whole.isdigit() or len(part) > 4 or (part and not part.isdigit()):
        raise ValueError(f"'{text}' is no price")
    return int(whole) * SECOND + int(part.ljust(4, "0"))


def dollars(price):
    return f"{price // SECOND}.{price % SECOND:04}"


def address(text):
    host, _, port = text.rpartition(":")
    return host or "127.0.0.1", int(port)


class Soup:
    """The client's side of SoupBinTCP."""

    def __init__(self, host, port, user, password, session="", sequence=1):
        self.socket = socket.create_connection((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""
        self.sent = time.monotonic()
        self.over = ""
        login = f"{user:6.6}{password:10.10}{session:>10.10}{sequence:>20}"
        self.send(b"L" + login.encode("ascii"))
        kind, payload = self.receive(60)
        if kind != b"A":
            raise ConnectionError(f"the login is rejected: {payload.decode() or 'no answer'}")
        self.session, self.next = payload[:10].decode().strip(), int(payload[10:])

    def send(self, packet):
        self.socket.sendall(struct.pack(">H", len(packet)) + packet)
        self.sent = time.monotonic()

    def message(self, message):
        self.send(b"U" + message)

    def packet(self):
        """The next packet that is there whole, or nothing."""
        if len(self.bytes) < 2:
            return None
        size = struct.unpack(">H", self.bytes[:2])[0]
        if len(self.bytes) < 2 + size:
            return None
        packet, self.bytes = self.bytes[2 : 2 + size], self.bytes[2 + size :]
        return packet[:1], packet[1:]

    def receive(self, patience):
        """The next packet but heartbeats; (b"", b"") if none comes in time or the connection is over."""
        until = time.monotonic() + patience
        while True:
            packet = self.packet()
            if packet and packet[0] in b"H+":
                continue
            if packet:
                if packet[0] == b"Z":
                    self.over = "the session has ended"
                return packet
            if self.over:
                return b"", b""
            if time.monotonic() - self.sent >= 1:
                try:
                    self.send(b"R")
                except ConnectionError:
                    pass  # what came before the end is still to be read
            wait = min(until - time.monotonic(), 0.5)
            if select.select([self.socket], [], [], max(wait, 0))[0]:
                try:
                    more = self.socket.recv(65536)
                except ConnectionResetError:
                    more = b""
                self.over = "" if more else "the venue has hung up"
                self.bytes += more
            elif wait <= 0:
                return b"", b""

    def messages(self, patience):
        """Each sequenced message with its number, until none comes in time."""
        while True:
            kind, payload = self.receive(patience)
            if not kind:
                return
            if kind == b"S":
                self.next += 1
                yield self.next - 1, payload


# ---- Orders.

CANCELED = {"U": "by its user", "I": "immediate or cancel", "T": "timeout", "S": "by the venue", "E": "the day has ended",
            "Z": "by the system", "D": "outside of the bands"}


def enter(side, reference, quantity, symbol, price, word=""):
    """An order of OUCH."""
    return struct.pack(">cIcI8sQccccc14sH", b"O", reference, b"B" if side == "buy" else b"S", quantity,
                       symbol.encode().ljust(8), price, b"3" if word == "ioc" else b"0", b"Y", b"P", b"N", b"N",
                       f"c{reference}".encode().ljust(14), 0)


def order_message(words):
    """The message of OUCH that a line of the input means."""
    name = words[0]
    if name in ("buy", "sell"):
        return enter(name, int(words[1]), int(words[2]), words[3], price4(words[4]), *words[5:])
    if name == "replace":
        return struct.pack(">cIIIQccc14sH", b"U", int(words[1]), int(words[2]), int(words[3]), price4(words[4]), b"0",
                           b"Y", b"N", f"c{words[2]}".encode().ljust(14), 0)
    if name == "cancel":
        return struct.pack(">cII", b"X", int(words[1]), int(words[2]) if len(words) > 2 else 0)
    if name == "query":
        return b"Q"
    raise ValueError(f"'{name}' is no command")


def words_of(message):
    """What a message of the venue says."""
    kind = message[:1].decode()
    if kind == "S":
        return "the day begins" if message[9:10] == b"S" else "the day ends"
    if kind == "Q":
        return f"next reference {struct.unpack('>I', message[9:13])[0]}"
    reference = struct.unpack(">I", message[9:13])[0]
    if kind == "A":
        side, quantity, symbol, price = struct.unpack(">cI8sQ", message[13:34])
        return (f"order {reference} accepted: {'buy' if side == b'B' else 'sell'} {quantity} "
                f"{symbol.decode().strip()} at {dollars(price)}")
    if kind == "U":
        new, _, quantity, symbol, price = struct.unpack(">IcI8sQ", message[13:38])
        return f"order {reference} replaced by {new}: {quantity} {symbol.decode().strip()} at {dollars(price)}"
    if kind == "E":
        quantity, price, liquidity, match = struct.unpack(">IQcQ", message[13:34])
        return f"order {reference} executed: {quantity} at {dollars(price)}, match {match}, {liquidity.decode()}"
    if kind == "C":
        quantity, reason = struct.unpack(">Ic", message[13:18])
        return f"order {reference} canceled: {quantity} lots, {CANCELED.get(reason.decode(), reason.decode())}"
    if kind == "D":
        return f"order {reference} would have traded with its own account: {struct.unpack('>I', message[13:17])[0]} lots"
    if kind == "J":
        return f"order {reference} rejected: reason {struct.unpack('>H', message[13:15])[0]:#06x}"
    if kind == "M":
        return f"order {reference} modified: {struct.unpack('>I', message[14:18])[0]} lots"
    return f"order {reference}: {kind}"


def orders(arguments):
    soup = Soup(*address(arguments.place), arguments.user, arguments.password, arguments.session, arguments.next)
    print(f"session {soup.session}, next message {soup.next}", flush=True)
    reading = True
    while not soup.over:
        ready = select.select([soup.socket] + ([sys.stdin] if reading else []), [], [], 0.5)[0]
        for sequence, message in soup.messages(0 if reading else 0.3):
            print(f"{sequence:6} {words_of(message)}", flush=True)
        if not reading:
            soup.send(b"O")
            return
        if sys.stdin in ready:
            line = sys.stdin.readline()
            reading = bool(line)
            if line.split():
                soup.message(order_message(line.split()))
    print(soup.over)


# ---- The feed.


class Books:
    """Books from messages of ITCH."""

    def __init__(self):
        self.symbols = {}
        self.orders = {}  # reference: [locate, side, shares, price]
        self.trades = 0

    def apply(self, message):
        kind = message[:1]
        locate = struct.unpack(">H", message[1:3])[0]
        if kind == b"R":
            self.symbols[locate] = message[11:19].decode().strip()
        elif kind in b"AF":
            reference, side, shares, _, price = struct.unpack(">QcI8sI", message[11:36])
            self.orders[reference] = [locate, side, shares, price]
        elif kind in b"ECX":
            reference, shares = struct.unpack(">QI", message[11:23])
            self.trades += kind != b"X"
            order = self.orders[reference]
            order[2] -= shares
            if order[2] == 0:
                del self.orders[reference]
        elif kind == b"D":
            del self.orders[struct.unpack(">Q", message[11:19])[0]]
        elif kind == b"U":
            reference, new, shares, price = struct.unpack(">QQII", message[11:35])
            locate, side, _, _ = self.orders.pop(reference)
            self.orders[new] = [locate, side, shares, price]

    def lines(self):
        """Each level of each book, best first."""
        for locate, symbol in sorted(self.symbols.items()):
            for side, name in ((b"B", "buy"), (b"S", "sell")):
                levels = {}
                for order in self.orders.values():
                    if order[:2] == [locate, side]:
                        levels[order[3]] = levels.get(order[3], 0) + order[2]
                for price in sorted(levels, reverse=side == b"B"):
                    yield f"{symbol} {name} {levels[price]} at {dollars(price)}"


class Feed:
    """The receiver of MoldUDP64. It gives messages in order, and asks for those that are lost."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("127.0.0.1", port))
        self.port = self.socket.getsockname()[1]
        self.session = b""
        self.next = 1  # the first message that it lacks
        self.known = 1  # behind the last one that it knows of
        self.asked = 0.0
        self.asked_for = 0
        self.ended = False

    def messages(self, patience):
        """Each message that is the next one, until this time has passed and nothing waits."""
        until = time.monotonic() + patience
        while not self.ended:
            if not select.select([self.socket], [], [], min(0.1, patience))[0]:
                if time.monotonic() >= until:
                    return
                continue
            packet, sender = self.socket.recvfrom(65536)
            session, first, count = struct.unpack(">10sQH", packet[:20])
            has_messages = count != 0xFFFF
            if has_messages and not self.session:
                self.session = session
            if session != self.session:  # the end of the day before is told for some time
                continue
            self.known = max(self.known, first + count * has_messages)
            at = 20
            for sequence in range(first, first + count * has_messages):
                size = struct.unpack(">H", packet[at : at + 2])[0]
                if sequence == self.next:
                    self.next += 1
                    yield packet[at + 2 : at + 2 + size]
                at += 2 + size
            self.ended = not has_messages and self.next >= self.known
            # An answer that has brought something lets the next request follow at once.
            late = time.monotonic() - self.asked > 0.1
            if self.next < self.known and (late or self.asked_for != self.next):
                self.asked, self.asked_for = time.monotonic(), self.next
                lost = min(self.known - self.next, 1000)
                self.socket.sendto(struct.pack(">10sQH", session, self.next, lost), sender)


def feed(arguments):
    books = Books()
    receiver = Feed(arguments.port)
    if arguments.snapshot:
        place, user, password = arguments.snapshot
        for _, message in Soup(*address(place), user, password).messages(10):
            if message[:1] == b"G":
                receiver.next = int(message[1:])
                break
            books.apply(message)
    for message in receiver.messages(arguments.seconds):
        books.apply(message)
    for line in books.lines():
        print(line)
    print(f"next message {receiver.next}, fills of shown orders {books.trades}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="orders|feed")
    entry = commands.add_parser("orders", help="order entry")
    entry.add_argument("place", metavar="HOST:PORT")
    entry.add_argument("user")
    entry.add_argument("password")
    entry.add_argument("--session", default="")
    entry.add_argument("--next", type=int, default=1)
    entry.set_defaults(run=orders)
    follow = commands.add_parser("feed", help="the feed")
    follow.add_argument("port", type=int)
    follow.add_argument("--snapshot", nargs=3, metavar=("HOST:PORT", "USER", "PASSWORD"))
    follow.add_argument("--seconds", type=float, default=5)
    follow.set_defaults(run=feed)
    arguments = parser.parse_args()
    try:
        arguments.run(arguments)
    except (OSError, ValueError) as error:
        sys.exit(f"client.py: {error}")


if __name__ == "__main__":
    main()
