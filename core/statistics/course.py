"""One course that may bend: a table along one latent place, at which its columns are independent.

The smooth version of the generative topographic mapping (Bishop, Svensen and Williams, Neural
Computation 10, 1998) on one line. No row's place is known: an expectation-maximisation gives it
probabilities, and the means and variances along the course are local lines through the rows that
are likely there. So the course is as bent as the table's, neither blurred by taking one place for
each row nor clearer than it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp
from sklearn.manifold import SpectralEmbedding

from ..families.family import CATEGORY, YES_NO
from ..models.numeric import plain_numbers
from ..schema.encoded import Encoded
from .drawn_columns import as_cells, drawn_columns
from .standardised import first_component, standardised
from .unimodal import Unimodal

#: Places along the course, equally likely, and the smoother's bandwidth as a share of the course:
#: wide enough to pass through a gap between two classes as a slope, narrow enough to follow a bend.
PLACES, BANDWIDTH = 41, 0.1
AT = np.linspace(0.0, 1.0, PLACES)
NEAR = np.exp(-0.5 * ((AT[:, None] - AT) / BANDWIDTH) ** 2)
#: Width within which a row's first place is guessed, most rounds, and the gain that ends them.
FIRST, ROUNDS, ENOUGH = 0.03, 60, 0.05
#: A course never tells all of a column: so much of its variance is always left.
LEFT = 1e-2
#: Rows that are neighbours where the course is looked for by who is near to whom.
NEIGHBOURS = 15


@dataclass(frozen=True)
class Course:
    """Columns of any type along one course.

    Parameters
    ----------
    encoded : Encoded
    likely : ndarray of float64, shape (N, PLACES)
        Probability of every place, given the row.
    log_likelihood : float
        Of the standardised table, in nats; a category counts as its 0/1 columns.
    """

    encoded: Encoded
    likely: np.ndarray
    log_likelihood: float

    @classmethod
    def of(cls, encoded: Encoded) -> Course:
        """Fit to a table: the likelier of the courses that two first guesses lead to.

        A course that comes back near its own beginning folds up where it starts from the first
        component; along the graph of neighbours it does not.
        """
        points, numbers = standardised(encoded), plain_numbers(encoded)
        varies, is_level = points.any(axis=0), np.isin(numbers, (0.0, 1.0)).all(axis=0)
        measured, levels = points[:, varies & ~is_level], numbers[:, varies & is_level]
        guesses = [first_component(points)]
        if len(points) > NEIGHBOURS + 1 and varies.sum() > 1:
            guesses.append(_along_neighbours(points))
        fits = [_expectation_maximisation(measured, levels, guess) for guess in guesses]
        likely, log_likelihood = max(fits, key=lambda fit: fit[1])
        return cls(encoded, likely, log_likelihood)

    @cached_property
    def latent(self) -> Unimodal:
        """The places' distribution with one mode, from which every table is drawn."""
        return Unimodal.of_counts(AT, self.likely.sum(axis=0))

    def draw(self, random: np.random.Generator) -> Encoded:
        """A table along the course, with the same missing cells and no groups.

        The drawn places have one mode, as nearly as can be where the rows are. Each column of a row
        has the residual of another row that is likely near its place.
        """
        n = len(self.encoded.values)
        place = np.rint(self.latent.draw(n, random) * (PLACES - 1)).astype(np.int64)

        def made(j: int, kind: str, seen: np.ndarray) -> np.ndarray:
            column, likely = self.encoded.values[seen, j], self.likely[seen]
            mass = likely.sum(axis=0)
            curve = _local_lines(mass[:, None], (column @ likely)[:, None])[:, 0]
            if kind == YES_NO:
                return (random.random(n) < curve[place]).astype(np.float64)
            near = _drawn(NEAR * mass, place, random)
            donor = column[_drawn(likely.T, near, random)]
            if kind == CATEGORY:
                return donor
            return as_cells(kind, curve[place] + donor - curve[near], column)

        return drawn_columns(self.encoded, made)


def _along_neighbours(points: np.ndarray) -> np.ndarray:
    """The slowest wave on the graph of nearest neighbours (Belkin and Niyogi, 2003), shape (N,)."""
    waves = SpectralEmbedding(
        1, affinity="nearest_neighbors", n_neighbors=NEIGHBOURS, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a graph in pieces: the other guess is there
        return waves.fit_transform(points)[:, 0]


def _expectation_maximisation(
    measured: np.ndarray, levels: np.ndarray, guess: np.ndarray
) -> tuple[np.ndarray, float]:
    """Probabilities of the places, shape (N, PLACES), and the log likelihood.

    ``measured`` (N, P) are standardised numbers, ``levels`` (N, Q) are 0 or 1.
    """
    ranks = np.argsort(np.argsort(guess, kind="stable"), kind="stable")
    apart = (ranks[:, None] + 0.5) / ranks.size - AT
    likely = np.exp(-0.5 * (apart / FIRST) ** 2)
    likely /= likely.sum(axis=1, keepdims=True)
    squared, before = measured**2, -np.inf
    for _ in range(ROUNDS):
        joint = _of_measured(measured, squared, likely) + _of_levels(levels, likely)
        of_row = logsumexp(joint, axis=1, keepdims=True)
        likely = np.exp(joint - of_row)
        now = float(of_row.sum() - len(guess) * np.log(PLACES))
        if now - before < ENOUGH:
            break
        before = now
    return likely, now


def _of_measured(points: np.ndarray, squared: np.ndarray, likely: np.ndarray) -> np.ndarray:
    """Log density of every row's numbers at every place, shape (N, PLACES)."""
    mass, sums = likely.sum(axis=0)[:, None], likely.T @ points
    mean = _local_lines(mass, sums)
    apart = likely.T @ squared - 2.0 * mean * sums + mean**2 * mass
    variance = np.maximum((NEAR @ apart) / (NEAR @ mass), LEFT)
    constant = (mean**2 / variance + np.log(2.0 * np.pi * variance)).sum(axis=1)
    return points @ (mean / variance).T - 0.5 * (squared @ (1.0 / variance).T + constant)


def _of_levels(levels: np.ndarray, likely: np.ndarray) -> np.ndarray:
    """Log probability of every row's 0/1 columns at every place, shape (N, PLACES)."""
    share = _local_lines(likely.sum(axis=0)[:, None], likely.T @ levels)
    share = np.clip(share, LEFT, 1.0 - LEFT)
    odds = np.log(share / (1.0 - share))
    return levels @ odds.T + np.log1p(-share).sum(axis=1)


def _local_lines(mass: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Local straight lines through masses (PLACES, 1) of rows with these sums (PLACES, P)."""
    first = NEAR * (AT - AT[:, None])
    second = first * (AT - AT[:, None])
    n, s1, s2 = NEAR @ mass, first @ mass, second @ mass
    t0, t1 = NEAR @ sums, first @ sums
    spread = n * s2 - s1**2
    is_line = spread > 1e-12 * n**2
    return np.where(is_line, (s2 * t0 - s1 * t1) / np.where(is_line, spread, 1.0), t0 / n)


def _drawn(weights: np.ndarray, of: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """For each entry of ``of``, a column drawn by the weights (A, B) of that row."""
    below = np.cumsum(weights, axis=1)
    out = np.empty(of.size, dtype=np.int64)
    for row in np.unique(of):
        who = np.flatnonzero(of == row)
        out[who] = np.searchsorted(below[row], random.random(who.size) * below[row, -1], "right")
    return np.minimum(out, weights.shape[1] - 1)
