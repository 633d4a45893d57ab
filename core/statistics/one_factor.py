"""One factor: a table along one latent score that may be skewed, without groups.

A Gaussian copula knows a symmetric latent alone, and where severity is skewed, groups gain more on
the real table than on its draws. Here the latent is the distribution with one mode that is nearest
to the table's own scores: as skewed as they are, and a rare group far out stays as rare. Along the
first component each column rises or falls as its values do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.isotonic import IsotonicRegression

from ..families.family import CATEGORY, YES_NO
from ..schema.encoded import Encoded
from .drawn_columns import as_cells, drawn_columns
from .gaussian_copula import correlations
from .standardised import first_component, standardised
from .unimodal import Unimodal

#: Residuals change places among the rows of so many equal parts of the score.
PARTS = 10


@dataclass(frozen=True)
class OneFactor:
    """Columns of any type along one latent score.

    Parameters
    ----------
    encoded : Encoded
    scores : ndarray of float64, shape (N,)
        Of the first principal component; either way round.
    latent : Unimodal
        The distribution with one mode that is nearest to that of the scores.
    curves : ndarray of float64, shape (N, M)
        Regression of every column on the scores, at each row's score.
    strength : float
        How far the columns follow the latent, as a share of how far they follow the scores: those
        hold some of each column's own noise, and drawn columns that followed them in full would
        hang together more than the table's do.
    """

    encoded: Encoded
    scores: np.ndarray
    latent: Unimodal
    curves: np.ndarray
    strength: float

    @classmethod
    def of(cls, encoded: Encoded) -> OneFactor:
        """Fit a line to a table, along which columns rise or fall (isotonic regression)."""
        scores = first_component(standardised(encoded))
        curves = np.column_stack([_isotonic(scores, column) for column in encoded.values.T])
        # Half way: noise among the scores also hides how skewed the factor is, and the draws of a
        # skewed factor that keep its correlations alone gain less than the table does.
        strength = (1.0 + _strength(encoded, curves)) / 2.0
        return cls(encoded, scores, Unimodal.of(scores), curves, strength)

    def draw(self, random: np.random.Generator) -> Encoded:
        """A table along one smooth latent score, with the same missing cells and no groups.

        A two-part column has its numbers where its drawn outcome is a number.
        """
        n = self.scores.size
        latent = self.latent.draw(n, random)
        order = np.argsort(self.scores, kind="stable")
        edges = self.scores[order[np.arange(1, PARTS) * n // PARTS]]
        part, own = np.digitize(latent, edges), np.digitize(self.scores, edges)

        def made(j: int, kind: str, seen: np.ndarray) -> np.ndarray:
            column, curve = self.encoded.values[:, j], self.curves[:, j]
            along = np.interp(latent, self.scores[order], curve[order])
            middle = curve[seen].mean()
            along = middle + self.strength * (along - middle)
            donors = _donors(own, part, seen, random)
            if kind == CATEGORY:
                anyone = random.choice(np.flatnonzero(seen), n)
                return column[np.where(random.random(n) < self.strength, donors, anyone)]
            if kind == YES_NO:
                return (random.random(n) < along).astype(np.float64)
            rest = column - curve
            wider = self._rest_wider(rest[seen], curve[seen])
            return as_cells(kind, along + wider * rest[donors], column[seen])

        return drawn_columns(self.encoded, made)

    def _rest_wider(self, rest: np.ndarray, curve: np.ndarray) -> float:
        """By how much what is left of a column must spread more for it to spread as it does."""
        lost = (1.0 - self.strength**2) * curve.var()
        return float(np.sqrt(1.0 + lost / rest.var())) if rest.var() > 0.0 else 1.0


def _strength(encoded: Encoded, curves: np.ndarray) -> float:
    """The share of the curves that makes the columns correlate as they do, by least squares."""
    kinds = [unit.kind for unit in encoded.units for _ in unit.columns]
    seen = (~np.isnan(encoded.values)).sum(axis=0) > 1
    ordered = [j for j, kind in enumerate(kinds) if kind != CATEGORY and seen[j]]
    if len(ordered) < 2:
        return 1.0
    values, curves = encoded.values[:, ordered], curves[:, ordered]
    spread = np.nanstd(values, axis=0)
    along = np.cov((curves / np.where(spread > 0.0, spread, 1.0)).T)
    apart = ~np.eye(len(ordered), dtype=bool)
    own, made = correlations(values)[apart], along[apart]
    squared = float(own @ made / (made @ made)) if made.any() else 1.0
    return float(np.sqrt(np.clip(squared, 0.0, 1.0)))


def _isotonic(scores: np.ndarray, column: np.ndarray) -> np.ndarray:
    """The column's mean along the scores, rising or falling as it does on the whole."""
    seen = ~np.isnan(column)
    if seen.sum() < 2 or np.ptp(column[seen]) == 0.0:
        return np.full(scores.size, column[seen].mean() if seen.any() else np.nan)
    rising = np.corrcoef(scores[seen], column[seen])[0, 1] >= 0
    fit = IsotonicRegression(increasing=bool(rising), out_of_bounds="clip")
    return fit.fit(scores[seen], column[seen]).predict(scores)


def _donors(
    own: np.ndarray, part: np.ndarray, seen: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """For every drawn row, an observed row of the same part of the scores, or any observed one."""
    everyone = np.flatnonzero(seen)
    donors = random.choice(everyone, own.size)
    for k in range(PARTS):
        inside, wanted = np.flatnonzero(seen & (own == k)), np.flatnonzero(part == k)
        if inside.size and wanted.size:
            donors[wanted] = random.choice(inside, wanted.size)
    return donors
