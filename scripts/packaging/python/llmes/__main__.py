# SPDX-License-Identifier: MIT
"""python -m llmes: days of market data into Parquet, what is wrong with them, and strategies in them.

The files are ITCH 5.0 (BinaryFILE), DBN (mbo), messages of LOBSTER or order events of Bitstamp (CSV), plain or packed by gzip or zstd.
"""
import argparse
import os
import runpy
import sys
import traceback
import warnings

from . import __version__
from ._backtest import backtest
from ._days import DbnDay, ItchDay, TapeWarning, find_day


def convert(arguments):
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        sys.exit("llmes: convert writes Parquet with pyarrow; install it: pip install 'llmes[convert]'")
    day = find_day(arguments.file, progress=arguments.progress)
    tables = arguments.tables.split(",")
    symbols = arguments.symbols.split(",") if arguments.symbols else None
    pieces = day.batches(tables, symbols, levels=arguments.levels, every=arguments.every)
    os.makedirs(arguments.out, exist_ok=True)
    writers, rows = {}, dict.fromkeys(tables, 0)
    try:
        for name, table in pieces:
            batch = pyarrow.table(table)
            if name not in writers:
                path = os.path.join(arguments.out, name + ".parquet.part")
                writers[name] = pyarrow.parquet.ParquetWriter(path, batch.schema)
            writers[name].write_table(batch)
            rows[name] += len(table)
    finally:
        for writer in writers.values():
            writer.close()
    for name in tables:  # a file has its name only when it is whole
        path = os.path.join(arguments.out, name + ".parquet")
        os.replace(path + ".part", path)
        print(f"{path}: {rows[name]:,} rows")


def verify(arguments):
    report = find_day(arguments.file, progress=arguments.progress).report()
    print(f"{arguments.file}: {report['format']}, {report['records']:,} messages, records or lines")
    if "most_resting" in report:
        print(f"  at most {report['most_resting']:,} orders at once")
    for kind, count in report.get("types", report["events"]).items():
        print(f"  {kind}  {count:,}")
    for fault, count in report["faults"].items():
        print(f"  fault: {fault}: {count:,}")
    if report["fills"]:
        print(f"  fills of resting orders {report['fills']:,}, first in, first out: {100 * report['fifo_score']:.2f} %")
    return 1 if report["faults"] else 0


def strategy_of(words):
    """An object of a class in a file: FILE.py, or FILE.py:CLASS."""
    path, _, name = words.partition(":")
    with open(path):  # a file that is not there is said by this name
        pass
    found = runpy.run_path(path)
    classes = {one: found[one] for one in found if isinstance(found[one], type) and found[one].__module__ == "<run_path>"
               and any(member.startswith("on_") for member in dir(found[one]))}
    if name and name not in classes or not name and len(classes) != 1:
        raise ValueError(f"{path}: say which strategy, as {path}:CLASS; it has {', '.join(classes) or 'none'}")
    return classes[name]() if name else classes.popitem()[1]()


def run_backtest(arguments):
    fees = arguments.fees.split(",") if arguments.fees else None
    run = backtest(find_day(arguments.file, progress=arguments.progress), strategy_of(arguments.strategy),
                   symbols=arguments.symbols.split(",") if arguments.symbols else None, latency=arguments.latency,
                   fees=fees, impact=arguments.impact)
    for name, number in run.summary().items():
        print(f"{name:<18}{number:>20,.4f}" if isinstance(number, float) else f"{name:<18}{number:>15,}")
    for symbol, lots in run.positions.items():
        print(f"{'position ' + symbol:<18}{lots:>15,}")
    if arguments.why is not None:
        print(run.why(arguments.why))


def main():
    parser = argparse.ArgumentParser(prog="python -m llmes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("convert", help="writes tables of a file as Parquet")
    one.add_argument("file", metavar="FILE", help="plain, or packed by gzip or zstd")
    one.add_argument("out", metavar="OUT", help="a folder; it is made")
    one.add_argument("--tables", default="touch,trades", help=f"some of {','.join(DbnDay.TABLES)}, "
                     f"and of ITCH {','.join(ItchDay.TABLES[len(DbnDay.TABLES):])} (default: touch,trades)")
    one.add_argument("--symbols", help="names, separated by commas; all if left out")
    one.add_argument("--levels", type=int, default=10, help="of the table depth (default: 10)")
    one.add_argument("--every", default="1s", help="between two rows of depth (default: 1s)")
    one.set_defaults(run=convert)
    two = commands.add_parser("verify", help="says what is in a file and what is wrong with it; exits with 1 if anything is")
    two.add_argument("file", metavar="FILE")
    two.set_defaults(run=verify)
    three = commands.add_parser("backtest", help="plays a file with a strategy in it, and says how it did")
    three.add_argument("file", metavar="FILE")
    three.add_argument("strategy", metavar="STRATEGY", help="FILE.py, or FILE.py:CLASS; it is made without arguments")
    three.add_argument("--symbols", help="names, separated by commas; all if left out")
    three.add_argument("--latency", help="of each way, as '50us' (default: none)")
    three.add_argument("--fees", help="MAKER,TAKER: prices a lot, below 0 for a rebate")
    three.add_argument("--impact", choices=("none", "displace"), default="none", help="default: none")
    three.add_argument("--why", type=int, metavar="ORDER", help="tells the story of an order by its number")
    three.set_defaults(run=run_backtest)
    for command in (one, two, three):
        command.add_argument("--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal")
    parser.add_argument("--version", action="version", version=__version__)
    arguments = parser.parse_args()
    if not sys.warnoptions:
        warnings.simplefilter("always", TapeWarning)
    shown = warnings.showwarning
    warnings.showwarning = lambda message, category, *more: (
        print(f"llmes: {message}", file=sys.stderr) if category is TapeWarning else shown(message, category, *more))
    try:
        sys.exit(arguments.run(arguments))
    except (LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        mine = getattr(arguments, "strategy", "").partition(":")[0]
        if any(frame.f_code.co_filename == mine for frame, _ in traceback.walk_tb(error.__traceback__)):
            raise  # a strategy's own fault is told with its line
        sys.exit(f"llmes: {error}")


main()
