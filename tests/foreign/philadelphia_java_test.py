# SPDX-License-Identifier: MIT
"""FIX at the venue program, judged by Philadelphia, a connection in Java that others wrote.

It trades, across a change of the day, a kill of the venue and gaps on either side. It keeps no messages: it fills what the
venue asks for with a SequenceReset. VENUE names our program, LIBRARIES a folder that Maven fills. Exits with 77 if there is
no Java, or Maven cannot fill it: ctest takes that for skipped.
"""

import pathlib
import signal
import sys
import tempfile
import time
import unittest

import maven
from fix_venue import PATIENCE, Venue

HERE = pathlib.Path(__file__).parent / "philadelphia"


class Trader(maven.Program):
    def __init__(self, name):
        super().__init__(HERE / "Client.java", name)
        self.venue = None

    def log_in(self, first, following):
        self.say(f"connect {self.venue.port} {first} {following}")
        return self.hear()

    def lines(self, count):
        return [self.hear() for _ in range(count)]

    def numbers(self):
        self.say("tell")
        return self.hear()

    def wait_for(self, numbers):
        """It says nothing of a ResendRequest, which it fills by itself, but counts it."""
        end = time.monotonic() + PATIENCE
        while (now := self.numbers()) != numbers:
            assert time.monotonic() < end, now
            time.sleep(0.005)

    def leave(self):
        self.say("leave")
        while self.hear() != "left":
            pass


class PhiladelphiaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ann, cls.bob = Trader("ANN"), Trader("BOB")  # a Java for each, as they take long to start
        cls.addClassCleanup(cls.bob.kill)
        cls.addClassCleanup(cls.ann.kill)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.venue = Venue(folder.name)
        self.addCleanup(self.venue.kill)
        for trader in (self.ann, self.bob):
            trader.venue = self.venue
            self.addCleanup(trader.leave)
            self.assertEqual(trader.log_in(1, 1), "logon 1")

    def test_orders_fills_and_cancels(self):
        self.ann.say("order a1 1 100 10.25")
        self.assertEqual(self.ann.hear(), "report 0 0 a1 100 0 0.0")
        self.bob.say("order b1 2 30 10.2")
        self.assertEqual(self.bob.lines(2), ["report 0 0 b1 30 0 0.0", "report F 2 b1 0 30 10.25"])
        self.assertEqual(self.ann.hear(), "report F 1 a1 70 30 10.25")
        self.ann.say("cancel c1 a1 1")
        self.assertEqual(self.ann.hear(), "report 4 4 c1 0 30 10.25")
        self.ann.say("cancel c2 a1 1")
        self.assertEqual(self.ann.hear(), "refused c2 a1 1")
        self.ann.say("order bad 1 1 10.255")
        self.assertEqual(self.ann.hear(), "report 8 8 bad 0 0 0.0")
        self.assertEqual(self.ann.numbers(), "numbers 7 6")
        self.ann.say("logout")
        self.assertEqual(self.ann.lines(2), ["logout -", "over 8 7"])

    def test_a_new_day_begins_at_1(self):
        self.ann.say("order a1 1 10 10.25")
        self.ann.hear()
        self.venue.process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.ann.lines(2), ["report C C a1 0 0 0.0", "logout The session ends"])
        self.assertEqual(self.bob.hear(), "logout The session ends")
        for trader in (self.ann, self.bob):
            trader.say("logout")
            self.assertTrue(trader.hear().startswith("over "))
            self.assertEqual(trader.log_in(1, 1), "logon 1")
        self.ann.say("order a1 1 10 10.25")
        self.assertEqual(self.ann.hear(), "report 0 0 a1 10 0 0.0")
        self.venue.kill()
        self.assertEqual([self.ann.hear(), self.bob.hear()], ["over 3 3", "over 2 2"])
        self.venue.start()
        self.assertEqual([self.ann.log_in(3, 3), self.bob.log_in(2, 2)], ["logon 3", "logon 2"])
        self.bob.say("order b1 2 4 10.25")
        self.assertEqual(self.ann.hear(), "report F 1 a1 6 4 10.25")

    def test_a_kill_loses_nothing_and_does_nothing_twice(self):
        for number in range(5):
            self.ann.say(f"order a{number} 1 10 10")
        self.assertEqual(self.ann.lines(5), [f"report 0 0 a{number} 10 0 0.0" for number in range(5)])
        # Two orders that the venue never reads.
        self.venue.process.send_signal(signal.SIGSTOP)
        for number in (5, 6):
            self.ann.say(f"order a{number} 1 10 10")
        self.assertEqual(self.ann.numbers(), "numbers 7 9")
        self.venue.kill()
        self.assertEqual([self.ann.hear(), self.bob.hear()], ["over 7 9", "over 2 2"])
        self.venue.start()
        # The venue asks for the two, and is told to go on without them. If the client had a gap as well, it would drop that
        # request, as its number is too high, and the venue would ask again after ten seconds.
        self.assertEqual(self.ann.log_in(7, 9), "logon 7")
        self.ann.wait_for("numbers 9 10")
        self.assertEqual(self.bob.log_in(2, 2), "logon 2")
        self.bob.say("order b 2 15 10")
        self.assertEqual(self.bob.lines(3), ["report 0 0 b 15 0 0.0", "report F 1 b 5 10 10.0", "report F 2 b 0 15 10.0"])
        self.assertEqual(self.ann.lines(2), ["report F 2 a0 0 10 10.0", "report F 1 a1 5 5 10.0"])
        for number in (4, 5, 6):
            self.ann.say(f"order a{number} 1 10 10")
        self.assertEqual(self.ann.lines(3), ["report 8 8 a4 0 0 0.0", "report 0 0 a5 10 0 0.0", "report 0 0 a6 10 0 0.0"])
        self.bob.say("order c 2 100 10")
        self.assertEqual(self.ann.lines(6), ["report F 2 a1 0 10 10.0",
                                             *(f"report F 2 a{number} 0 10 10.0" for number in range(2, 7))])
        self.assertEqual(self.bob.lines(7)[-1], "report F 1 c 45 55 10.0")

    def test_it_asks_for_what_it_lacks(self):
        for number in range(3):
            self.ann.say(f"order a{number} 1 10 10")
        first = self.ann.lines(3)
        # While it is logged on: the next message shows the gap.
        self.ann.say("numbers 2 -")
        self.bob.say("order b 2 5 10")
        self.assertEqual(self.ann.lines(4), [*(f"{line} again" for line in first), "report F 1 a0 5 5 10.0 again"])
        self.assertEqual(self.ann.numbers(), "numbers 6 6")
        # At the next logon, whose gap it does not mind: the next message shows it.
        self.ann.leave()
        self.assertEqual(self.ann.log_in(1, 6), "logon 6")
        self.ann.say("order a3 1 10 10")
        self.assertEqual(self.ann.lines(5), [*(f"{line} again" for line in first), "report F 1 a0 5 5 10.0 again",
                                             "report 0 0 a3 10 0 0.0 again"])
        self.assertEqual(self.ann.numbers(), "numbers 8 9")

    def test_it_is_asked_for_what_the_venue_lacks(self):
        self.ann.say("order a 1 10 10")
        self.ann.hear()
        # While it is logged on: it fills the order behind the gap, too.
        self.ann.say("numbers - 7")
        self.ann.say("order b 1 10 10")
        self.ann.wait_for("numbers 4 8")
        self.ann.say("order c 1 10 10")
        self.assertEqual(self.ann.hear(), "report 0 0 c 10 0 0.0")
        # At the next logon.
        self.ann.leave()
        self.assertEqual(self.ann.log_in(5, 20), "logon 5")
        self.ann.wait_for("numbers 7 21")
        self.ann.say("order d 1 10 10")
        self.assertEqual(self.ann.hear(), "report 0 0 d 10 0 0.0")


def setUpModule():
    maven.fill(HERE)


if __name__ == "__main__":
    ended = unittest.main(exit=False, verbosity=2, warnings="ignore").result
    sys.exit(77 if ended.skipped else not ended.wasSuccessful())
