#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A market maker in a day of ITCH 5.0: it joins both best prices, and gets what its place in the queue earns.

Says how it did and why its first order was filled, and draws its fills, equity and position.

usage: market_maker.py FILE SYMBOL PICTURE.png    (ITCH 5.0; needs matplotlib)
"""
import sys


class MarketMaker:
    """Has an order of 100 at each best price while its position allows it."""

    def __init__(self, symbol):
        self.symbol, self.quotes = symbol, {}

    def on_start(self, desk):
        desk.subscribe(self.symbol)

    def on_market(self, desk, symbol):
        bid, _, ask, _ = desk.touch(symbol)
        if bid is None or ask is None or bid >= ask:
            return
        self.quote(desk, "buy", bid, desk.position(symbol) < 200)
        self.quote(desk, "sell", ask, desk.position(symbol) > -200)

    def on_fill(self, desk, fill):
        self.on_market(desk, fill.symbol)

    def quote(self, desk, side, price, is_wanted):
        number = self.quotes.get(side)
        if number is not None and desk.order(number).is_open:
            if is_wanted and desk.order(number).price == price:
                return
            desk.cancel(number)
        self.quotes[side] = desk.add_limit(self.symbol, side, price, 100, "post_only") if is_wanted else None


def main(path, symbol, picture):
    import matplotlib
    import numpy

    import llmes

    matplotlib.use("Agg")
    from matplotlib import pyplot

    day = llmes.itch(path)
    latency = {"feed": "20us", "entry": "50us", "response": "20us"}
    run = llmes.backtest(day, MarketMaker(symbol), symbols=[symbol], latency=latency, fees=(-20, 30))

    # %% How it did, and why its first order was filled.
    summary, fills = run.summary(), run.fills
    print(f"{summary['orders']} orders, {summary['lots_made']} shares bought or sold, {summary['fees'] / 10_000:.2f} dollars of fees")
    print(f"spread captured: {summary['spread_captured'] / 100:.2f} cents a share")
    if len(fills) == 0:
        sys.exit("market_maker.py: nobody traded with it")
    print(run.why(fills["order"][0]))

    # %% The best prices with our fills, equity and position.
    figure, (top, *below) = pyplot.subplots(3, 1, sharex=True, figsize=(10, 8), layout="constrained")
    touch = day.touch([symbol])
    both = (touch["bid"] != llmes.NONE) & (touch["ask"] != llmes.NONE) & (touch["bid"] < touch["ask"])
    hours = lambda times: times / numpy.timedelta64(1, "h")
    for side, colour in (("bid", "tab:green"), ("ask", "tab:red")):
        top.step(hours(touch["time"][both]), touch[side][both] / 10_000, where="post", linewidth=0.8, color=colour, label=side)
    for side, marker, colour in (("buy", "^", "tab:green"), ("sell", "v", "tab:red")):
        ours = fills["side"] == side
        top.plot(hours(fills["time"][ours]), fills["price"][ours] / 10_000, marker, color=colour, markeredgecolor="black",
                 label=f"our {side}")
    top.set(title=f"{symbol}: best prices and our fills", ylabel="dollars")
    low, high = numpy.percentile(numpy.concatenate([touch["bid"][both], touch["ask"][both]]) / 10_000, [5, 95])
    top.set_ylim(low - (high - low) / 2, high + (high - low) / 2)
    top.legend(ncols=2)
    run.plot(below)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 4 or "--help" in sys.argv:
        print(__doc__.strip().split("\n\n")[-1], file=sys.stdout if "--help" in sys.argv else sys.stderr)
        sys.exit(0 if "--help" in sys.argv else 2)
    main(*sys.argv[1:])
