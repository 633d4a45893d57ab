"""What would make a column testable: with how many patients the groups are found without it.

Tables are drawn from the groups shown, which are taken for real: each of its share of the patients,
each column drawn anew from the group's own values, independently of the others, as the model has
it. The whole search is run on each without the column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.side_by_side import Refits
from ..schema.encoded import Encoded
from ..statistics.refits import procedure
from .left_out import LEAST_OVERLAP, found_without, overlap, sides
from .t_tests import Pair

#: Times as many patients as there are, tables drawn of each, and how often groups must be found.
TIMES, DRAWS, ENOUGH = (1.0, 1.5, 2.0, 3.0, 4.0), 10, 0.8


@dataclass(frozen=True)
class PatientsNeeded:
    """How often a pair of groups is found without a column, by the number of patients."""

    column: str
    #: Patients, and of ``DRAWS`` tables of so many those in which both groups were found.
    sizes: tuple[int, ...] = ()
    found: tuple[int, ...] = ()

    @property
    def enough(self) -> int | None:
        """The fewest patients tried with which the column can be tested."""
        of_size = zip(self.sizes, self.found, strict=True)
        return next((size for size, found in of_size if found >= ENOUGH * DRAWS), None)

    @property
    def sentence(self) -> str:
        """In words."""
        tried = ", ".join(
            f"{found} of {DRAWS} tables of {size:,} patients"
            for size, found in zip(self.sizes, self.found, strict=True)
        )
        said = f"Both groups were found without “{self.column}” in {tried}."
        if self.enough is not None:
            said += f" So about {self.enough:,} patients would make it testable"
        elif len(self.sizes) == len(TIMES):
            said += (
                f" Not even {TIMES[-1]:g} times as many patients make it testable: it is this "
                "column that tells these groups apart"
            )
        else:
            return said
        return (
            f"{said}, if these groups are real and the others who come are like these patients. "
            "The tables were drawn from the groups as they are."
        )


def patients_needed(
    model: MAPDP,
    column: str,
    pair: Pair,
    callback: Callback | None = None,
    share: Callable[[PatientsNeeded], None] | None = None,
) -> PatientsNeeded:
    """Search tables of more and more patients without a column, until both groups are found.

    Parameters
    ----------
    model : MAPDP
        Fitted; its settings are fitted again.
    column : str
        One that made the groups; the columns of its block leave with it.
    pair : (int, int) or (int, None)
        Groups counted from 0; None is all others.
    callback : callable, optional
        Told of every step; what it raises ends the work.
    share : callable, optional
        Given what there is after every number of patients.

    Raises
    ------
    ValueError
        The column made no group.
    """
    encoded = replace(model.columns_.encoded, weights=None)
    of = {unit.of for unit in encoded.units if column in (*unit.columns, unit.of)}
    gone = [u for u, unit in enumerate(encoded.units) if unit.of in of]
    if not gone:
        raise ValueError(f"“{column}” took no part in making the groups.")
    refits = Refits(len(TIMES) * DRAWS, callback)
    known = PatientsNeeded(column)
    for times in TIMES:
        work = partial(_is_found, model, encoded, gone, pair, times)
        found = list(refits.map(work, range(DRAWS), "tables of more patients"))
        size = round(times * model.labels_.size)
        known = replace(known, sizes=(*known.sizes, size), found=(*known.found, sum(found)))
        if share is not None:
            share(known)
        if known.enough is not None:
            break
    return known


def _is_found(
    model: MAPDP,
    encoded: Encoded,
    gone: list[int],
    pair: Pair,
    times: float,
    b: int,
    callback: Callback,
) -> bool:
    """Whether both groups are found in one table without the column."""
    random = np.random.default_rng([int(10 * times), b])
    table, labels = drawn_from(encoded, model.labels_, times, random)
    again = found_without(model, table, gone, labels, callback, prior=procedure(model))
    if again is None:
        return False
    return overlap(sides(labels, pair), sides(again, pair)) >= LEAST_OVERLAP


def drawn_from(
    encoded: Encoded, labels: np.ndarray, times: float, random: np.random.Generator
) -> tuple[Encoded, np.ndarray]:
    """A table of so many times the rows, drawn from the groups, and the group of each row.

    Parameters
    ----------
    encoded : Encoded, N rows
    labels : ndarray of int, shape (N,)
    times : float
    random : Generator
    """
    members = [np.flatnonzero(labels == k) for k in range(int(labels.max()) + 1)]
    sizes = [max(1, round(times * rows.size)) for rows in members]
    order = np.empty((sum(sizes), encoded.values.shape[1]), dtype=np.int64)
    place = {name: j for j, name in enumerate(encoded.names)}
    for of in dict.fromkeys(unit.of for unit in encoded.units):
        # What belongs together, a block or the parts of a column, comes from one row.
        rows = [random.choice(own, size) for own, size in zip(members, sizes, strict=True)]
        for unit in encoded.units:
            if unit.of == of:
                for name in unit.columns:
                    order[:, place[name]] = np.concatenate(rows)
    values = np.ascontiguousarray(np.take_along_axis(encoded.values, order, axis=0))
    return replace(encoded, values=values), np.repeat(np.arange(len(sizes)), sizes)
