# SPDX-License-Identifier: MIT
"""How the time of an operation grows with the resting orders and with the price levels: tables, and growth.png.

Runs of bench_growth are called orders-seedN, with rows BOOK/ORDERS, and levelsORDERS-seedN, with rows FEED/LEVELS. All
sizes took turns in one run, so growth is a ratio of two times in the same round.
"""

import collections
import re

import numpy

import results
import runs

BOOKS = {"core": "one at a time", "core_span": "in spans", "phase10": "phase 10", "null": "no book"}
FEEDS = ("core", "core_span")
LARGEST = 1_000_000  # resting orders up to which the growth is stated, as far as there are figures
SLOT = 32  # bytes of an order, and of a price level on each side
LEVEL = SLOT // 2  # bytes that the spread stream touches for each price of the band: it uses half of them, on one side
STYLES = {"core": ("o", "-"), "core_span": ("s", "--"), "phase10": ("^", "-."), "null": ("x", ":")}

Estimate = collections.namedtuple("Estimate", "value low high")


def estimate(groups):
    return Estimate(float(numpy.median(numpy.concatenate(groups))), *results.spread_of(groups))


def text(found, digits=2):
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


class Point:
    """One book of one size: its rows, one for each seed."""

    def __init__(self):
        self.rows = []

    def estimate(self, key):
        return estimate([numpy.array(row[key], dtype=float) for row in self.rows])

    def mean(self, key):
        return float(numpy.mean([row[key] for row in self.rows]))


class Growth:
    """All points: those over resting orders by (orders, book), those over bands by (orders, levels, feed)."""

    def __init__(self, folder):
        self.books = collections.defaultdict(Point)
        self.bands = collections.defaultdict(Point)
        found = runs.read(folder)
        self.fingerprint = found[0].fingerprint
        for run in found:
            results.check_same_origin(self.fingerprint, run.fingerprint, run.where)
            try:
                for row in results.artifact_of(run).rows.values():
                    self.add(run, row)
            except (KeyError, TypeError, ValueError) as error:
                raise runs.Unusable(f"{run.where}: incomplete ({type(error).__name__}: {error})") from error
        self.check(folder)

    def add(self, run, row):
        book, _, size = row["book"].partition("/")
        check_list(run.where, row, "times")
        if run.name.startswith("orders-"):
            check_list(run.where, row, "over")
            if size != str(row["standing"]):
                raise runs.Unusable(f"{run.where}: '{row['book']}' has {row['standing']} orders")
            self.books[row["standing"], book].rows.append(row)
            return
        results.check_numbers(run.where, row["book"], {key: row[key] for key in ("price_levels", "memory_bytes")})
        check_list(run.where, row, "ratios")
        if book == "core":
            check_list(run.where, row, "recenter_us")
        self.bands[row["standing"], row["price_levels"], book].rows.append(row)

    def check(self, folder):
        for points, name in ((self.books, "orders-seedN"), (self.bands, "levelsN-seedN")):
            if not points:
                raise runs.Unusable(f"{folder}: no run is called {name}")
        for orders in self.orders():
            for book in BOOKS:
                if (orders, book) not in self.books:
                    raise runs.Unusable(f"{folder}: {orders} orders were not held by {book}")
        for orders, levels, _ in list(self.bands):
            if not all((orders, levels, feed) in self.bands for feed in FEEDS):
                raise runs.Unusable(f"{folder}: {levels} price levels were not fed in both ways")

    def orders(self):
        return sorted({orders for orders, _ in self.books})

    def extent(self):
        """The size that growth is measured from, where every ratio is 1, and the largest up to which it is stated."""
        base = [orders for orders in self.orders()
                if all(ratio == 1 for book in BOOKS for row in self.books[orders, book].rows for ratio in row["over"])]
        larger = [orders for orders in self.orders() if base and base[0] < orders <= LARGEST]
        if not larger:
            raise runs.Unusable(f"no growth: there are no two sizes of up to {LARGEST:,} orders")
        return base[0], larger[-1]

    def spreads(self):
        return sorted({orders for orders, _, _ in self.bands})

    def levels(self, orders):
        return sorted({levels for some, levels, _ in self.bands if some == orders})

    def seeds(self):
        """How many there are of each point."""
        return {len(point.rows) for points in (self.books, self.bands) for point in points.values()}


def check_list(where, row, key):
    """One number above 0 for each round."""
    results.check_numbers(where, row["book"], {f"{key} {number}": value for number, value in enumerate(row[key])})
    if len(row[key]) != row["rounds"] or min(row[key]) <= 0:
        raise runs.Unusable(f"{where}: '{key}' of '{row['book']}' are not {row['rounds']} numbers above 0")


def cache_sizes(fingerprint):
    """Bytes, by name, of the caches that the fingerprint has as "L1 32K, L2 512K"."""
    found = re.findall(r"(L\d) (\d+)([KM])", fingerprint.get("caches", ""))
    return {name: int(size) * {"K": 2**10, "M": 2**20}[unit] for name, size, unit in found}


def read(folder):
    return Growth(folder)


def tables(folder, growth):
    spread = results.spread_name(growth.seeds())
    yield results.fingerprint_line(growth.fingerprint)
    caches = cache_sizes(growth.fingerprint)
    yield ""
    yield f"Nanoseconds an operation over the resting orders of the macro stream: median, {spread}."
    yield ""
    rows = [(f"{orders:,}", f"{growth.books[orders, 'core'].mean('levels_avg'):,.0f}",
             *(text(growth.books[orders, book].estimate("times")) for book in BOOKS)) for orders in growth.orders()]
    yield from results.markdown(("orders", "levels", *BOOKS.values()), rows)
    first, last = growth.extent()
    yield ""
    yield (f"Growth from {first:,} to {last:,} resting orders: the ratio of the times of a book in the same round; "
           f"median, {spread}.")
    yield ""
    yield from results.markdown(tuple(BOOKS.values()),
                                [tuple(text(growth.books[last, book].estimate("over")) for book in BOOKS)])
    yield ""
    yield f"Nanoseconds an operation over those at {first:,} resting orders: median, {spread}."
    yield ""
    yield from results.markdown(("orders", *BOOKS.values()), [
        (f"{orders:,}", *(text(growth.books[orders, book].estimate("over")) for book in BOOKS))
        for orders in growth.orders()])
    for orders in growth.spreads():
        yield ""
        yield (f"Nanoseconds an operation over the price levels of the band, {orders:,} orders spread over its middle "
               "half, every price as likely as any other; over a band of 4,096; and microseconds of a re-centring by "
               "one price.")
        yield ""
        rows = []
        for levels in growth.levels(orders):
            single, spans = (growth.bands[orders, levels, feed] for feed in FEEDS)
            rows.append((f"{levels:,}", f"{single.mean('memory_bytes') / 2**20:.2f}",
                         f"{single.mean('levels_avg'):,.0f}", text(single.estimate("times")),
                         text(spans.estimate("times")), text(single.estimate("ratios"), 3),
                         text(spans.estimate("ratios"), 3), text(single.estimate("recenter_us"), 1)))
        yield from results.markdown(("price levels", "MiB", "occupied", BOOKS["core"], BOOKS["core_span"],
                                     "over 4,096", "over 4,096, spans", "re-centring, µs"), rows)
    yield ""
    yield f"- {results.spread_remark(growth.seeds())}"
    for name, size in caches.items():
        yield (f"- {name} of {size // 2**10:,} KiB: as large as the slots of {size // SLOT:,} orders, or as the levels "
               f"that the spread stream uses in a band of {size // LEVEL:,}")
    if not caches:
        yield "- this machine does not tell the sizes of its caches, so none are marked"
    yield from (f"- {note}" for note in results.notes(folder))


def draw_line(axes, places, points, book, label, color):
    estimates = [point.estimate("times") for point in points]
    marker, style = STYLES[book]
    errors = numpy.transpose([(found.value - found.low, found.high - found.value) for found in estimates])
    # An interval of resampled medians need not hold the median itself.
    axes.errorbar(places, [found.value for found in estimates], yerr=numpy.maximum(errors, 0), label=label, color=color,
                  marker=marker, linestyle=style, markersize=4, linewidth=1, capsize=2)


def finish_panel(axes, what, caches, bytes_each):
    import drawing

    axes.set_xscale("log", base=10 if bytes_each == SLOT else 2)
    axes.set_yscale("log")
    low, high = axes.get_xlim()
    for name, size in caches.items():
        if low < size / bytes_each < high:
            axes.axvline(size / bytes_each, color="0.5", linewidth=0.8, linestyle=":")
            axes.annotate(f"{name} {size // 2**10:,} KiB", (size / bytes_each, 1.01), ha="center", va="bottom",
                          xycoords=("data", "axes fraction"), fontsize=7, color="0.3")
    axes.set_xlim(low, high)
    axes.set_xlabel(what)
    axes.set_ylabel("nanoseconds per operation")
    if bytes_each == SLOT:
        drawing.log_axis(axes.xaxis)
    else:
        axes.xaxis.set_major_formatter(drawing.number)
    drawing.log_axis(axes.yaxis)
    axes.grid()
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=2)


def draw(folder, growth):
    import drawing

    caches = cache_sizes(growth.fingerprint)
    figure, (left, right) = drawing.panels(2, 2, 3.6)
    for book, name in BOOKS.items():
        points = [growth.books[orders, book] for orders in growth.orders()]
        draw_line(left, [point.mean("resting_avg") for point in points], points, book, name, "black")
    finish_panel(left, "resting orders, macro stream\n(dotted: their slots fill the cache)", caches, SLOT)
    for orders, color in zip(growth.spreads(), ("black", "0.55")):
        levels = growth.levels(orders)
        for feed in FEEDS:
            draw_line(right, levels, [growth.bands[orders, count, feed] for count in levels], feed,
                      f"{orders:,} orders, {BOOKS[feed]}", color)
    finish_panel(right, "price levels of the band, orders spread evenly\n(dotted: the levels in use fill the cache)",
                 caches, LEVEL)
    drawing.finish(figure, f"Time per operation as the book grows: median and {results.spread_name(growth.seeds())}",
                   results.fingerprint_line(growth.fingerprint), folder / "growth.png")
