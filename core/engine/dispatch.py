"""Which family's kernel treats a unit: one compiled choice for each thing the kernels do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
from numba.core import cgutils
from numba.extending import intrinsic

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
    """A compiled function (code, ...) that hands the rest to the function of that place.

    It is one switch, as if typed by hand: the functions are compiled once, and into its callers
    where they are to be. (A tuple of functions walked by numba's ``literal_unroll``, or handed over
    as an argument, is compiled anew in every process; nested closures are compiled once for each
    level.) A code that is no place raises ``ValueError``.
    """
    if numba.config.DISABLE_JIT:
        return lambda code, *arguments: functions[code](*arguments)

    @intrinsic
    def chosen(typing, code, *arguments):
        kinds = [numba.typeof(function) for function in functions]
        calls = [typing.resolve_function_type(kind, arguments, {}) for kind in kinds]
        returned = calls[0].return_type

        def switch(context, builder, signature, values):
            place, packed = values
            cells = cgutils.unpack_tuple(builder, packed)
            result = cgutils.alloca_once(builder, context.get_value_type(returned))
            nowhere = builder.append_basic_block("no function")
            end = builder.append_basic_block("chosen")
            branches = builder.switch(place, nowhere)
            for at, (kind, call) in enumerate(zip(kinds, calls, strict=True)):
                block = builder.append_basic_block(f"function {at}")
                branches.add_case(context.get_constant(numba.int64, at), block)
                builder.position_at_end(block)
                implementation = context.get_function(kind, call)
                builder.store(implementation(builder, cells), result)
                builder.branch(end)
            builder.position_at_end(nowhere)
            context.call_conv.return_user_exc(builder, ValueError, ("A unit of no family.",))
            builder.position_at_end(end)
            return builder.load(result)

        return returned(code, numba.types.StarArgTuple(arguments)), switch

    return chosen


def scoring(kernels: Kernels) -> Any:
    """Both scores of a cell in one function, as finding it takes as long as they do."""
    score, score_without = kernels.score, kernels.score_without

    @inlined
    def both(state, row, size, n_states, own, empty, x, first, weight, prior, p, out, work):
        score(state, row, size, n_states, x, first, weight, prior, p, out, work)
        if own >= 0:
            return score_without(state, row, size, own, empty, x, first, weight, prior, p, work)
        return 0.0

    return both
