"""Laws that groups should keep whoever tries to break them: what says nothing about the rows.

A table is changed in a way that says nothing new about its rows, and clustered again as the app
does it, on tables whose groups lie apart and on tables whose groups overlap. The groups are the
same, E the same up to ``NEAR`` nats where it should be.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ColumnSpec, Schema, infer_schema
from mapdp_studio.core.comparing.comparison import FitError, Results, tasks
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.estimator import ClusterEstimator

#: Distance of the groups' centres in standard deviations.
APART, OVERLAPPING = 12.0, 2.0
ROWS, COPIES = 36, 2
#: So many nats are none: E-M stops at a tolerance of its own.
NEAR = 1e-5
#: A method that takes columns of one family alone.
ONE_FAMILY = "Biclusters"
#: Methods to which the order of rows is something, and why; and one that is slow.
BY_ORDER = {
    "CollapsedGibbs": "random numbers go by a row's place",
    "BisectingKMeans": "random numbers go by a row's place",
    "HardHDP": "rows are visited in their order",
    "HDBSCAN": "ties go by the row's place",
    "MAPViews": "slow",
}


@dataclass(frozen=True)
class Given:
    """A table and what its columns are; ``back`` are the places of the first table's rows."""

    frame: pd.DataFrame
    schema: Schema
    back: np.ndarray


def table(distance: float, of_one_family: bool) -> Given:
    """Three groups in two amounts, a count and a category, or four amounts; 5 % missing."""
    random = np.random.default_rng([0, 5])
    group = np.arange(ROWS) % 3
    frame = pd.DataFrame(random.normal(size=(ROWS, 2)).round(3), columns=["a", "b"])
    frame["a"] += distance * group
    frame["b"] += distance * (group == 1)
    families = dict.fromkeys("abcd", "normal")
    if of_one_family:
        for name in ("c", "d"):
            frame[name] = (random.normal(size=ROWS) + distance * (group == 2)).round(3)
    else:
        frame["c"] = random.poisson(2.0 + distance * (group == 2)).astype(float)
        frame["d"] = np.array(["x", "y", "z"])[
            np.where(random.random(ROWS) < 0.2, random.integers(3, size=ROWS), group)
        ]
        families |= {"c": "poisson", "d": "categorical"}
    frame = frame.mask(random.random(frame.shape) < 0.05)
    return Given(frame, Schema(map(ColumnSpec, families, families.values())), np.arange(ROWS))


def _rows_in_another_order(given: Given) -> Given:
    order = np.random.default_rng([0, 9]).permutation(ROWS)
    frame = given.frame.iloc[order].reset_index(drop=True)
    return replace(given, frame=frame, back=np.argsort(order))


def _columns_in_another_order(given: Given) -> Given:
    names = list(given.schema)[::-1]
    return replace(given, frame=given.frame[names], schema=Schema(given.schema[n] for n in names))


def _a_column(value: float) -> Callable[[Given], Given]:
    """With a column that is what it is taken for: asked for by hand, a sentence refuses it."""

    def change(given: Given) -> Given:
        frame = given.frame.assign(more=value)
        schema = Schema([*given.schema.values(), infer_schema(frame)["more"]])
        return replace(given, frame=frame, schema=schema)

    return change


def _with(given: Given, **columns: pd.Series) -> Given:
    return replace(given, frame=given.frame.assign(**columns))


NAMED = {"x": "zebra", "y": "ant", "z": "mole"}
#: A change that says nothing new, whether E stays, and whether groups that overlap are the same.
LAWS: dict[str, tuple[Callable[[Given], Given], bool, bool]] = {
    "rows in another order": (_rows_in_another_order, True, True),
    "columns in another order": (_columns_in_another_order, True, True),
    "one column x 1000 + 77": (
        lambda given: _with(given, a=1000 * given.frame["a"] + 77),
        False,
        True,
    ),
    "levels named otherwise": (
        lambda given: _with(given, d=given.frame["d"].map(NAMED)),
        True,
        True,
    ),
    "a constant column": (_a_column(3.0), True, True),
    "an empty column": (_a_column(np.nan), True, True),
    # A row without values counts in the size of its group.
    "three empty rows": (
        lambda given: replace(given, frame=given.frame.reindex(range(ROWS + 3))),
        False,
        False,
    ),
}


def fitted(name: str, given: Given) -> ClusterEstimator | FitError:
    """Cluster it as the app does."""
    *_, task = tasks("digest", given.schema, Settings(), len(given.frame), (name,)).values()
    return Results().fit(task, given.frame, given.schema)


def first_seen(labels: np.ndarray) -> np.ndarray:
    """Groups numbered as they come, so that the same groups are the same numbers."""
    return pd.factorize(labels)[0]


def are_kept(one: ClusterEstimator, other: ClusterEstimator, back: np.ndarray, e: bool) -> bool:
    """Whether both have the same groups, and the same E where it should be."""
    away = abs(one.objective_ - other.objective_) if e else 0.0
    same = np.array_equal(first_seen(one.labels_[:ROWS]), first_seen(other.labels_[back]))
    return same and away <= NEAR


@pytest.mark.parametrize("law", LAWS)
def test_map_dp_keeps_every_law(law):
    change, keeps_e, if_they_overlap = LAWS[law]
    for distance in (APART, OVERLAPPING)[: 1 + if_they_overlap]:
        given = table(distance, False)
        changed = change(given)
        one, other = fitted("MAPDP", given), fitted("MAPDP", changed)
        assert are_kept(one, other, changed.back, keeps_e)


def test_every_row_twice_is_weights_of_two():
    given, method = table(APART, False), METHODS["MAPDP"]
    twice = pd.concat([given.frame] * COPIES, ignore_index=True)
    one, other = (method.estimator(**method.told(Settings(), given.frame.size)) for _ in range(2))
    one.fit(given.frame, schema=given.schema, sample_weight=np.full(ROWS, float(COPIES)))
    assert are_kept(one, other.fit(twice, schema=given.schema), given.back, True)


@pytest.mark.parametrize("name", [name for name in METHODS if name not in BY_ORDER])
def test_the_order_of_the_rows_is_nothing_to_the_other_methods(name):
    given = table(APART, name == ONE_FAMILY)
    changed = _rows_in_another_order(given)
    assert are_kept(fitted(name, given), fitted(name, changed), changed.back, True)
