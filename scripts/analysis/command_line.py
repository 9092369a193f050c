# SPDX-License-Identifier: MIT
"""Shared by the programs in this folder: a manual, and messages for unusable results."""

import argparse
import pathlib
import sys

from runs import Unusable


def parser(manual):
    """For a program whose docstring is its manual."""
    return argparse.ArgumentParser(description=manual, formatter_class=argparse.RawDescriptionHelpFormatter)


def count(text):
    """The type of an argument: a number of things."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return int(text)


def run(main, *arguments):
    """Calls `main`; results or files that cannot be used end the program with a message."""
    try:
        return main(*arguments)
    except (Unusable, OSError) as error:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {error}")
