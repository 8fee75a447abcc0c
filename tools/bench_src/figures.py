"""Medians, their intervals, and how numbers look."""

import math
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A median with the interval that holds the true median with at least 95 % confidence; None: too few values."""

    median: float
    interval: tuple[float, float] | None

    def text(self, scale) -> str:
        """"9.1 (8.7-9.4) us": `scale` gives the unit and its factor for the median."""
        factor, unit = scale(self.median)
        words = [digits(self.median / factor)]
        if self.interval is not None:
            words.append("({}-{})".format(*(digits(edge / factor) for edge in self.interval)))
        return " ".join(words + [unit] * (unit != ""))

    def verdict(self, bound: float, *, at_most: bool) -> str:
        """By the median; unsure where the bound lies inside the interval."""
        met = self.median <= bound if at_most else self.median >= bound
        unsure = self.interval is not None and self.interval[0] < bound < self.interval[1]
        return ("met" if met else "missed") + (", unsure" if unsure else "")


def figure(values: list[float]) -> Figure | None:
    """By order statistics: no distribution is assumed, nothing is drawn. From the k-th smallest to the k-th largest of n
    values lies the median unless fewer than k values fell on one side of it, which has the chance 2 P(Binomial(n, 1/2) < k).
    Seven values: from the smallest to the largest, 98.4 %. Fewer than six can not give 95 %."""
    if not values:
        return None
    ordered, count = sorted(values), len(values)
    outside, k = 0.0, 0
    while k < count // 2:
        outside += 2 * math.comb(count, k) / 2**count
        if outside > 0.05:
            break
        k += 1
    interval = (ordered[k - 1], ordered[count - k]) if k > 0 else None
    return Figure(statistics.median(ordered), interval)


def ratio(ours: list[float], theirs: list[float]) -> Figure | None:
    """Of each pair its own ratio, so that what both suffered in the same minute falls out."""
    return figure([mine / other for mine, other in zip(ours, theirs, strict=True)])


def digits(value: float) -> str:
    """Three significant digits, no exponent."""
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(places, 3)}f}"


def rate(value: float) -> tuple[float, str]:
    return next(((factor, unit) for factor, unit in ((1e6, "M"), (1e3, "k")) if value >= factor), (1, ""))


def duration(ns: float) -> tuple[float, str]:
    units = ((1e9, "s"), (1e6, "ms"), (1e3, "us"))
    return next(((factor, unit) for factor, unit in units if ns >= factor), (1, "ns"))


def plain(_: float) -> tuple[float, str]:
    return 1, ""


def markdown(header: list[str], lines: list[list[str]]) -> str:
    """A table that reads as text too: columns as wide as their widest cell."""
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]

    def row(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    return "\n".join([row(header), row(["-" * width for width in widths]), *map(row, lines)])
