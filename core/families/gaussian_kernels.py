"""Kernels of a block of full covariance.

State rows: n, mean (D) and scatter about it (T = D(D+1)/2); cached: location (D), inverse Cholesky
factor of Psi = B^-1 with the steps of a row that joins (T), constant, power, gain, the constant
without an own row; with steps, the factor without them (T).
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import inner, spliced
from ..special import fast_lgamma, fast_log
from .family import Kernels
from .statistics import NOTHING, holds, share

_LN_PI = math.log(math.pi)


# Small matrices lie in ``work[top : top + size, :size]``: LAPACK cannot be cached with the kernels.


@inner
def cholesky(work, top, size):
    """Replace the lower triangle of a positive definite matrix by its factor; return ln det."""
    log_det = 0.0
    for j in range(size):
        pivot = work[top + j, j]
        floor = 1e-14 * pivot
        for i in range(j):
            pivot -= work[top + j, i] * work[top + j, i]
        # Rounding may eat a pivot of a nearly singular matrix; the prior keeps true ones above 0.
        root = math.sqrt(max(pivot, floor))
        log_det += 2.0 * math.log(root)
        work[top + j, j] = root
        for row in range(j + 1, size):
            total = work[top + row, j]
            for i in range(j):
                total -= work[top + row, i] * work[top + j, i]
            work[top + row, j] = total / root
    return log_det


@inner
def invert_lower(work, top, size):
    """Replace a lower triangular matrix by its inverse."""
    for j in range(size):
        work[top + j, j] = 1.0 / work[top + j, j]
        for i in range(j):
            total = 0.0
            for between in range(i, j):
                total += work[top + j, between] * work[top + between, i]
            work[top + j, i] = -total * work[top + j, j]


@inner
def solve_lower(work, top, size, at):
    """Replace the vector in ``work[at, :size]`` by L^-1 of it; return its squared length."""
    length = 0.0
    for j in range(size):
        total = work[at, j]
        for i in range(j):
            total -= work[top + j, i] * work[at, i]
        total /= work[top + j, j]
        work[at, j] = total
        length += total * total
    return length


def rows(size: int) -> int:
    """State rows of a block of that many columns."""
    return 5 + 2 * size + 3 * size * (size + 1) // 2


def n_statistics(size: int) -> int:
    """The first ones, which are sufficient statistics."""
    return 1 + size + size * (size + 1) // 2


@spliced
def add(state, row, size, k, x, first, weight, prior, p, work):
    """Add ``weight`` times a row to the moments of cluster k; a negative weight takes it out."""
    mean = row + 1
    scatter = mean + size
    n = state[row, k] + weight
    if n < NOTHING * abs(weight):
        for i in range(row, scatter + size * (size + 1) // 2):
            state[i, k] = 0.0
        return
    state[row, k] = n
    # With d the deviation from the old mean, the scatter changes by w (n - w)/n d d'.
    pull = weight * (n - weight) / n
    for j in range(size):
        for i in range(j + 1):
            state[scatter, k] += (
                pull * (x[first + j] - state[mean + j, k]) * (x[first + i] - state[mean + i, k])
            )
            scatter += 1
    for j in range(size):
        state[mean + j, k] += weight * (x[first + j] - state[mean + j, k]) / n


@spliced
def merge(state, row, size, k, other):
    """Add the moments of one cluster to those of cluster k."""
    n_k = state[row, k]
    n_other = state[row, other]
    n = n_k + n_other
    if n == 0.0:
        return
    mean = row + 1
    scatter = mean + size
    for j in range(size):
        for i in range(j + 1):
            state[scatter, k] += state[scatter, other] + n_k * n_other / n * (
                state[mean + j, other] - state[mean + j, k]
            ) * (state[mean + i, other] - state[mean + i, k])
            scatter += 1
    for j in range(size):
        state[mean + j, k] += n_other / n * (state[mean + j, other] - state[mean + j, k])
    state[row, k] = n


@inner
def _joint_scatter(state, row, size, k, other, prior, p, work):
    """Lower triangle of Psi of the rows of two clusters together, in ``work``; return their n."""
    n_k = state[row, k]
    n_l = state[row, other]
    n = n_k + n_l
    part = share(n_l, n)
    c_0 = prior[p + size]
    pull = c_0 * n / (c_0 + n)
    mean = row + 1
    packed = 0
    for j in range(size):
        shift_j = state[mean + j, other] - state[mean + j, k]
        from_prior_j = state[mean + j, k] + part * shift_j - prior[p + j]
        for i in range(j + 1):
            shift_i = state[mean + i, other] - state[mean + i, k]
            from_prior_i = state[mean + i, k] + part * shift_i - prior[p + i]
            work[j, i] = (
                prior[p + size + 3 + packed]
                + state[mean + size + packed, k]
                + state[mean + size + packed, other]
                + n_k * part * shift_j * shift_i
                + pull * from_prior_j * from_prior_i
            )
            packed += 1
    for j in range(size):
        work[j, j] += n * prior[p + size + 3 + packed + j]
    return n


@inner
def _has_steps(size, prior, p):
    first = p + size + 3 + size * (size + 1) // 2
    total = 0.0
    for j in range(first, first + size):
        total += prior[j]
    return total > 0.0


@inner
def _factor_widened(state, row, size, k, empty, at, weight, prior, p, work):
    """Write the inverse factor of Psi with ``weight`` rows' steps more; return its ln det."""
    _joint_scatter(state, row, size, k, empty, prior, p, work)
    first = p + size + 3 + size * (size + 1) // 2
    for j in range(size):
        work[j, j] += weight * prior[first + j]
    log_det = cholesky(work, 0, size)
    invert_lower(work, 0, size)
    for j in range(size):
        for i in range(j + 1):
            state[at, k] = work[j, i]
            at += 1
    return log_det


@inner
def _multivariate_rise(a, size, weight):
    """Ln Gamma_D((a + weight)/2) - ln Gamma_D(a/2), which telescopes for a weight of 1."""
    if weight == 1.0:
        return math.lgamma(0.5 * (a + 1.0)) - math.lgamma(0.5 * (a + 1.0 - size))
    total = 0.0
    for j in range(size):
        total += math.lgamma(0.5 * (a + weight - j)) - math.lgamma(0.5 * (a - j))
    return total


@spliced
def refresh(state, row, size, k, empty, weight, prior, p, work):
    """Posterior and predictive coefficients of cluster k; ``empty`` is a cluster without rows."""
    n = _joint_scatter(state, row, size, k, empty, prior, p, work)
    log_det = cholesky(work, 0, size)
    invert_lower(work, 0, size)
    triangle = size * (size + 1) // 2
    location = row + 1 + size + triangle
    factor = location + size
    c_0 = prior[p + size]
    c = c_0 + n
    a = prior[p + size + 1] + n
    for j in range(size):
        state[location + j, k] = prior[p + j] + n / c * (state[row + 1 + j, k] - prior[p + j])
        for i in range(j + 1):
            state[factor, k] = work[j, i]
            factor += 1
    state[factor, k] = (
        _multivariate_rise(a, size, weight)
        - 0.5 * size * (weight * _LN_PI + math.log((c + weight) / c))
        - 0.5 * weight * log_det
    )
    state[factor + 1, k] = 0.5 * (a + weight)
    state[factor + 2, k] = weight * c / (c + weight)
    if holds(n, weight):
        state[factor + 3, k] = (
            _multivariate_rise(a - weight, size, weight)
            - 0.5 * size * (weight * _LN_PI - math.log((c - weight) / c))
            - 0.5 * weight * log_det
        )
    if _has_steps(size, prior, p):
        first = location + size
        joined = _factor_widened(state, row, size, k, empty, first, weight, prior, p, work)
        state[factor, k] -= 0.5 * (a + weight) * (joined - log_det)
        if holds(n, weight):
            own = _factor_widened(state, row, size, k, empty, factor + 4, -weight, prior, p, work)
            state[factor + 3, k] += 0.5 * (a - weight) * (own - log_det)


@spliced
def score(state, row, size, n_states, x, first, weight, prior, p, out, work):
    """Add the log predictive density of a complete row under every cluster."""
    triangle = size * (size + 1) // 2
    location = row + 1 + size + triangle
    factor = location + size
    for j in range(size):
        for k in range(n_states):
            work[j, k] = x[first + j] - state[location + j, k]
    for k in range(n_states):
        work[size, k] = 0.0
    for j in range(size):
        for k in range(n_states):
            work[size + 1, k] = state[factor + j, k] * work[j, k]
        for i in range(j):
            for k in range(n_states):
                work[size + 1, k] += state[factor + i, k] * work[i, k]
        for k in range(n_states):
            work[size, k] += work[size + 1, k] * work[size + 1, k]
        factor += j + 1
    for k in range(n_states):
        out[k] += state[factor, k] - state[factor + 1, k] * fast_log(
            1.0 + state[factor + 2, k] * work[size, k]
        )


@spliced
def score_without(state, row, size, k, x, first, weight, prior, p, work):
    """Log predictive density of x, one of cluster k's rows, given the others.

    Removing x multiplies det Psi by 1 - g q with g = w c/(c - w) (Sherman and Morrison).
    """
    triangle = size * (size + 1) // 2
    location = row + 1 + size + triangle
    factor = location + size
    cached = factor + triangle
    if _has_steps(size, prior, p):
        factor = cached + 4
    q = 0.0
    for j in range(size):
        y = 0.0
        for i in range(j + 1):
            y += state[factor + i, k] * (x[first + i] - state[location + i, k])
        q += y * y
        factor += j + 1
    c = prior[p + size] + state[row, k]
    left = max(1.0 - weight * c / (c - weight) * q, 1e-14)
    return state[cached + 3, k] + (state[cached + 1, k] - weight) * math.log(left)


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Add the log predictive density of many rows under every cluster; rows without cells add 0."""
    size, row, p = units[u, 2], units[u, 3], units[u, 4]
    triangle = size * (size + 1) // 2
    location = row + 1 + size + triangle
    factor = location + size
    cached = factor + triangle
    has_steps = _has_steps(size, prior, p)
    q, z, q_own, is_there = spare[size], spare[size + 1], spare[size + 2], spare[size + 3]
    for b in range(n):
        is_there[b] = 0.0 if math.isnan(cells[0, b]) else 1.0
    for j in range(size):
        x = cells[j]
        for b in range(n):
            x[b] = x[b] if is_there[b] else 0.0
    for k in range(n_states):
        line, constant, power = lines[k], state[cached, k], state[cached + 1, k]
        gain = state[cached + 2, k]
        for j in range(size):
            x, centred, middle = cells[j], spare[j], state[location + j, k]
            for b in range(n):
                centred[b] = x[b] - middle
        _square_lengths(state, factor, k, size, n, spare, z, q)
        for b in range(n):
            line[b] += is_there[b] * (constant - power * fast_log(1.0 + gain * q[b]))
        if has_steps:
            _square_lengths(state, cached + 4, k, size, n, spare, z, q)
        for b in range(n):
            q_own[b] = q[b] if own[b] == k else q_own[b]
    constant, power, c_0 = state[cached + 3], state[cached + 1], prior[p + size]
    for b in range(n):
        if is_there[b]:
            k = own[b]
            c = c_0 + state[row, k]
            left = max(1.0 - weight * c / (c - weight) * q_own[b], 1e-14)
            within[b] += constant[k] + (power[k] - weight) * fast_log(left)


@inner
def _square_lengths(state, factor, k, size, n, centred, z, q):
    """Write the squared lengths of n centred rows times the factor of cluster k into ``q``."""
    for b in range(n):
        q[b] = 0.0
    for j in range(size):
        for b in range(n):
            z[b] = 0.0
        i = 0
        while i + 4 <= j + 1:  # so that z goes through memory once for four columns
            x_0, x_1, x_2, x_3 = centred[i], centred[i + 1], centred[i + 2], centred[i + 3]
            f_0, f_1 = state[factor + i, k], state[factor + i + 1, k]
            f_2, f_3 = state[factor + i + 2, k], state[factor + i + 3, k]
            for b in range(n):
                z[b] += f_0 * x_0[b] + f_1 * x_1[b] + f_2 * x_2[b] + f_3 * x_3[b]
            i += 4
        while i <= j:
            x, f = centred[i], state[factor + i, k]
            for b in range(n):
                z[b] += f * x[b]
            i += 1
        for b in range(n):
            q[b] += z[b] * z[b]
        factor += j + 1


@spliced
def log_marginal(state, row, size, k, n_states, prior, p, out, work):
    """Add ln p of the rows of clusters k and l together, for every l."""
    c_0, a_0, log_det_0 = prior[p + size], prior[p + size + 1], prior[p + size + 2]
    constant = 0.5 * a_0 * log_det_0 + 0.5 * size * math.log(c_0)
    for j in range(size):
        constant -= fast_lgamma(0.5 * (a_0 - j))
    for other in range(n_states):
        n = _joint_scatter(state, row, size, k, other, prior, p, work)
        a = a_0 + n
        total = constant - 0.5 * n * size * _LN_PI - 0.5 * size * fast_log(c_0 + n)
        total -= 0.5 * a * cholesky(work, 0, size)
        for j in range(size):
            total += fast_lgamma(0.5 * (a - j))
        out[other] += total


@spliced
def fill(state, row, size, k, x, missing, first, weight, prior, p, work):
    """Set missing coordinates to x_m = mu_m - P_mm^-1 P_mo (x_o - mu_o), P the precision."""
    triangle = size * (size + 1) // 2
    location = row + 1 + size + triangle
    factor = location + size
    n_missing = np.int64(0)
    for j in range(size):
        if not missing[first + j]:
            continue
        column = 0
        work[size, n_missing] = 0.0
        for i in range(size):
            precision = 0.0
            for below in range(max(i, j), size):
                start = factor + below * (below + 1) // 2
                precision += state[start + i, k] * state[start + j, k]
            if missing[first + i]:
                work[n_missing, column] = precision
                column += 1
            else:
                work[size, n_missing] -= precision * (x[first + i] - state[location + i, k])
        n_missing += 1
    cholesky(work, 0, n_missing)
    solve_lower(work, 0, n_missing, size)
    for j in range(n_missing - 1, -1, -1):
        for i in range(j + 1, n_missing):
            work[size, j] -= work[i, j] * work[size, i]
        work[size, j] /= work[j, j]
    at = 0
    for j in range(size):
        if missing[first + j]:
            x[first + j] = state[location + j, k] + work[size, at]
            at += 1


KERNELS = Kernels.of(globals())
