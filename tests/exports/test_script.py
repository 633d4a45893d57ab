"""Scripts that give the labels of the page again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import (
    HDBSCAN,
    MAPDP,
    ColumnSpec,
    ReadOptions,
    Schema,
    infer_schema,
    read_table,
)
from mapdp_studio.core.comparing.comparison import Task, tasks
from mapdp_studio.core.exports.script import (
    from_demo,
    from_file,
    from_scenario,
    methods_in_address,
    prepared,
    script_of,
)
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.prepare.columns import CutRanges
from mapdp_studio.core.prepare.recipe import Entry, Recipe
from mapdp_studio.core.prepare.rows import FilterRows
from mapdp_studio.core.prepare.tables import RenameColumns
from mapdp_studio.demo_datasets import load_demo, load_scenario
from tests.tables.awkward_names import FRAME


def told(algorithm: str = "MAPDP", **arguments) -> Task:
    return Task("", (), algorithm, tuple(arguments.items()))


@pytest.mark.parametrize("algorithm", ["MAPDP", "CollapsedGibbs", "DPMeans"])
def test_a_script_gives_the_labels_again_in_a_fresh_process(fitted, run, tmp_path, algorithm):
    frame, schema, results, wanted = fitted
    FRAME.to_csv(tmp_path / "my table.csv", index=False, sep=";")
    options = ReadOptions(**frame.attrs["read_options"])
    text = script_of(from_file("my table.csv", options), wanted[algorithm], schema, 'A "b"\\')
    np.testing.assert_array_equal(run(text), results.get(wanted[algorithm]).labels_)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """What a script leaves, run beside the files of a test."""
    monkeypatch.chdir(tmp_path)

    def run_here(text: str) -> dict:
        names: dict = {}
        exec(text, names)
        np.testing.assert_array_equal(np.loadtxt("labels.csv", skiprows=1), names["labels"])
        return names

    return run_here


@pytest.mark.parametrize("merged", [(), ((0, 2),)], ids=["a scenario", "an example, merged"])
def test_a_script_draws_a_scenario_and_lays_merges_over_the_labels(made, merged):
    origin = from_demo("iris") if merged else from_scenario("5.2", n=60, seed=3)
    frame = load_demo("iris")[0] if merged else load_scenario("5.2", n=60, seed=3)[0]
    schema = infer_schema(frame)
    text = script_of(origin, told(random_state=1), schema, merged=merged)
    labels = MAPDP(random_state=1).fit(frame, schema).labels_
    np.testing.assert_array_equal(made(text)["labels"], Naming(merged=merged).apply(labels).labels)
    assert max(map(len, text.splitlines())) <= 100


def test_a_script_weighs_rows_and_counts_noise_as_a_group_as_the_page_does(made):
    x = [0.0, 0.1, 0.2, 9.0, 9.1, 9.2, 9.3, 50.0]
    frame = pd.DataFrame({"x": x, "times": [1, 2, 0, 1, 3, 1, 1, 1]})
    frame.to_csv("t.csv", index=False)
    schema = Schema([ColumnSpec("x", "normal"), ColumnSpec("times", "poisson", "weight")])
    weighed = tasks("d", schema, Settings(likelihood_power=0.5), 8)["MAPDP"]
    text = script_of(from_file("t.csv", ReadOptions()), weighed, schema, "weights")
    assert "likelihood_power=0.5" in text
    expected = MAPDP(**dict(weighed.arguments)).fit(frame, schema)
    np.testing.assert_array_equal(made(text)["labels"], expected.labels_)
    schema, noisy = Schema([ColumnSpec("x", "normal")]), told("HDBSCAN", min_cluster_size=3)
    names = made(script_of(from_file("t.csv", ReadOptions()), noisy, schema))
    assert -1 in names["model"].labels_
    expected = HDBSCAN(min_cluster_size=3).fit_encoded(schema.encode(frame))
    np.testing.assert_array_equal(names["labels"], expected.labels_)


@pytest.mark.parametrize("mark", ["\0", "\x07", "\ud800", "\u2028", '"""', "\\"])
def test_a_script_compiles_whatever_is_in_a_name(mark):
    name = f"a{mark}b"
    schema = Schema([ColumnSpec(name, "categorical", levels=(name, "c"))])
    recipe = Recipe().with_step(RenameColumns(((name, "x"),)))
    origin = prepared(from_file(f"{name}.csv", ReadOptions(sheet=name)), recipe)
    text = script_of(origin, told(random_state=1), schema, name)
    compile(text.encode(), "script.py", "exec")


def test_a_script_reads_prepares_and_keeps_outcomes_apart(made, tmp_path):
    random = np.random.default_rng(0)
    group = random.integers(2, size=80)
    cost = np.where(random.random(80) < 0.5, 0.0, np.exp(random.normal(2 * group, 0.3)))
    lines = [f'"${c:,.2f}",{x:.3f}' for c, x in zip(cost, random.normal(3 * group), strict=True)]
    (tmp_path / "costs.csv").write_text("\n".join(["cost,x", *lines]))
    steps = (
        FilterRows("x", "at least", (-2.0,)),
        RenameColumns((("cost", "price paid"),)),
        CutRanges("x", (0.0, 2.0), "range"),
    )
    recipe = Recipe(tuple(map(Entry, steps)))
    frame = recipe.apply(read_table(tmp_path / "costs.csv")).frame
    schema = infer_schema(frame)
    assert (schema["price paid"].special, schema["range"].family) == (("zero",), "binomial")
    origin = prepared(from_file("costs.csv", ReadOptions()), recipe)
    text = script_of(origin, told(random_state=1), schema)
    labels = MAPDP(random_state=1).fit(frame, schema).labels_
    np.testing.assert_array_equal(made(text)["labels"], labels)


def test_an_address_holds_the_methods_side_by_side_and_what_they_are_told():
    settings = Settings().telling("Agglomerative", "linkage", "ward")
    settings = settings.telling("HDBSCAN", "min_cluster_size", 7)
    assert methods_in_address(settings, ("MAPDP", "Agglomerative")) == {
        "methods": "MAPDP,Agglomerative",
        "Agglomerative.linkage": "ward",
    }
