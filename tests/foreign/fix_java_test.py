# SPDX-License-Identifier: MIT
"""FIX at the venue program, judged by QuickFIX/J, whose dictionary of FIX 4.4 checks each message of ours.

It trades, the venue is killed, and it comes back. VENUE names our program, LIBRARIES a folder that Maven fills. Exits with
77 if there is no Java, or Maven cannot fill it: ctest takes that for skipped.
"""

import pathlib
import sys
import tempfile
import unittest

import maven
from fix_venue import Venue, far_from_now

HERE = pathlib.Path(__file__).parent / "quickfixj"


def initiator(venue, name):
    """QuickFIX/J as one user."""
    folder = venue.folder / f"quickfixj-{name}"
    folder.mkdir()
    (folder / "config").write_text(f"""[default]
ConnectionType=initiator
ReconnectInterval=1
FileStorePath={folder}
StartTime={(begin := far_from_now())}
EndTime={begin}
HeartBtInt=30
[session]
BeginString=FIX.4.4
SenderCompID={name}
TargetCompID=VENUE
SocketConnectHost=127.0.0.1
SocketConnectPort={venue.port}
""", encoding="utf-8")
    return maven.Program(HERE / "Initiator.java", folder / "config")


class QuickfixjTest(unittest.TestCase):
    def test_it_trades_and_comes_back_after_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            venue = Venue(folder)
            self.addCleanup(venue.kill)
            ann, bob = initiator(venue, "ANN"), initiator(venue, "BOB")
            for one in (ann, bob):
                self.addCleanup(one.kill)
                self.assertEqual(one.hear(), "logon")
            for number in range(10):
                ann.say(f"order a{number} 1 10 10.25")
            for number in range(10):
                self.assertEqual(ann.hear(), f"report 0 a{number} 0")
            ann.say("cancel c0 a0 1")
            self.assertEqual(ann.hear(), "report 4 c0 0")
            ann.say("cancel c1 a0 1")
            self.assertEqual(ann.hear(), "refused c1")
            ann.say("order bad 1 10 10.255")
            self.assertEqual(ann.hear(), "report 8 bad 0")
            venue.kill()
            for one in (ann, bob):
                self.assertEqual(one.hear(), "logout")
            ann.say("order late 1 10 10.25")
            venue.start()
            self.assertEqual(bob.hear(), "logon")
            self.assertEqual({ann.hear(), ann.hear()}, {"logon", "report 0 late 0"})
            bob.say("order b0 2 25 10.20")
            self.assertEqual([bob.hear() for _ in range(4)],
                             ["report 0 b0 0", "report F b0 10", "report F b0 20", "report F b0 25"])
            self.assertEqual([ann.hear() for _ in range(3)], ["report F a1 10", "report F a2 10", "report F a3 5"])
            for one in (ann, bob):
                one.end()
            self.assertEqual(venue.stop(), 0)


def setUpModule():
    maven.fill(HERE)


if __name__ == "__main__":
    ended = unittest.main(exit=False, verbosity=2).result
    sys.exit(77 if ended.skipped else not ended.wasSuccessful())
