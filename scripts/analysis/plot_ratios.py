# SPDX-License-Identifier: MIT
"""The paired ratios of a campaign of scripts/bench.sh, drawn into ratios.png."""

import results
import runs

MARKERS = "ox^sdv"
OF_ONE_SEED = "interval within the seed"


def draw_panel(axes, comparisons, streams, names):
    """One band for each stream, in it one line for each comparison: every pair, the median and its spread."""
    import drawing

    random = results.numpy.random.default_rng(1)
    for comparison in comparisons:
        place = names.index(comparison.numerator)
        y = streams.index(comparison.stream) + 0.7 * ((place + 0.5) / len(names) - 0.5)
        spread = random.uniform(-0.22, 0.22, len(comparison.ratios)) / len(names)
        axes.plot(comparison.ratios, y + spread, MARKERS[place % len(MARKERS)], color="0.6", markersize=3,
                  markeredgewidth=0.7, zorder=1)
        axes.plot([comparison.low, comparison.high], [y, y], color="black", linewidth=2, zorder=2)
        axes.plot(comparison.median, y, "|", color="black", markersize=11, markeredgewidth=2, zorder=3)
        axes.annotate(results.significant(comparison.median), (1.01, y), xycoords=("axes fraction", "data"),
                      va="center", fontsize=8)
    drawing.mark_one(axes)
    axes.set_ylim(len(streams) - 0.5, -0.5)
    for edge in range(1, len(streams)):
        axes.axhline(edge - 0.5, color="0.8", linewidth=0.8)
    handles = [drawing.pyplot.Line2D([], [], linestyle="", marker=MARKERS[i % len(MARKERS)], color="0.6",
                                     label=f"{name} / {comparisons[0].denominator}") for i, name in enumerate(names)]
    spread = results.spread_name((len(comparison.groups) for comparison in comparisons), OF_ONE_SEED)
    handles.append(drawing.pyplot.Line2D([], [], color="black", linewidth=2, marker="|", markersize=11,
                                         label=f"median, {spread}"))
    axes.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=2, columnspacing=1)


def draw(folder, found):
    import drawing

    comparisons = results.compare(found)
    streams = list(dict.fromkeys(comparison.stream for comparison in comparisons))
    states = {comparison.stream: results.state_of_book(comparison) for comparison in comparisons}
    sides = [[c for c in comparisons if c.denominator == results.BASE],
             [c for c in comparisons if c.denominator != results.BASE]]
    sides = [side for side in sides if side]
    if not sides:
        raise runs.Unusable(f"{folder}: nothing was compared, there is one book and one build")

    figure, all_axes = drawing.panels(len(sides), 2, 0.8 + 1.0 * len(streams), sharey=True)
    for axes, side in zip(all_axes, sides):
        draw_panel(axes, side, streams, list(dict.fromkeys(comparison.numerator for comparison in side)))
        if side[0].denominator == results.BASE:
            axes.set_xscale("log")
            drawing.log_axis(axes.xaxis, 5)
        else:
            drawing.number_axis(axes.xaxis, 5)
    all_axes[0].set_yticks(range(len(streams)),
                           [stream + "\n" + states[stream].replace(", ", "\n").replace(" (", "\n(")
                            for stream in streams])
    drawing.finish(figure, "Time per operation of one over the other (lower is faster): every pair; the median is "
                   "written beside", results.fingerprint_line(found[0].fingerprint), folder / "ratios.png")
