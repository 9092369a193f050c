# SPDX-License-Identifier: MIT
"""ITCH 5.0, judged by parsers that others wrote: `itchfeed` (Python) and `itchcpp` (C++) from PyPI.

They read what our codec writes, and it reads what they write, field for field, all 23 types. Both keep the same names,
so one table translates ours. ITCH_LINES names our program.
"""

import importlib
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

# Else itchfeed is itchcpp by another name.
os.environ["ITCH_NO_CPP"] = "1"
PACKAGES = ("itch", "itchcpp")

# Our name of a field: theirs. Those that are missing have the same name.
NAMES = {"locate": "stock_locate", "symbol": "stock", "reference": "order_reference_number", "match": "match_number",
         "side": "buy_sell_indicator"}
NAMES_OF_TYPE = {
    "U": {"new_reference": "new_order_reference_number"},
    "E": {"shares": "executed_shares"},
    "C": {"shares": "executed_shares", "price": "execution_price"},
    "X": {"shares": "cancelled_shares"},
    "Q": {"price": "cross_price"},
    "S": {"event": "event_code"},
    "R": {"financial_status": "financial_status_indicator", "round_lot": "round_lot_size", "price_tier": "luld_ref",
          "short_sale_threshold": "short_sale_threshold_indicator", "etp_leverage": "etp_leverage_factor",
          "inverse": "inverse_indicator"},
    "H": {"state": "trading_state"},
    "Y": {"action": "reg_sho_action"},
    "L": {"participant": "mpid", "mode": "market_maker_mode", "state": "market_participant_state"},
    "V": {"level1": "level1_price", "level2": "level2_price", "level3": "level3_price"},
    "W": {"level": "breached_level"},
    "K": {"release_time": "ipo_release_time", "qualifier": "ipo_release_qualifier"},
    "J": {"reference_price": "auction_collar_reference_price", "upper_price": "upper_auction_collar_price",
          "lower_price": "lower_auction_collar_price", "extension": "auction_collar_extention"},
    "h": {"market": "market_code", "action": "operational_halt_action"},
    "I": {"direction": "imbalance_direction", "reference_price": "current_reference_price",
          "price_variation": "variation_indicator"},
    "N": {"interest": "interest_flag"},
    "O": {"open_eligibility": "open_eligibility_status", "minimum_price": "minimum_allowable_price",
          "maximum_price": "maximum_allowable_price", "near_price": "near_execution_price",
          "near_time": "near_execution_time", "lower_price": "lower_price_range_collar",
          "upper_price": "upper_price_range_collar"},
}


def itch_lines(mode, path):
    """The messages that our program has written or read, with their names of the fields."""
    result = subprocess.run([os.environ["ITCH_LINES"], mode, str(path)], text=True, capture_output=True, check=False)
    if result.returncode:
        raise AssertionError(result.stderr)
    messages = []
    for line in result.stdout.splitlines():
        fields = json.loads(line)
        names = NAMES | NAMES_OF_TYPE.get(fields["type"], {})
        messages.append({names.get(name, name): value for name, value in fields.items()})
    return messages


def frame(message):
    content = message.to_bytes()
    return len(content).to_bytes(2, "big") + content


class ItchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.messages = {name: importlib.import_module(f"{name}.messages") for name in PACKAGES}
            cls.parsers = {name: importlib.import_module(f"{name}.parser").MessageParser for name in PACKAGES}
        except ImportError as error:
            raise unittest.SkipTest(f"{error}; PyPI has it: pip install itchfeed itchcpp") from error
        # Each type's fields, in the order of the wire, with their formats as `struct` writes them.
        cls.fields = {}
        for kind, message in cls.messages["itch"].messages.items():
            locate, tracking, *names, timestamp = vars(message(kind + bytes(message.message_size - 1)))
            formats = re.findall(r"\d*[a-zA-Z]", message.message_format)[4:]
            cls.fields[kind.decode()] = ({locate: "H", tracking: "H", timestamp: "6-byte number"}
                                         | dict(zip(names, formats, strict=True)))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "messages.itch"

    def content(self, message):
        """The fields of a message of theirs, as our program prints them."""
        kind = message.message_type.decode()
        values = {name: getattr(message, name) for name in self.fields[kind]}
        for name, value in values.items():
            if isinstance(value, bytes):
                values[name] = (value if len(value) == 1 else value.rstrip(b" ")).decode()
        return {"type": kind} | values

    def assert_same(self, ours, theirs):
        self.assertEqual({message["type"] for message in ours}, set(self.fields), "all types")
        self.assertEqual(len(ours), len(theirs))
        for our_message, their_message in zip(ours, theirs):
            self.assertEqual(our_message, their_message)

    def test_they_read_what_we_write(self):
        written = itch_lines("write", self.path)
        self.assertEqual(itch_lines("read", self.path), written)
        for name, parser in self.parsers.items():
            with self.subTest(name), self.path.open("rb") as file:
                messages = list(parser().parse_file(file))
                self.assert_same(written, [self.content(message) for message in messages])
                self.assertEqual(b"".join(map(frame, messages)), self.path.read_bytes())

    def test_we_read_what_they_write(self):
        for name, package in self.messages.items():
            with self.subTest(name):
                made = list(self.made_by(package))
                self.path.write_bytes(b"".join(map(frame, made)))
                self.assert_same(itch_lines("read", self.path), [self.content(message) for message in made])

    def made_by(self, package):
        """Messages of every type, with numbers of any magnitude."""
        generator = random.Random(50)

        def value_of(form):
            if form[-1] in "cs":
                width = int(form[:-1] or 1)
                letters = generator.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=generator.randint(1, width))
                return "".join(letters).ljust(width).encode()
            return generator.getrandbits(generator.randint(1, {"H": 16, "I": 32, "Q": 64}.get(form, 48)))

        for _ in range(20):
            for kind, fields in self.fields.items():
                values = {name: value_of(form) for name, form in fields.items()}
                yield package.create_message(kind.encode(), **values)


if __name__ == "__main__":
    unittest.main()
