"""Which family's kernel treats a unit: one compiled choice for each thing the kernels do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
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


_LINE, _LINES = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
_PLACES, _UNITS = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
#: Of every ``Kernels.score_many``: statistics, units, prior, weight; u, end, n_states, n; own,
#: cells; lines, within; spare, codes.
_SCORE_MANY = types.void(
    *(_LINES, _UNITS, _LINE, types.float64),
    *(types.int64,) * 4,
    *(_PLACES, _LINES, _LINES, _LINE, _LINES, _PLACES),
)


@cache
def _address(code: int) -> int:
    """Where the kernel that scores many rows begins; 0 where rows are scored one by one.

    Compiled, or read from the disk cache, when first asked for.
    """
    kernel = KERNELS[code].score_many
    if kernel is None:
        return 0
    if numba.config.DISABLE_JIT:
        return code + 1
    kernel.compile(_SCORE_MANY.args)
    compiled = kernel.overloads[_SCORE_MANY.args]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)


def addresses(units: np.ndarray) -> np.ndarray:
    """The addresses for ``call_many`` of the families of ``Table.units``; int64, one a code."""
    found = np.zeros(len(KERNELS), dtype=np.int64)
    for code in np.unique(units[:, 0]):
        found[code] = _address(int(code))
    return found


def _calling() -> Any:
    if numba.config.DISABLE_JIT:
        return lambda address, *arguments: KERNELS[address - 1].score_many(*arguments)

    @intrinsic
    def called(typing, address, *arguments):
        def jump(context, builder, signature, values):
            place, packed = values
            given, wanted = signature.args[1].types, _SCORE_MANY.args
            cells = [
                context.cast(builder, cell, kind, want)
                for cell, kind, want in zip(
                    cgutils.unpack_tuple(builder, packed), given, wanted, strict=True
                )
            ]
            nothing = context.get_value_type(_SCORE_MANY.return_type)
            function = ir.FunctionType(nothing, [context.get_value_type(kind) for kind in wanted])
            builder.call(builder.inttoptr(place, function.as_pointer()), cells)
            return context.get_dummy_value()

        return types.void(types.int64, types.StarArgTuple(arguments)), jump

    return called


#: (address, ...): call a family's ``score_many`` through a pointer. It is compiled once, when a
#: table first needs it, and not once more in all that calls it.
call_many = _calling()
