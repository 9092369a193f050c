#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small client of the venue, to copy: order entry by OUCH 5.0 over SoupBinTCP, and the feed by MoldUDP64.

client.py orders HOST:PORT USER PASSWORD [--session NAME --next N]
    reads commands from the input, one a line, and prints what the venue says:
        buy|sell NUMBER QUANTITY SYMBOL PRICE [ioc]
        replace NUMBER NEW-NUMBER QUANTITY PRICE
        cancel NUMBER [QUANTITY]
        query                                 for the next number
client.py feed PORT [--snapshot HOST:PORT USER PASSWORD] [--seconds N]
    follows the feed for N seconds (5 if left out) or until Ctrl-C, asks for what is lost, and prints the books then

Prices are in dollars. A number is that of an order; each is above all before. The quantity of replace and cancel is
that of the whole order, what has traded included; a cancel without one leaves nothing. --session and --next go on
after the last message that was printed. client.cpp takes and prints the same.
"""

import argparse
import os
import select
import signal
import socket
import struct
import sys
import time

DOLLAR = 10_000


def is_digits(text):
    return text.isascii() and text.isdigit()


def price4(text):
    """Dollars as ten-thousandths, without a float."""
    whole, point, part = text.partition(".")
    if not is_digits(whole) or len(whole) > 14 or len(part) > 4 or (point and not is_digits(part)):
        raise ValueError(f"'{text}' is no price in dollars")
    return int(whole) * DOLLAR + int(part.ljust(4, "0"))


def number(text):
    if not is_digits(text) or len(text) > 10 or int(text) > 0xFFFFFFFF:
        raise ValueError(f"'{text}' is no number up to 4294967295")
    return int(text)


def dollars(price):
    return f"{price // DOLLAR}.{price % DOLLAR:04}"


def address(text):
    host, _, port = text.rpartition(":")
    if not is_digits(port) or len(port) > 5 or int(port) > 65535:
        raise ValueError(f"'{text}' is no HOST:PORT")
    return host or "127.0.0.1", int(port)


REJECTED = {"A": "wrong user or password, or too many logins", "S": "there is no such session, or no such message in it"}


class Soup:
    """The client's side of SoupBinTCP."""

    def __init__(self, host, port, user, password, session="", sequence=1):
        if not 1 <= len(user) <= 6:
            raise ValueError(f"'{user}' is no name of one to six letters")
        if not 1 <= len(password) <= 10:
            raise ValueError("a password has one to ten letters")
        try:
            self.socket = socket.create_connection((host, port))
        except OSError as error:
            raise ConnectionError(f"cannot connect to {host}:{port}: {error.strerror}") from error
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""
        self.sent = time.monotonic()
        self.over = ""
        login = f"{user:6.6}{password:10.10}{session:>10.10}{sequence:>20}"
        self.send(b"L" + login.encode("ascii"))
        kind, payload = self.receive(60)
        if kind != b"A":
            reason = payload.decode("ascii", "replace")
            raise ConnectionError(f"the login is rejected: {REJECTED.get(reason, reason)}" if kind == b"J"
                                  else self.over or "the login is not answered")
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
REFUSED = {1: "there is no quote", 2: "the market is closed", 3: "the display is unknown",
           4: "it would show more lots than it has, or is hidden", 5: "pegged orders are not taken",
           6: "more lots than its account may send", 7: "the symbol is halted", 8: "intermarket sweeps are not taken",
           9: "the side is unknown", 10: "its terms or the books do not allow it",
           13: "a minimum is for immediate-or-cancel", 19: "a quantity is 0, out of range, or no multiple of the lot",
           20: "crosses are not taken", 22: "orders are not routed", 23: "the symbol is unknown",
           29: "the price is no multiple of the tick, or out of range", 32: "a limit of its account"}
# How long each message of OUCH is that a venue sends. Some may have more behind that, whose length they end with.
OUCH_SIZES = {"A": 64, "B": 36, "C": 18, "D": 32, "E": 36, "G": 19, "I": 13, "J": 29, "K": 19, "M": 18, "P": 13, "Q": 13,
              "R": 16, "S": 10, "T": 30, "U": 68, "X": 27, "b": 31}
MAY_BE_LONGER = "AEGKRUXb"
USAGE = {"buy": "NUMBER QUANTITY SYMBOL PRICE [ioc]", "sell": "NUMBER QUANTITY SYMBOL PRICE [ioc]",
         "replace": "NUMBER NEW-NUMBER QUANTITY PRICE", "cancel": "NUMBER [QUANTITY]", "query": "nothing"}


def enter(side, reference, quantity, symbol, price, word=""):
    """An order of OUCH."""
    return struct.pack(">cIcI8sQccccc14sH", b"O", reference, b"B" if side == "buy" else b"S", quantity,
                       symbol.encode().ljust(8), price, b"3" if word == "ioc" else b"0", b"Y", b"P", b"N", b"N",
                       f"c{reference}".encode().ljust(14), 0)


def order_message(words):
    """The message of OUCH that a line of the input means. ValueError says what is wrong with it."""
    name, rest = words[0], words[1:]
    if name not in USAGE:
        raise ValueError(f"'{name}' is no command: take buy, sell, replace, cancel or query")
    least, most = {"buy": (4, 5), "sell": (4, 5), "replace": (4, 4), "cancel": (1, 2), "query": (0, 0)}[name]
    if not least <= len(rest) <= most:
        raise ValueError(f"{name} takes {USAGE[name]}")
    if name in ("buy", "sell"):
        reference, quantity, symbol, price = number(rest[0]), number(rest[1]), rest[2], price4(rest[3])
        if not (symbol.isascii() and symbol.isprintable() and len(symbol) <= 8):
            raise ValueError(f"'{symbol}' is no symbol of one to eight letters")
        if rest[4:] not in ([], ["ioc"]):
            raise ValueError(f"'{rest[4]}' is not ioc")
        return enter(name, reference, quantity, symbol, price, *rest[4:])
    if name == "replace":
        original, reference, quantity, price = number(rest[0]), number(rest[1]), number(rest[2]), price4(rest[3])
        return struct.pack(">cIIIQccc14sH", b"U", original, reference, quantity, price, b"0", b"Y", b"N",
                           f"c{reference}".encode().ljust(14), 0)
    if name == "cancel":
        return struct.pack(">cII", b"X", number(rest[0]), number(rest[1]) if len(rest) > 1 else 0)
    return b"Q"


def is_ouch(message):
    """Whether a venue's message is one of OUCH."""
    kind = message[:1].decode("latin-1")
    size = OUCH_SIZES.get(kind, -1)
    if kind in MAY_BE_LONGER and len(message) > size:
        size += struct.unpack(">H", message[size - 2 : size])[0]
    return len(message) == size


def words_of(message):
    """What a message of the venue says."""
    kind = message[:1].decode()
    if kind == "S":
        return "the day begins" if message[9:10] == b"S" else "the day ends"
    if kind == "Q":
        return f"next number {struct.unpack('>I', message[9:13])[0]}"
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
        reason = struct.unpack(">H", message[13:15])[0]
        return f"order {reference} rejected: {REFUSED.get(reason, 'for another reason')} ({reason:#06x})"
    if kind == "M":
        return f"order {reference} modified: {struct.unpack('>I', message[14:18])[0]} lots"
    if kind == "T":
        return f"order {reference} shows its next lots"
    if kind == "B":
        return f"order {reference}: match {struct.unpack('>Q', message[13:21])[0]} is undone"
    return {"X": f"mass cancel {reference} is taken", "G": f"order entry is disabled by {reference}",
            "K": f"order entry is enabled by {reference}"}.get(kind, "a message that this client does not know")


class Unanswered:
    """The commands of the user to which the venue has said nothing. It answers in their order, and is silent about what it
    does not do: once a query is answered, those before it were not done."""

    def __init__(self):
        self.commands = []  # (words of the line, number that its answer has)
        self.asked = False

    def sent(self, words):
        if words[0] != "query":
            self.commands.append((words, number(words[2] if words[0] == "replace" else words[1])))

    def told(self, message):
        """Whether a message is for the user, and what it says of commands."""
        kind = message[:1]
        if kind == b"Q" and self.asked:
            self.asked = False
            following = struct.unpack(">I", message[9:13])[0]
            silent, self.commands = self.commands, []
            return False, [self.reason(words, following) for words, _ in silent]
        answers = {b"A": ("buy", "sell"), b"J": ("buy", "sell", "replace"), b"U": ("replace",),
                   b"C": ("cancel", "replace")}.get(kind, ())
        reference = struct.unpack(">I", message[13:17] if kind == b"U" else message[9:13])[0] if answers else None
        for command in self.commands:
            words, expected = command
            mine = words[0] in answers and reference == (int(words[1]) if kind == b"C" else expected)
            if mine:
                self.commands.remove(command)
                break
        return True, []

    @staticmethod
    def reason(words, following):
        line = " ".join(words)
        if words[0] == "cancel":
            return f"'{line}' changes nothing: order {int(words[1])} is not open, or has no more lots"
        if words[0] == "replace":
            return (f"'{line}' changes nothing: order {int(words[1])} is not open, or {int(words[2])} is below the next "
                    f"number, {following}")
        return f"'{line}' is ignored: {int(words[1])} is below the next number, {following}"




def orders(arguments):
    soup = Soup(*address(arguments.place), arguments.user, arguments.password, arguments.session, arguments.next)
    print(f"session {soup.session}, next message {soup.next}", flush=True)
    unanswered = Unanswered()
    reading, all_right, typed = True, True, b""
    last = time.monotonic()  # that something was sent or came
    while not soup.over:
        ready = select.select([soup.socket] + ([sys.stdin] if reading else []), [], [], 0.1)[0]
        for sequence, message in soup.messages(0):
            if not is_ouch(message):
                raise ValueError("this port does not speak OUCH; is it the snapshot port?")
            last = time.monotonic()
            shown, silent = unanswered.told(message)
            if shown:
                print(f"{sequence:6} {words_of(message)}", flush=True)
            for line in silent:
                print(line, flush=True)
        late = time.monotonic() - last > (1 if reading else 0.3)
        if late and unanswered.commands and not unanswered.asked:
            unanswered.asked = True
            soup.message(b"Q")
            last = time.monotonic()
        elif late and not reading and (not unanswered.commands or time.monotonic() - last > 60):
            soup.send(b"O")
            return all_right
        if sys.stdin in ready:
            more = os.read(sys.stdin.fileno(), 65536)
            reading = bool(more)
            typed += more if more else b"\n"
            *lines, typed = typed.split(b"\n")
            for line in lines:
                words = line.decode("utf-8", "replace").split()
                try:
                    if words:
                        soup.message(order_message(words))
                        unanswered.sent(words)
                        last = time.monotonic()
                except ValueError as error:
                    print(f"client: {error}", file=sys.stderr, flush=True)
                    all_right = False
    print(soup.over)
    return all_right


# ---- The feed.

ITCH_SIZES = {"A": 36, "B": 19, "C": 36, "D": 19, "E": 31, "F": 40, "H": 25, "I": 50, "J": 35, "K": 28, "L": 26, "N": 20,
              "O": 48, "P": 44, "Q": 40, "R": 39, "S": 12, "U": 35, "V": 35, "W": 12, "X": 23, "Y": 20, "h": 21}


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
        try:
            self.socket.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise ConnectionError(f"cannot listen at 127.0.0.1:{port}: {getattr(error, 'strerror', error)}") from error
        self.port = self.socket.getsockname()[1]
        self.session = b""
        self.next = 1  # the first message that it lacks
        self.known = 1  # behind the last one that it knows of
        self.asked = 0.0
        self.asked_for = 0
        self.ended = False
        self.stopped = False  # by its user

    def messages(self, patience):
        """Each message that is the next one, until this time has passed and nothing waits."""
        until = time.monotonic() + patience
        while not self.ended and not self.stopped:
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
            if message[:1] == b"G" and len(message) == 21:
                receiver.next = int(message[1:])
                break
            if ITCH_SIZES.get(message[:1].decode("latin-1")) != len(message):
                raise ValueError(f"{place} gives no snapshot of the books; is it the order port?")
            books.apply(message)
        else:
            raise ConnectionError(f"no snapshot has come from {place}")

    def stop(*_):
        receiver.stopped = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, stop)
    print(f"client: follows the feed for {arguments.seconds:g} s; Ctrl-C shows the books before", file=sys.stderr, flush=True)
    for message in receiver.messages(arguments.seconds):
        books.apply(message)
    for line in books.lines():
        print(line)
    print(f"next message {receiver.next}, fills of shown orders {books.trades}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="orders|feed")
    entry = commands.add_parser("orders", help="order entry")
    entry.add_argument("place", metavar="HOST:PORT")
    entry.add_argument("user")
    entry.add_argument("password")
    entry.add_argument("--session", default="", metavar="NAME", help="of the messages to go on with (default: the one of today)")
    entry.add_argument("--next", type=int, default=1, metavar="N", help="the first message to be told, from 1 on (default: 1)")
    entry.set_defaults(run=orders)
    follow = commands.add_parser("feed", help="the feed")
    follow.add_argument("port", type=int)
    follow.add_argument("--snapshot", nargs=3, metavar=("HOST:PORT", "USER", "PASSWORD"))
    follow.add_argument("--seconds", type=float, default=5, metavar="N", help="how long to follow the feed (default: 5)")
    follow.set_defaults(run=feed)
    arguments = parser.parse_args()
    try:
        sys.exit(0 if arguments.run(arguments) else 1)
    except BrokenPipeError:
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, ValueError) as error:
        sys.exit(f"client: {error}")
    except (KeyError, struct.error):
        sys.exit("client: what has come is no message of the venue")


if __name__ == "__main__":
    main()
