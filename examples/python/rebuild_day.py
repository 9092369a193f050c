#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A day of ITCH 5.0 as pictures: the spread of a symbol over the day, and its depth at one moment.

usage: rebuild_day.py FILE SYMBOL PICTURE.png    (needs matplotlib)
"""
import sys


def main(path, symbol, picture):
    import matplotlib
    import numpy

    import llmes

    matplotlib.use("Agg")
    from matplotlib import pyplot

    day = llmes.itch(path)
    try:
        touch = day.touch([symbol])
    except ValueError as error:
        sys.exit(f"rebuild_day.py: {path}: {error}")
    if len(touch) == 0:
        sys.exit(f"rebuild_day.py: {path} has no orders of '{symbol}'")

    # %% The spread: rows in which both sides have a price, and the book is not crossed.
    both = (touch["bid"] != llmes.NONE) & (touch["ask"] != llmes.NONE) & (touch["bid"] < touch["ask"])
    hours = touch["time"][both] / numpy.timedelta64(1, "h")
    spread = (touch["ask"][both] - touch["bid"][both]) / 100
    trades = day.trades([symbol])
    volume = trades["lots"][trades["printed"] == "yes"].sum()
    print(f"{symbol}: {len(touch)} changes of the touch, {len(trades)} trades of {volume} shares")
    print(f"median spread: {numpy.median(spread):.1f} cents")

    # %% The depth when most lots rested on the ten best levels.
    depth = day.depth([symbol], levels=10, every="1min")
    lots = {side: numpy.stack([depth[f"{side}_lots_{level}"] for level in range(1, 11)]) for side in ("bid", "ask")}
    moment = (lots["bid"].sum(axis=0) + lots["ask"].sum(axis=0)).argmax()

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    left.step(hours, spread, where="post", linewidth=0.8)
    left.set(title=f"{symbol}: spread", xlabel="hour of the day", ylabel="cents", yscale="log")
    for side, colour in (("bid", "tab:green"), ("ask", "tab:red")):
        prices = numpy.array([depth[f"{side}_{level}"][moment] for level in range(1, 11)])
        there = prices != llmes.NONE
        right.step(prices[there] / 10_000, lots[side][:, moment][there].cumsum(), where="post" if side == "ask" else "pre",
                   color=colour, label=side)
    clock = str(depth["time"][moment].astype("datetime64[ns]"))[11:16]
    right.set(title=f"{symbol}: shares up to a price, at {clock}", xlabel="dollars", ylabel="shares")
    right.locator_params(axis="x", nbins=6)
    right.legend()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 4 or "--help" in sys.argv:
        print(__doc__.strip().split("\n\n")[-1], file=sys.stdout if "--help" in sys.argv else sys.stderr)
        sys.exit(0 if "--help" in sys.argv else 2)
    main(*sys.argv[1:])
