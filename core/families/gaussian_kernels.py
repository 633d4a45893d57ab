"""Kernels of a block of full covariance.

State rows: location (D), inverse Cholesky factor of Psi = B^-1 with the steps of a row that joins
(T = D(D+1)/2), constant, power, gain, the constant without an own row, with steps the factor
without them (T); then n, mean (D) and scatter about it (T).
"""

import math

import numpy as np

from ..jit import inlined, inner, spliced
from ..special import fast_lgamma, fast_log
from .family import Kernels
from .normal_kernels import NOTHING, holds, share

_LN_PI = math.log(math.pi)


# Small matrices lie in ``work[:size, :size]``: LAPACK cannot be cached with the kernels.


@inner
def cholesky(work, size):
    """Replace the lower triangle of a positive definite matrix by its factor; return ln det."""
    log_det = 0.0
    for j in range(size):
        pivot = work[j, j]
        floor = 1e-14 * pivot
        for i in range(j):
            pivot -= work[j, i] * work[j, i]
        # Rounding may eat a pivot of a nearly singular matrix; the prior keeps true ones above 0.
        root = math.sqrt(max(pivot, floor))
        log_det += 2.0 * math.log(root)
        work[j, j] = root
        for row in range(j + 1, size):
            total = work[row, j]
            for i in range(j):
                total -= work[row, i] * work[j, i]
            work[row, j] = total / root
    return log_det


def statistics(size: int) -> range:
    """State rows of n, mean and scatter, after the cached ones."""
    triangle = size * (size + 1) // 2
    start = size + 2 * triangle + 4
    return range(start, start + 1 + size + triangle)


@inlined
def _places(row, size):
    """State rows of the factor, the constants, and n."""
    triangle = size * (size + 1) // 2
    return row + size, row + size + triangle, row + size + 2 * triangle + 4


@spliced
def add(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    at = _places(row, size)[2]
    mean, scatter = at + 1, at + 1 + size
    n = state[at, k] + weight
    if n < NOTHING * abs(weight):
        for i in range(at, scatter + size * (size + 1) // 2):
            state[i, k] = 0.0
        return
    state[at, k] = n
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
def merge(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    at = _places(row, size)[2]
    n_k, n_other = state[at, k], state[at, other]
    part = share(n_other, n_k + n_other)
    mean, scatter = at + 1, at + 1 + size
    for j in range(size):
        shift = state[mean + j, other] - state[mean + j, k]
        for i in range(j + 1):
            between = n_k * part * shift * (state[mean + i, other] - state[mean + i, k])
            state[scatter, k] += state[scatter, other] + between
            scatter += 1
    for j in range(size):
        state[mean + j, k] += part * (state[mean + j, other] - state[mean + j, k])
    state[at, k] = n_k + n_other


@inner
def _joint_scatter(state, at, size, k, other, more, prior, p, work):
    """Lower triangle of Psi of the rows of two clusters together, in ``work``; return their n.

    The steps of ``more`` rows are in it besides.
    """
    n_k, n_l = state[at, k], state[at, other]
    n = n_k + n_l
    part = share(n_l, n)
    c_0 = prior[p + size]
    pull = c_0 * n / (c_0 + n)
    mean, packed, scatter = at + 1, at + 1 + size, p + size + 3
    for j in range(size):
        shift_j = state[mean + j, other] - state[mean + j, k]
        from_prior_j = state[mean + j, k] + part * shift_j - prior[p + j]
        for i in range(j + 1):
            shift_i = state[mean + i, other] - state[mean + i, k]
            from_prior_i = state[mean + i, k] + part * shift_i - prior[p + i]
            work[j, i] = (
                prior[scatter]
                + state[packed, k]
                + state[packed, other]
                + n_k * part * shift_j * shift_i
                + pull * from_prior_j * from_prior_i
            )
            packed += 1
            scatter += 1
    for j in range(size):
        work[j, j] += (n + more) * prior[scatter + j]
    return n


@inner
def _has_steps(size, prior, p):
    first, total = p + size + 3 + size * (size + 1) // 2, 0.0
    for j in range(first, first + size):
        total += prior[j]
    return total > 0.0


@inner
def _write_factor(state, row, size, k, empty, factor, more, prior, p, work):
    """Write the inverse factor of Psi with the steps of ``more`` rows; return ln det Psi."""
    _joint_scatter(state, _places(row, size)[2], size, k, empty, more, prior, p, work)
    log_det = cholesky(work, size)
    for j in range(size):
        work[j, j] = 1.0 / work[j, j]
        for i in range(j):
            total = 0.0
            for between in range(i, j):
                total += work[j, between] * work[between, i]
            work[j, i] = -total * work[j, j]
        for i in range(j + 1):
            state[factor, k] = work[j, i]
            factor += 1
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
def refresh(state, row, size, k, empty, weight, prior, p, x, first, marks, out, work):
    factor, constants, at = _places(row, size)
    log_det = _write_factor(state, row, size, k, empty, factor, 0.0, prior, p, work)
    n, c_0 = state[at, k], prior[p + size]
    c, a = c_0 + n, prior[p + size + 1] + n
    for j in range(size):
        state[row + j, k] = prior[p + j] + n / c * (state[at + 1 + j, k] - prior[p + j])
    state[constants, k] = (
        _multivariate_rise(a, size, weight)
        - 0.5 * size * (weight * _LN_PI + math.log((c + weight) / c))
        - 0.5 * weight * log_det
    )
    state[constants + 1, k] = 0.5 * (a + weight)
    state[constants + 2, k] = weight * c / (c + weight)
    if holds(n, weight):
        state[constants + 3, k] = (
            _multivariate_rise(a - weight, size, weight)
            - 0.5 * size * (weight * _LN_PI - math.log((c - weight) / c))
            - 0.5 * weight * log_det
        )
    if _has_steps(size, prior, p):
        joined = _write_factor(state, row, size, k, empty, factor, weight, prior, p, work)
        state[constants, k] -= 0.5 * (a + weight) * (joined - log_det)
        if holds(n, weight):
            own = constants + 4
            left = _write_factor(state, row, size, k, empty, own, -weight, prior, p, work)
            state[constants + 3, k] += 0.5 * (a - weight) * (left - log_det)


@spliced
def score(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    factor, constants, _ = _places(row, size)
    for j in range(size):
        for m in range(n_states):
            work[j, m] = x[first + j] - state[row + j, m]
    for m in range(n_states):
        work[size, m] = 0.0
    for j in range(size):
        for m in range(n_states):
            work[size + 1, m] = state[factor + j, m] * work[j, m]
        for i in range(j):
            for m in range(n_states):
                work[size + 1, m] += state[factor + i, m] * work[i, m]
        for m in range(n_states):
            work[size, m] += work[size + 1, m] * work[size + 1, m]
        factor += j + 1
    for m in range(n_states):
        out[m] += state[constants, m] - state[constants + 1, m] * fast_log(
            1.0 + state[constants + 2, m] * work[size, m]
        )


@inlined
def _left(c, weight, q):
    """By what removing a row of squared length q multiplies det Psi (Sherman and Morrison)."""
    return max(1.0 - weight * c / (c - weight) * q, 1e-14)


@spliced
def score_without(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    factor, constants, at = _places(row, size)
    if _has_steps(size, prior, p):
        factor = constants + 4
    q = 0.0
    for j in range(size):
        y = 0.0
        for i in range(j + 1):
            y += state[factor + i, k] * (x[first + i] - state[row + i, k])
        q += y * y
        factor += j + 1
    left = _left(prior[p + size] + state[at, k], weight, q)
    return state[constants + 3, k] + (state[constants + 1, k] - weight) * math.log(left)


@spliced
def score_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """Rows without cells add 0."""
    size, row, p = units[u, 2], units[u, 3], units[u, 4]
    factor, constants, at = _places(row, size)
    has_steps = _has_steps(size, prior, p)
    q, z, q_own, is_there = spare[size], spare[size + 1], spare[size + 2], spare[size + 3]
    for b in range(n):
        is_there[b] = 0.0 if math.isnan(cells[0, b]) else 1.0
    for j in range(size):
        x = cells[j]
        for b in range(n):
            x[b] = x[b] if is_there[b] else 0.0
    for k in range(n_states):
        line, constant, power = lines[k], state[constants, k], state[constants + 1, k]
        gain = state[constants + 2, k]
        for j in range(size):
            x, centred, middle = cells[j], spare[j], state[row + j, k]
            for b in range(n):
                centred[b] = x[b] - middle
        _square_lengths(state, factor, k, size, n, spare, z, q)
        for b in range(n):
            line[b] += is_there[b] * (constant - power * fast_log(1.0 + gain * q[b]))
        if has_steps:
            _square_lengths(state, constants + 4, k, size, n, spare, z, q)
        for b in range(n):
            q_own[b] = q[b] if own[b] == k else q_own[b]
    for b in range(n):
        if is_there[b]:
            k = own[b]
            left = _left(prior[p + size] + state[at, k], weight, q_own[b])
            power = state[constants + 1, k] - weight
            within[b] += state[constants + 3, k] + power * fast_log(left)


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
def log_marginal(state, row, size, k, n_states, weight, prior, p, x, first, marks, out, work):
    at, c_0, a_0 = _places(row, size)[2], prior[p + size], prior[p + size + 1]
    constant = 0.5 * a_0 * prior[p + size + 2] + 0.5 * size * math.log(c_0)
    for j in range(size):
        constant -= fast_lgamma(0.5 * (a_0 - j))
    for other in range(n_states):
        n = _joint_scatter(state, at, size, k, other, 0.0, prior, p, work)
        a = a_0 + n
        total = constant - 0.5 * n * size * _LN_PI - 0.5 * size * fast_log(c_0 + n)
        total -= 0.5 * a * cholesky(work, size)
        for j in range(size):
            total += fast_lgamma(0.5 * (a - j))
        out[other] += total


@spliced
def fill(state, row, size, k, other, weight, prior, p, x, first, marks, out, work):
    """Set marked coordinates to x_m = mu_m - P_mm^-1 P_mo (x_o - mu_o), P the precision."""
    factor = _places(row, size)[0]
    n_missing = np.int64(0)
    for j in range(size):
        if not marks[first + j]:
            continue
        column = 0
        work[size, n_missing] = 0.0
        for i in range(size):
            precision = 0.0
            for below in range(max(i, j), size):
                start = factor + below * (below + 1) // 2
                precision += state[start + i, k] * state[start + j, k]
            if marks[first + i]:
                work[n_missing, column] = precision
                column += 1
            else:
                work[size, n_missing] -= precision * (x[first + i] - state[row + i, k])
        n_missing += 1
    cholesky(work, n_missing)
    for j in range(n_missing):
        for i in range(j):
            work[size, j] -= work[j, i] * work[size, i]
        work[size, j] /= work[j, j]
    for j in range(n_missing - 1, -1, -1):
        for i in range(j + 1, n_missing):
            work[size, j] -= work[i, j] * work[size, i]
        work[size, j] /= work[j, j]
    at = 0
    for j in range(size):
        if marks[first + j]:
            x[first + j] = state[row + j, k] + work[size, at]
            at += 1


KERNELS = Kernels.of(globals())
