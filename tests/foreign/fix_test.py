# SPDX-License-Identifier: MIT
"""FIX at the venue program, judged by clients that others wrote: `simplefix` and QuickFIX (`quickfix-py`) from PyPI.

simplefix builds and parses single messages: right ones, and hostile bytes. QuickFIX is a whole initiator: it logs on,
trades, and comes back after the venue was killed. VENUE names our program.
"""

import importlib
import random
import signal
import tempfile
import time
import unittest

from fix_venue import PATIENCE, Venue


def values(message, *tags):
    return tuple(None if message.get(tag) is None else message.get(tag).decode() for tag in tags)


class WithVenue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.clients = importlib.import_module("fix_clients")  # whose packages --help does not need

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.venue = Venue(folder.name)
        self.addCleanup(self.venue.kill)

    def client(self, *arguments, **more):
        client = self.clients.Client(self.venue, *arguments, **more)
        self.addCleanup(client.socket.close)
        return client


class SimplefixTest(WithVenue):
    def test_a_day_of_two_traders(self):
        ann = self.client("ANN")
        bob = self.client("BOB", begin="FIXT.1.1")
        ann.order("a1", 1, 100, "10.25")
        self.assertEqual(values(ann.take("8"), 150, 39, 11, 55, 54, 38, 44, 151, 14),
                         ("0", "0", "a1", "ABC", "1", "100", "10.25", "100", "0"))
        bob.order("b1", 2, 30, "10.2")
        self.assertEqual(values(bob.take("8"), 150, 39, 11), ("0", "0", "b1"))
        self.assertEqual(values(bob.take("8"), 150, 39, 31, 32, 151, 14, 6), ("F", "2", "10.25", "30", "0", "30", "10.25"))
        self.assertEqual(values(ann.take("8"), 150, 39, 31, 32, 151, 14, 6), ("F", "1", "10.25", "30", "70", "30", "10.25"))
        ann.send("G", {11: "a2", 41: "a1", 55: "ABC", 54: 1, 60: "20261127-19:30:00", 38: 120, 40: 2, 44: "10.3"})
        self.assertEqual(values(ann.take("8"), 150, 39, 11, 41, 38, 44, 151, 14),
                         ("5", "1", "a2", "a1", "120", "10.3", "90", "30"))
        ann.send("G", {11: "a3", 41: "a2", 55: "ABC", 54: 1, 60: "20261127-19:30:00", 38: 120, 40: 2, 44: "10.305"})
        self.assertEqual(values(ann.take("9"), 11, 41, 434, 39), ("a3", "a2", "2", "1"))
        ann.send("F", {11: "a4", 41: "a2", 55: "ABC", 54: 1, 60: "20261127-19:30:00"})
        self.assertEqual(values(ann.take("8"), 150, 39, 11, 41, 151), ("4", "4", "a4", "a2", "0"))
        ann.send("F", {11: "a5", 41: "a2", 55: "ABC", 54: 1, 60: "20261127-19:30:00"})
        self.assertEqual(values(ann.take("9"), 11, 41, 434, 102), ("a5", "a2", "1", "1"))
        ann.send("5", {})
        ann.take("5")
        self.assertIsNone(ann.next())
        self.assertEqual(self.venue.stop(), 0)

    def test_a_mass_quote(self):
        ann, bob = self.client("ANN"), self.client("BOB")
        ann.send("i", {117: "q", 296: 1, 302: "s", 304: 1, 295: 1, 299: 7, 55: "ABC", 132: "9.9", 133: "10.1", 134: 5, 135: 4})
        self.assertEqual(values(ann.take("b"), 117, 297, 296, 302, 304, 295, 299, 134, 135, 368),
                         ("q", "0", "1", "s", "1", "1", "7", "5", "4", None))
        bob.order("b", 2, 2, "9.9")
        self.assertEqual(values(ann.take("8"), 150, 11, 526, 54, 32, 31), ("F", "q", "7", "1", "2", "9.9"))
        ann.send("i", {117: "r", 296: 1, 302: "s", 304: 1, 295: 1, 299: 8, 55: "XYZ", 132: "9.9", 134: 5})
        self.assertEqual(values(ann.take("b"), 117, 297, 299, 368), ("r", "0", "8", "1"))

    def test_orders_that_are_refused(self):
        ann = self.client("ANN")
        cases = [({55: "XYZ"}, "1"), ({38: 0}, "13"), ({38: "1.5"}, "13"), ({44: "10.255"}, "99"), ({44: "-1"}, "99"),
                 ({59: 1}, "11"), ({1: "77"}, "15")]
        for number, (change, reason) in enumerate(cases):
            fields = {11: f"x{number}", 55: "ABC", 54: 1, 60: "20261127-19:30:00", 38: 1, 40: 2, 44: 10}
            ann.send("D", {**fields, **change})
            self.assertEqual(values(ann.take("8"), 150, 39, 11, 103), ("8", "8", f"x{number}", reason), change)
        ann.order("a1", 1, 1, 10)
        ann.take("8")
        ann.order("a1", 1, 1, 10)
        self.assertEqual(values(ann.take("8"), 150, 103), ("8", "6"))

    def test_terms(self):
        ann = self.client("ANN")
        bob = self.client("BOB")
        ann.order("rest", 2, 100, 10, t111=10)
        self.assertEqual(values(ann.take("8"), 150), ("0",))
        bob.order("passive", 1, 5, 10, t18="6")
        self.assertEqual(values(bob.take("8"), 150, 39), ("8", "8"))
        bob.order("now", 1, 5, 9, t59=3)
        self.assertEqual(values(bob.take("8"), 150), ("0",))
        self.assertEqual(values(bob.take("8"), 150, 39), ("4", "4"))
        bob.order("all", 1, 101, 10, t59=4)
        self.assertEqual(values(bob.take("8"), 150), ("8",))
        bob.send("D", {11: "market", 55: "ABC", 54: 1, 60: "20261127-19:30:00", 38: 15, 40: 1})
        self.assertEqual(values(bob.take("8"), 150), ("0",))
        filled = 0
        while filled < 15:
            report = bob.take("8")
            self.assertEqual(values(report, 150, 31), ("F", "10"))
            filled = int(report.get(14))
        bob.send("D", {11: "stop", 55: "ABC", 54: 1, 60: "20261127-19:30:00", 38: 3, 40: 3, 99: 10})
        self.assertEqual(values(bob.take("8"), 150), ("0",))

    def test_a_kill_loses_nothing_and_does_nothing_twice(self):
        ann = self.client("ANN")
        bob = self.client("BOB")
        told = {}

        def hear(client):
            report = client.take("8")
            told[int(report.get(34))] = values(report, 17, 150, 11, 14, 60)

        for number in range(5):
            ann.order(f"a{number}", 1, 10, 10)
            hear(ann)
        ann.send("1", {112: "hello"})
        self.assertEqual(values(ann.take("0"), 112), ("hello",))
        ann.order("a5", 1, 10, 10)
        hear(ann)
        self.venue.kill()
        self.venue.start()
        bob = self.client("BOB", sequence=2)
        bob.order("b1", 2, 15, 10)
        for _ in range(3):
            bob.take("8")
        # The last order once more, as a client does that has no answer.
        ann = self.client("ANN", sequence=ann.sequence)
        self.assertEqual(values(ann.logon, 34), ("11",), "a logon, seven reports and a heartbeat before, two fills after")
        ann.send("2", {7: 1, 16: 0})
        again, next_sequence = {}, 1
        while next_sequence < 12:
            message = ann.next()
            self.assertEqual(values(message, 43), ("Y",))
            self.assertEqual(int(message.get(34)), next_sequence)
            if message.get(35) == b"4":
                next_sequence = int(message.get(36))
                continue
            self.assertIsNotNone(message.get(122))
            again[next_sequence] = values(message, 17, 150, 11, 14, 60)
            next_sequence += 1
        self.assertEqual({number: again[number] for number in told}, told)
        self.assertEqual([again[number][1:4] for number in (9, 10)], [("F", "a0", "10"), ("F", "a1", "5")])
        ann.send("D", {43: "Y", 122: "20261127-19:30:00", 11: "a5", 55: "ABC", 54: 1, 60: "20261127-19:30:00", 38: 10,
                       40: 2, 44: 10})
        ann.send("1", {112: "end"})
        self.assertEqual(values(ann.next(), 35, 112), ("0", "end"))

    def test_a_second_logon_ends_the_first_connection(self):
        first = self.client("ANN")
        first.order("a1", 1, 10, 10)
        first.take("8")
        second = self.client("ANN", sequence=3)
        self.assertEqual(values(second.logon, 34), ("3",))
        self.assertIsNone(first.next())
        second.order("a2", 1, 10, 10)
        self.assertEqual(values(second.take("8"), 34, 11), ("4", "a2"))

    def test_a_new_day_begins_at_1(self):
        ann = self.client("ANN")
        ann.order("a1", 1, 10, 10)
        ann.take("8")
        self.venue.process.send_signal(signal.SIGUSR1)
        self.assertEqual(values(ann.take("8"), 150, 39, 11), ("C", "C", "a1"))
        self.assertEqual(values(ann.take("5"), 58), ("The session ends",))
        ann.send("5", {})
        self.assertIsNone(ann.next())
        ann = self.client("ANN")
        self.assertEqual(values(ann.logon, 34), ("1",))
        ann.order("a1", 1, 10, 10)
        self.assertEqual(values(ann.take("8"), 150, 11, 17), ("0", "a1", "1"))
        self.venue.kill()
        self.venue.start()
        ann = self.client("ANN", sequence=3)
        self.assertEqual(values(ann.logon, 34), ("3",))

    def test_logons_that_are_refused(self):
        for name, change in (("EVE", {554: "wrong"}), ("NOBODY", {}), ("EVE", {108: 0}), ("EVE", {98: 1})):
            client = self.client(name, logs_on=False)
            client.send("A", {98: 0, 108: 30, 554: "secret", **change})
            self.assertEqual(client.take("5").get(34), b"1")
            self.assertIsNone(client.next())

    def test_hostile_bytes_harm_nobody_else(self):
        ann = self.client("ANN")
        rng = random.Random(1)
        sequence = 1
        for round_number in range(60):
            eve = self.client("EVE", logs_on=False)
            logged_on = rng.random() < 0.7
            data = b""
            if logged_on:
                eve.sequence = sequence
                data += eve.build("A", {98: 0, 108: 30, 554: "secret", 141: "Y"} if rng.random() < 0.5 else
                                  {98: 0, 108: 30, 554: "secret"})
            for _ in range(rng.randrange(1, 20)):
                kind = rng.choice("0123456789ADFGj8V")
                fields = {rng.choice((1, 7, 11, 16, 36, 38, 40, 41, 44, 54, 55, 58, 60, 95, 96, 99, 112, 123, 453, 9999)):
                          rng.choice(("1", "0", "-1", "ABC", "9" * 30, "20261127-19:30:00", "x" * 300, "Y"))
                          for _ in range(rng.randrange(0, 9))}
                message = bytearray(eve.build(kind, fields))
                if rng.random() < 0.3:
                    message[rng.randrange(len(message))] = rng.randrange(256)
                if rng.random() < 0.1:
                    message = message[:rng.randrange(len(message))]
                data += bytes(message)
            try:
                for at in range(0, len(data), 1000):
                    eve.socket.sendall(data[at:at + 1000])
            except OSError:
                pass
            eve.socket.close()
            if round_number % 10 == 0:
                ann.order(f"a{round_number}", 1, 1, 10)
                self.assertEqual(values(ann.take("8"), 150, 11), ("0", f"a{round_number}"))
        self.assertEqual(self.venue.stop(), 0)


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


class QuickfixTest(WithVenue):
    def initiator(self, application, name):
        initiator, parts = self.clients.start_initiator(application, self.venue, name)
        self.addCleanup(lambda: (initiator.stop(True), parts))
        wait_for(application.logged_on.is_set, "QuickFIX did not log on")
        return initiator

    def test_it_trades_and_comes_back_after_a_kill(self):
        ann, bob = self.clients.Application(), self.clients.Application()
        first = self.initiator(ann, "ANN")
        second = self.initiator(bob, "BOB")
        for number in range(20):
            self.clients.send_order(ann, f"a{number}", "1", 10, 10.0)
        wait_for(lambda: len(ann.reports) == 20, "twenty orders are accepted")
        self.assertEqual([report[1:] for report in ann.reports], [("0", f"a{number}", 0) for number in range(20)])
        self.venue.kill()
        wait_for(lambda: not ann.logged_on.is_set() and not bob.logged_on.is_set(), "QuickFIX notices")
        self.clients.send_order(ann, "late", "1", 10, 10.0)  # QuickFIX keeps it and sends it when it is asked
        self.venue.start()
        wait_for(lambda: ann.logged_on.is_set() and bob.logged_on.is_set(), "QuickFIX comes back")
        wait_for(lambda: len(ann.reports) == 21, "the late order is accepted once")
        self.clients.send_order(bob, "b0", "2", 35, 10.0)
        wait_for(lambda: len(bob.reports) == 5 and len(ann.reports) == 25, "the fills are told")
        self.assertEqual([report[1:] for report in ann.reports[20:]],
                         [("0", "late", 0), ("F", "a0", 10), ("F", "a1", 10), ("F", "a2", 10), ("F", "a3", 5)])
        self.assertEqual([report[1:] for report in bob.reports],
                         [("0", "b0", 0), ("F", "b0", 10), ("F", "b0", 20), ("F", "b0", 30), ("F", "b0", 35)])
        self.assertEqual(len({report[0] for report in ann.reports}), 25, "each report has an ExecID of its own")
        self.clients.send_quotes(ann, "q", {1: ("ABC", 9.5, 10.5), 2: ("XYZ", 9.0, 11.0)})
        wait_for(lambda: ann.answers, "the mass quote is answered")
        self.assertEqual(ann.answers, [("q", 0, {1: None, 2: 1})])
        self.assertEqual(ann.rejects + bob.rejects, [])
        first.stop()
        second.stop()
        self.assertEqual(self.venue.stop(), 0)


if __name__ == "__main__":
    unittest.main()
