# SPDX-License-Identifier: MIT
"""The simulator, judged by the referee of `queuetruth` from PyPI.

It makes small markets, one for each fault that simulators have had, and says which fills are right. QUEUE_FILLS names our
program, which plays them.
"""

import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

FIXTURES = 16
RECORD = struct.Struct("<BBHIQQqIBBssQiI")  # of the schema mbo


class QueueTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise unittest.SkipTest(f"{error}; PyPI has it: pip install queuetruth pyarrow") from error
        cls.arrow, cls.parquet = pyarrow, pyarrow.parquet
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.ask("fixtures", "--out", cls.folder / "fixtures")

    @staticmethod
    def ask(*arguments):
        result = subprocess.run(["queuetruth", "referee", *map(str, arguments), "--format", "json"], text=True,
                                capture_output=True, check=False)
        if not result.stdout:
            raise AssertionError(result.stderr)
        return json.loads(result.stdout)

    def rows(self, path):
        """Times are nanoseconds."""
        table = self.parquet.read_table(path, partitioning=None)
        for place, field in enumerate(table.schema):
            if self.arrow.types.is_timestamp(field.type):
                table = table.set_column(place, field.name, table[field.name].cast(self.arrow.int64()))
        return table.to_pylist()

    def fills_of(self, fixture):
        """Ours, those of one event at one price together, as rows of their schema."""
        records = self.rows(next((fixture / "dataset/mbo").rglob("*.parquet")))
        tape = self.folder / "records"
        tape.write_bytes(b"".join(
            RECORD.pack(RECORD.size // 4, 0xA0, row["publisher_id"], row["instrument_id"], row["ts_event"],
                        row["order_id"], row["price"], row["size"], row["flags"], row["channel_id"],
                        bytes([row["action"]]), bytes([row["side"]]), row["ts_recv"], 0, row["sequence"])
            for row in records))
        (instrument,) = self.rows(fixture / "dataset/instruments.parquet")
        orders = self.rows(fixture / "schedule.parquet")
        lines = "".join(f"{chr(order['side'])} {order['price']} {order['qty']} {order['ts_submit']} "
                        f"{order['ts_cancel'] or 0} {order['latency_ns']}\n" for order in orders)
        result = subprocess.run([os.environ["QUEUE_FILLS"], str(tape), str(instrument["tick_size"])], input=lines,
                                text=True, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        fills = {}
        for number, time, record, price, lots, liquidity, _ in (line.split(maxsplit=6) for line in result.stdout.splitlines()):
            fills.setdefault((int(number), int(time), int(price), liquidity), [0, int(record)])[0] += int(lots)
        filled = dict.fromkeys(range(len(orders)), 0)
        rows = []
        for (number, time, price, liquidity), (lots, record) in fills.items():
            filled[number] += lots
            rows.append({"shadow_id": orders[number]["shadow_id"], "fill_seq": 1 + sum(
                row["shadow_id"] == orders[number]["shadow_id"] for row in rows), "ts_event": time,
                "sequence": records[record]["sequence"], "fill_qty": lots, "cum_qty": filled[number],
                "leaves_qty": orders[number]["qty"] - filled[number], "fill_px": price,
                "reason": "queue_depleted", "queue_ahead_before": 0, "traded_at_px_event": 0, "trade_through_event": 0,
                "behind_volume_executed": 0, "liquidity": "maker" if liquidity == "M" else "taker"})
        return rows

    def test_every_fixture_is_right(self):
        fixtures = sorted(path for path in (self.folder / "fixtures").iterdir() if path.is_dir())
        self.assertEqual(len(fixtures), FIXTURES)
        filled = 0
        for fixture in fixtures:
            with self.subTest(fixture.name):
                ours = self.fills_of(fixture)
                filled += len(ours)
                said = ("ts_event", "fill_qty", "cum_qty", "leaves_qty", "fill_px", "liquidity")
                self.assertEqual([[row[name] for name in said] for row in ours],
                                 [[row[name] for name in said] for row in self.rows(fixture / "expected_fills.parquet")])
                schema = self.parquet.read_schema(fixture / "expected_fills.parquet")
                path = self.folder / f"{fixture.name}.parquet"
                self.parquet.write_table(self.arrow.Table.from_pylist(ours, schema=schema), path)
                report = self.ask("run", "--data", fixture / "dataset", "--schedule", fixture / "schedule.parquet",
                                  "--sim-fills", path, "--out", self.folder / f"{fixture.name}.report")
                self.assertTrue(report["pass"], report)
        self.assertGreater(filled, 10)


if __name__ == "__main__":
    unittest.main()
