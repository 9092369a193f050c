# SPDX-License-Identifier: MIT
"""The paired ratios of a campaign of scripts/bench.sh, drawn into ratios.png."""

import results

MARKERS = "ox^sdv"


def draw_panel(axes, comparisons, streams, names):
    """One band for each stream, in it one line for each comparison: every pair, the median and its interval."""
    from drawing import pyplot

    random = results.numpy.random.default_rng(1)
    for comparison in comparisons:
        place = names.index(comparison.numerator)
        y = streams.index(comparison.stream) + 0.7 * ((place + 0.5) / len(names) - 0.5)
        spread = random.uniform(-0.22, 0.22, len(comparison.ratios)) / len(names)
        axes.plot(comparison.ratios, y + spread, MARKERS[place % len(MARKERS)], color="0.6", markersize=3.5,
                  markeredgewidth=0.7, zorder=1)
        axes.plot([comparison.low, comparison.high], [y, y], color="black", linewidth=2, zorder=2)
        axes.plot(comparison.median, y, "|", color="black", markersize=15, markeredgewidth=2, zorder=3)
        axes.annotate(results.significant(comparison.median), (comparison.median, y), xytext=(0, 9),
                      textcoords="offset points", ha="center", fontsize=8,
                      bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"})
    axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
    axes.set_ylim(len(streams) - 0.4, -0.6)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    handles = [pyplot.Line2D([], [], linestyle="", marker=MARKERS[i % len(MARKERS)], color="0.6",
                             label=f"{name} / {comparisons[0].denominator}") for i, name in enumerate(names)]
    handles.append(pyplot.Line2D([], [], color="black", linewidth=2, marker="|", markersize=12,
                                 label="median, 95 % interval"))
    axes.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=min(3, len(handles)),
                fontsize=8, frameon=False)
    axes.set_xlabel("ratio of time per operation (below 1: faster)")


def draw(folder, found):
    from drawing import pyplot, ticker

    comparisons = results.compare(found)
    streams = list(dict.fromkeys(comparison.stream for comparison in comparisons))
    states = {comparison.stream: results.state_of_book(comparison) for comparison in comparisons}
    panels = [[c for c in comparisons if c.denominator == results.BASE],
              [c for c in comparisons if c.denominator != results.BASE]]
    panels = [panel for panel in panels if panel]
    if not panels:
        raise results.Unusable(f"{folder}: nothing was compared, there is one book and one build")

    figure, all_axes = pyplot.subplots(1, len(panels), sharey=True, squeeze=False,
                                       figsize=(1.8 + 4.6 * len(panels), 1.8 + 1.3 * len(streams)))
    for axes, panel in zip(all_axes[0], panels):
        names = list(dict.fromkeys(comparison.numerator for comparison in panel))
        draw_panel(axes, panel, streams, names)
        if panel[0].denominator == results.BASE:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,g}"))
    all_axes[0][0].set_yticks(range(len(streams)),
                              [stream + "\n" + states[stream].replace(", ", "\n") for stream in streams],
                              fontsize=8)
    figure.suptitle(results.fingerprint_line(found[0].fingerprint), fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / "ratios.png", dpi=110)
