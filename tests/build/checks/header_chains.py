# SPDX-License-Identifier: MIT
"""Prints the headers of include/llmes/ in chains, one a line, in which each header includes all of those before it.

A unit that includes a chain in order shows as much as a unit for each header: all that a header can see there, it includes
itself. The chains are few, and most of the time goes into the headers at their ends.
"""

import layout_test

reached = {header: layout_test.reached_from(header) for header in layout_test.HEADERS}
left = set(reached)
while left:
    chain = []
    candidates = left
    while candidates:
        chain.insert(0, max(candidates, key=lambda header: (len(reached[header]), header)))
        left.remove(chain[0])
        candidates = reached[chain[0]] & left
    print(*chain)
