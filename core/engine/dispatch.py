"""The families' kernels, called through pointers: what calls them holds no family's code.

A kernel is compiled, or read from the disk cache, when it is first called, as a dynamic linker
finds the functions of a library. Each of them treats neighbouring units of one family, so that a
call costs nothing beside its work.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from ..families import FAMILIES
from ..families.family import Kernels
from ..jit import by_pointer

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
#: Of blocks that come with all of their cells, filled ones among them, or with none.
_FILLED = {family.kernels for family in FAMILIES.values() if family.fills_missing}
#: Of every code, whether it scores many rows at once.
SCORES_MANY = np.array([kernels.score_many is not None for kernels in KERNELS])
#: Of every code, whether its missing cells can be filled.
FILLS = np.array([kernels.fill is not None for kernels in KERNELS])

_INT, _FLOAT = types.int64, types.float64


def _bare(dtype: Any, n_dimensions: int) -> Any:
    """An array in C order as where it begins and its shape, a third of what numba hands over.

    Handing over is what a call costs, and a row of several families takes several calls.
    """
    return types.Tuple((types.CPointer(dtype), *(_INT,) * n_dimensions))


_LINE, _LINES, _UNITS = _bare(_FLOAT, 1), _bare(_FLOAT, 2), _bare(_INT, 2)
_MARKS = _bare(types.boolean, 1)
#: What makes a family's kernel of a kind, from its functions for one unit and whether the units
#: are single columns; and the kernel's signature.
_KINDS: list[tuple[Callable[[Kernels, bool], Any], Any]] = []
#: The kernels that were called, by kind and code.
FOUND: dict[tuple[int, int], Any] = {}
#: Where they begin; 0 of those that were not called yet.
_ADDRESSES = np.zeros((len(Kernels._fields), len(KERNELS)), dtype=np.int64)


def _find(kind: int, code: int) -> int:
    """Compile a family's kernel, or read it from the disk cache; return where it begins."""
    signature, kernel = _KINDS[kind][1], by_pointer(_kernel(kind, code))
    kernel.compile(signature.args)
    compiled = kernel.overloads[signature.args]
    FOUND[kind, code] = kernel
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    _ADDRESSES[kind, code] = address
    return address


def find_all() -> None:
    """Compile every kernel into the disk cache, or read it from there; those of blocks first."""
    for code in reversed(range(len(KERNELS))):
        for kind in range(len(_KINDS)):
            if _ADDRESSES[kind, code] == 0 and _kernel(kind, code) is not None:
                _find(kind, code)


# What is compiled and kept on disk refers to these by name, as their places are another process's.
_FIND = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(_find)
_NAMES = f"{__name__}.addresses", f"{__name__}.find"
llvmlite.binding.add_symbol(_NAMES[0], _ADDRESSES.ctypes.data)
llvmlite.binding.add_symbol(_NAMES[1], ctypes.cast(_FIND, ctypes.c_void_p).value)


@cache
def _kernel(kind: int, code: int) -> Any:
    """A family's kernel of a kind, in Python, if it has one."""
    make = _KINDS[kind][0]
    function = make(KERNELS[code], code < N_COLUMN_KERNELS)
    if function is not None:
        name = next(name for name in CODES if CODES[name] == code)
        function.__qualname__ = f"{make.__name__} of {name}"
    return function


def _called(*signature: Any) -> Callable[[Callable[[Kernels, bool], Any]], Any]:
    """Make of a kind a compiled function (code, ...) that calls the kernel of that place.

    The ``signature`` is what it returns, and its arguments.
    """

    def call_of(make: Callable[[Kernels, bool], Any]) -> Any:
        kind = len(_KINDS)
        _KINDS.append((make, signature[0](*signature[1:])))
        if numba.config.DISABLE_JIT:
            return lambda code, *arguments: _kernel(kind, code)(*arguments)
        return _jump(kind)

    return call_of


def _handed_over(context: Any, builder: Any, cell: Any, given: Any, wanted: Any) -> Any:
    """Lines of a kernel: make an argument one of the type that another wants."""
    if not isinstance(wanted, types.BaseTuple):
        return context.cast(builder, cell, given, wanted)
    if (given.dtype, given.layout) != (wanted.types[0].dtype, "C"):
        raise TypeError(f"A kernel wants {wanted} where it is handed {given}.")
    array = context.make_array(given)(context, builder, cell)
    shape = cgutils.unpack_tuple(builder, array.shape)
    return context.make_tuple(builder, wanted, [array.data, *shape])


def _arrays() -> Any:
    """A compiled function that makes arrays of ``_bare`` ones."""
    if numba.config.DISABLE_JIT:
        return lambda arrays: arrays

    @intrinsic
    def arrays_of(typing, bare):
        kinds = types.Tuple([types.Array(of.types[0].dtype, len(of) - 1, "C") for of in bare])

        def restore(context, builder, signature, values):
            arrays = []
            for kind, packed in zip(kinds, cgutils.unpack_tuple(builder, values[0]), strict=True):
                data, *shape = cgutils.unpack_tuple(builder, packed)
                size = context.get_constant(types.intp, context.get_abi_sizeof(data.type.pointee))
                strides = [size, *(builder.mul(size, n) for n in shape[:0:-1])][::-1]
                array = context.make_array(kind)(context, builder)
                populate_array(array, data, shape, strides, size, None)
                arrays.append(array._getvalue())
            return context.make_tuple(builder, kinds, arrays)

        return kinds(bare), restore

    return arrays_of


_arrays_of = _arrays()


def _jump(kind: int) -> Any:
    """The compiled function (code, ...) of a kind, which finds the kernel and jumps there."""
    signature = _KINDS[kind][1]

    @intrinsic
    def call(typing, code, *arguments):
        def jump(context, builder, given, values):
            code, packed = values
            cells = [
                _handed_over(context, builder, cell, kind, wanted)
                for cell, kind, wanted in zip(
                    cgutils.unpack_tuple(builder, packed),
                    given.args[1].types,
                    signature.args,
                    strict=True,
                )
            ]
            convention, returned = context.call_conv, signature.return_type
            function = convention.get_function_type(returned, signature.args)
            address = _address(context, builder, kind, code)
            result, trouble = (cgutils.alloca_once(builder, at.pointee) for at in function.args[:2])
            arguments = context.get_arg_packer(signature.args).as_arguments(builder, cells)
            pointer = builder.inttoptr(address, function.as_pointer())
            builder.call(pointer, [result, trouble, *arguments])
            return context.get_returned_value(builder, returned, builder.load(result))

        return signature.return_type(_INT, types.StarArgTuple(arguments)), jump

    return call


def _address(context: Any, builder: Any, kind: int, code: Any) -> Any:
    """Lines of a kernel: look up where another begins; have it found where that is not known."""
    number = ir.IntType(64)
    addresses = context.get_c_value(builder, ir.ArrayType(number, _ADDRESSES.size), _NAMES[0])
    place = builder.add(code, number(kind * len(KERNELS)))
    address = builder.load(builder.gep(addresses, [number(0), place]))
    found = cgutils.alloca_once_value(builder, address)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
        kind_of_find = ir.FunctionType(number, [number, number])
        find = cgutils.get_or_insert_function(builder.module, kind_of_find, _NAMES[1])
        address = builder.call(find, [number(kind), code])
        builder.store(address, found)
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
            reason = ("A kernel could not be compiled.",)
            context.call_conv.return_user_exc(builder, RuntimeError, reason)
    return builder.load(found)


@_called(types.void, _LINES, _UNITS, _LINE, _FLOAT, _INT, _INT, _INT, _LINE, _LINES)
def add(kernels: Kernels, is_column: bool) -> Any:
    """Put a row's cells into the statistics of cluster k so many times."""
    add_one, is_left_out = kernels.add, is_column or kernels in _FILLED

    def run(state, units, prior, weight, u, end, k, x, work):
        state, units, prior, x, work = _arrays_of((state, units, prior, x, work))
        for v in range(u, end):
            first, size, row, p = units[v, 1], units[v, 2], units[v, 3], units[v, 4]
            if not (is_left_out and np.isnan(x[first])):
                add_one(state, row, size, k, x, first, weight, prior, p, work)

    return run


@_called(types.void, _LINES, _UNITS, _INT, _INT, _INT, _INT)
def merge(kernels: Kernels, is_column: bool) -> Any:
    """Add the statistics of cluster ``other`` to those of cluster k."""
    merge_one = kernels.merge

    def run(state, units, u, end, k, other):
        state, units = _arrays_of((state, units))
        for v in range(u, end):
            merge_one(state, units[v, 3], units[v, 2], k, other)

    return run


@_called(types.void, _LINES, _UNITS, _LINE, _FLOAT, _INT, _INT, _INT, _INT, _LINES)
def refresh(kernels: Kernels, is_column: bool) -> Any:
    """Recompute the cached coefficients of cluster k."""
    refresh_one = kernels.refresh

    def run(state, units, prior, weight, u, end, k, empty, work):
        state, units, prior, work = _arrays_of((state, units, prior, work))
        for v in range(u, end):
            size, row, p = units[v, 2], units[v, 3], units[v, 4]
            refresh_one(state, row, size, k, empty, weight, prior, p, work)

    return run


@_called(types.void, _LINES, _UNITS, _LINE, _INT, _INT, _INT, _INT, _LINE, _LINES)
def log_marginal(kernels: Kernels, is_column: bool) -> Any:
    """Add ln p of the cells of clusters k and l together to ``out``, for every l."""
    log_marginal_one = kernels.log_marginal

    def run(state, units, prior, u, end, k, n_states, out, work):
        state, units, prior, out, work = _arrays_of((state, units, prior, out, work))
        for v in range(u, end):
            size, row, p = units[v, 2], units[v, 3], units[v, 4]
            log_marginal_one(state, row, size, k, n_states, prior, p, out, work)

    return run


@_called(types.void, _LINES, _UNITS, _LINE, _FLOAT, _INT, _INT, _INT, _LINE, _MARKS, _LINES)
def fill(kernels: Kernels, is_column: bool) -> Any:
    """Set a row's missing cells to where their score in cluster k is highest."""
    fill_one = kernels.fill
    if fill_one is None:  # cells of counts and categories are left out
        return None

    def run(state, units, prior, weight, u, end, k, x, missing, work):
        state, units, prior, x, missing, work = _arrays_of((state, units, prior, x, missing, work))
        for v in range(u, end):
            first, size, row, p = units[v, 1], units[v, 2], units[v, 3], units[v, 4]
            for j in range(first, first + (1 if is_column else size)):
                if missing[j]:
                    fill_one(state, row, size, k, x, missing, first, weight, prior, p, work)
                    break

    return run


@_called(
    *(_FLOAT, _LINES, _UNITS, _LINE, _FLOAT, _INT, _INT, _INT, _INT, _INT, _LINE, _LINE, _LINES)
)
def score(kernels: Kernels, is_column: bool) -> Any:
    """Add a row's score under every cluster to ``out``; return that in its own, given the others.

    Both scores of a cell are read in one go: finding it takes as long as they do.
    """
    score_one, score_without = kernels.score, kernels.score_without
    is_left_out = is_column or kernels in _FILLED

    def run(state, units, prior, weight, u, end, n_states, own, empty, x, out, work):
        state, units, prior, x, out, work = _arrays_of((state, units, prior, x, out, work))
        within = 0.0
        for v in range(u, end):
            first, size, row, p = units[v, 1], units[v, 2], units[v, 3], units[v, 4]
            if not (is_left_out and np.isnan(x[first])):
                score_one(state, row, size, n_states, x, first, weight, prior, p, out, work)
                if own >= 0:
                    within += score_without(
                        state, row, size, own, empty, x, first, weight, prior, p, work
                    )
        return within

    return run


_ROW, _TABLE = types.Array(_FLOAT, 1, "C"), types.Array(_FLOAT, 2, "C")
_PLACES = types.Array(_INT, 1, "C")


@_called(
    *(types.void, _TABLE, types.Array(_INT, 2, "C"), _ROW, _FLOAT, _INT, _INT, _INT, _INT),
    *(_PLACES, _TABLE, _TABLE, _ROW, _TABLE, _PLACES),
)
def score_many(kernels: Kernels, is_column: bool) -> Any:
    """See ``Kernels.score_many``, which is of many units already."""
    return kernels.score_many
