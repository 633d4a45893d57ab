"""Which family's kernel treats a unit: one compiled choice for each thing the kernels do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..families import FAMILIES
from ..families.family import Kernels
from ..jit import inlined

#: Kernels of single columns and then of blocks, in the order of the registry; several families
#: may run on the same ones. A unit's code is the place of its family's kernels.
KERNELS: tuple[Kernels, ...] = tuple(
    dict.fromkeys(
        [family.kernels for family in FAMILIES.values() if not family.is_block]
        + [family.kernels for family in FAMILIES.values()]
    )
)
CODES = {name: KERNELS.index(family.kernels) for name, family in FAMILIES.items()}
#: Codes below are those of single columns.
N_COLUMN_KERNELS = len({f.kernels for f in FAMILIES.values() if not f.is_block})


def choice(functions: Sequence[Any]) -> Any:
    """A compiled function (code, ...) that calls the function of that place with the rest.

    Written out, it is a chain of comparisons around the functions, which the compiler sees as if
    a person had typed them. (A tuple of functions walked by numba's ``literal_unroll``, or handed
    over as an argument, is compiled anew in every process.)
    """
    *others, last = enumerate(functions)
    chain = _last(*last)
    for code, function in reversed(others):
        chain = _branch(code, function, chain)
    return chain


def _branch(code: int, function: Any, otherwise: Callable[..., Any]) -> Any:
    @inlined
    def branch(unit_code, *arguments):
        if unit_code == code:
            return function(*arguments)
        return otherwise(unit_code, *arguments)

    return branch


def _last(code: int, function: Any) -> Any:
    @inlined
    def branch(unit_code, *arguments):
        if unit_code == code:
            return function(*arguments)
        raise ValueError("A unit has the code of no family.")

    return branch


def scoring(kernels: Kernels) -> Any:
    """Both scores of a cell in one function, as finding it takes as long as they do."""
    score, score_without = kernels.score, kernels.score_without

    @inlined
    def both(state, row, size, n_states, own, empty, x, first, prior, p, out, work):
        score(state, row, size, n_states, x, first, prior, p, out, work)
        if own >= 0:
            return score_without(state, row, size, own, empty, x, first, prior, p, work)
        return 0.0

    return both
