#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""busy.py [--help]: says what else this machine does, if it takes as much as a tenth of a core.

A measurement beside other work is wrong, and looks right. The average load of the kernel does not tell: it still has in it
what the campaign built a minute ago.
"""

import os
import pathlib
import time

import command_line

SECONDS = 0.5
TICKS = os.sysconf("SC_CLK_TCK")
NOTICED = 0.1  # of a core


def times(processes=pathlib.Path("/proc")):
    """Of each process (number, start) its name and the seconds that it has taken. This one is left out.

    A number may be given again, and a name changes: a kernel worker is called after its work, a program after what it executes."""
    found = {}
    for path in processes.glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text(errors="replace").partition("(")[2].rpartition(")")
        except OSError:
            continue  # it has ended
        fields = rest.split()
        if path.parent.name != str(os.getpid()) and len(fields) > 19:
            found[path.parent.name, fields[19]] = name, (int(fields[11]) + int(fields[12])) / TICKS
    return found


def all_taken(processes=pathlib.Path("/proc")):
    """The seconds that all processes have taken, also those that a container does not show."""
    user, nice, system = (processes / "stat").read_text().split()[1:4]
    return (int(user) + int(nice) + int(system)) / TICKS


def words_of(before, after, seconds, cores, taken_by_all=0):
    """What the machine did between two readings; nothing if that is little. A process that began in between took all of its
    time there. Times are counted in ticks, so their sum may be a little above what the cores can do."""
    shares = {}
    for process, (name, taken) in after.items():
        share = (taken - before.get(process, (name, 0))[1]) / seconds
        if share > 0:
            shares[name] = shares.get(name, 0) + share
    unseen = taken_by_all / seconds - sum(shares.values())
    if unseen >= NOTICED:
        shares["others, ended or not shown here"] = unseen
    total = min(sum(shares.values()), cores)
    if total < NOTICED:
        return ""
    most = sorted(shares.items(), key=lambda item: -item[1])[:3]
    return (f"the machine is busy: other processes take {100 * total:.0f} % of a core, and there "
            f"{'is 1 core' if cores == 1 else f'are {cores} cores'} ({', '.join(f'{name} {100 * share:.0f} %' for name, share in most)}). "
            "Do not quote what is measured now")


def main():
    command_line.parser(__doc__).parse_args()
    own = time.process_time()
    begun, before, begun_all = time.monotonic(), times(), all_taken()
    time.sleep(SECONDS)
    after, ended, ended_all = times(), time.monotonic(), all_taken()
    words = words_of(before, after, ended - begun, os.cpu_count(), ended_all - begun_all - (time.process_time() - own))
    if words:
        print(words)


if __name__ == "__main__":
    command_line.run(main)
