# SPDX-License-Identifier: MIT
"""OUCH 5.0 over SoupBinTCP at the venue program, judged by crates that others wrote: slouch and soupbintcp_model.

They trade, across a change of the day, a kill of the venue and messages that were missed. VENUE names our program,
LIBRARIES a folder that Cargo fills. Exits with 77 if there is no Cargo, or it cannot have the crates: ctest takes that for
skipped.

The crate ouch_model 5.0.1 is not used, as its messages are not those of Nasdaq's document: a Symbol has 9 bytes there
instead of 8 (Enter, Accepted, Replaced), and a Canceled has the UserRefNum twice.
"""

import pathlib
import signal
import sys
import unittest

import cargo
import line_program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "venue_program"))

import program  # noqa: E402

HERE = pathlib.Path(__file__).parent / "slouch"
CLIENT = None


class Client(line_program.LineProgram):
    def __init__(self, venue, user):
        super().__init__(CLIENT)
        self.venue, self.user = venue, user

    def log_in(self, session="-", sequence=1, password=program.PASSWORD):
        self.say(f"login {self.venue.ports['orders']} {self.user} {password} {session} {sequence}")
        return self.hear()

    def lines(self, count):
        return [self.hear() for _ in range(count)]


class SlouchTest(unittest.TestCase):
    def setUp(self):
        self.venue = program.Venue()
        self.addCleanup(self.venue.__exit__)
        self.venue.start()

    def client(self, user):
        client = Client(self.venue, user)
        self.addCleanup(client.kill)
        return client

    def traders(self):
        clients = self.client("ANN"), self.client("BOB")
        for client in clients:
            self.assertEqual([client.log_in(), client.hear()], ["0000000001 1", "event StartOfDay"])
        return clients

    def test_orders_fills_cancels_and_refusals(self):
        ann, bob = self.traders()
        terms = "Day Visible Principal sweep=false ContinuousMarket Live"
        ann.say("enter 1 S 100 ACME 100500 0")
        self.assertEqual(ann.hear(), f"accepted 1 Sell 100 ACME 100500 {terms} id1 []")
        bob.say("enter 7 B 30 ACME 101000 3")
        self.assertEqual(bob.lines(2), [f"accepted 7 Buy 30 ACME 101000 {terms.replace('Day', 'ImmediateOrCancel')} id7 []",
                                        "executed 7 30 100500 Removed match=1 []"])
        self.assertEqual(ann.hear(), "executed 1 30 100500 Added match=1 []")
        ann.say("replace 1 2 90 100600")
        self.assertEqual(ann.hear(), "replaced 1 2 Sell 60 ACME 100600 Live id2 []", "without what has traded")
        ann.say("cancel 2 50")
        self.assertEqual(ann.hear(), "canceled 2 40 UserRequested")
        ann.say("cancel 2 0")
        self.assertEqual(ann.hear(), "canceled 2 20 UserRequested")
        for number, line, reason in ((3, "S 1 NONE 100500 0", "InvalidSymbol"), (4, "S 1 ZINC 100501 0", "InvalidPrice"),
                                     (5, "S 0 ACME 100500 0", "InvalidQuantity"), (6, "S 1 ACME 0 0", "InvalidPrice")):
            ann.say(f"enter {number} {line}")
            self.assertEqual(ann.hear(), f"rejected {number} {reason} id{number}")
        ann.say("query")
        self.assertEqual(ann.hear(), "next 7")
        for number, side in ((7, "S"), (8, "B")):
            ann.say(f"enter {number} {side} 5 ZINC 101000 0")
            self.assertTrue(ann.hear().startswith(f"accepted {number} "))
        self.assertEqual(ann.lines(2), [f"self {number} 5 SelfMatchPrevention 5 101000 {how} DecrementBothMpid"
                                        for number, how in ((8, "Removed"), (7, "Added"))])
        ann.say("logout")
        self.assertEqual(ann.hear(), "over")
        self.assertEqual(self.client("ANN").log_in(password="wrong"), "refused user")

    def test_a_new_day_begins_at_1(self):
        ann, bob = self.traders()
        ann.say("enter 1 S 100 ACME 100500 0")
        ann.hear()
        self.venue.process.send_signal(signal.SIGUSR1)
        self.assertEqual(ann.lines(4), ["canceled 1 100 Timeout", "event EndOfDay", "end", "over"])
        self.assertEqual(bob.lines(3), ["event EndOfDay", "end", "over"])
        self.assertEqual([ann.log_in(session="0000000001", sequence=5), ann.hear()], ["refused session", "over"])
        for client in (ann, bob):
            self.assertEqual([client.log_in(), client.hear()], ["0000000002 1", "event StartOfDay"])
        ann.say("enter 1 S 10 ACME 100500 0")
        self.assertTrue(ann.hear().startswith("accepted 1 Sell 10"))
        self.venue.kill()
        self.assertEqual([ann.hear(), bob.hear()], ["over", "over"])
        self.venue.start()
        self.assertEqual(ann.log_in(session="0000000002", sequence=3), "0000000002 3")
        self.assertEqual(bob.log_in(session="0000000002", sequence=2), "0000000002 2")
        bob.say("enter 1 B 4 ACME 100500 0")
        self.assertTrue(bob.hear().startswith("accepted 1 Buy 4"))
        self.assertEqual([bob.hear(), ann.hear()],
                         ["executed 1 4 100500 Removed match=1 []", "executed 1 4 100500 Added match=1 []"])

    def test_a_kill_loses_nothing_and_does_nothing_twice(self):
        ann, bob = self.traders()
        for number in range(1, 6):
            ann.say(f"enter {number} S 10 ACME 100500 0")
        before = ann.lines(5)
        # Two orders that the venue never reads.
        self.venue.process.send_signal(signal.SIGSTOP)
        lost = [f"enter {number} S 10 ACME 100500 0" for number in (6, 7)]
        for line in lost:
            ann.say(line)
        self.venue.kill()
        self.assertEqual([ann.hear(), bob.hear()], ["over", "over"])
        self.venue.start()
        self.assertEqual(bob.log_in(session="0000000001", sequence=2), "0000000001 2")
        bob.say("enter 1 B 15 ACME 100500 0")
        self.assertEqual([line.split()[0] for line in bob.lines(3)], ["accepted", "executed", "executed"])
        self.assertEqual(ann.log_in(session="0000000001", sequence=7), "0000000001 7")
        self.assertEqual(ann.lines(2), ["executed 1 10 100500 Added match=1 []", "executed 2 5 100500 Added match=2 []"])
        ann.say("query")
        self.assertEqual(ann.hear(), "next 6")
        # Once more all that it sent since the fourth: what the venue had is ignored.
        for number in range(4, 6):
            ann.say(f"enter {number} S 10 ACME 100500 0")
        for line in lost:
            ann.say(line)
        self.assertEqual([line.split()[:2] for line in ann.lines(2)], [["accepted", "6"], ["accepted", "7"]])
        bob.say("enter 2 B 100 ACME 100500 0")
        self.assertTrue(bob.hear().startswith("accepted 2"))
        expected = [(2, 5), (3, 10), (4, 10), (5, 10), (6, 10), (7, 10)]
        self.assertEqual(ann.lines(6), [f"executed {number} {lots} 100500 Added match={match} []"
                                        for match, (number, lots) in enumerate(expected, 3)])
        # All of the day again, as a client hears it that has lost what it knew.
        again = self.client("ANN")
        self.assertEqual(again.log_in(), "0000000001 1")
        self.assertEqual(again.lines(6), ["event StartOfDay", *before])
        self.assertEqual([line.split()[0] for line in again.lines(11)], ["executed"] * 2 + ["next"] + ["accepted"] * 2 + ["executed"] * 6)

    def test_missed_messages_are_heard_again(self):
        ann, bob = self.traders()
        for number in range(1, 4):
            ann.say(f"enter {number} S 10 ACME 100500 0")
        told = ann.lines(3)
        ann.say("leave")
        self.assertEqual(ann.hear(), "over")
        bob.say("enter 1 B 25 ACME 100500 0")
        bob.lines(4)
        told += [f"executed {number} {lots} 100500 Added match={number} []" for number, lots in ((1, 10), (2, 10), (3, 5))]
        for session, sequence, begins in (("-", 5, 5), ("0000000001", 2, 2), ("0000000001", 4, 4), ("0000000001", 7, 7), ("-", 8, 8)):
            self.assertEqual(ann.log_in(session, sequence), f"0000000001 {begins}")
            self.assertEqual(ann.lines(6 + 2 - begins), told[begins - 2:])
            ann.say("leave")
            self.assertEqual(ann.hear(), "over")
        # 0 asks for what is new; there is none beyond the next one.
        self.assertEqual(ann.log_in(sequence=0), "0000000001 8")
        beyond = self.client("ANN")
        self.assertEqual([beyond.log_in(sequence=9), beyond.hear()], ["refused session", "over"])
        ann.say("query")
        self.assertEqual(ann.hear(), "next 4")
        # A login takes the place of the connection before, and goes on with what that has not heard.
        other = self.client("ANN")
        self.assertEqual(other.log_in("0000000001", 6), "0000000001 6")
        self.assertEqual([ann.hear(), other.lines(2)], ["over", told[4:]])


def setUpModule():
    global CLIENT
    CLIENT = cargo.build(HERE)


if __name__ == "__main__":
    ended = unittest.main(exit=False, verbosity=2, warnings="ignore").result
    sys.exit(77 if ended.skipped else not ended.wasSuccessful())
