#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_variant.py HEADERS OUT PART...: copies the headers of the core to OUT without these parts.

The copy does the same work on a stream in which nothing crosses: the same calls succeed and the same handles come
back. What it could be asked between the calls is wrong.
"""

import argparse
import pathlib
import sys

# What a part has read stands idle without it.
IDLE = "".join(f'#pragma GCC diagnostic ignored "-Wunused-{what}"\n' for what in ("variable", "parameter"))

# For each part: a header, a text that stands in it once, and what stands there without the part.
PARTS = {
    "cross": [
        ("book/resting_orders.hpp", "return side_book(opposite(side)).best() <= reach_of(rank);", "return false;"),
    ],
    # The orders that left stay in the list, and their slots are used again. So the free list goes through another
    # member of the slot, and a level is empty if its count says so.
    "unlink": [
        ("book/price_level.hpp", "    pool_[order.previous].next = order.next;\n", ""),
        ("book/price_level.hpp", "    pool_[order.next].previous = order.previous;\n", ""),
        ("book/price_level.hpp", "return pool_[anchor_].oldest() == anchor_;", "return pool_[anchor_].order_count() == 0;"),
        ("book/order_pool.hpp", "slots_[i].next_free() = i + 1;", "slots_[i].id = i + 1;"),
        ("book/order_pool.hpp", "free_ = slot.next_free();", "free_ = static_cast<SlotIndex>(slot.id);"),
        ("book/order_pool.hpp", "slot.next_free() = free_;", "slot.id = free_;"),
    ],
    "link": [
        ("book/price_level.hpp", "    order.previous = next.previous;\n", ""),
        ("book/price_level.hpp", "    pool_[next.previous].next = index;\n", ""),
        ("book/price_level.hpp", "    order.next = neighbour;\n", ""),
        ("book/price_level.hpp", "    next.previous = index;\n", ""),
    ],
    "totals": [
        ("book/price_level.hpp", "return quantity <= std::numeric_limits<Quantity>::max() - (total() - leaving);",
         "return true;"),
        ("book/price_level.hpp", "    anchor.total() += order.quantity;\n    ++anchor.order_count();\n", ""),
        ("book/price_level.hpp", "    anchor.total() -= order.quantity;\n    --anchor.order_count();\n", ""),
        ("book/price_level.hpp", "    pool_[anchor_].total() -= by;\n", ""),
    ],
    # Every handle is taken for a live one, as far as it leads to a slot.
    "generation": [
        ("book/order_pool.hpp", "slots_[handle.index].generation == handle.generation &&\n"
         "           handle.generation % 2 == 1;", "true;"),
    ],
    "time_in_force": [
        ("book/matching.hpp", "(static_cast<unsigned>(side) | static_cast<unsigned>(time_in_force)) <= 1",
         "Orders::is_side(side)"),
    ],
    "occupancy": [
        ("book/array_side_book.hpp", "    this->occupied_.insert(rank);\n", ""),
        ("book/array_side_book.hpp", "    this->occupied_.clear_if(rank_of(pool, level.anchor()), level.empty());\n", ""),
    ],
}


def main(headers, out, parts):
    texts = {str(path.relative_to(headers)): path.read_text(encoding="utf-8") for path in headers.rglob("*.hpp")}
    for part in parts:
        if part not in PARTS:
            sys.exit(f"make_variant.py: no part is called '{part}'; there are: {', '.join(PARTS)}")
        for header, old, new in PARTS[part]:
            if texts.get(header, "").count(old) != 1:
                sys.exit(f"make_variant.py: {headers}/{header} no longer has, once, what makes the part '{part}':\n"
                         f"{old}\nSay here what makes it now.")
            texts[header] = texts[header].replace(old, new)
    for name, text in texts.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(IDLE + text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", metavar="HEADERS", type=pathlib.Path)
    parser.add_argument("out", metavar="OUT", type=pathlib.Path)
    parser.add_argument("parts", metavar="PART", nargs="*", help=", ".join(PARTS))
    main(*vars(parser.parse_args()).values())
