"""The families' kernels, called by address so that callers compile without any family's code."""

from collections.abc import Callable, Iterable
from functools import cache
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..families import FAMILIES
from ..families.family import Kernels
from ..jit import Borrowed, array_of, callback, make_kernels

#: Kernels of columns, then of blocks; several families may share them. Indices are units' codes.
KERNELS: tuple[Kernels, ...] = tuple(
    dict.fromkeys(
        [family.kernels for family in FAMILIES.values() if not family.is_block]
        + [family.kernels for family in FAMILIES.values()]
    )
)
CODES = {name: KERNELS.index(family.kernels) for name, family in FAMILIES.items()}
N_COLUMN_KERNELS = len({f.kernels for f in FAMILIES.values() if not f.is_block})
#: Kernels of blocks that come with all of their cells, filled ones among them, or with none.
_FILLED = {family.kernels for family in FAMILIES.values() if family.fills_missing}


_INT, _FLOAT = types.int64, types.float64


def _bare(dtype: Any, n_dimensions: int) -> Any:
    """A C-ordered array as pointer and shape, as handing over numba's full array is slow."""
    return types.Tuple((types.CPointer(dtype), *(_INT,) * n_dimensions))


_LINE, _LINES, _UNITS = _bare(_FLOAT, 1), _bare(_FLOAT, 2), _bare(_INT, 2)
_PLACES, _MARKS = _bare(_INT, 1), _bare(types.boolean, 1)


def by_address(signature: Any) -> Any:
    """A compiled function (address, ...) that calls the function of that signature there."""
    if numba.config.DISABLE_JIT:
        return lambda called, *arguments: called(*arguments)

    @intrinsic
    def call(typing, address, *arguments):
        def jump(context, builder, given, values):
            address, packed = values
            cells = zip(cgutils.unpack_tuple(builder, packed), given.args[1].types, strict=True)
            cells = [
                _converted(context, builder, cell, kind, expected)
                for (cell, kind), expected in zip(cells, signature.args, strict=True)
            ]
            kinds = [context.get_value_type(kind) for kind in signature.args]
            returned = context.get_value_type(signature.return_type)
            pointer = ir.FunctionType(returned, kinds).as_pointer()
            return builder.call(builder.inttoptr(address, pointer), cells)

        return signature.return_type(_INT, types.StarArgTuple(arguments)), jump

    return call


def _converted(context: Any, builder: Any, cell: Any, given: Any, expected: Any) -> Any:
    """LLVM instructions that convert an argument to the type of another signature."""
    if given == expected or not isinstance(expected, types.BaseTuple):
        return context.cast(builder, cell, given, expected)
    if (given.dtype, given.layout) != (expected.types[0].dtype, "C"):
        raise TypeError(f"A kernel wants {expected} where it is handed {given}.")
    array = context.make_array(given)(context, builder, cell)
    shape = cgutils.unpack_tuple(builder, array.shape)
    return context.make_tuple(builder, expected, [array.data, *shape])


def _arrays() -> Any:
    """A compiled function that makes arrays of ``_bare`` ones."""
    if numba.config.DISABLE_JIT:
        return lambda arrays: arrays

    @intrinsic
    def arrays_of(typing, bare):
        kinds = types.Tuple([Borrowed(of.types[0].dtype, len(of) - 1) for of in bare])

        def restore(context, builder, signature, values):
            bare_ones = cgutils.unpack_tuple(builder, values[0])
            arrays = [
                array_of(context, builder, kind, cgutils.unpack_tuple(builder, each))
                for kind, each in zip(kinds, bare_ones, strict=True)
            ]
            return context.make_tuple(builder, kinds, arrays)

        return kinds(bare), restore

    return arrays_of


_arrays_of = _arrays()


#: Stand for a family's own functions and facts in the templates below.
one = without = add = merge = refresh = log_marginal = None
skips_missing = scores = False


def _learned(kind, state, units, prior, weight, u, end, k, other, x, marks, out, work):
    """Call one of the ``Kernels`` that every table needs, but ``score``, for the units u to end.

    Compiled one by one they would take twice as long.
    """
    state, units, prior = _arrays_of((state, units, prior))
    x, marks, out, work = _arrays_of((x, marks, out, work))
    for v in range(u, end):
        first, size, row, p = units[v, 1], units[v, 2], units[v, 3], units[v, 4]
        if kind == ADD:
            if not (skips_missing and np.isnan(x[first])):
                add(state, row, size, k, other, weight, prior, p, x, first, marks, out, work)
        elif kind == MERGE:
            merge(state, row, size, k, other, weight, prior, p, x, first, marks, out, work)
        elif kind == REFRESH:
            refresh(state, row, size, k, other, weight, prior, p, x, first, marks, out, work)
        else:
            log_marginal(state, row, size, k, other, weight, prior, p, x, first, marks, out, work)
    return 0.0


def _each(kind, state, units, prior, weight, u, end, k, other, x, marks, out, work):
    """Call ``score`` or ``fill`` for the units u to end, of one family.

    A score's returns that in the row's own cluster, k >= 0, without itself.
    """
    state, units, prior = _arrays_of((state, units, prior))
    x, marks, out, work = _arrays_of((x, marks, out, work))
    within = 0.0
    for v in range(u, end):
        first, size, row, p = units[v, 1], units[v, 2], units[v, 3], units[v, 4]
        if not (skips_missing and np.isnan(x[first])):
            one(state, row, size, k, other, weight, prior, p, x, first, marks, out, work)
            if scores and k >= 0:
                within += without(
                    state, row, size, k, other, weight, prior, p, x, first, marks, out, work
                )
    return within


def _scored_many(
    state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes
):
    """See ``Kernels.score_many``, which is of many units already."""
    state, units, prior = _arrays_of((state, units, prior))
    own, cells, lines = _arrays_of((own, cells, lines))
    within, spare, codes = _arrays_of((within, spare, codes))
    one(state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare, codes)


_ONE = _FLOAT(*(_INT, _LINES, _UNITS, _LINE, _FLOAT, *(_INT,) * 4, _LINE, _MARKS, _LINE, _LINES))
_MANY = types.void(
    *(_LINES, _UNITS, _LINE, _FLOAT, _INT, _INT, _INT, _INT),
    *(_PLACES, _LINES, _LINES, _LINE, _LINES, _PLACES),
)
#: Columns of ``Table.calls``: the kernels of a family, the first four of them in one function.
_KINDS = ("add", "merge", "refresh", "log_marginal", "score", "fill", "score_many")
ADD, MERGE, REFRESH, LOG_MARGINAL, SCORE, FILL, SCORE_MANY = range(len(_KINDS))
call, call_many = by_address(_ONE), by_address(_MANY)
#: Type of a kept address; uncompiled, the function itself is kept.
ADDRESS = object if numba.config.DISABLE_JIT else np.int64
_STEPS: list[tuple[Callable[..., Any], Any]] = []
#: Keeps the compiled functions alive, as an address does not.
_COMPILED: list[Any] = []


def step(function: Callable[..., Any], *signature: Any) -> tuple[Any, int]:
    """Register a step that only some tables need; its caller, and its index in ``Table.steps``."""
    _STEPS.append((function, signature[0](*signature[1:])))
    return by_address(_STEPS[-1][1]), len(_STEPS) - 1


@cache
def step_address(index: int) -> Any:
    """Address of a step, cached by its index, as signatures hash slowly."""
    return address_of(*_STEPS[index])


def address_of(function: Callable[..., Any], signature: Any) -> Any:
    """Address of a function compiled for that signature; uncompiled, the function."""
    compiled = callback(function, signature)
    if numba.config.DISABLE_JIT:
        return compiled
    _COMPILED.append(compiled)
    return compiled.address


@cache
def kernel_address(code: int, kind: int) -> Any:
    """Address of the function of that kind for the units of that code; uncompiled, the function."""
    kernels = KERNELS[code]
    # Families that share these functions share what is compiled of them.
    if kind < SCORE:
        names = _KINDS[:SCORE]
        functions = [(name, getattr(kernels, name)) for name in names]
    else:
        functions = [("one", getattr(kernels, _KINDS[kind]))]
        if kind == SCORE:
            functions.append(("without", kernels.score_without))
    is_left_out = kind <= SCORE and (code < N_COLUMN_KERNELS or kernels in _FILLED)
    template = _learned if kind < SCORE else _scored_many if kind == SCORE_MANY else _each
    return _address_of_template(template, is_left_out, kind == SCORE, *functions)


@cache
def _address_of_template(
    template: FunctionType, is_left_out: bool, is_score: bool, *functions: tuple[str, Any]
) -> Any:
    # Not a closure: numba would look for that on disk under another name in every process.
    own = dict(functions) | {"skips_missing": is_left_out, "scores": is_score}
    function = FunctionType(template.__code__, template.__globals__ | own)
    names = [f"{f.__module__.rpartition('.')[2]}.{f.__name__}" for _, f in functions]
    function.__qualname__ = " ".join(names)
    return address_of(function, _MANY if template is _scored_many else _ONE)


def kernel_addresses(units: np.ndarray, kinds: Iterable[int] = range(FILL)) -> np.ndarray:
    """Addresses for every unit, shape (U, 7); without the kinds that only some tables need."""
    calls = np.zeros((len(units), len(_KINDS)), dtype=ADDRESS)
    for kind in kinds:
        calls[:, kind] = [kernel_address(int(code), int(kind)) for code in units[:, 0]]
    return calls


def step_addresses(which: Iterable[int] = ()) -> np.ndarray:
    """``Table.steps`` with the addresses of some."""
    steps = np.zeros(len(_STEPS), dtype=ADDRESS)
    for index in which:
        steps[index] = step_address(int(index))
    return steps


def compile_all() -> None:
    """Compile every kernel into the disk cache, or load it from there; those of blocks first."""
    for code in reversed(range(len(KERNELS))):
        for kind in range(len(_KINDS)):
            kernel_address(code, kind)
    for index in range(len(_STEPS)):
        step_address(index)
    make_kernels()
