# SPDX-License-Identifier: MIT
"""A client of the venue program that `asyncfix` makes: its session, its journal in a file, and its orders with their states."""

import asyncio
import logging

from asyncfix import AsyncFIXClient, FIXMessage, FMsg, FTag
from asyncfix.connection import ConnectionState
from asyncfix.journaler import Journaler
from asyncfix.protocol import FIXNewOrderSingle, FIXProtocol44, FOrdSide
from fix_venue import PATIENCE


class Order(FIXNewOrderSingle):
    def set_instrument(self, message):
        message[FTag.Symbol] = self.ticker

    def set_account(self, message):
        pass


class Trader(AsyncFIXClient):
    """A user. The numbers and the messages of its session are in a file, so that another one may go on with them."""

    def __init__(self, venue, name):
        logger = logging.getLogger(name)
        super().__init__(FIXProtocol44(), name, "VENUE", Journaler(venue.folder / f"asyncfix-{name}"), "127.0.0.1", venue.port,
                         heartbeat_period=600, logger=logger)
        self.orders = {}
        self.reports = []  # what came by on_message
        self.admin = []  # (type, number, PossDup) of all that came, in its order
        self.logouts = []

    # ---- What asyncfix calls.

    async def on_connect(self):
        await self.send_msg(FIXMessage(FMsg.LOGON, {98: 0, 108: self.heartbeat_period, 554: "secret"}))

    async def on_message(self, msg):
        self.reports.append(msg)
        order = self.orders.get(msg[FTag.ClOrdID].partition("--")[0])
        if order is None:
            return
        if msg.msg_type == FMsg.EXECUTIONREPORT:
            order.process_execution_report(msg)
        elif msg.msg_type == FMsg.ORDERCANCELREJECT:
            order.process_cancel_rej_report(msg)

    async def on_logout(self, msg):
        self.logouts.append(msg.get(FTag.Text, ""))

    async def _process_message(self, msg, raw_msg):  # it tells its user nothing of messages of the session
        self.admin.append((str(msg.msg_type), int(msg[FTag.MsgSeqNum]), msg.get(43, "N")))
        await super()._process_message(msg, raw_msg)

    async def send_msg(self, msg):
        # It writes PossDupFlag and OrigSendingTime behind the body of what it sends again, where a venue has to refuse them
        # (SessionRejectReason 14): they are of the header.
        if msg.get(FTag.PossDupFlag, "N") == "Y":
            tags = {tag: msg[tag] for tag in (FTag.PossDupFlag, FTag.OrigSendingTime)}
            msg = FIXMessage(msg.msg_type, {**tags, **{tag: msg[tag] for tag in msg.tags if tag not in tags}})
        await super().send_msg(msg)

    async def connect(self):
        # It looks once a second whether there is a connection, and never again if the last one was reset.
        self.end_tasks()
        await super().connect()
        self._aio_task_socket_read.cancel()
        self._aio_task_socket_read = asyncio.create_task(self.socket_read_task())

    # ---- What a test does.

    async def log_in(self):
        await self.connect()
        await self.until(lambda: self.connection_state == ConnectionState.ACTIVE, "it is logged on and has no gap")

    async def until(self, condition, what):
        end = asyncio.get_running_loop().time() + PATIENCE
        while not condition():
            assert asyncio.get_running_loop().time() < end, f"not so in time: {what}; it has {self.admin}"
            await asyncio.sleep(0.005)

    async def order(self, name, side, lots, price):
        self.orders[name] = order = Order(name, "ABC", FOrdSide(side), price, lots)
        await self.send_msg(order.new_req())
        return order

    async def cancel(self, order):
        await self.send_msg(order.cancel_req())

    async def hear(self, count):
        """What the first so many reports say, once they have come."""
        await self.until(lambda: len(self.reports) >= count, f"{count} reports came")
        return [tuple(one.get(tag, None) for tag in (150, 39, 11, 151, 14)) for one in self.reports]

    @property
    def next_in(self):
        return self._session.next_num_in

    @next_in.setter
    def next_in(self, number):
        self._journaler.set_seq_num(self._session, next_num_in=number)

    @property
    def next_out(self):
        return self._session.next_num_out

    @next_out.setter
    def next_out(self, number):
        self._journaler.set_seq_num(self._session, next_num_out=number)

    def is_gone(self):
        return self.connection_state <= ConnectionState.DISCONNECTED_BROKEN_CONN

    def end_tasks(self):
        for task in (self._aio_task_socket_read, self._aio_task_heartbeat):
            if task is not None:
                task.cancel()
        self._aio_task_socket_read = self._aio_task_heartbeat = None

    def drop(self):
        """Ends as a program does that is killed; its file stays."""
        self.end_tasks()
        if self._socket_writer is not None:
            self._socket_writer.close()
        self._journaler.conn.close()
