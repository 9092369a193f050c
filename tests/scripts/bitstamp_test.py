# SPDX-License-Identifier: MIT
"""bitstamp.sh with a stand-in whose answer is known, and the plain reader of bitstamp.py on lines written here."""

import copy
import sys
import unittest

import support

sys.path.insert(0, str(support.ROOT / "scripts/local"))
import bitstamp  # noqa: E402

STAND_IN = '''#!{python}
import json, os, sys
sys.path[:0] = [{folder!r}]
import bitstamp_test
if "STAND_IN_FAILS" in os.environ:
    sys.exit("the stand-in was asked to fail")
arguments = dict(argument[2:].split("=", 1) for argument in sys.argv[3:])
assert os.path.exists(sys.argv[2]) and os.path.exists(arguments["trades"])
with open(arguments["out"], "w") as out:
    json.dump(bitstamp_test.ARTIFACT, out)
'''
TOUCH = {"moments": 9, "crossed": 2, "bids": 3, "asks": 4, "prices_differ": 0, "lots_differ": 0}
ARTIFACT = {
    "fingerprint": support.artifact()["fingerprint"],
    "report": {"records": 1234, "unreadable": 0, "suspect": 1, "moments": 9, "crossed": 2, "fills": 5},
    "lines": {"plain_reader": 1233, "created": 7, "never_rest": 3},
    "touch": [{"left_out": [], "price_of": "first", **TOUCH}, {"left_out": [77], "price_of": "last", **TOUCH, "crossed": 0, "prices_differ": 1}],
    "trades": {"executions": 5, "trades": 6, "equal": 4},
    "check_tape": [["orders.csv.gz: Bitstamp order events, books:", 1], ["messages, records or lines", 1234]],
}


def text_of(*lines):
    return "\n".join([",".join(bitstamp.NAMES), *lines]) + "\n"


def line(id, time, price, volume, action, side):
    return f"{id},0,{time},{price},{volume},{action},{side}"


class PlainReaderTest(unittest.TestCase):
    def touches(self, *lines, **options):
        return [tuple(touch) for touch in bitstamp.touches_of(bitstamp.lines_of(text_of(*lines)), **options)]

    def test_the_touch_after_all_lines_of_a_time(self):
        self.assertEqual(self.touches(line(1, 1, "100.0", "0.5", "created", "bid"), line(2, 1, "100.0", "7.5e-06", "created", "bid"),
                                      line(3, 2, "101.5", "1.0", "created", "ask"), line(1, 3, "100.0", "0.25", "changed", "bid"),
                                      line(1, 4, "100.0", "0.25", "deleted", "bid"), line(2, 4, "100.0", "0.0", "changed", "bid"),
                                      line(9, 5, "1.0", "1.0", "deleted", "ask"), "3,0,x,101.5,1.0,deleted,ask", "3,0,6,101.5,1.0,gone,ask"),
                         [(1_000_000, 10**10, 50_000_750, None, 0), (2_000_000, 10**10, 50_000_750, 10_150_000_000, 10**8),
                          (3_000_000, 10**10, 25_000_750, 10_150_000_000, 10**8), (4_000_000, None, 0, 10_150_000_000, 10**8),
                          (5_000_000, None, 0, 10_150_000_000, 10**8)])

    def test_an_order_that_has_traded_rests_at_its_own_price(self):
        lines = line(1, 1, "101.0", "1.0", "created", "bid"), line(1, 1, "100.0", "0.5", "changed", "bid")
        self.assertEqual(self.touches(*lines)[0][1:3], (101 * 10**8, 10**8 // 2))
        self.assertEqual(self.touches(*lines, moves=True)[0][1:3], (100 * 10**8, 10**8 // 2))

    def test_the_older_of_two_that_cross_is_stale(self):
        lines = bitstamp.lines_of(text_of(line(1, 1, "100.0", "1.0", "created", "ask"), line(2, 1, "99.0", "1.0", "created", "bid"),
                                          line(3, 2, "100.5", "1.0", "created", "bid"), line(4, 2, "101.0", "1.0", "created", "ask"),
                                          line(5, 3, "101.5", "1.0", "created", "bid"), line(5, 3, "101.5", "1.0", "deleted", "bid")))
        self.assertEqual(bitstamp.stale_orders(lines), [1])
        self.assertEqual([touch.bid >= touch.ask for touch in bitstamp.touches_of(lines)], [False, True, True])

    def test_another_file(self):
        with self.assertRaisesRegex(ValueError, "the first line is not id,timestamp"):
            bitstamp.lines_of("a,b\n1,2\n")


class BitstampTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        environment = self.repository / "build/bitstamp_venv"
        self.write_program(environment / "bin/python", STAND_IN.format(python=sys.executable, folder=str(support.ROOT / "tests/scripts")))
        self.write_program(self.repository / "build/app/examples/check_tape", "#!/bin/sh\n")
        self.data = environment / "lib/python3.11/site-packages/ob_analytics/_sample_data"
        self.data.mkdir(parents=True)
        for name in ("orders.csv.gz", "trades.csv"):
            (self.data / name).touch()

    def test_table(self):
        result = self.script("local/bitstamp.sh", "--no-build")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("plots", result.stdout)
        table = (next((self.repository / "build/bitstamp").iterdir()) / "table.md").read_text()
        rows = support.rows_of(table)
        for row in (["messages, records or lines", "1,234"], ["lines, by the plain reader", "1,233"],
                    ["all orders, first price", "9", "2", "3", "4", "0", "0"], ["1 left out, last price", "9", "0", "3", "4", "1", "0"],
                    ["5", "6", "4"]):
            self.assertIn(row, rows)
        for words in ("cross at a settled moment: 77\n", "- data: ob-analytics 0.1.0, orders.csv.gz and trades.csv\n"):
            self.assertIn(words, table)

    def test_what_is_refused(self):
        for flag in ("--seeds=2", "--rounds", "--quick", "--books=core"):
            self.assert_fails(self.script("local/bitstamp.sh", "--no-build", flag), 2, f"unknown argument '{flag}'")
        self.assert_fails(self.script("local/bitstamp.sh", "--no-build", "--save=x"), 1, "leave out --no-build")
        self.change_the_tree()
        self.assert_fails(self.script("local/bitstamp.sh", "--no-setup", "--save=x"), 1, "no commit holds these changes")
        self.assert_nothing_kept("bitstamp")

    def test_what_fails_leaves_nothing(self):
        self.assert_fails(self.script("local/bitstamp.sh", "--no-build", STAND_IN_FAILS="yes"), 1, "asked to fail", "python failed")
        self.assert_nothing_kept("bitstamp")
        support.shutil.rmtree(self.data)
        self.assert_fails(self.script("local/bitstamp.sh", "--no-build"), 1, "has no ob-analytics==0.1.0")


class BitstampTableTest(support.AnalysisTest):
    """The table of runs made up here."""

    made_by = "scripts/local/bitstamp.sh"

    def test_incomplete_results(self):
        self.write_run("all", ARTIFACT)
        self.assertEqual(self.table().returncode, 0)
        for damage, message in ((lambda run: run.pop("trades"), "incomplete (KeyError: 'trades')"),
                                (lambda run: run["touch"].clear(), "nothing was compared"),
                                (lambda run: run["touch"][0].update(moments="9"), "'moments' of the touch is not a number"),
                                (lambda run: run["touch"][0].update(price_of="best"), "does not say of which reader it is")):
            damaged = copy.deepcopy(ARTIFACT)
            damage(damaged)
            self.write_run("all", damaged)
            self.assert_fails(self.table(), 1, message)


if __name__ == "__main__":
    unittest.main()
