# SPDX-License-Identifier: MIT
"""python -m llmes: converts days of market data into Parquet, and checks them."""
import argparse
import os
import sys

from ._days import ItchDay


def convert(arguments):
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        sys.exit("llmes: convert writes Parquet with pyarrow; install it: pip install 'llmes[convert]'")
    tables = arguments.tables.split(",")
    unknown = sorted(set(tables) - set(ItchDay.TABLES))
    if unknown:
        sys.exit(f"llmes: there is no table '{unknown[0]}'; there are {', '.join(ItchDay.TABLES)}")
    symbols = arguments.symbols.split(",") if arguments.symbols else None
    os.makedirs(arguments.out, exist_ok=True)
    writers, rows = {}, dict.fromkeys(tables, 0)
    try:
        day = ItchDay(arguments.file, progress=arguments.progress)
        for name, table in day.batches(tables, symbols, levels=arguments.levels, every=arguments.every):
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
    report = ItchDay(arguments.file, progress=arguments.progress).report()
    print(f"{arguments.file}: {report['messages']:,} messages, at most {report['most_resting']:,} orders at once")
    for kind, count in report["types"].items():
        print(f"  {kind}  {count:,}")
    for fault, count in report["faults"].items():
        print(f"  fault: {fault}: {count:,}")
    return 1 if report["faults"] else 0


def main():
    parser = argparse.ArgumentParser(prog="python -m llmes", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("convert", help="writes tables of a day of ITCH 5.0 as Parquet")
    one.add_argument("file", metavar="FILE", help="plain, or packed by gzip or zstd")
    one.add_argument("out", metavar="OUT", help="a folder; it is made")
    one.add_argument("--tables", default="touch,trades", help=f"some of {','.join(ItchDay.TABLES)} (default: touch,trades)")
    one.add_argument("--symbols", help="names, separated by commas; all if left out")
    one.add_argument("--levels", type=int, default=10, help="of the table depth (default: 10)")
    one.add_argument("--every", default="1s", help="between two rows of depth (default: 1s)")
    one.set_defaults(run=convert)
    two = commands.add_parser("verify", help="says what is in a file and what is wrong with it; exits with 1 if anything is")
    two.add_argument("file", metavar="FILE")
    two.set_defaults(run=verify)
    for command in (one, two):
        command.add_argument("--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal")
    arguments = parser.parse_args()
    try:
        sys.exit(arguments.run(arguments))
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"llmes: {error}")


main()
