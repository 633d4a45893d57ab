"""Small dense matrices in ``work[top : top + size, :size]``, for the block families.

A call of LAPACK costs more than the arithmetic of a block, and cannot be cached with the kernels.
"""

from __future__ import annotations

import math

from ..jit import inner


@inner
def cholesky(work, top, size):
    """Replace a symmetric positive definite matrix by its lower factor; return ln det.

    Only the lower triangle is read and written.
    """
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
