"""Dataclasses as the plain values of JSON, and back: their annotations are the checks."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np

from .wording import cut

#: Beyond these a number of a file is none that anybody meant.
_LARGEST = {int: 2**63 - 1, float: 1e300}


def saved_as(key: str | None) -> dict[str, str | None]:
    """``metadata`` of a field that goes by another name in files, or, None, is in none."""
    return {"saved as": key}


def to_plain(value: Any) -> Any:
    """Lists, numbers and text for JSON: of a dataclass its fields, unless it has a ``to_dict``."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return saved_fields(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return list(map(to_plain, value))
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.isoformat() if isinstance(value, datetime) else value


def saved_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that files hold, as plain values."""
    return {key: to_plain(getattr(value, one.name)) for key, (one, _) in hints(type(value)).items()}


def from_plain(kind: Any, value: Any, *place: str) -> Any:
    """What stands for itself in JSON as ``kind``, such as ``tuple[str, ...]`` or a dataclass.

    ``place`` is where it stands in the file, from outside in, for the ValueError that says what
    cannot be. A class with a ``from_dict`` is read by that, lists of any kind as tuples.
    """
    of, kind = get_args(kind), get_origin(kind) or kind
    if kind is Annotated:
        return from_plain(of[0], value, *place)
    if kind is UnionType:
        *others, last = sorted(of, key=lambda one: one is not NoneType)
        for one in others:
            with suppress(ValueError):
                return from_plain(one, value, *place)
        return from_plain(last, value, *place)
    if hasattr(kind, "from_dict") and isinstance(value, Mapping):
        return kind.from_dict(value)
    if is_dataclass(kind) and isinstance(value, Mapping):
        return from_fields(kind, value, *place)
    if kind is Mapping and isinstance(value, Mapping):
        return {
            _key(of[0], key, *place): from_plain(of[1], one, *place, str(key))
            for key, one in value.items()
        }
    if kind is tuple and isinstance(value, list | tuple):
        each = of[:1] * len(value) if of[-1] is Ellipsis else of
        if len(each) == len(value):
            entries = enumerate(zip(each, value, strict=True), 1)
            return tuple(from_plain(*one, *place, str(number)) for number, one in entries)
    if kind is np.ndarray and isinstance(value, list):
        numbers = np.array(value)
        if numbers.dtype.kind in "if" and np.isfinite(numbers).all():
            return numbers.astype(np.float64)
    if kind is datetime and isinstance(value, str):
        with suppress(ValueError):
            return datetime.fromisoformat(value)
    if kind is Any:
        return tuple(value) if isinstance(value, list) else value
    if not _is_scalar(kind, value):
        raise ValueError(f"{_name(place)} cannot be {cut(repr(value), 60)}")
    return value


def from_fields(kind: type, entries: Mapping[str, Any], *place: str) -> Any:
    """A dataclass of its fields' plain values, those left out at their defaults."""
    known = hints(kind)
    for name in entries:
        if name not in known:
            raise ValueError(f"{_name(place)} should not have {cut(repr(name), 60)}")
    for name, (one, _) in known.items():
        if name not in entries and one.default is one.default_factory is MISSING:
            raise ValueError(f"{_name(place)} lacks '{name}'")
    return kind(
        **{known[k][0].name: from_plain(known[k][1], v, *place, k) for k, v in entries.items()}
    )


@cache
def hints(kind: type) -> dict[str, tuple[Field, Any]]:
    """The fields of a dataclass that files hold, with their annotations, by their names there."""
    annotations = get_type_hints(kind, include_extras=True)
    found = {one.metadata.get("saved as", one.name): one for one in fields(kind)}
    return {key: (one, annotations[one.name]) for key, one in found.items() if key is not None}


def _name(place: tuple[str, ...]) -> str:
    return f"'{'.'.join(place)}'" if place else "it"


def _key(kind: type, key: Any, *place: str) -> Any:
    """A key of a mapping: JSON has it as text also where it is a number."""
    return from_plain(kind, int(key) if kind is int and str(key).isdecimal() else key, *place)


def _is_scalar(kind: type, value: Any) -> bool:
    if kind not in _LARGEST:
        return isinstance(value, kind)
    is_number = isinstance(value, int | kind) and not isinstance(value, bool)
    return is_number and abs(value) <= _LARGEST[kind]  # which no NaN is
