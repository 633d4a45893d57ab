"""Options of numba, set here alone, and the folder of its compiled kernels.

numba's disk cache checks one file only; so the folder is named after a hash of all sources, and
numba is told of it only while a kernel is decorated.
"""

import functools
import gc
import hashlib
import operator
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.arraydecl import GetItemBuffer, SetItemBuffer
from numba.core.typing.templates import infer_global
from numba.extending import NativeValue, lower_builtin, models, register_model, typeof_impl, unbox

LEAST_ROOM = 100_000_000


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"jit import" in source or path.parent.name == "families" or path == Path(__file__):
            digest.update(source)
    return digest.hexdigest()[:16]


def _cache_directory() -> Path:
    """A folder for kernels, which are executed: the user's alone, or a temporary one."""
    try:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mapdp-studio"
        folder = root / f"numba-{_source_hash()}"
        for each in (root, folder):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)
            each.chmod(0o700)  # refused for another user's folder
    except (OSError, RuntimeError):  # it cannot be written to, or an account has no home
        folder = Path(tempfile.mkdtemp(prefix="mapdp-studio-"))
    return folder


#: An environment variable's folder comes first.
FOLDER = Path(numba.config.CACHE_DIR or _cache_directory())
#: Whether anything is cached: numba raises where a disk is full.
_KEEPS = not FOLDER.exists() or shutil.disk_usage(FOLDER).free >= LEAST_ROOM


_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def _compiling() -> Iterator[None]:
    """One thread at a time, and no search for cycles, which took a sixth of a first start."""
    with _ONE_AT_A_TIME:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if was_enabled:
                gc.enable()


def forget_kernels() -> None:
    """Delete the compiled kernels, such as damaged ones; they are compiled anew."""
    for path in FOLDER.rglob("*.nb?"):
        path.unlink(missing_ok=True)


#: ``nogil`` lets sessions, which are threads, run side by side. No full ``fastmath`` (it breaks the
#: NaN that marks a missing cell), no ``parallel`` (its threading layer aborts when two threads
#: enter).
_ENGINE: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
#: A product may be added in one step, rounded once; NaN keeps its meaning.
_ENGINE["fastmath"] = {"contract"}
#: What only kernels call needs no wrapper for Python, which shortens a first start.
_INSIDE = {**_ENGINE, "no_cpython_wrapper": True}


class Borrowed(types.Array):
    """A C-ordered array that the caller holds, as counting references is slow."""

    def __init__(self, dtype: Any, ndim: int, layout: str = "C") -> None:
        if layout != "C":
            raise TypeError("a kernel takes whole lines of a borrowed array")
        super().__init__(dtype, ndim, layout, name=f"borrowed({dtype}, {ndim}d, {layout})")

    def copy(
        self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None
    ) -> Self:
        """Type of a part of it, which is borrowed, too."""
        ndim = self.ndim if ndim is None else ndim
        return Borrowed(dtype or self.dtype, ndim, layout or self.layout)


FIELDS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")


@register_model(Borrowed)
class _BorrowedModel(models.StructModel):
    """Memory layout of numba's arrays, with the reference counter as a plain address."""

    def __init__(self, manager: Any, kind: Borrowed) -> None:
        number, lengths = types.intp, types.UniTuple(types.intp, kind.ndim)
        address, data = types.voidptr, types.CPointer(kind.dtype)
        members = (address, address, number, number, data, lengths, lengths)
        super().__init__(manager, kind, [*zip(FIELDS, members, strict=True)])

    def traverse(self, builder: Any) -> list[Any]:
        """None of its fields is counted, so that numba need not look for a counter in each."""
        return []


def array_of(context: Any, builder: Any, kind: Borrowed, bare: Any) -> Any:
    """LLVM instructions that make an array of its address and its lengths."""
    data, *shape = bare
    size = context.get_constant(types.intp, context.get_abi_sizeof(data.type.pointee))
    strides = [size, *(builder.mul(size, n) for n in shape[:0:-1])][::-1]
    fields = {
        "itemsize": size,
        "data": data,
        "shape": cgutils.pack_array(builder, shape),
        "strides": cgutils.pack_array(builder, strides),
    }
    array = ir.Constant(context.get_value_type(kind), ir.Undefined)
    for name, value in fields.items():
        array = builder.insert_value(array, value, FIELDS.index(name))
    return array


def _find(builder: Any, array: Any, index: Any) -> tuple[Any, list[Any]]:
    """Address of what an index of whole numbers, of which -1 is the last, means; its lengths."""
    data, shape = (builder.extract_value(array, FIELDS.index(n)) for n in ("data", "shape"))
    lengths = cgutils.unpack_tuple(builder, shape)
    at, places = None, [index]
    if isinstance(index.type, ir.ArrayType):
        places = cgutils.unpack_tuple(builder, index)
    for place, length in zip(places, lengths, strict=False):
        from_end = builder.icmp_signed("<", place, place.type(0))
        place = builder.select(from_end, builder.add(place, length), place)
        at = place if at is None else builder.add(builder.mul(at, length), place)
    lengths = lengths[len(places) :]
    for length in lengths:
        at = builder.mul(at, length)
    return builder.gep(data, [at], inbounds=True), lengths


# A target's own rules for types are asked first: else each index of an array is held against the
# rules for lists, texts and dictionaries, a twelfth of a first start.
for _rule, _operator in ((GetItemBuffer, operator.getitem), (SetItemBuffer, operator.setitem)):
    infer_global(_operator)(type(_rule.__name__, (_rule,), {"metadata": {"target": "cpu"}}))

# Numba's own code for these is three times as long to read for LLVM, and ends as the same.


@lower_builtin(operator.getitem, Borrowed, types.Integer)
@lower_builtin(operator.getitem, Borrowed, types.UniTuple)
def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    found, lengths = _find(builder, *arguments)
    if lengths:
        return array_of(context, builder, signature.return_type, [found, *lengths])
    return context.unpack_value(builder, signature.return_type, found)


@lower_builtin(operator.setitem, Borrowed, types.Integer, types.Any)
@lower_builtin(operator.setitem, Borrowed, types.UniTuple, types.Any)
def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, value = signature.args[0].dtype, arguments[2]
    value = context.cast(builder, value, signature.args[2], kind)
    context.pack_value(builder, kind, value, _find(builder, *arguments[:2])[0])
    return context.get_dummy_value()


@unbox(Borrowed)
def _borrow(kind: Borrowed, found: Any, c: Any) -> NativeValue:
    """Unbox a Python array, which stays its caller's."""
    counted = types.Array(kind.dtype, kind.ndim, kind.layout)
    native = c.unbox(counted, found)
    with c.builder.if_then(c.builder.not_(native.is_error)):
        c.context.nrt.decref(c.builder, counted, native.value)
    return NativeValue(native.value, is_error=native.is_error)


#: Arrays of numbers and marks, by their dimensions, and single numbers, as kernels take them.
LINE, LINES = Borrowed(types.float64, 1), Borrowed(types.float64, 2)
PLACES, PLACES_2 = Borrowed(types.int64, 1), Borrowed(types.int64, 2)
MARKS, MARKS_2 = Borrowed(types.boolean, 1), Borrowed(types.boolean, 2)
NUMBER, COUNT, NOTHING = types.float64, types.int64, types.void


def record(kind: type, *fields: Any) -> Any:
    """The numba type of named tuples of this class with fields of these types."""
    of_kind = types.NamedTuple(fields, kind)
    typeof_impl.register(kind)(lambda found, context: of_kind)
    return of_kind


class Kernel:
    """A function compiled for one signature when it is first called, by Python or by a kernel."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        functools.update_wrapper(self, function)
        self.dispatcher = _cached(numba.njit, function)
        self._signature = signature
        self._is_made = False
        _KERNELS.append(self)

    def make(self) -> None:
        """Compile it, or read it from the disk cache."""
        with _compiling():
            if not self._is_made:
                self.dispatcher.compile(self._signature)
                self.dispatcher.disable_compile()  # for other types it would be the same once more
                self._is_made = True

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        if not self._is_made:
            self.make()
        return self.dispatcher(*arguments)


_KERNELS: list[Kernel] = []


@typeof_impl.register(Kernel)
def _type_of_kernel(found: Kernel, context: Any) -> Any:
    """Type of a kernel called by another, which is made before its caller."""
    found.make()
    return types.Dispatcher(found.dispatcher)


def kernel(*signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function of borrowed arrays and numbers when first called; keep it on disk."""

    def decorate(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:
            return function
        return Kernel(function, signature[0](*signature[1:]))

    return decorate


def make_kernels() -> None:
    """Compile every kernel of the modules imported so far, or read it from the disk cache."""
    for each in _KERNELS:
        each.make()


def callback(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a function that kernels call by its address; keep it on disk."""
    return _cached(numba.cfunc, function, signature)


def _cached(decorator: Any, function: Callable[..., Any], *signature: Any) -> Any:
    """Compile a function that is cached; numba's folder is set meanwhile, one thread at a time."""
    if numba.config.DISABLE_JIT:
        return function
    with _compiling():
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(FOLDER)
        try:
            return decorator(*signature, cache=_KEEPS, **_ENGINE)(function)
        finally:
            numba.config.CACHE_DIR = before


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call; its code is cached with theirs."""
    return numba.njit(**_INSIDE)(function)


class Shared:
    """A function that Python runs as it is, and that kernels call compiled, by ``inner``."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function, self.compiled = function, inner(function)

    def __call__(self, *arguments: Any) -> Any:
        """Run it in Python."""
        return self.function(*arguments)


@typeof_impl.register(Shared)
def _type_of_shared(found: Shared, context: Any) -> Any:
    return types.Dispatcher(found.compiled)


def shared(function: Callable[..., Any]) -> Any:
    """Let Python, too, call a function; the kernels that it calls have wrappers, it has none."""
    return function if numba.config.DISABLE_JIT else Shared(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function into its callers, so that their loops vectorise around it."""
    return numba.njit(forceinline=True, **_INSIDE)(function)


def spliced(function: Callable[..., Any]) -> Any:
    """Compile a function into its callers only; ``inner`` compiles it once more by itself."""
    return numba.njit(inline="always", **_ENGINE)(function)
