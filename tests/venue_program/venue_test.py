#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The venue as its users see it: trades over sockets, kills, hostile clients, wrong files."""

import collections
import concurrent.futures
import contextlib
import os
import pathlib
import random
import re
import resource
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
import unittest
import unittest.mock

import program
from program import Venue, client, follow, missing, until, words


class Trading(unittest.TestCase):
    def test_two_clients_trade_and_the_feed_shows_it(self):
        with Venue() as venue:
            feed = client.Feed(0)
            venue.start("--feed-port", feed.port, "--wait", "spin")
            ann, bob = venue.log_in("ANN"), venue.log_in("BOB")
            ann.message(client.order_message("sell 1 100 ACME 10.05".split()))
            self.assertEqual(until(ann, 2), ["the day begins", "order 1 accepted: sell 100 ACME at 10.0500"])
            bob.message(client.order_message("buy 1 30 ACME 10.10".split()))
            self.assertEqual(until(bob, 3)[1:], ["order 1 accepted: buy 30 ACME at 10.1000",
                                                 "order 1 executed: 30 at 10.0500, match 1, R"])
            self.assertEqual(until(ann, 1), ["order 1 executed: 30 at 10.0500, match 1, A"])
            bob.socket.close()
            self.assertTrue(venue.says("BOB is disconnected: it has hung up"))
            books = client.Books()
            lines = ["ACME sell 70 at 10.0500"]
            self.assertEqual(follow(feed, books, lines), lines)
            late = client.Books()
            for _, message in venue.log_in("BOB", port="snapshots").messages(program.PATIENCE):
                if message[:1] == b"G":
                    self.assertEqual(int(message[1:]), feed.next)
                    break
                late.apply(message)
            self.assertEqual(list(late.lines()), lines)
            page = venue.page()
            self.assertEqual(page["llmes_venue_orders_executed_total"], "2")
            self.assertEqual(page['llmes_venue_best{symbol="ACME",side="sell"}'], "10.05")
            self.assertEqual(page['llmes_venue_answer_seconds_bucket{le="+Inf"}'], page["llmes_venue_answer_seconds_count"])
            end = time.monotonic() + program.PATIENCE
            happened = re.compile(r"\d+ connections, \d+ commands, \d+ messages of the feed, 2 executions in all")
            while not any(map(happened.fullmatch, venue.lines)) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertTrue(any(map(happened.fullmatch, venue.lines)))
            self.assertEqual(venue.stop(), 0)
            list(feed.messages(0))  # all that was sent is there
            self.assertFalse(feed.ended)
            self.assertEqual(words(ann), [])
            self.assertEqual(ann.over, "the venue has hung up")

    def test_clients_go_on_after_what_they_do_not_know(self):
        with Venue() as venue:
            venue.start()
            ann = venue.log_in("ANN")
            side = struct.pack(">Ic8sIQ", 1, b"B", b"ACME".ljust(8), 10, 100_000)
            ann.message(struct.pack(">cIc14sH", b"i", 1, b"N", b"q".ljust(14), len(side)) + side)
            self.assertEqual(until(ann, 2)[1:], ["a message that this client does not know"])
            for command, answer in zip(self.CLIENTS, ("accepted", "is below the next number")):  # they send the same
                status, lines, errors = self.run_client(command, "orders", f"127.0.0.1:{venue.ports['orders']}", "ANN", program.PASSWORD,
                                                        text="sell 5 1 ACME 10.05\n")
                self.assertEqual((status, errors), (0, []))
                self.assertIn("a message that this client does not know", lines[2])
                self.assertIn(answer, lines[-1])

    # What both clients take and print: see report/guide/run_a_venue.md.
    CLIENTS = ([os.environ.get("CLIENT", "")], [sys.executable, program.ROOT / "examples/venue/client.py"])

    @staticmethod
    def run_client(command, *words, text=""):
        """Exit status, output and errors."""
        done = subprocess.run([*command, *map(str, words)], input=text, capture_output=True, text=True, timeout=program.PATIENCE)
        return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()

    def test_both_clients_take_and_print_the_same(self):
        told = []
        for command in self.CLIENTS:
            with Venue() as venue:
                port, = program.free_ports(1)
                venue.start("--feed-port", port)
                place = f"127.0.0.1:{venue.ports['orders']}"

                def orders(user, text, *more):
                    status, lines, errors = self.run_client(command, "orders", place, user, program.PASSWORD, *more, text=text)
                    return status, [line.lstrip() for line in lines], errors

                said = [orders("ANN", "sell 1 30 ACME 10.05\nsell 2 5 ACME 10.06\nreplace 2 3 7 10.06\n\nbuy 4 1 NONE 1\n"
                                      "buy 5 1 ACME 1.001\nsell 6 1 ACME 10.07 ioc\nbuy 7 0 ACME 1\nbuy 3 1 ACME 1\ncancel 9\nreplace 9 10 1 1"),
                        orders("BOB", "buy 1 10 ACME 10.05\n"),
                        orders("EVE", ""),
                        orders("BOB", "buy\ngo 1\nbuy x 1 ACME 1\nbuy 1 99999999999 ACME 1\nbuy 2 1 NINEBYTES 1\n"
                                      "buy 2 1 ACME 1.\nbuy 2 1 ACME 1.00001\nbuy 2 1 ACME -1\nbuy 2 1 ACME 1 day\ncancel\n"
                                      "cancel 1 2 3\nquery 1\nreplace 1 2 3\n"),
                        orders("ANN", "", "--session", "0000000001", "--next", "9"),
                        orders("ANN", "", "--session", "0000000009", "--next", "1"),
                        orders("ANN", "", "--next", "1000"),
                        orders("NOTANAME", ""),
                        self.run_client(command, "orders", place, "ANN", "wrong"),
                        self.run_client(command, "orders", "nonsense", "ANN", "secret"),
                        self.run_client(command, "orders", f"localhost:{port}", "ANN", "secret")]
                closed, = program.free_ports(1)
                refused = self.run_client(command, "orders", f":{closed}", "ANN", "secret")
                self.assertEqual(refused, (1, [], [f"client: cannot connect to 127.0.0.1:{closed}: Connection refused"]))
                said[-1] = (*said[-1][:2], [line.replace(str(port), "PORT") for line in said[-1][2]])
                snapshots = f"127.0.0.1:{venue.ports['snapshots']}"
                for more in ((), ("--snapshot", snapshots, "ANN", program.PASSWORD)):
                    for seconds in ("2", "10", "50"):  # it learns from a heartbeat what it lacks
                        done = self.run_client(command, "feed", port, "--seconds", seconds, *more)
                        if len(done[1]) > 1:
                            break
                    said.append(done)
                said.append(self.run_client(command, "orders", snapshots, "BOB", program.PASSWORD, text="query\n"))
                done = self.run_client(command, "feed", 0, "--snapshot", place, "BOB", program.PASSWORD)
                said.append((*done[:2], [line.replace(place, "SNAPSHOTS") for line in done[2]]))
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
                    taken.bind(("127.0.0.1", 0))
                    port = taken.getsockname()[1]
                    self.assertEqual(self.run_client(command, "feed", port),
                                     (1, [], [f"client: cannot listen at 127.0.0.1:{port}: Address already in use"]))
                told.append(said)
        for one, other in zip(*told):
            self.assertEqual(one, other)
        self.assertEqual(told[0].pop(), (1, [], ["client: SNAPSHOTS gives no snapshot of the books; is it the order port?"]))
        self.assertEqual(told[0].pop(), (1, ["session 0000000001, next message 1"],
                                         ["client: this port does not speak OUCH; is it the snapshot port?"]))
        ann, bob, eve, wrong, again, other_session, beyond, no_name, password, no_place, refused, live, late = told[0]
        self.assertEqual(ann, (0, [
            "session 0000000001, next message 1", "1 the day begins", "2 order 1 accepted: sell 30 ACME at 10.0500",
            "3 order 2 accepted: sell 5 ACME at 10.0600", "4 order 2 replaced by 3: 7 ACME at 10.0600",
            "5 order 4 rejected: the symbol is unknown (0x0017)",
            "6 order 5 rejected: the price is no multiple of the tick, or out of range (0x001d)",
            "7 order 6 accepted: sell 1 ACME at 10.0700", "8 order 6 canceled: 1 lots, immediate or cancel",
            "9 order 7 rejected: a quantity is 0, out of range, or no multiple of the lot (0x0013)",
            "'buy 3 1 ACME 1' is ignored: 3 is below the next number, 8",
            "'cancel 9' changes nothing: order 9 is not open, or has no more lots",
            "'replace 9 10 1 1' changes nothing: order 9 is not open, or 10 is below the next number, 8"], []))
        self.assertEqual(bob[1][-2:], ["2 order 1 accepted: buy 10 ACME at 10.0500",
                                       "3 order 1 executed: 10 at 10.0500, match 1, R"])
        self.assertEqual(eve, (1, [], ["client: the login is rejected: wrong user or password, or too many logins"]))
        self.assertEqual(wrong[0], 1)
        self.assertEqual(wrong[2], [
            "client: buy takes NUMBER QUANTITY SYMBOL PRICE [ioc]",
            "client: 'go' is no command: take buy, sell, replace, cancel or query", "client: 'x' is no number up to 4294967295",
            "client: '99999999999' is no number up to 4294967295", "client: 'NINEBYTES' is no symbol of one to eight letters",
            "client: '1.' is no price in dollars", "client: '1.00001' is no price in dollars", "client: '-1' is no price in dollars",
            "client: 'day' is not ioc", "client: cancel takes NUMBER [QUANTITY]", "client: cancel takes NUMBER [QUANTITY]",
            "client: query takes nothing", "client: replace takes NUMBER NEW-NUMBER QUANTITY PRICE"])
        self.assertIn("order 1 executed: 10 at 10.0500, match 1, A", "\n".join(again[1]))
        for refusal in (other_session, beyond):
            self.assertEqual(refusal, (1, [], ["client: the login is rejected: there is no such session, or no such message in it"]))
        self.assertEqual(no_name, (1, [], ["client: 'NOTANAME' is no name of one to six letters"]))
        self.assertEqual(password, (1, [], ["client: the login is rejected: wrong user or password, or too many logins"]))
        self.assertEqual(no_place, (1, [], ["client: 'nonsense' is no HOST:PORT"]))
        try:
            socket.getaddrinfo("localhost", None)
            why = "Connection refused"
        except socket.gaierror as error:  # a bare machine, without /etc/hosts, knows no localhost
            why = error.strerror
        self.assertEqual(refused, (1, [], [f"client: cannot connect to localhost:PORT: {why}"]))
        for shown in (live, late):
            self.assertEqual(shown[1][:-1], ["ACME sell 20 at 10.0500", "ACME sell 7 at 10.0600"])

    def test_an_interrupt_shows_the_books_that_there_are(self):
        with Venue() as venue:
            venue.start("--feed-port", program.free_ports(1)[0])
            ann = venue.log_in("ANN")
            ann.message(client.order_message("sell 1 20 ACME 10.05".split()))
            until(ann, 2)
            for command in self.CLIENTS:
                follows = subprocess.Popen([*command, "feed", "0", "--snapshot", f":{venue.ports['snapshots']}", "BOB", program.PASSWORD,
                                            "--seconds", str(program.PATIENCE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual(follows.stderr.readline(), "client: follows the feed for 60 s; Ctrl-C shows the books before\n")
                follows.send_signal(signal.SIGINT)
                shown, errors = follows.communicate(timeout=program.PATIENCE)
                self.assertEqual((follows.returncode, shown.splitlines()[0], errors), (0, "ACME sell 20 at 10.0500", ""))
            waits = subprocess.Popen([*self.CLIENTS[1], "orders", f":{venue.ports['orders']}", "BOB", program.PASSWORD],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertIn("session", waits.stdout.readline())
            waits.send_signal(signal.SIGINT)
            self.assertEqual((waits.communicate(timeout=program.PATIENCE)[1], waits.returncode), ("", 130))

    def test_a_stop_within_a_day_tells_no_end(self):
        """The session goes on with the next start, for who was connected and for the feed."""
        for connected in (False, True):
            with Venue() as venue, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as feed:
                feed.bind(("127.0.0.1", 0))
                venue.start("--feed-port", feed.getsockname()[1])
                if connected:
                    ann = venue.log_in("ANN")
                    until(ann, 1)
                self.assertEqual(venue.stop(), 0)
                feed.setblocking(False)
                datagrams = []
                with contextlib.suppress(BlockingIOError):
                    while True:
                        datagrams.append(feed.recv(2000))
                self.assertEqual({datagram[:10] for datagram in datagrams}, {b"0000000001"})
                self.assertNotIn(b"\xff\xff", [datagram[18:20] for datagram in datagrams])
                if connected:
                    self.assertEqual((words(ann), ann.over), ([], "the venue has hung up"))
                    again = venue.start().log_in("ANN", ann.session, ann.next)
                    again.message(client.order_message("buy 1 1 ACME 1".split()))
                    self.assertEqual(until(again, 1), ["order 1 accepted: buy 1 ACME at 1.0000"])

    def test_top_shows_the_best_prices(self):
        with Venue() as venue:
            venue.start()
            ann = venue.log_in("ANN")
            ann.message(client.order_message("sell 1 20 ACME 10.05".split()))
            until(ann, 2)
            top = subprocess.run([program.PROGRAM, "top", str(venue.ports["metrics"]), "1"], capture_output=True, text=True)
            self.assertIn("ACME                 -             -       10.0500          20\n", top.stdout)

    def test_a_symbol_may_have_any_letters(self):
        """A quote or a backslash in a label is behind a backslash."""
        with Venue(symbols='A"B\\\n') as venue:
            venue.start()
            ann = venue.log_in("ANN")
            ann.message(client.order_message('sell 1 20 A"B\\ 10.05'.split()))
            until(ann, 2)
            self.assertEqual(venue.page()['llmes_venue_best{symbol="A\\"B\\\\",side="sell"}'], "10.05")
            top = subprocess.run([program.PROGRAM, "top", str(venue.ports["metrics"]), "1"], capture_output=True, text=True)
            self.assertIn('A"B\\                 -             -       10.0500          20\n', top.stdout)

    def test_no_answer_waits_for_the_one_before_to_arrive(self):
        with Venue() as venue:
            venue.start("--fix-port", 0)
            mine = [socket.create_connection(("127.0.0.1", venue.ports[port])) for port in ("orders", "snapshots", "FIX")]
            self.assertTrue(venue.counts("connections", 3))
            try:
                theirs = venue.connections()
            except OSError as error:
                self.skipTest(f"no process may look into its child here: {error}")
            named = {one.getsockname(): one for one in mine}
            found = {one.getpeername(): one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in theirs}
            for one in (*mine, *theirs):
                one.close()
            self.assertEqual({name: found.get(name) for name in named}, dict.fromkeys(named, 1))

    def test_the_first_request_for_lost_messages_is_answered(self):
        with Venue() as venue, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
            asks.settimeout(program.PATIENCE)
            venue.start("--feed-port", 9)  # nobody reads it
            asks.sendto(f"{1:010}".encode() + struct.pack(">QH", 1, 1), ("127.0.0.1", venue.ports["requests"]))
            self.assertEqual(asks.recv(2000)[:20], f"{1:010}".encode() + struct.pack(">QH", 1, 1))

    def test_a_stranger_gets_little_for_a_request(self):
        """Until a user has logged in at an address, who asks from there may be somebody else."""
        with Venue() as venue:
            venue.start("--feed-port", 9)  # nobody reads it
            orders = venue.log_in("ANN")
            for i in range(1, 101):
                orders.send(b"U" + client.enter("buy", i, 1, "ACME", 10_000))
            until(orders, 101)

            def ask(host, first):
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
                    asks.bind((host, 0))
                    asks.settimeout(program.PATIENCE)
                    request = f"{1:010}".encode() + struct.pack(">QH", first, 1000)
                    asks.sendto(request, ("127.0.0.1", venue.ports["requests"]))
                    answer = asks.recv(2000)
                    return len(answer) / len(request), struct.unpack(">H", answer[18:20])[0]

            self.assertGreater(ask("127.0.0.1", 1)[0], 50)
            first = 1
            while first <= 100:  # and loses nothing
                times, count = ask("127.0.0.2", first)
                self.assertLessEqual(times, 5)
                first += count
            venue.process.terminate()

    def test_a_day_ends_and_another_begins(self):
        with Venue() as venue:
            feed = client.Feed(*program.free_ports(1))
            venue.start("--feed-port", feed.port)
            ann = venue.log_in("ANN")
            ann.message(client.order_message("sell 5 100 ACME 10.05".split()))
            until(ann, 2)
            numbers = [venue.journal / "fix-ANN-1", venue.journal / "fix-ANN-2"]  # of a session of FIX on that day
            for path in numbers:
                path.touch()
            venue.process.send_signal(signal.SIGUSR1)
            self.assertEqual(until(ann, 2), ["order 5 canceled: 100 lots, timeout", "the day ends"])
            words(ann)
            self.assertEqual(ann.over, "the session has ended")
            self.assertFalse(numbers[0].exists())
            self.assertTrue(numbers[1].exists())
            with self.assertRaises(ConnectionError):
                venue.log_in("ANN", session=ann.session)
            self.assertEqual([message[11:12] for message in feed.messages(program.PATIENCE) if message[:1] == b"S"], [b"O", b"C"])
            self.assertTrue(feed.ended)
            feed.socket.close()
            new_day = client.Feed(feed.port)
            again = venue.log_in("ANN")
            self.assertNotEqual(again.session, ann.session)
            again.message(client.order_message("sell 1 100 ACME 10.05".split()))
            self.assertEqual(until(again, 2)[1], "order 1 accepted: sell 100 ACME at 10.0500")
            lines = ["ACME sell 100 at 10.0500"]
            self.assertEqual(follow(new_day, client.Books(), lines), lines)
            venue.kill()
            numbers[0].touch()
            venue.start().stop()
            self.assertFalse(numbers[0].exists())


class Trader:
    """A client that comes back after each kill, and sends again what was not answered."""

    def __init__(self, venue, name, seed):
        self.venue, self.name, self.random = venue, name, random.Random(seed)
        self.sent = []  # messages of orders, by reference - 1
        self.got = []  # messages of the venue, by sequence - 1
        self.accepted = set()
        self.session = ""
        self.soup = None

    def connect(self):
        self.soup = self.venue.log_in(self.name, self.session, len(self.got) + 1)
        self.session = self.soup.session
        for message in self.sent[max(self.answered() - 20, 0):]:  # what is not answered, and copies of what is
            self.soup.message(message)

    def trade(self):
        burst = b""
        for _ in range(self.random.randrange(1, 30)):
            reference = len(self.sent) + 1
            side = "buy" if self.random.random() < 0.5 else "sell"
            price = f"10.{self.random.randrange(10):02}"
            self.sent.append(client.order_message(
                f"{side} {reference} {self.random.randrange(1, 50)} ACME {price}".split()))
            burst += struct.pack(">H", 1 + len(self.sent[-1])) + b"U" + self.sent[-1]
        self.soup.socket.sendall(burst)

    def read(self, patience):
        for _, message in self.soup.messages(patience):
            self.got.append(message)

    def answered(self):
        return sum(message[:1] == b"A" for message in self.got)

    def fills(self):
        for message in self.got:
            if message[:1] == b"E":
                reference, quantity, price, _, match = struct.unpack(">IIQcQ", message[9:34])
                yield match, quantity, price, reference


def read_until(traders, done):
    """All read on until it is so for each, as the venue hangs up on who is silent."""
    end = time.monotonic() + program.PATIENCE
    while not all(map(done, traders)) and time.monotonic() < end:
        for trader in traders:
            trader.read(0.05)


def trade_and_kill(test, kills, seed):
    """Two traders and a reader of the feed, through so many kills. How many of these left orders without an answer, how often
    these were sent again, and how many orders and trades there are."""
    with Venue() as venue:
        feed = client.Feed(0)
        books = client.Books()
        chooser = random.Random(seed)
        traders = [Trader(venue, name, seed + i) for i, name in enumerate(("ANN", "BOB"))]
        tally = collections.Counter()
        for turn in range(kills + 1):
            venue.start("--feed-port", feed.port, "--segment-records", 4096, "--threads", 1 + turn % 2,
                        "--wait", ("block", "spin")[turn // 2 % 2], "--durability", ("process", "machine")[turn % 5 // 4])
            for trader in traders:
                trader.connect()
            for _ in range(chooser.randrange(1, 6)):
                for trader in traders:
                    trader.trade()
                for trader in traders:
                    trader.read(0)
                for message in feed.messages(0):
                    books.apply(message)
            if turn < kills:
                for trader in traders:
                    trader.trade()
                time.sleep(chooser.random() ** 3 * 0.003)  # mostly, it is still at work
                venue.kill()
                for trader in traders:
                    try:
                        trader.read(0.01)  # what was on its way
                    except OSError:
                        pass
                unanswered = sum(len(trader.sent) - trader.answered() for trader in traders)
                tally.update(kills=1, cut=unanswered > 0, unanswered=unanswered)
        read_until(traders, lambda it: it.answered() == len(it.sent))
        for trader in traders:
            trader.soup.message(b"Q")  # its answer comes last
        read_until(traders, lambda it: it.got[-1][:1] == b"Q")
        for message in missing(feed, venue, "ANN"):
            books.apply(message)
        # Each order is accepted once, whatever was sent again; nothing that was told is lost or told twice.
        for trader in traders:
            references = [struct.unpack(">I", message[9:13])[0] for message in trader.got if message[:1] == b"A"]
            test.assertEqual(references, list(range(1, len(trader.sent) + 1)))
            again = Trader(venue, trader.name, seed)
            again.connect()
            read_until([again], lambda it: len(it.got) == len(trader.got))
            test.assertEqual(again.got, trader.got)
        # Both sides of each trade know the same of it; and the feed shows what rests.
        both = {}
        for trader in traders:
            for match, quantity, price, _ in trader.fills():
                both.setdefault(match, []).append((quantity, price))
        test.assertTrue(both and all(len(pair) == 2 and pair[0] == pair[1] for pair in both.values()))
        test.assertEqual(sorted(both), list(range(1, len(both) + 1)))
        rests = 0
        for trader in traders:
            left = {struct.unpack(">I", m[1:5])[0]: struct.unpack(">I", m[6:10])[0] for m in trader.sent}
            for message in trader.got:
                if message[:1] in b"ECD":
                    reference, lots = struct.unpack(">II", message[9:17])
                    left[reference] -= lots
            test.assertTrue(all(lots >= 0 for lots in left.values()))
            rests += sum(left.values())
        test.assertEqual(sum(order[2] for order in books.orders.values()), rests)
        test.assertEqual(venue.stop(), 0)
        tally.update(orders=sum(len(trader.sent) for trader in traders), trades=len(both))
        return tally


class Kills(unittest.TestCase):
    def test_nothing_told_is_lost_and_nothing_is_done_twice(self):
        trade_and_kill(self, kills=5, seed=1)


@unittest.skipUnless("LLMES_KILLS" in os.environ, "takes some minutes: set LLMES_KILLS=1000")
class ManyKills(unittest.TestCase):
    def test_nothing_told_is_lost_and_nothing_is_done_twice(self):
        kills = int(os.environ["LLMES_KILLS"])
        total = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(4) as some:  # each waits most of its time
            runs = {seed: some.submit(trade_and_kill, self, kills=20, seed=seed) for seed in range(0, kills, 20)}
            for seed, run in runs.items():
                with self.subTest(seed=seed):
                    total += run.result()
                    print(f"seed {seed}: {run.result()['cut']} of 20 kills left orders without an answer", flush=True)
        print("{kills} kills of venues, {cut} of which left orders without an answer: orders were sent again {unanswered} times; "
              "{orders} orders and {trades} trades, none lost, none done twice".format_map(total))
        self.assertEqual(total["kills"], kills)  # a seed that fails is not among them
        self.assertGreater(total["cut"], 0)


class Hostile(unittest.TestCase):
    """Whatever a client does, the others go on."""

    def setUp(self):
        self.venue = Venue()
        self.addCleanup(self.venue.__exit__)
        self.reference = 0

    def start(self, *flags, prefix=()):
        self.venue.start(*flags, prefix=prefix)
        self.good = self.venue.log_in("ANN")
        until(self.good, 1)

    def expect_service(self):
        self.reference += 1
        self.good.message(client.order_message(f"buy {self.reference} 1 ZINC 1".split()))
        self.assertEqual(len(until(self.good, 1)), 1)

    def connect(self):
        raw = socket.create_connection(("127.0.0.1", self.venue.ports["orders"]), timeout=program.PATIENCE)
        self.addCleanup(raw.close)
        return raw

    def expect_hang_up(self, raw, sent=b""):
        """Whatever of these bytes it has taken."""
        try:
            raw.sendall(sent)
            while raw.recv(65536):
                pass
        except ConnectionError:
            pass

    def test_bytes_that_are_no_protocol(self):
        self.start()
        chooser = random.Random(1)
        for bad in (b"\0\0", b"\xff\xff" + b"x" * 70_000, b"\0\x01U", b"GET / HTTP/1.1\r\n\r\n", b"\0\x2fL" + b" " * 46,
                    bytes(chooser.randrange(256) for _ in range(500))):
            self.expect_hang_up(self.connect(), bad)
            self.expect_service()

    def test_messages_that_are_none(self):
        self.start("--message-length", 100)
        longest, too_long = (client.enter("buy", i, 1, "ACME", 10_000)[:-2] + struct.pack(">H", 6 * i) + b"\5\2FIRM" * i
                             for i in (8, 9))
        bob = self.venue.log_in("BOB")
        bob.message(longest)
        self.assertEqual(len(until(bob, 2)), 2)
        for bad in (b"?", b"O", b"O" * 99, too_long):
            soup = self.venue.log_in("BOB")
            soup.message(bad)
            words(soup)
            self.assertEqual(soup.over, "the venue has hung up")
            self.expect_service()

    def test_wrong_passwords_keep_nobody_out(self):
        self.start("--logins", 4)
        self.venue.log_in("BOB")
        for _ in range(30):
            with self.assertRaises(ConnectionError):
                client.Soup("127.0.0.1", self.venue.ports["orders"], "BOB", "guess")
            self.venue.log_in("BOB")
        self.expect_service()
        self.assertTrue(self.venue.says("a connection is disconnected: its login was rejected: wrong password of BOB"))

    def test_a_login_after_the_day_of_its_connection(self):
        self.start()
        raw, other = self.connect(), self.connect()
        self.assertTrue(self.venue.counts("connections", 3))
        self.venue.process.send_signal(signal.SIGUSR1)
        self.assertTrue(self.venue.says("day 2 begins"))
        self.expect_hang_up(raw, b"".join(struct.pack(">H", len(packet)) + packet for packet in (
            b"L" + f"{'BOB':6}{program.PASSWORD:10}{1:010}{1:20}".encode(), b"U" + client.enter("buy", 1, 1, "ACME", 10_000))))
        with unittest.mock.patch("socket.create_connection", return_value=other):
            self.good = self.venue.log_in("ANN")
        self.assertEqual(self.good.session, "0000000002")
        until(self.good, 1)
        self.expect_service()
        self.assertEqual(self.good.over, "")

    def test_who_still_sends_hears_the_last_words(self):
        """A socket that is closed while bytes of its client wait is reset, and the client loses what it has not read."""
        self.start()
        bob = self.venue.log_in("BOB")
        bob.socket.settimeout(program.PATIENCE)
        query = (struct.pack(">H", 2) + b"UQ") * 1000
        bob.socket.sendall(query + struct.pack(">H", 2) + b"Uz" + query * 300)  # none of OUCH, and much behind it
        while some := bob.socket.recv(65536):  # until it hangs up, and not with an error
            bob.bytes += some
        packets = list(iter(bob.packet, None))
        self.assertEqual(sum(kind == b"S" and message[:1] == b"Q" for kind, message in packets), 1000)
        self.assertEqual(packets[-1][0], b"+")
        self.assertIn(b"it sent what is no message of OUCH", packets[-1][1])
        self.expect_service()

    def test_who_still_sends_is_not_reset_at_the_end(self):
        """It is at its limit, and its bytes wait to be read."""
        for how, ends_session in ((signal.SIGUSR1, True), (signal.SIGTERM, False)):
            with Venue(options="message-burst=1 message-interval=1000000000") as venue:
                venue.start()
                bob = venue.log_in("BOB")
                bob.socket.settimeout(program.PATIENCE)
                bob.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
                until(bob, 1)
                sending = concurrent.futures.ThreadPoolExecutor(1).submit(bob.socket.sendall,
                                                                          (struct.pack(">H", 2) + b"UQ") * 250_000)
                while not (said := bob.socket.recv(65536)).startswith(b"\0\x0eSQ"):  # it has begun
                    pass
                venue.process.send_signal(how)
                while some := bob.socket.recv(65536):
                    said += some
                self.assertIsNone(sending.result(program.PATIENCE))
                self.assertEqual(said.endswith(b"\0\1Z"), ends_session)
                self.assertEqual(venue.end() if how == signal.SIGTERM else venue.stop(), 0)

    def test_a_client_at_its_limit_waits(self):
        self.venue = Venue(options="message-burst=10 message-interval=1000000")
        self.addCleanup(self.venue.__exit__)
        self.start()
        bob = self.venue.log_in("BOB")
        begin = time.monotonic()
        bob.socket.sendall((struct.pack(">H", 2) + b"UQ") * 400)
        self.assertEqual(until(bob, 401)[1:], ["next number 1"] * 400)
        self.assertGreater(time.monotonic() - begin, 0.39)
        self.expect_service()

    def test_users_of_an_account_at_its_limit_take_turns(self):
        self.venue = Venue(options="message-burst=1 message-interval=10000000")
        self.addCleanup(self.venue.__exit__)
        self.venue.users.write_text(self.venue.users.read_text().replace("BOB 2", "BOB 1"))
        self.start()
        bob = self.venue.log_in("BOB")
        until(bob, 1)
        query = struct.pack(">H", 2) + b"UQ"
        self.good.socket.sendall(query * 3000)
        until(self.good, 5)
        bob.socket.sendall(query * 5)
        self.assertEqual(until(bob, 5), ["next number 1"] * 5)
        self.good.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while some := self.good.socket.recv(65536):
                self.good.bytes += some
        self.assertLess(len(list(iter(self.good.packet, None))), 2900)

    def test_more_connections_than_may_be(self):
        self.start("--connections", 3)
        mute = [self.connect() for _ in range(3)]
        self.expect_hang_up(mute[0])  # who does not log in makes room
        self.assertTrue(self.venue.says("a connection is disconnected: it did not log in, and others came"))
        self.expect_service()
        bob = [self.venue.log_in("BOB"), self.venue.log_in("BOB", port="snapshots")]
        self.assertTrue(self.venue.says("BOB is disconnected: the session has ended"))
        self.expect_hang_up(mute[1])
        self.expect_service()
        until(bob[0], 1)
        snapshot = self.venue.log_in("BOB", port="snapshots")
        self.assertTrue(snapshot.messages(program.PATIENCE))
        self.assertGreaterEqual(int(self.venue.page()["llmes_venue_connections_refused_total"]), 2)

    def test_a_thousand_connections(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if most < 2_048:
            self.skipTest("a process may have too few files here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (2_048, most))
        self.start("--connections", 1_001)
        for _ in range(1_000):
            self.connect()
        self.expect_service()
        self.assertTrue(self.venue.counts("connections", 1001))

    def test_fewer_files_than_connections(self):
        done = subprocess.run(["prlimit", "--nofile=60:60", *self.venue.command()], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "venue: too few files may be open here (see ulimit -n)\n"))
        self.start("--segment-records", 256, prefix=["prlimit", "--nofile=120:120"])
        self.assertIn("at most 56 connections, as no more files may be open (see ulimit -n)", self.venue.lines)
        for _ in range(150):
            self.connect()
        for _ in range(300):  # the journal needs new files
            self.expect_service()
        self.venue.log_in("BOB")

    def test_readers_of_counters_who_ask_for_none(self):
        self.start()
        place = ("127.0.0.1", self.venue.ports["metrics"])
        mute = []
        for _ in range(20):
            mute.append(socket.create_connection(place, timeout=program.PATIENCE))
            self.addCleanup(mute[-1].close)
        self.expect_hang_up(mute[0])
        self.expect_service()
        self.assertEqual(self.venue.page()["llmes_venue_connections"], "1")

    def test_no_more_files_may_be_open(self):
        self.start()
        process = self.venue.process.pid
        before = resource.prlimit(process, resource.RLIMIT_NOFILE)
        most = len(os.listdir(f"/proc/{process}/fd"))
        resource.prlimit(process, resource.RLIMIT_NOFILE, (most, before[1]))
        waits = [socket.create_connection(("127.0.0.1", self.venue.ports[port]), timeout=program.PATIENCE)
                 for port in ("orders", "metrics")]
        for one in waits:
            self.addCleanup(one.close)
        self.expect_service()
        resource.prlimit(process, resource.RLIMIT_NOFILE, before)
        waits[1].sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        self.assertTrue(waits[1].recv(1000).startswith(b"HTTP/1.1 200 OK"))
        waits[0].sendall(b"\0\0")  # no packet
        self.expect_hang_up(waits[0])

    def test_a_flood_and_nobody_who_reads_the_answers(self):
        self.flood("--stall", 1)

    def test_a_client_that_falls_behind(self):
        self.flood("--stall", 60, "--backlog", 100)

    def flood(self, *flags):
        self.start(*flags)
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.addCleanup(raw.close)
        raw.connect(("127.0.0.1", self.venue.ports["orders"]))
        login = b"L" + f"{'BOB':6}{program.PASSWORD:10}{'':10}{1:20}".encode()
        raw.sendall(struct.pack(">H", len(login)) + login)
        raw.settimeout(program.PATIENCE)
        self.assertEqual(raw.recv(3, socket.MSG_WAITALL)[2:], b"A")  # its login is accepted,
        self.assertTrue(self.venue.says("2 connections, "))  # and the venue has seen that it has caught up
        orders = [b"U" + client.enter("buy", i, 1, "ACME", 10_000) for i in range(1, 30_001)]
        try:
            raw.sendall(b"".join(struct.pack(">H", len(order)) + order for order in orders))
        except OSError:
            pass
        self.expect_service()
        end = time.monotonic() + program.PATIENCE
        while self.venue.page()["llmes_venue_connections_slow_total"] != "1" and time.monotonic() < end:
            self.expect_service()
            time.sleep(0.2)
        self.assertEqual(self.venue.page()["llmes_venue_connections_slow_total"], "1")
        self.expect_service()


class Operators(unittest.TestCase):
    def test_it_says_what_is_wrong(self):
        with Venue() as venue:
            venue.start()
            for flags, wrong in (
                (("--port", venue.ports["orders"]), "another engine uses this directory"),
                (("--port", venue.ports["orders"]), "It may still be stopping: try again"),
                (("--nonsense", 1), "there is no flag '--nonsense'"),
                (("--port", "70000"), "'70000' is no value of --port"),
                (("--port",), "needs a value"),
            ):
                status, text = venue.fails(*flags)
                self.assertIn(wrong, text)
                self.assertEqual(status, 2 if "--help" in text else 1)
            with Venue() as other:
                status, text = other.fails("--port", venue.ports["orders"])
                self.assertEqual(status, 1)
                self.assertIn("Address already in use", text)
                for name, content, wrong in (
                    (other.symbols, "NAMEISTOOLONG\n", "symbols:1: 'NAMEISTOOLONG' is no symbol"),
                    (other.symbols, "ACME\nACME\n", "symbols:2: symbol ACME stands there twice, first in line 1"),
                    (other.symbols, "ACME tick=0\n", "'tick=0' is none of"),
                    (other.symbols, "# none\n", "has no symbol"),
                    (other.users, "ANN\n", "users:1: a user is NAME ACCOUNT"),
                    (other.users, "ANN 1 plain\n", "the password is no hash"),
                    (other.users, f"ANN 1001 {program.hash_of('x')}\n", "is no account from 1 to 1000"),
                    (other.users, f"ANN 1 {program.hash_of('x')} colour=red\n", "there is no option 'colour=red'"),
                    (other.users, f"ANN 1 {program.hash_of('x')} drop-copy=7\nBOB 2 {program.hash_of('x')} drop-copy=1\n",
                     "users:1: no user has account 7, which drop-copy names"),
                    (other.users, f"ANN 1 {program.hash_of('x')} fix=A\nBOB 2 {program.hash_of('x')} fix=A\n",
                     "users:2: users ANN and BOB have the same fix=A"),
                ):
                    before = name.read_text()
                    name.write_text(content)
                    status, text = other.fails()
                    name.write_text(before)
                    self.assertEqual(status, 1)
                    self.assertIn(wrong, text)
                self.assertIn("symbols:2: there are more than 1 symbols", other.fails("--max-symbols", 1)[1])
                self.assertIn("is no account from 1 to 1 (see --max-accounts)", other.fails("--max-accounts", 1)[1])
                self.assertIn("users:2: there are more than 1 users (see --max-users)", other.fails("--max-users", 1)[1])
                before = [(path, path.read_text()) for path in (other.symbols, other.users)]
                other.symbols.write_text("ACME tick=0\nACME lot=x\n")
                other.users.write_text("ANN\nBOB 1 plain\n")
                text = other.fails()[1]  # all at once
                for wrong in ("symbols:1: ", "symbols:2: ", "users:1: ", "users:2: "):
                    self.assertIn(wrong, text)
                for path, content in before:
                    path.write_text(content)
                other.symbols.unlink()
                self.assertIn("No such file", other.fails()[1])

    def test_it_prints_its_sizes(self):
        with Venue() as venue:
            venue.start("--max-orders", 40, "--max-symbols", 2, "--max-accounts", 3)
            self.assertIn("room for 2 symbols, 40 orders, 3 accounts, 3 users, 6 holdings, 10 stops, 50 lifetimes, 40 trades",
                          venue.lines)

    def test_a_kill_is_a_disconnect(self):
        for grace, stays in ((0, False), (60, True)):
            with Venue(options="cancel-on-disconnect") as venue:
                venue.start()
                ann = venue.log_in("ANN")
                ann.message(client.order_message("buy 1 5 ACME 10".split()))
                self.assertEqual(len(until(ann, 2)), 2)
                venue.kill()
                venue.start("--cancel-grace", grace)
                ann = venue.log_in("ANN", ann.session, 3)
                ann.message(client.order_message("buy 2 5 ACME 9".split()))
                self.assertEqual(until(ann, 1 if stays else 2), [
                    *([] if stays else ["order 1 canceled: 5 lots, by the system"]), "order 2 accepted: buy 5 ACME at 9.0000"])

    def test_a_journal_keeps_its_symbols(self):
        with Venue() as venue:
            venue.start().stop()
            for content, wrong in (
                ("ACME tick=50\nZINC tick=50\n", "symbols: ACME has tick=50 lot=1, but tick=100 lot=1 in the journal"),
                ("ACME lot=10\nZINC tick=50\n", "symbols: ACME has tick=100 lot=10, but tick=100 lot=1 in the journal"),
                ("ACME\nGOLD\n", "symbols: lacks ZINC (tick=50 lot=1), which the journal has"),
            ):
                venue.symbols.write_text(content)
                status, text = venue.fails()
                self.assertIn(wrong, text)
                self.assertEqual(status, 1)
            venue.symbols.write_text("GOLD\nZINC tick=50\nACME\n")
            ann = venue.start().log_in("ANN")
            ann.message(client.order_message("buy 1 5 GOLD 10".split()))
            self.assertEqual(until(ann, 2)[1], "order 1 accepted: buy 5 GOLD at 10.0000")

    def test_it_says_how_its_journal_ended(self):
        flags = ("--segment-records", 64, "--max-orders", 1000, "--max-accounts", 10, "--max-symbols", 2)

        def venue_with_orders():
            venue = Venue()
            self.addCleanup(venue.__exit__)
            venue.start(*flags)
            ann = venue.log_in("ANN")
            for i in range(1, 100):
                ann.send(b"U" + client.enter("buy", i, 1, "ACME", 10_000))
            until(ann, 100)
            venue.kill()
            return venue, sorted(venue.journal.glob("*.journal"))

        for change, wrong in (
            (lambda segments: None, None),
            (lambda segments: os.truncate(segments[-1], 512), "was cut: it lacks"),
            (lambda segments: os.truncate(segments[-1], 0), "has 0 bytes and no header: "),
            (lambda segments: segments[-1].unlink(), "is full and no segment follows"),
        ):
            venue, segments = venue_with_orders()
            change(segments)
            last = [path for path in segments if path.exists()][-1].name
            venue.start(*flags)
            said = [line for line in venue.lines if line.startswith("venue: ")]
            self.assertEqual(len(said), 1 if wrong else 0, venue.lines)
            for line in said:
                self.assertIn(last, line)
                self.assertIn(wrong, line)
            venue.kill()
        # What cannot be told from what there is, and what has certainly been there.
        for change, wrong in (
            (lambda venue, segments: os.truncate(segments[1], 0), "has a damaged header"),
            (lambda venue, segments: segments[1].unlink(), "bring the missing segment back"),
            (lambda venue, segments: (venue.journal / "fix-ANN-2").touch(), "fix-ANN-2 is of day 2, which is not in the journal"),
        ):
            venue, segments = venue_with_orders()
            change(venue, segments)
            status, text = venue.fails(*flags)
            self.assertEqual(status, 1)
            self.assertIn(wrong, text)

    def test_top_says_what_is_wrong(self):
        with Venue() as venue:
            venue.start("--fix-port", 0)
            for words, status, wrong in (
                (("x",), 2, "'x' is no port"),
                ((), 2, "top needs a port"),
                (("1", "many"), 2, "'many' is no number of times"),
                (("1", "1", "1"), 2, "top takes a port and a number of times"),
                ((venue.ports["orders"], "1"), 1, "no counters of a venue"),
                ((venue.ports["FIX"], "1"), 1, "no counters of a venue"),
                ((program.free_ports(1)[0], "1"), 1, "Connection refused"),
            ):
                done = subprocess.run([program.PROGRAM, "top", *map(str, words)], capture_output=True, text=True)
                self.assertIn(wrong, done.stderr)
                self.assertEqual((done.returncode, done.stdout), (status, ""))

    def test_it_speaks_tls(self):
        with Venue() as venue:
            names = [pathlib.Path(venue.folder.name) / name for name in ("key.pem", "certificate.pem")]
            made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=venue", "-days", "2",
                                   "-keyout", names[0], "-out", names[1]], capture_output=True)
            if made.returncode != 0:
                self.skipTest("openssl makes no certificate here")
            self.assertIn("no key of this certificate", venue.fails("--certificate", names[1], "--key", names[1])[1])
            self.assertIn("go together", venue.fails("--key", names[0])[1])
            venue.start("--certificate", names[1], "--key", names[0], "--wait", "spin")
            with self.assertRaises((ConnectionError, OSError)):
                venue.log_in("ANN")  # in the clear
            context = ssl.create_default_context(cafile=names[1])
            context.check_hostname = False
            plain = socket.create_connection
            with unittest.mock.patch("socket.create_connection", lambda place: context.wrap_socket(plain(place))):
                ann = venue.log_in("ANN")
            ann.message(client.order_message("buy 1 5 ACME 10".split()))
            self.assertEqual(until(ann, 2)[1], "order 1 accepted: buy 5 ACME at 10.0000")

    def test_it_hashes_passwords(self):
        made = subprocess.run([program.PROGRAM, "hash-password"], input="secret\n", capture_output=True, text=True)
        self.assertRegex(made.stdout, r"^pbkdf2:\d+:[0-9a-f]{32}:[0-9a-f]{64}\n$")
        with Venue() as venue:
            venue.users.write_text(f"ANN 1 {made.stdout}")
            venue.start().log_in("ANN")

    def test_who_spins_at_a_real_time_priority_lets_others_log_in(self):
        with Venue() as venue:
            core = min(os.sched_getaffinity(0))
            prefix = ["chrt", "-f", "1", "taskset", "-c", str(core)]
            if len(os.sched_getaffinity(0)) < 2 or subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
                self.skipTest("no process may have a core for itself here")
            os.sched_setaffinity(0, os.sched_getaffinity(0) - {core})
            self.addCleanup(os.sched_setaffinity, 0, os.sched_getaffinity(0) | {core})
            venue.start("--wait", "spin", prefix=prefix)
            ann = venue.log_in("ANN")
            ann.message(client.order_message("buy 1 5 ACME 10".split()))
            self.assertEqual(until(ann, 2)[1], "order 1 accepted: buy 5 ACME at 10.0000")

    def test_nobody_reads_what_it_prints(self):
        """Nor is anybody waited for, nor is it ended by a signal that is none of its own."""
        with Venue() as venue:
            reads, writes = os.pipe()
            venue.ports = dict(zip(("orders", "metrics"), program.free_ports(2)))
            flags = ("--port", venue.ports["orders"], "--metrics-port", venue.ports["metrics"])
            venue.process = subprocess.Popen(venue.command(*flags), stdout=writes, stderr=writes)
            os.close(writes)
            said = b""
            while b"ready" not in said:
                said += os.read(reads, 4096)
            ann = venue.log_in("ANN")
            until(ann, 1)
            for _ in range(1_600):  # lines of 48 bytes at least, and a pipe takes 65,536
                socket.create_connection(("127.0.0.1", venue.ports["orders"])).close()
            self.assertTrue(venue.counts("connections", 1))
            ann.message(client.order_message("buy 1 5 ACME 10".split()))
            self.assertEqual(until(ann, 1), ["order 1 accepted: buy 5 ACME at 10.0000"])
            os.close(reads)
            for one in (signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR2):
                venue.process.send_signal(one)
                socket.create_connection(("127.0.0.1", venue.ports["orders"])).close()
                ann.message(client.order_message("buy 2 5 ACME 10".split()))
            ann.message(client.order_message("buy 3 5 ACME 10".split()))
            self.assertEqual(until(ann, 2)[1], "order 3 accepted: buy 5 ACME at 10.0000")
            end = time.monotonic() + program.PATIENCE
            while venue.page()["llmes_venue_output_lines_lost_total"] == "0" and time.monotonic() < end:
                time.sleep(0.01)
            self.assertLess(time.monotonic(), end)
            venue.process.terminate()
            self.assertEqual(venue.process.wait(program.PATIENCE), 0)

    def test_its_files_are_not_its_output(self):
        with Venue() as venue:
            venue.ports["orders"], = program.free_ports(1)
            venue.process = subprocess.Popen(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh",
                                              *venue.command("--port", venue.ports["orders"])])
            end = time.monotonic() + program.PATIENCE
            while True:
                try:
                    ann = venue.log_in("ANN")
                    break
                except ConnectionError:
                    self.assertLess(time.monotonic(), end)
            ann.message(client.order_message("buy 1 5 ACME 10".split()))
            self.assertEqual(until(ann, 2)[1], "order 1 accepted: buy 5 ACME at 10.0000")
            venue.process.terminate()
            self.assertEqual(venue.process.wait(program.PATIENCE), 0)
            venue.start()
            self.assertEqual(until(venue.log_in("ANN"), 2)[1], "order 1 accepted: buy 5 ACME at 10.0000")

    def test_a_full_disk_ends_it_with_words(self):
        with Venue() as venue:
            mount = ["unshare", "--map-root-user", "--mount", "sh", "-c",
                     f"mount -t tmpfs -o size=2m none {venue.journal} && exec \"$@\"", "sh"]
            if subprocess.run([*mount, "true"], capture_output=True).returncode != 0:
                self.skipTest("no tmpfs may be mounted here")
            venue.start("--segment-records", 256, "--max-orders", 2_000, "--max-symbols", 2, "--max-accounts", 2, prefix=mount)
            ann = venue.log_in("ANN")
            accepted = 0
            for i in range(1, 10_000):
                try:
                    ann.message(client.enter("buy", i, 1, "ACME", 10_000))
                except OSError:
                    break
                if i % 100 == 0:
                    accepted += len(until(ann, 100))
                    if ann.over:
                        break
            self.assertEqual(venue.end(), 1)
            self.assertRegex("\n".join(venue.lines), "the journal has failed: .*(the disk has|No space left on device)")
            for word in ("remove_covered", "segment_records"):  # which the program does not have
                self.assertNotIn(word, "\n".join(venue.lines))
            self.assertGreater(accepted, 100)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
