"""Turn one column of a table into the numbers its family reads, or say why it cannot be."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..families import FAMILIES
from ..families.family import RATING, YES_NO
from ..wording import counted, in_digits, listed
from .cells import MissingCodes, as_number, is_textual, key_of, plain, read_cells
from .orders import in_known_order, two_levels
from .spec import ColumnSpec, SchemaError
from .transforms import TRANSFORMS, back

MOST_VALUES = 6  # are named in a sentence
MAX_LEVELS = 1_000


def encode_column(column: pd.Series, spec: ColumnSpec, new_rows: bool = False) -> np.ndarray:
    """Numbers of one column, NaN where missing, under a complete spec, or SchemaError."""
    if spec.levels is not None:
        values = _level_codes(column, spec, new_rows)
    else:
        values = numbers(column, spec)
        _check_support(values, spec)
        if spec.transform is not None:
            values = TRANSFORMS[spec.transform].forward(values)
    if not new_rows and len(values) > 1:
        _check_whole(values, spec)
    return values


def row_weights(column: pd.Series, spec: ColumnSpec) -> np.ndarray:
    """How often each row counts, shape (N,), from a column of weights."""
    weights = numbers(column, spec)
    wrong = ~np.isfinite(weights) | (weights < 0.0)
    if wrong.any():
        row = int(np.argmax(wrong))
        cell = "no value" if np.isnan(weights[row]) else f"{weights[row]:g}"
        raise SchemaError(
            f"Column '{spec.name}' says how often each row counts and has {cell} in row "
            f"{row + 1:,}: give every row a number of 0 or more."
        )
    if not weights.any():
        raise SchemaError(
            f"Column '{spec.name}' says how often each row counts and is 0 in all of them: give at "
            "least one row more, or give the column another role."
        )
    return weights


def of_mean_one(weights: np.ndarray) -> np.ndarray:
    """The same weights, shape (N,), scaled so that a row that has a say counts once on average."""
    # Weights that sum to 1 would leave less than one row to find groups in.
    relative = weights / weights.max()  # so that no sum is too large; alike, they are exactly 1
    return relative / relative[relative > 0.0].mean()


def weights_sentence(name: str, weights: np.ndarray) -> str:
    """What becomes of the weights, shape (N,), of the column of that name, as one sentence."""
    seen = weights[weights > 0.0]
    return (
        f"“{name}” says how much a row counts beside the others: its weights, "
        f"{in_digits(seen.mean())} on average, are scaled to mean 1, so that the table counts as "
        f"{counted(seen.size, 'row')}; on Clinical alone a row is so many patients."
    )


def decode_column(codes: np.ndarray, spec: ColumnSpec) -> np.ndarray:
    """Values of a column in its user's words from the numbers that its family reads, none NaN."""
    if spec.starts_at is not None:
        return codes + spec.starts_at
    if spec.levels is not None:
        words = np.empty(len(spec.levels), dtype=object)
        words[:] = spec.levels
        return words[np.clip(np.rint(codes), 0, len(words) - 1).astype(np.int64)]
    return back(codes, spec.transform)


def complete(column: pd.Series, spec: ColumnSpec) -> ColumnSpec:
    """Fill the options that a family needs and nobody gave from the column's own values."""
    if spec.levels is not None or not spec.reads("levels"):
        return spec
    found = distinct_values(column, spec)
    if not found:
        raise SchemaError(_all_missing(spec))
    if spec.kind == RATING:
        return _complete_rating(column, found, spec)
    if spec.kind == YES_NO:
        return replace(spec, levels=_two_levels(found, spec))
    if len(found) > MAX_LEVELS:
        raise SchemaError(
            f"Column '{spec.name}' has {len(found):,} distinct values, more than the "
            f"{MAX_LEVELS:,} a category may have: choose 'normal', or give it the role 'ignore'."
        )
    return replace(spec, levels=found)


def _two_levels(found: Sequence[Any], spec: ColumnSpec) -> tuple[Any, Any]:
    if len(found) == 2:
        return two_levels(found)
    if found in ([0], [1]):
        return (0, 1)
    if len(found) == 1:
        raise SchemaError(
            f"Column '{spec.name}' has one value only ({found[0]!r}) and yes/no needs two: name "
            "both levels, (no, yes), or give it the role 'ignore'."
        )
    raise SchemaError(
        f"Column '{spec.name}' has {len(found):,} distinct values "
        f"({listed(found, MOST_VALUES)}) where yes/no "
        "has two: choose another family, or name missing codes."
    )


def _complete_rating(column: pd.Series, found: list[Any], spec: ColumnSpec) -> ColumnSpec:
    if any(isinstance(value, str) for value in found):
        ordered = in_known_order(found)
        if ordered is None:
            raise SchemaError(
                f"Column '{spec.name}' holds text ({listed(found, MOST_VALUES)}) and a rating "
                f"needs an order: "
                "name its levels from lowest to highest, or choose 'categorical'."
            )
        return replace(spec, levels=ordered)
    values = numbers(column, spec)
    _check_support(values, spec)
    low = 1 if found[0] == 1 else 0
    if found[-1] - low > MAX_LEVELS:
        raise SchemaError(
            f"Column '{spec.name}' runs to {found[-1]:,}, too far for a rating: choose "
            "'poisson' or 'normal', or name the missing codes."
        )
    return replace(spec, levels=range(low, max(int(found[-1]), low + 1) + 1))


def distinct_values(column: pd.Series, spec: ColumnSpec) -> list[Any]:
    """Distinct values that are not missing, as plain Python values: sorted numbers, then text."""
    _, words = read_cells(column, spec)
    values = {plain(word) for word in words[words != ""]}
    texts = sorted(value for value in values if isinstance(value, str))
    return sorted(value for value in values if not isinstance(value, str)) + texts


def numbers(column: pd.Series, spec: ColumnSpec) -> np.ndarray:
    """Values of a column as float64, missing codes as NaN; text among them is an error."""
    codes = list(MissingCodes((*spec.missing_codes, *spec.special_codes)).numbers)
    kind = column.dtype
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        values = np.where(np.isin(values, codes), np.nan, values) if codes else values
        for code, number in spec.taken_as:
            values = np.where(values == as_number(code), number, values)
        return values
    if not is_textual(kind) and spec.reading is None:
        raise SchemaError(
            f"Column '{spec.name}' holds {kind} values where numbers are expected: give it the "
            "role 'ignore'."
        )
    places, words = read_cells(column, spec)
    values = pd.to_numeric(pd.Series(words), errors="coerce").to_numpy(np.float64)
    bad = np.isnan(values) & (words != "")
    if bad.any():
        row = np.flatnonzero(np.isin(places, np.flatnonzero(bad)))[0]
        word = words[places[row]]
        raise SchemaError(
            f"Column '{spec.name}' has text ('{word}' in row {row + 1:,}) where numbers are "
            f"expected: choose 'categorical', or name '{word}' as a missing code."
        )
    return np.append(values, np.nan)[places]


def _level_codes(column: pd.Series, spec: ColumnSpec, new_rows: bool) -> np.ndarray:
    place_of = {key_of(level): place for place, level in enumerate(spec.levels or ())}
    places, words = read_cells(column, spec)
    codes = np.array([place_of.get(key_of(word), -1) for word in words], dtype=np.float64)
    codes[words == ""] = np.nan
    # The last one is for missing cells, whose place is -1; a level nobody named is -1 itself.
    codes = np.append(codes, np.nan)[places]
    if not new_rows and (codes < 0).any():
        row = int(np.argmax(codes < 0))
        word = plain(words[places[row]])
        raise SchemaError(
            f"Column '{spec.name}' has {word!r} in row {row + 1:,}, which is not among its levels "
            f"({listed(spec.levels or (), MOST_VALUES)}): add it to the levels, or name "
            "it as a missing code."
        )
    return np.where(codes < 0, np.nan, codes)


def _faults(values: np.ndarray, spec: ColumnSpec) -> Iterator[tuple[np.ndarray, str, str]]:
    """Where values are that its likelihood cannot take, (N,) of bool, what they are, what to do."""
    yield np.isinf(values), "an infinite value", "correct that cell"
    if spec.transform is None:
        for bad, what, why in FAMILIES[spec.family].support.faults(values):
            yield bad, what, f"{why}: choose 'normal'"
    else:
        transform = TRANSFORMS[spec.transform]
        least = "0 or more" if transform.takes_zero else "above 0"
        why = f"{transform.of} needs values {least}: take the transform off"
        bad = ~transform.takes(values) & ~np.isnan(values)
        yield bad, f"a value that is not {least}", why


def does_not_suit(column: pd.Series, spec: ColumnSpec) -> np.ndarray:
    """Which cells of a column of numbers its likelihood cannot take, (N,) of bool."""
    return np.logical_or.reduce([bad for bad, _, _ in _faults(numbers(column, spec), spec)])


def _check_support(values: np.ndarray, spec: ColumnSpec) -> None:
    """Refuse the first value that its likelihood cannot take."""
    for bad, what, why in _faults(values, spec):
        if bad.any():
            row = int(np.argmax(bad))
            value, where = plain(values[row]), f"row {row + 1:,}"
            where = f"in {where}:" if np.isinf(value) else f"({value} in {where});"
            raise SchemaError(
                f"Column '{spec.name}' has {what} {where} {why}, or name {value} as a missing code."
            )


def _check_whole(values: np.ndarray, spec: ColumnSpec) -> None:
    """Refuse a column from which nothing can be learnt."""
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    if np.isnan(low):
        raise SchemaError(_all_missing(spec))
    if low == high and FAMILIES[spec.family].is_real:
        raise SchemaError(
            f"Column '{spec.name}' has the same value ({plain(low)}) in every row, which tells no "
            "rows apart: give it the role 'ignore'."
        )


def _all_missing(spec: ColumnSpec) -> str:
    return f"Column '{spec.name}' has no values at all: give it the role 'ignore'."
