"""A method is its estimator and its record: laws over all records, and of the groups they find."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core import ColumnSpec, Schema, infer_schema
from mapdp_studio.core.comparing.comparison import FitError, Results, Task, scoreboard, tasks
from mapdp_studio.core.comparing.panels import method_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.exports.script import from_demo, script_of
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.teaching.glossary import words
from mapdp_studio.core.teaching.steps import procedures, row_costs, walk
from tests.classroom import SETTINGS, fitted, room
from tests.planted_method import HALVES
from tests.tables.labelled import FRAME, SCHEMA

OTHERS = Settings(7.0, 9.0, 4, False, 2, 11, 0.5)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_record_names_the_settings_that_its_arguments_depend_on(method):
    starts = (Settings(), OTHERS)
    touching = {
        setting.name
        for setting in fields(Settings)
        for start in starts
        for other in starts
        if method.arguments(start, 100)
        != method.arguments(replace(start, **{setting.name: getattr(other, setting.name)}), 100)
    }
    assert touching == {*method.reads}
    given = method.arguments(OTHERS, 100)
    assert given.items() <= method.estimator(**given).get_params().items()


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_fit_is_remarked_on_and_explained(method):
    table = np.random.default_rng(0).normal(size=(24, 3))
    table[12:] += 6.0
    arguments = method.arguments(Settings(n_clusters=2), table.size)
    model = method.estimator(**arguments).fit(pd.DataFrame(table, columns=list("abc")))
    assert model.n_clusters_ >= 1
    assert method.remark(model)
    assert method.explanation(model).endswith(".")
    assert sum(other.title == method.title for other in METHODS.values()) == 1
    assert model.result_.algorithm == method.name


@pytest.mark.usefixtures("a_sixth")
def test_a_planted_method_stands_wherever_methods_are_listed():
    results, planned = Results(), tasks("digest", SCHEMA, Settings(), len(FRAME))
    assert planned["Halves"].arguments == (("turned", True),)
    for task in planned.values():
        results.fit(task, FRAME, SCHEMA)
    view = choose_view(SCHEMA.encode(FRAME))
    panel = method_panel([*planned][-1], view, results, planned, planned, None)
    assert panel.title.startswith("Halves, K = 2, NMI")
    assert panel.remark == "cut in two, by one column"
    assert panel.outlines == ()
    last = scoreboard(results, planned, None).iloc[-1]
    assert (last.name, last["K"]) == ("Halves", 2)
    assert np.isfinite(last["E"])
    text = script_of(from_demo("iris"), planned["Halves"], SCHEMA, "Cut")
    assert "from mapdp_studio.core import Halves, Schema" in text
    assert "model = Halves(turned=True).fit(frame, schema)" in text
    assert words()["Halves"] == "Cuts the rows in two."
    assert core.Halves is HALVES.estimator


@pytest.mark.usefixtures("a_sixth")
def test_a_planted_method_can_be_watched_and_asked_about_a_row():
    here = room("5.1", 150)
    results = fitted(here)
    found = row_costs(results, here.tasks, here.encoded, 3, here.truth.classes)
    assert [one.title for one in found] == [method.title for method in METHODS.first.values()]
    assert found[-1].words == "There is nothing to weigh."
    assert list(procedures())[-1] == "halves"
    run = walk("halves", here.encoded, here.view, here.truth.classes, SETTINGS, 0.1)
    assert [step.kind for step in run.steps] == ["cut at 0.25", "cut at 0.5"]
    assert "Halves" in here.methods


@pytest.mark.usefixtures("a_sixth")
def test_a_method_s_bound_on_rows_is_said_before_it_runs(monkeypatch):
    monkeypatch.setitem(METHODS, "Halves", replace(HALVES, is_first=True, most_rows=80))
    task = tasks("digest", SCHEMA, Settings(), len(FRAME))["Halves"]
    refused = Results().fit(task, FRAME, SCHEMA)
    assert isinstance(refused, FitError)
    with pytest.raises(ValueError, match="'Magic' is no method: there are MAPDP, DPMeans"):
        Results().fit(Task("digest", (), "Magic", ()), FRAME, SCHEMA)
    assert refused.reason == "Halves takes up to 80 rows and the table has 90: leave some out."


#: Distance of the groups' centres in standard deviations.
APART, OVERLAPPING = 12.0, 2.0
ROWS = 36
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


def clustered(name: str, given: Given) -> ClusterEstimator | FitError:
    """Cluster it as the app does."""
    *_, task = tasks("digest", given.schema, Settings(), len(given.frame), (name,)).values()
    return Results().fit(task, given.frame, given.schema)


def first_seen(labels: np.ndarray) -> np.ndarray:
    """Groups numbered as they come, so that the same groups are the same numbers."""
    return pd.factorize(labels)[0]


def are_equal(one: ClusterEstimator, other: ClusterEstimator, back: np.ndarray, e: bool) -> bool:
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
        one, other = clustered("MAPDP", given), clustered("MAPDP", changed)
        assert are_equal(one, other, changed.back, keeps_e)


@pytest.mark.parametrize("name", [name for name in METHODS if name not in BY_ORDER])
def test_the_order_of_the_rows_is_nothing_to_the_other_methods(name):
    given = table(APART, name == ONE_FAMILY)
    changed = _rows_in_another_order(given)
    assert are_equal(clustered(name, given), clustered(name, changed), changed.back, True)
