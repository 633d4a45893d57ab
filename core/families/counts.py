"""Kernels of the six likelihoods whose log density is linear in counts of the cell.

ln p(x) = s_1(x) c_1 + s_2(x) c_2 + rest(x), s(x) = a + b x: successes and failures of a chance q,
c = (ln q, ln(1 - q)), or events and exposure of a rate, c = (ln lambda, -lambda); R16 Appendix A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln

from ..jit import inlined, inner, spliced
from ..special import fast_lgamma, fast_log, log_rise
from .family import Kernels
from .prior import CellCounts, Prior
from .statistics import add_of_points, holds, look_up_many, merge_two_sums, points_of
from .sufficient import Rows, Sums

#: Choices of 0..top (tabulated), of 0, 1, ...; rates of 0, 1, ..., of reals from 0 on.
SHARES, FAILURES, EVENTS, TIMES = FORMS = range(4)
_RATES = (EVENTS, TIMES)
_B = {SHARES: (1.0, -1.0), FAILURES: (0.0, 1.0), EVENTS: (1.0, 0.0), TIMES: (0.0, 1.0)}

N_SUMS = 2
_N, _SUM = range(N_SUMS)
#: Cached without tables: of a cell that joins, then of one of the cluster's own that leaves.
N_CACHED = 3
_FIRST, _SECOND, _CONSTANT = range(N_CACHED)


@dataclass(frozen=True)
class CountedPrior(Prior):
    """A conjugate prior that is pseudo-counts: Dirichlet, beta or gamma.

    A subclass names them in ``pseudo`` and adds ``cell_counts(x, present)``, what observed cells
    (``present`` is 1) count, and ``described(parameters)``, plain numbers of clusters whose
    parameters are q, shape (K, V), or lambda, shape (K, 1).
    """

    #: Fields that are pseudo-counts, in the order of the counts of a cell.
    pseudo: ClassVar[tuple[str, ...]]
    #: Whether the parameter is a rate of events, not a chance.
    is_rate: ClassVar[bool]

    def pseudo_counts(self) -> np.ndarray:
        """Pseudo-counts, shape (V,)."""
        return np.hstack([getattr(self, name) for name in self.pseudo])

    def summary(self) -> dict[str, Any]:
        counts = self.pseudo_counts()
        mean = counts[:1] / counts[1] if self.is_rate else counts / counts.sum()
        return {name: found[0].tolist() for name, found in self.described(mean[None]).items()}

    def with_pseudo_counts(self, counts: np.ndarray) -> Self:
        return replace(self, **dict(zip(self.pseudo, counts.tolist(), strict=True)))

    def strengthened(self, factor: float) -> Self:
        return self.with_pseudo_counts(factor * self.pseudo_counts())

    def statistic_of(self, rows: Rows) -> Sums:
        """Counts of every cluster, and the part of ln p that depends on no parameter."""
        n_clusters, n_counts = rows.n_clusters, self.pseudo_counts().size
        where, counts, rest = self.cell_counts(rows.values, np.ones(len(rows.values)))
        totals = np.zeros(n_counts * n_clusters)
        for place, count in zip(where.T, counts.T, strict=True):
            at = place * n_clusters + rows.labels
            totals += np.bincount(at, rows.weight * count, totals.size)
        rests = np.bincount(rows.labels, rows.weight * rest, n_clusters)
        return Sums(np.vstack([totals.reshape(n_counts, n_clusters), rests]))

    def posterior_of(self, statistic: Sums) -> Self:
        return self.with_pseudo_counts(self.pseudo_counts() + statistic.totals[:-1, 0])

    def log_marginal_of(self, statistic: Sums) -> np.ndarray:
        before = self.pseudo_counts()[:, None]
        after = before + statistic.totals[:-1]
        return self._log_normaliser(after) - self._log_normaliser(before) + statistic.totals[-1]

    def _log_normaliser(self, counts: np.ndarray) -> np.ndarray:
        """Ln of the likelihood of these counts, (V, K), integrated over the parameters."""
        if self.is_rate:
            events, exposure = counts
            return gammaln(events) - events * np.log(exposure)
        return gammaln(counts).sum(axis=0) - gammaln(counts.sum(axis=0))

    def packed(self, center: float, scale: float) -> np.ndarray:
        return self.pseudo_counts()


@dataclass(frozen=True)
class CountsPrior(CountedPrior):
    """Two pseudo-counts; a subclass adds ``form``, ``per_cell``, ``described``, any ``rest``."""

    #: One of ``FORMS``.
    form: ClassVar[int]
    #: a, the two counts of a cell of 0.
    per_cell: ClassVar[tuple[float, float]]

    @property
    def is_rate(self) -> bool:
        return self.form in _RATES

    @property
    def size(self) -> int:
        return 0 if self.top is None else self.top + 1

    def cell_counts(self, x: np.ndarray, present: np.ndarray) -> CellCounts:
        (a_1, a_2), (b_1, b_2) = self.per_cell, _B[self.form]
        rest = present * self.rest(x)
        return CellCounts.of_pairs(a_1 * present + b_1 * x, a_2 * present + b_2 * x, rest)

    def statistic_in(self, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Sums:
        n, total = state
        counts = np.outer(self.per_cell, n) + np.outer(_B[self.form], total)
        return Sums(np.vstack([counts, np.zeros_like(n)]))

    def packed(self, center: float, scale: float) -> np.ndarray:
        """The counts, the form, a and b; data are not rescaled."""
        return np.array([*self.pseudo_counts(), self.form, *self.per_cell, *_B[self.form]])


def rows(size: int) -> int:
    """State rows: n, the sum of x, then two tables of ``size`` scores, or coefficients."""
    return N_SUMS + 2 * (size or N_CACHED)


def n_statistics(size: int) -> int:
    """The first ones, which are sufficient statistics."""
    return N_SUMS


@spliced
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Add ``weight`` times a value to cluster k; a negative weight takes it out."""
    state[row + _N, k] += weight
    state[row + _SUM, k] = max(state[row + _SUM, k] + weight * x[first], 0.0)


@spliced
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Tabulate the scores of cluster k, or cache their coefficients."""
    n, total = state[row + _N, k], state[row + _SUM, k]
    first = prior[p] + prior[p + 3] * n + prior[p + 5] * total
    second = prior[p + 1] + prior[p + 4] * n + prior[p + 6] * total
    if size > 0 and weight == 1.0:
        _tabulate(state, row + N_SUMS, size, k, first, second)
    elif size > 0:
        _tabulate_power(state, row + N_SUMS, size, k, first, second, weight)
    else:
        at = row + N_SUMS
        _cache(state, at, k, 1.0, weight, first, second, prior, p)
        for i in range(at + N_CACHED, at + 2 * N_CACHED):
            state[i, k] = 1.0
        if holds(n, weight):
            _cache(state, at + N_CACHED, k, -1.0, weight, first, second, prior, p)


@inner
def _cache(state, at, k, side, weight, first, second, prior, p):
    """Write the coefficients of ``_score`` of a cell that joins (side 1) or leaves (side -1)."""
    form, more = np.int64(prior[p + 2]), weight * prior[p + 3]
    of_first = first + side * more
    of_second = second + side * weight * prior[p + 4]
    if form == EVENTS:
        constant = side * (first * math.log(second / of_second) - math.lgamma(first))
        of_second = math.log(of_second)
        constant -= more * of_second
    else:
        constant = log_rise(min(first, of_first), more)
        if form == TIMES:
            constant += side * first * math.log(second)
        else:
            constant += side * (math.lgamma(first + second) - math.lgamma(second))
    state[at + _FIRST, k] = of_first
    state[at + _SECOND, k] = of_second
    state[at + _CONSTANT, k] = constant


@inlined
def _score(form, first, second, least, side, value):
    """Change of ln p as a cell joins or leaves, without the constant.

    ``least`` is the prior's count, as rounding may leave less where a cluster's last cell is left
    out.
    """
    if form == TIMES:
        return -side * first * fast_log(max(second + side * value, least))
    if form == EVENTS:
        return side * fast_lgamma(max(first + side * value, least)) - value * second
    failures = max(second + side * value, least)
    return side * (fast_lgamma(failures) - fast_lgamma(first + failures))


@inlined
def _least(form, prior, p):
    return prior[p] if form == EVENTS else prior[p + 1]


@inner
def _log_rising(start, steps):
    """Ln [start (start + 1) ... (start + steps - 1)], in one logarithm while it is in range."""
    log_p, product = 0.0, 1.0
    for j in range(steps):
        product *= start + j
        if product < 1e-200 or product > 1e200:
            log_p += math.log(product)
            product = 1.0
    return log_p + math.log(product)


@inner
def _tabulate(state, table, size, k, first, second):
    """Tabulate the scores of 0..top as each joins and as each leaves; 0 where none can leave."""
    top = size - 1
    log_p = _log_rising(second, top) - _log_rising(first + second, top)
    state[table, k] = log_p
    for x in range(top):
        log_p += math.log((first + x) / (second + (top - x - 1.0)))
        state[table + x + 1, k] = log_p
    table += size
    least = np.int64(max(0.0, math.floor(top - second) + 1.0))
    log_p = 0.0
    for x in range(size):
        if x < least or first - x <= 0.0:
            state[table + x, k] = 0.0
            continue
        if x == least:
            log_p = _log_rising(first - x, x) + _log_rising(second - top + x, top - x)
            log_p -= _log_rising(first + second - top, top)
        else:
            log_p += math.log((first - x) / (second - top + x - 1.0))
        state[table + x, k] = log_p


@inner
def _tabulate_power(state, table, size, k, first, second, weight):
    top, total = weight * (size - 1), first + second
    now = math.lgamma(first) + math.lgamma(second) - math.lgamma(total)
    after, before = math.lgamma(total + top), 0.0
    if total > top:
        before = math.lgamma(total - top)
    for x in range(size):
        yes, no = weight * x, weight * (size - 1 - x)
        state[table + x, k] = math.lgamma(first + yes) + math.lgamma(second + no) - after - now
        score = 0.0
        if first > yes and second > no:
            score = now - math.lgamma(first - yes) - math.lgamma(second - no) + before
        state[table + size + x, k] = score


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the score of x under every cluster to ``out``."""
    at = row + N_SUMS
    if size > 0:
        at += int(x[first])
        for k in range(n_states):
            out[k] += state[at, k]
    else:
        form, value = np.int64(prior[p + 2]), weight * x[first]
        least = _least(form, prior, p)
        for k in range(n_states):
            out[k] += state[at + _CONSTANT, k] + _score(
                form, state[at + _FIRST, k], state[at + _SECOND, k], least, 1.0, value
            )


@spliced
def score_without(state, row, size, k, x, first, weight, prior, p, work):
    """Score of x, one of cluster k's values, given the others."""
    if size > 0:
        return state[row + N_SUMS + size + int(x[first]), k]
    at, form = row + N_SUMS + N_CACHED, np.int64(prior[p + 2])
    return state[at + _CONSTANT, k] + _score(
        form,
        state[at + _FIRST, k],
        state[at + _SECOND, k],
        _least(form, prior, p),
        -1.0,
        weight * x[first],
    )


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the scores of many rows under every cluster, see ``Kernels.score_many``."""
    v = u
    while v < end:
        first, at, p = v, units[v, 3] + N_SUMS, units[v, 4]
        while v < end and units[v, 2] > 0:
            v += 1
        if v > first:
            look_up_many(
                state,
                units,
                first,
                v,
                N_SUMS,
                0,
                n_states,
                n,
                own,
                cells[first - u :],
                lines,
                within,
                spare,
            )
            continue
        v += 1
        form = np.int64(prior[p + 2])
        least = _least(form, prior, p)
        m = points_of(cells[first - u], n, form != TIMES, spare[0], codes)
        for i in range(m):
            spare[0, i] *= weight
        for k in range(n_states):
            _score_points(state, at, k, form, least, m, spare)
            add_of_points(spare[1], m, n, codes, lines[k])
        _score_own(state, at + N_CACHED, form, least, m, n, own, spare, codes, within)


@inner
def _score_points(state, at, k, form, least, m, spare):
    points, scores = spare[0], spare[1]
    first, second, constant = state[at, k], state[at + _SECOND, k], state[at + _CONSTANT, k]
    for i in range(m):
        scores[i] = constant + _score(form, first, second, least, 1.0, points[i])


@inner
def _score_own(state, at, form, least, m, n, own, spare, codes, within):
    points, values, first, second = spare[0], spare[1], spare[2], spare[3]
    for b in range(n):
        k, i = own[b], codes[b]
        values[b] = points[i]
        first[b] = state[at + _FIRST, k]
        second[b] = state[at + _SECOND, k]
        within[b] += state[at + _CONSTANT, k] if i < m else 0.0
    for b in range(n):
        score = _score(form, first[b], second[b], least, -1.0, values[b])
        within[b] += score if codes[b] < m else 0.0


@spliced
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the values of clusters k and l together, for every l."""
    is_rate = prior[p + 2] >= EVENTS
    constant = -_log_normaliser(is_rate, prior[p], prior[p + 1])
    for other in range(n_states):
        n = state[row + _N, k] + state[row + _N, other]
        total = state[row + _SUM, k] + state[row + _SUM, other]
        first = prior[p] + prior[p + 3] * n + prior[p + 5] * total
        second = prior[p + 1] + prior[p + 4] * n + prior[p + 6] * total
        out[other] += constant + _log_normaliser(is_rate, first, second)


@inlined
def _log_normaliser(is_rate, first, second):
    if is_rate:
        return fast_lgamma(first) - first * fast_log(second)
    return fast_lgamma(first) + fast_lgamma(second) - fast_lgamma(first + second)


@inner
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set a missing waiting time to 0, the mode in every cluster."""
    x[first] = 0.0


merge = merge_two_sums
KERNELS = Kernels.of(globals())
