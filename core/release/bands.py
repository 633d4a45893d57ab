"""How often a test is right by group, told in bands of counts so that no small count follows.

A sensitivity is a ratio of patients to a group's size, which is known; a predictive value one of
them to those told to be there. Of each count only a band leaves that holds as many whole numbers as
the threshold or more, and every figure told follows from the bands alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from ..statistics.intervals import share
from ..wording import percent

HIDDEN = "hidden"


@dataclass(frozen=True)
class Bands:
    """What may be told of a table of patients by group, down, and by what they were told, across.

    Attributes
    ----------
    missed, wrong : tuple of two ndarray of int64, shape (K,)
        Lowest and highest number of patients of each group who are told another, and of others who
        are told this one.
    sizes : ndarray of int64, shape (K,)
        Of the groups, which are known.
    told : ndarray of bool, shape (K,)
        Groups whose size may be known; of the others nothing is told, as it would follow.
    """

    sizes: np.ndarray
    missed: tuple[np.ndarray, np.ndarray]
    wrong: tuple[np.ndarray, np.ndarray]
    told: np.ndarray

    @property
    def right(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest number of patients of each group who are told so."""
        return self.sizes - self.missed[1], self.sizes - self.missed[0]

    def sensitivity(self) -> list[str]:
        """Of each group, lowest and highest, with an interval that holds those of every count."""
        low, high = self.right
        each = zip(low, high, self.sizes, self.told, strict=True)
        return [_told(a / n, b / n, n, n) if told else HIDDEN for a, b, n, told in each]

    def predictive(self) -> list[str]:
        """Positive predictive value of each group, likewise."""
        told = []
        each = zip(*self.right, *self.wrong, self.told, strict=True)
        for low, high, few, many, is_told in each:
            if high + few <= 0 or not is_told:
                told.append(HIDDEN)
                continue
            worst, best = low / max(low + many, 1), high / (high + few)
            told.append(_told(worst, best, max(low + many, 1), high + few))
        return told

    @property
    def agreement(self) -> str:
        """Share of those groups' patients told their own: the lowest and highest there can be."""
        (low, high), n = self.right, self.sizes[self.told].sum()
        if not n:
            return HIDDEN
        return _between(low[self.told].sum() / n, high[self.told].sum() / n)


def _told(worst: float, best: float, n_worst: int, n_best: int) -> str:
    low = float(share(np.float64(worst), np.float64(n_worst)).low)
    high = float(share(np.float64(best), np.float64(n_best)).high)
    if high - low > 0.9:
        return HIDDEN
    return f"{_between(worst, best)} ({percent(low)} to {percent(high)})"


def _between(worst: float, best: float) -> str:
    """A band of shares; one figure where it holds no other."""
    return percent(worst) if worst == best else f"{percent(worst)} to {percent(best)}"


def banded_share(count: int, of: int, least: int) -> str:
    """A share of a number that is known, told as its band's lowest and highest; 0 tells it."""
    low, high = _banded(np.array(count), np.array(of), max(least, 1))
    return _between(float(low) / max(of, 1), float(high) / max(of, 1))


def bands(crossed: np.ndarray, least: int) -> Bands:
    """Bands from which no count of the table below the threshold can be worked out.

    They begin as wide as the threshold and are made wider until a linear programme finds that many
    whole numbers for every small count, given the sizes of all rows.

    Parameters
    ----------
    crossed : ndarray of int64, shape (K + 1, K + 1)
        Patients by group, the last row of no group, and by what they were told, none last.
    least : int
        0 tells everything.
    """
    sizes = crossed.sum(axis=1)
    right = np.diag(crossed)[:-1]
    missed, wrong = sizes[:-1] - right, crossed[:, :-1].sum(axis=0) - right
    width = max(least, 1)
    while True:
        found = Bands(
            sizes[:-1],
            _banded(missed, sizes[:-1], width),
            _banded(wrong, crossed.sum() - sizes[:-1], width),
            np.ones(right.size, dtype=bool),
        )
        if least == 0 or width > crossed.sum() or _hides(found, crossed, sizes, least):
            return found
        width += least


def _banded(counts: np.ndarray, most: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The band of each count; one that would reach beyond the most there can be joins the last."""
    low = counts // width * width
    last = np.maximum((most + 1) // width - 1, 0) * width
    low = np.minimum(low, last)
    return low, np.where(low == last, most, low + width - 1)


def _hides(found: Bands, crossed: np.ndarray, sizes: np.ndarray, least: int) -> bool:
    """Whether as many whole numbers as the threshold are left for every small count."""
    width = len(sizes)
    cells = np.arange(width * width).reshape(width, width)
    rows = np.zeros((width, width * width))
    for j in range(width):
        rows[j, cells[j]] = 1.0
    sums, ends = [], []
    targets = [(np.eye(width * width)[at], int(crossed.flat[at])) for at in range(width**2)]
    for k in range(width - 1):
        for counted, band in (
            (np.delete(cells[k], k), found.missed),
            (np.delete(cells[:, k], k), found.wrong),
        ):
            line = np.zeros(width * width)
            line[counted] = 1.0
            sums += [line, -line]
            ends += [float(band[1][k]), -float(band[0][k])]
            targets.append((line, int(crossed.ravel()[counted].sum())))
    # A form that calls nobody none is known to do so.
    calls_none = bool(crossed[:, -1].any())
    bounds = [(0, None if calls_none or at % width < width - 1 else 0) for at in range(width**2)]
    for line, count in targets:
        if count >= least:
            continue
        reach = [
            linprog(sign * line, np.array(sums), np.array(ends), rows, sizes.astype(float), bounds)
            for sign in (1.0, -1.0)
        ]
        low, high = np.ceil(reach[0].fun - 1e-6), np.floor(-reach[1].fun + 1e-6)
        possible = float(
            (line * np.array([end != 0 for _, end in bounds])) @ np.repeat(sizes, width)
        )
        if high - low + 1 < min(least, possible + 1):
            return False
    return True
