# SPDX-License-Identifier: MIT
"""The venue program, judged by programs that others wrote.

Nasdaq's own client (`nasdaq-protocols`) trades by OUCH 5.0 over SoupBinTCP; it ships no messages, so this test describes
them to it. VENUE names our program.
"""

import asyncio
import contextlib
import importlib
import io
import logging
import pathlib
import sys
import tempfile
import unittest
from xml.sax.saxutils import quoteattr

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "venue_program"))

import program  # noqa: E402

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

    async def log_in(self, venue, user, password=program.PASSWORD, sequence=1):
        session = await self.ouch.connect_async(("127.0.0.1", venue.ports["orders"]), user, password, "", sequence,
                                                client_heartbeat_interval=1, server_heartbeat_interval=1)
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
        message = await asyncio.wait_for(session.receive_message(), 10)
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
            await self.take(bob, "Accepted", **{**sent, "appendage": []}, order=0, state="L")  # the feed will not show it
            for session, reference, liquidity in ((bob, 7, "R"), (ann, 1, "A")):
                await self.take(session, "Executed", reference=reference, quantity=30, price=100_500,
                                liquidity=liquidity, match=1, appendage=[])
            await asyncio.sleep(2.5)  # heartbeats alone, both ways
            self.send(ann, "Cancel", reference=1, quantity=40)  # what it is to be, with the 30 that have traded
            await self.take(ann, "Canceled", reference=1, quantity=60, reason="U")
            self.send(ann, "Cancel", reference=1, quantity=0)
            await self.take(ann, "Canceled", reference=1, quantity=10, reason="U")
            for reference, change, reason in ((2, {"symbol": "NONE"}, 0x25), (3, {"price": 100_501}, 0x1C),
                                              (4, {"side": "X"}, 0x09), (5, {"display": "?"}, 0x03)):
                self.enter(ann, reference, **{"side": "S", "quantity": 1, "price": 100_500, **change})
                await self.take(ann, "Rejected", reference=reference, reason=reason, client_id=f"id{reference}")
            # Once more from the third message on, as after a loss of the connection.
            again = await self.log_in(venue, "ANN", sequence=3)
            await self.take(again, "Executed", reference=1, quantity=30, price=100_500, liquidity="A", match=1,
                            appendage=[])

    async def test_a_wrong_password_is_refused(self):
        with program.Venue() as venue:
            venue.start()
            for user, password in (("ANN", "wrong"), ("EVE", program.PASSWORD)):
                with self.assertRaisesRegex(ConnectionRefusedError, "NOT_AUTHORIZED"):
                    await self.log_in(venue, user, password)
            await self.take(await self.log_in(venue, "ANN"), "SystemEvent", event="S")


if __name__ == "__main__":
    unittest.main()
