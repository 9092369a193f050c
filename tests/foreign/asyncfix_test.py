# SPDX-License-Identifier: MIT
"""FIX at the venue program, judged by `asyncfix` from PyPI: a session of asyncio, a journal in SQLite, and orders with states.

It trades, across a change of the day, a kill of the venue and gaps on either side. VENUE names our program.
"""

import importlib
import logging
import signal
import tempfile
import unittest

from fix_venue import Venue


class AsyncfixTest(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = importlib.import_module("asyncfix_client")  # whose packages --help does not need
        logging.disable()  # its own tracebacks of a connection that breaks
        cls.addClassCleanup(logging.disable, logging.NOTSET)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.venue = Venue(folder.name)
        self.addCleanup(self.venue.kill)

    async def trader(self, name, logs_in=True):
        trader = self.client.Trader(self.venue, name)
        self.addCleanup(trader.drop)
        if logs_in:
            await trader.log_in()
        return trader

    async def test_orders_fills_and_cancels(self):
        ann, bob = await self.trader("ANN"), await self.trader("BOB")
        mine = await ann.order("a", "1", 100, 10.25)
        self.assertEqual(await ann.hear(1), [("0", "0", "a--1", "100", "0")])
        self.assertEqual((str(mine.status), mine.leaves_qty), ("0", 100))
        his = await bob.order("b", "2", 30, 10.2)
        self.assertEqual(await bob.hear(2), [("0", "0", "b--1", "30", "0"), ("F", "2", "b--1", "0", "30")])
        self.assertEqual((str(his.status), his.cum_qty, his.avg_px, his.is_finished()), ("2", 30, 10.25, True))
        self.assertEqual((await ann.hear(2))[1:], [("F", "1", "a--1", "70", "30")])
        self.assertEqual((str(mine.status), mine.leaves_qty, mine.cum_qty, mine.avg_px), ("1", 70, 30, 10.25))
        await ann.send_msg(mine.replace_req(price=10.3, qty=120))
        self.assertEqual((await ann.hear(3))[2:], [("5", "1", "a--2", "90", "30")])
        self.assertEqual((mine.price, mine.qty, mine.leaves_qty), (10.3, 120, 90))
        await ann.cancel(mine)
        self.assertEqual((await ann.hear(4))[3:], [("4", "4", "a--3", "0", "30")])
        self.assertTrue(mine.is_finished())
        numbers = [(one.get(37), one.get(17)) for one in ann.reports]
        self.assertEqual([order == numbers[0][0] for order, _ in numbers], [True, True, False, False],
                         "a replaced order has another OrderID")
        self.assertEqual(numbers[2][0], numbers[3][0])
        self.assertEqual(len({execution for _, execution in numbers}), 4, "each report has an ExecID of its own")
        wrong = await ann.order("w", "1", 1, 10.255)
        await ann.hear(5)
        self.assertEqual((str(wrong.status), wrong.leaves_qty), ("8", 0))
        await ann.disconnect(self.client.ConnectionState.DISCONNECTED_WCONN_TODAY, logout_message="")
        self.assertEqual(self.venue.stop(), 0)

    async def test_a_logout_is_answered_and_what_was_not_read_is_sent_again(self):
        ann = await self.trader("ANN")
        await ann.order("a", "1", 100, 10.25)
        await ann.hear(1)
        # It hangs up at once after its Logout, so the answer (3) is lost.
        await ann.disconnect(self.client.ConnectionState.DISCONNECTED_WCONN_TODAY, logout_message="")
        self.assertEqual(ann.next_in, 3)
        await ann.log_in()
        await ann.order("c", "1", 1, 10.25)
        self.assertEqual((await ann.hear(2))[1:], [("0", "0", "c--1", "1", "0")])
        self.assertEqual(ann.admin, [("A", 1, "N"), ("8", 2, "N"), ("A", 4, "N"), ("4", 3, "Y"), ("8", 5, "N")])

    async def test_a_new_day_begins_at_1(self):
        ann, bob = await self.trader("ANN"), await self.trader("BOB")
        mine = await ann.order("a", "1", 10, 10.25)
        await ann.hear(1)
        self.venue.process.send_signal(signal.SIGUSR1)
        self.assertEqual((await ann.hear(2))[1:], [("C", "C", "a--1", "0", "0")])
        self.assertTrue(mine.is_finished())
        for trader in (ann, bob):
            await trader.until(trader.is_gone, "the session ends with the day")
            self.assertEqual(trader.logouts, ["The session ends"])
            await trader.reset_seq_num()
            await trader.log_in()
            self.assertEqual((trader.next_in, trader.next_out), (2, 2))
        again = await ann.order("a", "1", 10, 10.25)
        self.assertEqual((await ann.hear(3))[2:], [("0", "0", "a--1", "10", "0")])
        self.assertEqual((ann.reports[2].get(17), str(again.status)), ("1", "0"))
        self.venue.kill()
        for trader in (ann, bob):
            await trader.until(trader.is_gone, "it sees that the venue is gone")
        self.venue.start()
        for trader in (ann, bob):
            await trader.log_in()
        await bob.order("b", "2", 4, 10.25)
        self.assertEqual((await ann.hear(4))[3:], [("F", "1", "a--1", "6", "4")])
        self.assertEqual(ann.next_in, 5)

    async def test_old_numbers_on_a_new_day(self):
        ann = await self.trader("ANN")
        await ann.order("a", "1", 10, 10.25)
        await ann.hear(1)
        self.venue.process.send_signal(signal.SIGUSR1)
        await ann.until(ann.is_gone, "the session ends with the day")
        await ann.connect()
        await ann.until(ann.is_gone, "it sees numbers that are too low, and leaves")
        self.assertEqual(ann.admin[-1], ("A", 1, "N"))
        await ann.reset_seq_num()
        await ann.log_in()
        await ann.order("a", "1", 10, 10.25)
        self.assertEqual((await ann.hear(3))[2:], [("0", "0", "a--1", "10", "0")])

    async def test_a_kill_loses_nothing_and_does_nothing_twice(self):
        ann, bob = await self.trader("ANN"), await self.trader("BOB")
        for number in range(5):
            await ann.order(f"a{number}", "1", 10, 10.0)
        await ann.hear(5)
        # Two orders that the venue never reads: only the journal of the client has them.
        self.venue.process.send_signal(signal.SIGSTOP)
        for number in (5, 6):
            await ann.order(f"a{number}", "1", 10, 10.0)
        self.venue.kill()
        # Another process goes on with its file.
        before = [(one.get(34), one.get(17), one.get(11)) for one in ann.reports]
        ann.drop()
        bob.drop()
        self.venue.start()
        bob = await self.trader("BOB")
        await bob.order("b", "2", 15, 10.0)
        self.assertEqual([one[0] for one in await bob.hear(3)], ["0", "F", "F"])
        ann = await self.trader("ANN", logs_in=False)
        self.assertEqual((ann.next_in, ann.next_out), (7, 9))
        await ann.log_in()
        heard = await ann.hear(4)
        self.assertEqual([(one[0], one[2], one[4]) for one in heard],
                         [("F", "a0--1", "10"), ("F", "a1--1", "5"), ("0", "a5--1", "0"), ("0", "a6--1", "0")])
        self.assertFalse({one[1] for one in before} & {one.get(17) for one in ann.reports})
        await bob.order("c", "2", 100, 10.0)
        await ann.hear(10)
        self.assertEqual([(one.get(11), one.get(14)) for one in ann.reports[4:]],
                         [("a1--1", "10"), *((f"a{number}--1", "10") for number in range(2, 7))])
        await bob.hear(4 + 6)
        self.assertEqual(bob.reports[-1].get(151), "45", "each order traded once")

    async def test_it_asks_for_what_it_lacks(self):
        ann, bob = await self.trader("ANN"), await self.trader("BOB")
        for number in range(3):
            await ann.order(f"a{number}", "1", 10, 10.0)
        first = await ann.hear(3)
        # While it is logged on: the next message shows the gap.
        ann.next_in = 2
        await bob.order("b", "2", 5, 10.0)
        again = await ann.hear(7)
        self.assertEqual(again, [*first, *first, ("F", "1", "a0--1", "5", "5")])
        self.assertEqual(ann.admin[4:], [("8", 5, "N"), ("8", 2, "Y"), ("8", 3, "Y"), ("8", 4, "Y"), ("8", 5, "Y")])
        self.assertEqual([one.get(17) for one in ann.reports[3:6]], [one.get(17) for one in ann.reports[:3]])
        self.assertTrue(all(one.get(122) for one in ann.reports[3:]))
        # At the next logon.
        await ann.disconnect(self.client.ConnectionState.DISCONNECTED_WCONN_TODAY, logout_message=None)
        ann.next_in = 1
        del ann.admin[:]
        await ann.log_in()
        self.assertEqual(ann.admin, [("A", 6, "N"), ("4", 1, "Y"), ("8", 2, "Y"), ("8", 3, "Y"), ("8", 4, "Y"), ("8", 5, "Y"),
                                     ("4", 6, "Y")])
        self.assertEqual((await ann.hear(11))[7:], again[3:])

    async def test_it_is_asked_for_what_the_venue_lacks(self):
        ann = await self.trader("ANN")
        await ann.order("a", "1", 10, 10.0)
        await ann.hear(1)
        await ann.disconnect(self.client.ConnectionState.DISCONNECTED_WCONN_TODAY, logout_message=None)
        ann.next_out = 8
        await ann.log_in()
        await ann.order("c", "1", 10, 10.0)
        self.assertEqual((await ann.hear(2))[1:], [("0", "0", "c--1", "10", "0")])
        # What it sends while the venue still waits is not lost, and not done twice.
        self.assertEqual(ann.admin, [("A", 1, "N"), ("8", 2, "N"), ("A", 3, "N"), ("2", 4, "N"), ("8", 5, "N")])
        self.assertEqual(ann.next_out, 10)


if __name__ == "__main__":
    unittest.main()
