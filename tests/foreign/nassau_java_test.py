# SPDX-License-Identifier: MIT
"""SoupBinTCP and MoldUDP64 of the venue program, judged by Nassau, clients in Java that others wrote.

VENUE names our program, LIBRARIES a folder that Maven fills. Exits with 77 if there is no Java, or Maven cannot fill it:
ctest takes that for skipped.
"""

import pathlib
import sys
import time
import unittest

import maven

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "venue_program"))

import program  # noqa: E402
from program import client, until  # noqa: E402

HERE = pathlib.Path(__file__).parent / "nassau"


class Nassau(maven.Program):
    def __init__(self):
        super().__init__(HERE / "Client.java")
        self.port = int(self.hear().removeprefix("port "))
        self.feed = []  # what it says of the feed

    def next(self, kind=""):
        """The next line that is not of the feed; of a message: what it says."""
        while (line := self.hear()).startswith("feed "):
            self.feed.append(line.removeprefix("feed "))
        word, _, rest = line.partition(" ")
        return client.words_of(bytes.fromhex(rest)) if word == "message" else line

    def log_in(self, venue, password=program.PASSWORD, session="-", sequence=1):
        self.say(f"login {venue.ports['orders']} ANN {password} {session} {sequence}")
        return self.next()

    def order(self, words):
        self.say("send " + client.order_message(words.split()).hex())


class NassauTest(unittest.TestCase):
    def test_it_trades_and_follows_a_feed_with_gaps(self):
        nassau = Nassau()
        self.addCleanup(nassau.kill)
        with program.Venue() as venue:
            venue.start("--feed-port", nassau.port)
            nassau.say(f"feed {venue.ports['requests']}")
            self.assertEqual([nassau.log_in(venue, password="wrong"), nassau.next()], ["rejected A", "over"])
            self.assertEqual([nassau.log_in(venue, session="9"), nassau.next()], ["rejected S", "over"])
            self.assertEqual(nassau.log_in(venue), "accepted 0000000001 1")
            nassau.order("sell 1 100 ACME 10.05")
            self.assertEqual([nassau.next(), nassau.next()],
                             ["the day begins", "order 1 accepted: sell 100 ACME at 10.0500"])
            bob = venue.log_in("BOB")
            for number in range(1, 41):  # a datagram each, of which it loses every second one
                side, symbol = ("sell", "ZINC") if number % 2 else ("buy", "ACME")
                bob.message(client.order_message(f"{side} {number} {number} {symbol} 9.{number}".split()))
                self.assertIn("accepted", until(bob, 2 if number == 1 else 1)[-1])
            books = client.Books()
            for _, message in venue.log_in("BOB", port="snapshots").messages(program.PATIENCE):
                if message[:1] != b"G":
                    books.apply(message)
            time.sleep(5)  # its clock is fast: it would hang up without a heartbeat
            nassau.order("cancel 1 40")
            self.assertEqual(nassau.next(), "order 1 canceled: 60 lots, by its user")
            nassau.say("calm")
            self.assertEqual(venue.stop(), 0)
            while nassau.feed[-1:] != ["end"]:
                line = nassau.hear()
                if line.startswith("feed "):
                    nassau.feed.append(line.removeprefix("feed "))
                else:
                    self.assertIn(line, ("end", "over"))
            self.assertLess({"GAP_FILL", "request"}, set(nassau.feed))
            seen = client.Books()
            for words in nassau.feed:
                if words not in ("request", "end") and not words.isupper():  # the states are
                    seen.apply(bytes.fromhex(words))
            self.assertEqual([line.replace("sell 40", "sell 100") for line in seen.lines()], list(books.lines()))

            venue.start()
            self.assertEqual(nassau.log_in(venue, session="0000000001", sequence=4), "accepted 0000000001 4")
            nassau.say("logout")
            self.assertEqual(nassau.next(), "over")
            bob = venue.log_in("BOB", sequence=42)
            bob.message(client.order_message("buy 41 10 ACME 10.05".split()))
            self.assertEqual(len(until(bob, 2)), 2)
            venue.kill()
            venue.start()
            self.assertEqual([nassau.log_in(venue, session="0000000001", sequence=4), nassau.next()],
                             ["accepted 0000000001 4", "order 1 executed: 10 at 10.0500, match 1, A"])


def setUpModule():
    maven.fill(HERE)


if __name__ == "__main__":
    ended = unittest.main(exit=False, verbosity=2, warnings="ignore").result
    sys.exit(77 if ended.skipped else not ended.wasSuccessful())
