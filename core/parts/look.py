"""The looks at a table before it is clustered: what its columns are, their moments, a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..engine.columns import Columns
from ..families import FAMILIES, Prior
from ..families.prior import Spread
from ..families.sufficient import GroupMoments, Rows, merged
from ..schema.encode import check_whole, complete, needs_values
from ..schema.encoded import Encoded, Unit
from ..schema.facts import facts_of
from ..schema.infer import schema_of
from ..schema.schema import Schema, SchemaError
from ..schema.tally import Tally, join, tally_of
from .labels import shares
from .source import Part, Source
from .sums import TableSpec
from .visit import RowReader
from .workers import Counted, run_all

#: Rows, drawn by chance, among which ties between columns are looked for.
ROWS_FOR_TIES = 20_000
#: Tallies that are joined together: to sort them together is cheaper than one after the other.
AT_ONCE = 16


@dataclass(frozen=True)
class Sample:
    """Rows drawn by the hash of their number, as numbers."""

    #: int64, shape (n,); float64, shape (n, M).
    rows: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Look:
    """What priors and starts need of a table whose columns are known."""

    n_rows: int
    #: Of every unit, of its complete rows.
    moments: tuple[GroupMoments, ...]
    #: Of every unit whose prior learns from more, by its place: the numbers there are, and the
    #: rows of each.
    counts: Mapping[int, tuple[np.ndarray, np.ndarray]]
    samples: tuple[Sample, ...]

    def default_priors(self, units: tuple[Unit, ...], scale: float) -> tuple[Prior, ...]:
        """Those of ``default_priors`` for all rows."""
        priors = []
        for u, (unit, spread) in enumerate(zip(units, self.spreads, strict=True)):
            family = FAMILIES[unit.family]
            if unit.prior is not None:
                priors.append(unit.prior)
            elif u in self.counts:
                numbers, rows = self.counts[u]
                priors.append(family.default_prior(numbers, scale, rows, **unit.options))
            else:
                priors.append(family.Prior.default_of(spread, scale))
        return tuple(priors)

    @property
    def spreads(self) -> tuple[Spread, ...]:
        """Mean and variance of every unit."""
        return tuple(Spread.of_moments(self.n_rows, moments) for moments in self.moments)

    def whole(self, units: tuple[Unit, ...], scale: float, concentration: float) -> TableSpec:
        """The table under its default priors, centred and scaled as if it were at hand."""
        priors = self.default_priors(units, scale)
        mean = np.concatenate([spread.mean for spread in self.spreads])
        root = np.sqrt(np.concatenate([spread.variance for spread in self.spreads]))
        # Two rows with every column's mean and variance stand for all of them.
        columns = Columns.pack(Encoded(np.array([mean - root, mean + root]), units), priors)
        none = Encoded(np.empty((0, mean.size)), units)
        cells = np.concatenate([np.repeat(m.n[0], m.mean.shape[1]) for m in self.moments])
        log_scale = float(cells @ np.log(columns.scale))
        return TableSpec(columns.of_rows(none), self.n_rows, log_scale, concentration)


def infer_schema_of(
    source: Source, seed: int, executor: Any = None, progress: Counted = lambda done, total: None
) -> Schema:
    """Guess every column of a table in parts, as ``infer_schema`` would of the whole.

    Only the ties that suggest a label are looked for in a sample.
    """
    share = min(1.0, ROWS_FOR_TIES / source.n_rows)
    tallies, frame = _tallied(source, source.columns, share, seed, executor, progress)
    schema = schema_of({name: facts_of(tally, name) for name, tally in tallies.items()}, frame)
    return _completed(schema, tallies)


def complete_schema(
    schema: Schema,
    source: Source,
    executor: Any = None,
    progress: Counted = lambda done, total: None,
) -> Schema:
    """A schema with every level and scale that a table in parts has, where none were given.

    Raises
    ------
    SchemaError
        A column is absent, or does not suit its family.
    """
    wanted = schema.names("cluster")
    if not wanted:
        raise SchemaError("No column is left to cluster on: give at least one the role 'cluster'.")
    absent = [name for name in wanted if name not in source.columns]
    if absent:
        raise SchemaError(
            f"The table lacks the column '{absent[0]}': add it, or give it another role."
        )
    open_ones = tuple(name for name in wanted if needs_values(schema[name]))
    if not open_ones:
        return schema
    return _completed(schema, _tallied(source, open_ones, 0.0, 0, executor, progress)[0])


def _completed(schema: Schema, tallies: Mapping[str, Tally]) -> Schema:
    specs = [
        complete(pd.Series(tallies[spec.name].levels, dtype=object), spec)
        if spec.role == "cluster" and needs_values(spec)
        else spec
        for spec in schema.values()
    ]
    return schema.of_specs(specs)


def _tallied(
    source: Source,
    columns: tuple[str, ...],
    share: float,
    seed: int,
    executor: Any,
    progress: Counted,
) -> tuple[dict[str, Tally], pd.DataFrame]:
    """What is in the cells of some columns, and rows drawn by chance."""
    tasks = [(run, columns, share, seed) for run in source.runs]
    waiting: list[list[Tally]] = []
    frames = []
    for found, frame in run_all(executor, _tally_run, tasks, progress):
        waiting.append(found)
        frames.append(frame)
        if len(waiting) == AT_ONCE:
            waiting = [_joined_tallies(waiting)]
    tallies = _joined_tallies(waiting)
    return dict(zip(columns, tallies, strict=True)), pd.concat(frames, ignore_index=True)


def _tally_run(
    parts: Sequence[Part], columns: tuple[str, ...], share: float, seed: int
) -> tuple[list[Tally], pd.DataFrame]:
    tallies: list[list[Tally]] = []
    frames = []
    for part in parts:
        for first, frame in part.batches(columns):
            tallies = [_joined_tallies([*tallies, [tally_of(frame[name]) for name in columns]])]
            frames.append(frame[shares(np.arange(first, first + len(frame)), seed) < share])
    return tallies[0], pd.concat(frames, ignore_index=True)


def _joined_tallies(parts: Sequence[Sequence[Tally]]) -> list[Tally]:
    """Of every column, the tally of all parts; thinned, if there is only one."""
    return [join(of_column) for of_column in zip(*parts, strict=True)]


def look_at_rows(
    source: Source,
    read: RowReader,
    n_sample: int,
    n_samples: int,
    executor: Any = None,
    progress: Counted = lambda done, total: None,
) -> Look:
    """Take the moments of all columns and draw samples, at one look.

    Raises
    ------
    SchemaError
        A cell that its column's family cannot take; a column from which nothing can be learnt;
        what is not done in parts: rows that have some cells of a block and lack others, weights.
    """
    # A few more rows than asked for come, of which the lowest are the sample.
    share = min(1.0, (n_sample + 6.0 * np.sqrt(n_sample)) / source.n_rows)
    tasks = [(run, read, share, n_samples) for run in source.runs]
    look = _joined_looks(run_all(executor, _look_at_run, tasks, progress))
    look = replace(
        look,
        samples=tuple(
            _lowest(sample, n_sample, read.seed, s) for s, sample in enumerate(look.samples)
        ),
    )
    _check(look, read.schema)
    return look


def _look_at_run(parts: Sequence[Part], read: RowReader, share: float, n_samples: int) -> Look:
    return _joined_looks(_looks(parts, read, share, n_samples))


def _looks(parts: Sequence[Part], read: RowReader, share: float, n_samples: int) -> Iterator[Look]:
    """Yield the looks at some rows at a time, with all rows whose hash may be low enough."""
    for part in parts:
        for first, encoded in read.batches(part):
            rows = np.arange(first, first + len(encoded.values))
            _check_blocks(encoded)
            cells = [encoded.unit_values(u) for u in range(len(encoded.units))]
            families = [FAMILIES[unit.family] for unit in encoded.units]
            more = [u for u, family in enumerate(families) if not family.learns_from_spread]
            drawn = [shares(rows, _sample_seed(read.seed, s)) < share for s in range(n_samples)]
            yield Look(
                rows.size,
                tuple(Rows.of(x, None, 1, 1.0).moments() for x in cells),
                {u: _numbers(cells[u]) for u in more},
                tuple(Sample(rows[some], encoded.values[some]) for some in drawn),
            )


def _joined_looks(looks: Iterable[Look]) -> Look:
    """Looks at rows that follow each other as one; only the samples grow, to those asked for."""
    total: Look | None = None
    samples: list[tuple[Sample, ...]] = []
    for look in looks:
        samples.append(look.samples)
        if total is None:
            total = look
            continue
        total = Look(
            total.n_rows + look.n_rows,
            merged([total.moments, look.moments]),
            {u: _joined_counts([total.counts[u], look.counts[u]]) for u in total.counts},
            (),
        )
    assert total is not None
    return replace(total, samples=tuple(map(_joined_samples, zip(*samples, strict=True))))


def _joined_samples(samples: Sequence[Sample]) -> Sample:
    return Sample(
        np.concatenate([sample.rows for sample in samples]),
        np.concatenate([sample.values for sample in samples]),
    )


def _sample_seed(seed: int, s: int) -> int:
    return seed + 1_000 + s


def _lowest(sample: Sample, n_sample: int, seed: int, s: int) -> Sample:
    hashes = shares(sample.rows, _sample_seed(seed, s))
    kept = np.sort(np.argsort(hashes, kind="stable")[:n_sample])
    return Sample(sample.rows[kept], sample.values[kept])


def _numbers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.unique(values[~np.isnan(values)], return_counts=True)


def _joined_counts(
    parts: list[tuple[np.ndarray, np.ndarray]],
) -> tuple[np.ndarray, np.ndarray]:
    numbers, places = np.unique(np.concatenate([p[0] for p in parts]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([p[1] for p in parts]), numbers.size)
    return numbers, counts.astype(np.int64)


def _check_blocks(encoded: Encoded) -> None:
    for u, unit in enumerate(encoded.units):
        if encoded.lacks_some(u).any():
            raise SchemaError(
                f"Some rows have a few cells of the block '{unit.name}' and lack others, which a"
                " table in parts cannot fill yet: take the block apart, or drop those rows."
            )


def _check(look: Look, schema: Schema) -> None:
    for unit, moments in zip(schema.units, look.moments, strict=True):
        if unit.is_outcome or look.n_rows < 2:
            continue
        for j, name in enumerate(unit.columns):
            spread = np.sqrt(moments.products[0, j, j])
            ends = moments.mean[0, j] + np.array([-spread, spread])
            check_whole(ends if moments.n[0] else np.full(2, np.nan), schema[name])
