# SPDX-License-Identifier: MIT
"""DBN, judged by the library of those who made it: `databento-dbn` from PyPI.

It reads what our codec writes, and our codec reads what it writes, header and records, versions 1 to 3. DBN_LINES names
our program.
"""

import datetime
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from types import SimpleNamespace as Of

NOTHING = 2**64 - 1


def dbn_lines(mode, path):
    """The header, and the records, that our program has written or read."""
    result = subprocess.run([os.environ["DBN_LINES"], mode, str(path)], text=True, capture_output=True, check=False)
    if result.returncode:
        raise AssertionError(result.stderr)
    header, *records = map(json.loads, result.stdout.splitlines())
    header["mappings"].sort()
    return header, records


def number_of(date):
    return date.year * 10_000 + date.month * 100 + date.day


class DbnTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import databento_dbn
        except ImportError as error:
            raise unittest.SkipTest(f"{error}; PyPI has it: pip install databento-dbn") from error
        cls.dbn = databento_dbn

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "records.dbn"

    def header(self, metadata):
        """A header of theirs, as our program prints it."""
        intervals = sorted([name, number_of(interval["start_date"]), number_of(interval["end_date"]), interval["symbol"]]
                           for name, of_name in metadata.mappings.items() for interval in of_name)
        return {"version": metadata.version, "dataset": metadata.dataset, "start": metadata.start,
                "end": metadata.end or NOTHING, "limit": metadata.limit or 0, "stype_in": int(metadata.stype_in),
                "stype_out": int(metadata.stype_out), "ts_out": metadata.ts_out, "symbols": metadata.symbols,
                "partial": metadata.partial, "not_found": metadata.not_found, "mappings": intervals}

    def record(self, record, has_sent_time):
        """The same of a record."""
        names = ("publisher_id", "instrument_id", "ts_event", "order_id", "price", "size", "flags", "channel_id",
                 "ts_recv", "ts_in_delta", "sequence")
        return ({name: int(getattr(record, name)) for name in names}
                | {name: str(getattr(record, name)) for name in ("action", "side")}
                | {"ts_out": record.ts_out if has_sent_time else 0})

    def test_they_read_what_we_write(self):
        for version in (1, 2, 3):
            with self.subTest(version):
                header, records = dbn_lines(f"write{version}", self.path)
                decoder = self.dbn.DBNDecoder(upgrade_policy=self.dbn.VersionUpgradePolicy.AS_IS)
                decoder.write(self.path.read_bytes())
                metadata, *theirs = decoder.decode()
                self.assertEqual(self.header(metadata), header)
                self.assertEqual(len(theirs), 500)
                for ours, their in zip(records, theirs):
                    self.assertEqual(self.record(their, version == 2), ours)

    def test_we_read_what_they_write(self):
        dbn, generator = self.dbn, random.Random(56)
        for version in (1, 2, 3):
            with self.subTest(version):
                day = datetime.date(2026, 11, 26)
                metadata = dbn.Metadata(
                    "GLBX.MDP3", 5, dbn.SType.RAW_SYMBOL, dbn.SType.INSTRUMENT_ID, dbn.Schema.MBO,
                    symbols=["ESZ6", "NQZ6", "CLZ6"], partial=["NQZ6"], not_found=["X", "Y"],
                    mappings=[Of(raw_symbol="ESZ6", intervals=[
                        Of(start_date=day, end_date=day + datetime.timedelta(n), symbol=str(n)) for n in (1, 2)]),
                              Of(raw_symbol="NQZ6", intervals=[])],
                    end=None if version == 1 else 9, limit=version, ts_out=version == 3, version=version)
                numbers = [[generator.getrandbits(generator.randint(1, bits))
                            for bits in (16, 32, 63, 63, 62, 32, 63, 7, 8, 31, 32, 63)] for _ in range(300)]
                theirs = [dbn.MBOMsg(publisher, instrument, ts_event, order_id, -price if order_id % 2 else price, size,
                                     generator.choice(list(dbn.Action.variants())),
                                     generator.choice(list(dbn.Side.variants())), ts_recv, flags=2 * flags,
                                     channel_id=channel, ts_in_delta=delta, sequence=sequence,
                                     **({"ts_out": ts_out} if version == 3 else {}))
                          for publisher, instrument, ts_event, order_id, price, size, ts_recv, flags, channel, delta,
                          sequence, ts_out in numbers]
                records = b"".join(map(bytes, theirs))
                self.path.write_bytes(metadata.encode() + records)
                header, ours = dbn_lines("read", self.path)
                self.assertEqual(header, self.header(metadata))
                self.assertEqual(len(ours), len(theirs))
                for our, their in zip(ours, theirs):
                    self.assertEqual(our, self.record(their, version == 3))


if __name__ == "__main__":
    unittest.main()
