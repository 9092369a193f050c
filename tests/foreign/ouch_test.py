# SPDX-License-Identifier: MIT
"""The venue program, judged by programs that others wrote.

Nasdaq's own client (`nasdaq-protocols`) trades by OUCH 5.0 over SoupBinTCP; it ships no messages, so this test describes
them to it. `itch-book` (C++) and `itchfeed` rebuild the books from what the feed sends. `tshark`, where it is
installed, dissects the bytes of both. VENUE names our program.
"""

import asyncio
import contextlib
import datetime
import importlib
import io
import itertools
import logging
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from xml.sax.saxutils import quoteattr

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "venue_program"))

import program  # noqa: E402
from program import client  # noqa: E402

os.environ["ITCH_NO_CPP"] = "1"  # itchfeed decodes by itself

TYPES = {"c": 'type="char_ascii"', "B": 'type="byte"', "H": 'type="uint_2_be"', "I": 'type="uint_4_be"',
         "Q": 'type="uint_8_be"', "8s": 'type="str_ascii_n" length="8"', "14s": 'type="str_ascii_n" length="14"',
         "appendage": 'type="byte" array="single" length_type="uint_2_be"'}
# Their "outgoing" is what a client receives.
MESSAGES = {
    ("Enter", "O", "incoming"): "reference:I side:c quantity:I symbol:8s price:Q time_in_force:c display:c capacity:c "
                                "sweep:c cross:c client_id:14s appendage:appendage",
    ("Cancel", "X", "incoming"): "reference:I quantity:I",
    ("SystemEvent", "S", "outgoing"): "time:Q event:c",
    ("Accepted", "A", "outgoing"): "time:Q reference:I side:c quantity:I symbol:8s price:Q time_in_force:c display:c "
                                   "order:Q capacity:c sweep:c cross:c state:c client_id:14s appendage:appendage",
    ("Executed", "E", "outgoing"): "time:Q reference:I quantity:I price:Q liquidity:c match:Q appendage:appendage",
    ("Canceled", "C", "outgoing"): "time:Q reference:I quantity:I reason:c",
    ("Rejected", "J", "outgoing"): "time:Q reference:I reason:H client_id:14s",
}
DAY = 86_400 * 10**9


def messages_of_ouch(folder):
    """The module that their generator makes of the messages above."""
    message = importlib.import_module("nasdaq_protocols.common.message")
    text = ""
    for (name, letter, direction), fields in MESSAGES.items():
        text += f'<message id={quoteattr(name)} message-id="{letter}" direction="{direction}"><fields>'
        for field in fields.split():
            field_name, form = field.split(":")
            text += f'<field name="{field_name}" {TYPES[form]}/>'
        text += "</fields></message>"
    path = pathlib.Path(folder) / "ouch.xml"
    path.write_text(f"<root><messages-root>{text}</messages-root></root>")
    with contextlib.redirect_stdout(io.StringIO()):
        message.Generator(message.Parser.parse(str(path)), "ouch", "venue", folder,
                          "message_soup_app.mustache").generate({"record_type": "Record"})
    sys.path.insert(0, folder)
    return importlib.import_module("ouch_venue")


class OuchTest(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.ouch = messages_of_ouch(folder.name)
        logging.disable()
        cls.addClassCleanup(logging.disable, logging.NOTSET)

    async def log_in(self, venue, user, password=program.PASSWORD, sequence=1, silence=program.PATIENCE):
        session = await self.ouch.connect_async(("127.0.0.1", venue.ports["orders"]), user, password, "", sequence,
                                                client_heartbeat_interval=1, server_heartbeat_interval=silence)
        self.addAsyncCleanup(session.close)
        return session

    def send(self, session, name, **fields):
        message = getattr(self.ouch, name)()
        for field, value in fields.items():
            setattr(message, field, value)
        session.send_message(message)

    def enter(self, session, reference, side, quantity, price, **change):
        fields = {"reference": reference, "side": side, "quantity": quantity, "symbol": "ACME", "price": price,
                  "time_in_force": "0", "display": "Y", "capacity": "P", "sweep": "N", "cross": "N",
                  "client_id": f"id{reference}", "appendage": [], **change}
        self.send(session, "Enter", **fields)
        return fields

    async def take(self, session, name, **fields):
        """Takes the next message, and compares all of its fields but its time. The message."""
        message = await asyncio.wait_for(session.receive_message(), program.PATIENCE)
        values = message.record.as_collection()
        self.assertLess(values.pop("time"), DAY)
        self.assertEqual((type(message).__name__, values), (name, fields))
        return message

    async def test_a_trade_a_cancel_and_a_rejection(self):
        with program.Venue() as venue:
            venue.start()
            ann, bob = await self.log_in(venue, "ANN"), await self.log_in(venue, "BOB")
            for session in (ann, bob):
                await self.take(session, "SystemEvent", event="S")
            sent = self.enter(ann, 1, "S", 100, 100_500)
            await self.take(ann, "Accepted", **sent, order=1, state="L")
            sent = self.enter(bob, 7, "B", 30, 101_000, appendage=[5, 2, 0, 0, 0, 1])  # tag 2: the firm
            # The feed will not show it: its order reference is above those of the feed.
            accepted = {**sent, "appendage": [], "order": unittest.mock.ANY, "state": "L"}
            self.assertGreater((await self.take(bob, "Accepted", **accepted)).order, 1 << 32)
            for session, reference, liquidity in ((bob, 7, "R"), (ann, 1, "A")):
                await self.take(session, "Executed", reference=reference, quantity=30, price=100_500,
                                liquidity=liquidity, match=1, appendage=[])
            self.send(ann, "Cancel", reference=1, quantity=40)  # what it is to be, with the 30 that have traded
            await self.take(ann, "Canceled", reference=1, quantity=60, reason="U")
            self.send(ann, "Cancel", reference=1, quantity=0)
            await self.take(ann, "Canceled", reference=1, quantity=10, reason="U")
            for reference, change, reason in ((2, {"symbol": "NONE"}, 0x17), (3, {"price": 100_501}, 0x1D),
                                              (4, {"side": "X"}, 0x09), (5, {"display": "?"}, 0x03)):
                self.enter(ann, reference, **{"side": "S", "quantity": 1, "price": 100_500, **change})
                await self.take(ann, "Rejected", reference=reference, reason=reason, client_id=f"id{reference}")
            # Once more from the third message on, as after a loss of the connection.
            again = await self.log_in(venue, "ANN", sequence=3)
            await self.take(again, "Executed", reference=1, quantity=30, price=100_500, liquidity="A", match=1,
                            appendage=[])

    async def test_heartbeats_keep_a_session(self):
        with program.Venue() as venue:
            venue.start()
            for silence in (2, 8, 32):  # ours has one a second, which may come late
                session = await self.log_in(venue, "ANN", silence=silence)
                await self.take(session, "SystemEvent", event="S")
                await asyncio.sleep(2.5 * silence)
                if not session.soup_session.is_closed():
                    return
        self.fail("their client hangs up, as it hears nothing")

    async def test_a_wrong_password_is_refused(self):
        with program.Venue() as venue:
            venue.start()
            for user, password in (("ANN", "wrong"), ("EVE", program.PASSWORD)):
                with self.assertRaisesRegex(ConnectionRefusedError, "NOT_AUTHORIZED"):
                    await self.log_in(venue, user, password)
            await self.take(await self.log_in(venue, "ANN"), "SystemEvent", event="S")


class Trader:
    """Sends orders by chance, and keeps what the venue says of them."""

    def __init__(self, venue, name, generator):
        self.soup, self.random = venue.log_in(name), generator
        self.reference = 0
        self.orders = {}  # reference: [symbol, side, lots that rest, price]
        self.fills = {}  # match: (price, lots)

    def act(self):
        choice = self.random.random()
        if choice < 0.6 or not self.orders:
            self.reference += 1
            symbol = self.random.choice(("ACME", "ZINC"))
            side, word = self.random.choice(("buy", "sell")), self.random.choice(("", "", "", "ioc"))
            self.soup.message(client.enter(side, self.reference, self.random.randrange(1, 50), symbol, self.price(), word))
            return
        original = self.random.choice(list(self.orders))
        if choice < 0.85:
            words = f"cancel {original} {self.random.choice((0, 0, self.random.randrange(50)))}"
        else:
            self.reference += 1
            words = f"replace {original} {self.reference} {self.random.randrange(1, 50)} {client.dollars(self.price())}"
        self.soup.message(client.order_message(words.split()))

    def hear_all(self):
        """All that comes of what was sent until now."""
        self.soup.message(b"Q")
        while self.hear(program.PATIENCE) != b"Q":
            assert not self.soup.over

    def price(self):
        return 100_000 + 100 * self.random.randrange(40)

    def hear(self, patience):
        """What comes within some time, or until what was asked for with Q."""
        for _, message in self.soup.messages(patience):
            kind = message[:1]
            if kind == b"Q":
                return kind
            if kind == b"A":
                reference, side, lots, symbol, price = struct.unpack(">IcI8sQ", message[9:34])
                self.orders[reference] = [symbol, side, lots, price]
            elif kind == b"U":
                original, reference, side, lots, symbol, price = struct.unpack(">IIcI8sQ", message[9:38])
                del self.orders[original]
                self.orders[reference] = [symbol, side, lots, price]
            elif kind in b"CDE":
                reference, lots = struct.unpack(">II", message[9:17])
                self.orders[reference][2] -= lots
                if self.orders[reference][2] == 0:
                    del self.orders[reference]
                if kind == b"E":
                    price, match = struct.unpack(">QxQ", message[17:34])
                    self.fills[match] = (price, lots)


class BooksOfItchfeed(client.Books):
    """Books from messages that itchfeed has decoded."""

    def apply(self, message):
        kind = message.message_type
        if kind in b"AF":
            self.orders[message.order_reference_number] = [message.stock_locate, message.buy_sell_indicator,
                                                           message.shares, message.price]
        elif kind in b"ECX":
            order = self.orders[message.order_reference_number]
            order[2] -= message.cancelled_shares if kind == b"X" else message.executed_shares
            if order[2] == 0:
                del self.orders[message.order_reference_number]
        elif kind == b"D":
            del self.orders[message.order_reference_number]
        elif kind == b"U":
            locate, side, _, _ = self.orders.pop(message.order_reference_number)
            self.orders[message.new_order_reference_number] = [locate, side, message.shares, message.price]


def best(books, locate):
    """The best price of the buys, its shares, and the same of the sells; 0 where there is none."""
    found = []
    for side, choose in ((b"B", max), (b"S", min)):
        levels = {}
        for order in books.orders.values():
            if order[:2] == [locate, side]:
                levels[order[3]] = levels.get(order[3], 0) + order[2]
        price = choose(levels, default=0)
        found += [price, levels.get(price, 0)]
    return tuple(found)


class FeedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.itch_book = importlib.import_module("itch_book")
        cls.itchfeed = importlib.import_module("itch.parser").MessageParser

    def trade(self, count):
        """The messages of the feed of a session by chance, and its traders."""
        with program.Venue() as venue:
            feed = client.Feed(0)
            self.addCleanup(feed.socket.close)
            venue.start("--feed-port", feed.port)
            generator = random.Random(5)
            traders = [Trader(venue, name, generator) for name in ("ANN", "BOB")]
            messages = []
            for number in range(count):
                generator.choice(traders).act()
                if number % 20 == 0:
                    for trader in traders:
                        trader.hear(0)
                    messages += feed.messages(0)
            for trader in (*traders, traders[0]):  # what the last of the second one meant for the first one, too
                trader.hear_all()
            messages += program.missing(feed, venue, "ANN")
            for trader in traders:
                trader.soup.socket.close()
            self.assertEqual(feed.next, feed.known)
            return messages, traders

    def tops_of_itch_book(self, path):
        """Its best prices and sizes, by the message that has changed them and its locate; and its trades, by match."""
        tops, trades = {}, {}
        with self.itch_book.Feed(str(path), date=datetime.date(2026, 11, 27), price_type="fixed") as feed:
            for batch in feed.batches(("bbo", "trades")):
                columns = (batch.bbo[name].tolist() for name in ("seq", "locate", "bid_px", "bid_sz", "ask_px", "ask_sz"))
                for row in zip(*columns):
                    tops[row[:2]] = row[2:]
                columns = (batch.trades[name].tolist() for name in ("match_number", "price", "size"))
                trades |= {match: (price, size) for match, price, size in zip(*columns)}
        return tops, trades

    def test_the_books_that_others_rebuild(self):
        messages, traders = self.trade(4000)
        self.assertGreater(len(messages), 2000)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "feed.itch"
            path.write_bytes(b"".join(len(message).to_bytes(2, "big") + message for message in messages))
            tops, trades = self.tops_of_itch_book(path)
            with path.open("rb") as file:
                decoded = list(self.itchfeed().parse_file(file))
        self.assertEqual([message.to_bytes() for message in decoded], messages)
        ours, theirs, now = client.Books(), BooksOfItchfeed(), {1: (0, 0, 0, 0), 2: (0, 0, 0, 0)}
        for number, (message, same) in enumerate(zip(messages, decoded), 1):
            ours.apply(message)
            theirs.apply(same)
            for locate in now:
                now[locate] = tops.get((number, locate), now[locate])
            if number % 100 == 0 or number == len(messages):
                expected = {locate: best(ours, locate) for locate in now}
                self.assertEqual(now, expected, f"itch-book after message {number}")
                self.assertEqual({locate: best(theirs, locate) for locate in now}, expected, f"itchfeed after {number}")
        # What the traders know: their fills, and what is left of their orders.
        self.assertGreater(len(trades), 100)
        self.assertEqual(trades, traders[0].fills | traders[1].fills)
        rest = [[symbol.decode().strip(), *order] for trader in traders for symbol, *order in trader.orders.values()]
        shown = [[ours.symbols[locate], *order] for locate, *order in ours.orders.values()]
        self.assertEqual(sorted(shown), sorted(rest))

COMMENT = str(0x100000)  # tshark's least severity: with it, it says which packets are requests


def soup(kind, payload=b""):
    return struct.pack(">Hc", 1 + len(payload), kind) + payload


def soup_packets(data):
    """The letters of the packets in these bytes."""
    while data:
        size = int.from_bytes(data[:2], "big")
        yield chr(data[2])
        data = data[2 + size :]


def read_to_end(connection):
    return b"".join(iter(lambda: connection.recv(65536), b""))


def ip(protocol, payload):
    return struct.pack(">BBHIBBH4s4s", 0x45, 0, 20 + len(payload), 0, 64, protocol, 0, bytes((127, 0, 0, 1)),
                       bytes((127, 0, 0, 1))) + payload


def tcp(source, target, data):
    """Segments so small that messages go on in the next one. The login has its own: tshark begins a stream behind it."""
    login = 2 + int.from_bytes(data[:2], "big")
    for at, end in itertools.pairwise((0, *range(login, len(data), 100), len(data))):
        part = data[at:end]
        yield ip(6, struct.pack(">HHIIBBHHH", source, target, 1 + at, 1, 0x50, 0x18, 65535, 0, 0) + part)


def udp(source, target, data):
    return ip(17, struct.pack(">HHHH", source, target, 8 + len(data), 0) + data)


def pcap(packets):
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + b"".join(  # 101: they begin with IP
        struct.pack("<IIII", 0, number, len(packet), len(packet)) + packet for number, packet in enumerate(packets))


@unittest.skipUnless(shutil.which("tshark"), "there is no tshark; Debian has it: apt-get install tshark")
class TsharkTest(unittest.TestCase):
    def dissect(self, packets, decode, *fields):
        """The values of these fields in all packets; fails if one is malformed."""
        with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
            file.write(pcap(packets))
            file.flush()
            columns = [word for field in (*fields, "_ws.malformed", "_ws.expert.severity") for word in ("-e", field)]
            # Its OUCH is that of version 4.
            done = subprocess.run(["tshark", "-r", file.name, "-d", decode, "--disable-protocol", "ouch", "-T", "fields",
                                   *columns], capture_output=True, text=True, check=True)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        self.assertEqual(len(rows), len(packets))
        *values, malformed, severity = zip(*rows)
        self.assertEqual(set(malformed), {""})
        self.assertLessEqual(set(severity), {"", COMMENT})
        return [[value for row in column if row for value in row.split(",")] for column in values]

    def test_it_dissects_order_entry_and_the_feed(self):
        with program.Venue() as venue, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(program.PATIENCE)
            feed_port = receiver.getsockname()[1]
            venue.start("--feed-port", feed_port)
            port = venue.ports["orders"]
            heartbeat, sender = receiver.recvfrom(65536)
            following = int.from_bytes(heartbeat[10:18], "big")
            requests, datagrams, at = [], [heartbeat], 1
            while at < following:  # what was sent before, of which a stranger gets a little at a time
                requests.append(struct.pack(">10sQH", heartbeat[:10], at, following - at))
                receiver.sendto(requests[-1], sender)
                while int.from_bytes(datagrams[-1][10:18], "big") != at:
                    datagrams.append(receiver.recv(65536))
                at += int.from_bytes(datagrams[-1][18:20], "big")
            orders = [client.enter("buy" if number % 3 else "sell", number, number, "ACME", 100_000)
                      for number in range(1, 50)]
            sent = [b"".join((soup(b"L", f"{'ANN':6}{password:10}{'':10}{1:>20}".encode()), soup(b"R"),
                              *(soup(b"U", order) for order in orders))) for password in (program.PASSWORD, "wrong")]
            connections = [socket.create_connection(("127.0.0.1", port), timeout=program.PATIENCE) for _ in sent]
            for connection, data in zip(connections, sent):
                connection.sendall(data)
            answers = [b"", b""]
            while answers[0].count(b"ACME") < len(orders):  # one in each Accepted
                more = connections[0].recv(65536)
                self.assertTrue(more, "the venue hung up")
                answers[0] += more
            answers[1] += connections[1].recv(4, socket.MSG_WAITALL)
            venue.process.send_signal(signal.SIGUSR1)
            while datagrams[-1][18:20] != b"\xff\xff":  # the end of the session, with that of the day
                datagram = receiver.recv(65536)
                if datagram[:10] == heartbeat[:10]:
                    datagrams.append(datagram)
            self.assertEqual(venue.stop(), 0)
            for number, connection in enumerate(connections):
                with connection, contextlib.suppress(ConnectionResetError):
                    answers[number] += read_to_end(connection)
        for number in range(len(sent)):
            packets = [*tcp(40_000 + number, port, sent[number]), *tcp(port, 40_000 + number, answers[number])]
            expected = [*soup_packets(sent[number]), *soup_packets(answers[number])]
            kinds, = self.dissect(packets, f"tcp.port=={port},soupbintcp", "soupbintcp.packet_type")
            self.assertEqual([kind.strip("'") for kind in kinds], expected)
        self.assertEqual(expected[-1], "J")
        packets = [*(udp(feed_port, sender[1], request) for request in requests), *(udp(sender[1], feed_port, datagram) for datagram in datagrams)]
        sequences, counts, numbers = self.dissect(packets, f"udp.port=={feed_port},moldudp64", "moldudp64.sequence",
                                                  "moldudp64.count", "moldudp64.msgseq")
        self.assertEqual((len(counts), counts[-1]), (len(packets), "65535"))
        self.assertEqual(sorted(map(int, numbers)), list(range(1, int(sequences[-1]))))
        self.assertGreater(len(numbers), len(orders))


if __name__ == "__main__":
    unittest.main()
