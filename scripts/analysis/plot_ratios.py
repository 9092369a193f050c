# SPDX-License-Identifier: MIT
"""How many times as fast the core is in a campaign of scripts/bench.sh, drawn into ratios.png."""

import results
import runs

OF_ONE_SEED = "interval within the seed"
APART = (0, 4, 2, 3, 5, 1)  # the colours, those first that differ most


def of_interest(comparisons):
    """Ours against other books; without those, our two forms, and without them the builds."""
    books = [comparison for comparison in comparisons if comparison.numerator in results.OURS]
    rivals = [comparison for comparison in books if comparison.denominator != results.BASE]
    return rivals or books or [comparison for comparison in comparisons if comparison.numerator != results.LOOP]


def message(comparisons):
    """What the plot shows, of our book in its first form."""
    ours = comparisons[0].numerator
    rivals = list(dict.fromkeys(c.denominator for c in comparisons if c.numerator == ours))
    speeds = [c.speed for c in comparisons if c.numerator == ours]
    low, high = results.times(min(speeds)), results.times(max(speeds))
    named = " and ".join(filter(None, (", ".join(rivals[:-1]), rivals[-1])))
    return f"{ours} is {low if low == high else f'{low} to {high}'} times as fast as {named}"


def draw(folder, found):
    import drawing

    comparisons = of_interest(results.compare(found))
    if not comparisons:
        raise runs.Unusable(f"{folder}: nothing was compared, there is one book and one build")
    streams = list(dict.fromkeys(comparison.stream for comparison in comparisons))
    series = list(dict.fromkeys((comparison.denominator, comparison.numerator) for comparison in comparisons))
    rivals = list(dict.fromkeys(other for other, _ in series))
    figure, (axes,) = drawing.panels(1, 1, 0.6 + (0.3 + 0.14 * len(series)) * len(streams))
    for comparison in comparisons:
        place = series.index((comparison.denominator, comparison.numerator))
        y = streams.index(comparison.stream) + 0.8 * ((place + 0.5) / len(series) - 0.5)
        color = drawing.COLORS[APART[rivals.index(comparison.denominator) % len(APART)]]
        in_spans = comparison.numerator == results.OURS[1]
        axes.plot([1 / comparison.high, 1 / comparison.low], [y, y], color=color, linewidth=2, zorder=2)
        axes.plot(comparison.speed, y, "o", color=color, markerfacecolor="white" if in_spans else color, markersize=5,
                  zorder=3, label=f"{comparison.numerator} against {comparison.denominator}")
        axes.annotate(results.times(comparison.speed), (1 / comparison.low, y), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=8)
    axes.set_xscale("log")
    axes.margins(x=0.08)
    drawing.log_axis(axes.xaxis)
    drawing.mark_one(axes)
    axes.set_xlabel("times as fast: median, and " +
                    results.spread_name((len(comparison.groups) for comparison in comparisons), OF_ONE_SEED))
    axes.set_ylim(len(streams) - 0.5, -0.5)
    axes.set_yticks(range(len(streams)), streams)
    for edge in range(1, len(streams)):
        axes.axhline(edge - 0.5, color="0.8", linewidth=0.8)
    handles, labels = axes.get_legend_handles_labels()
    shown = dict(zip(labels, handles))
    axes.legend(shown.values(), shown.keys(), loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, columnspacing=1)
    drawing.finish(figure, message(comparisons), results.fingerprint_line(found[0].fingerprint), folder / "ratios.png")
