"""Scripts give the labels of the page again, and short rules in Python their groups."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core.comparing.comparison import Task, tasks
from mapdp_studio.core.exports import script
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.prepare.columns import CutRanges
from mapdp_studio.core.prepare.recipe import Entry, Recipe
from mapdp_studio.core.prepare.rows import FilterRows
from mapdp_studio.core.prepare.tables import RenameColumns
from mapdp_studio.core.profiling.conditions import AT_LEAST, BELOW, IS, IS_NOT, Condition
from mapdp_studio.core.profiling.rules import Rule, Tally, rules_of_table
from mapdp_studio.demo_datasets import load_demo, load_scenario
from tests.tables.awkward_names import FRAME


def task_of(algorithm: str = "MAPDP", **arguments) -> Task:
    return Task("", (), algorithm, tuple(arguments.items()))


@pytest.mark.parametrize("algorithm", ["MAPDP", "CollapsedGibbs", "DPMeans"])
def test_a_script_gives_the_labels_again_in_a_fresh_process(fitted, run, tmp_path, algorithm):
    frame, schema, results, fits = fitted
    FRAME.to_csv(tmp_path / "my table.csv", index=False, sep=";")
    options = core.ReadOptions(**frame.attrs["read_options"])
    text = script.script_of(
        script.from_file("my table.csv", options), fits[algorithm], schema, 'A "b"\\'
    )
    np.testing.assert_array_equal(run(text), results.get(fits[algorithm]).labels_)


@pytest.fixture
def made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run_here(text: str) -> dict:
        names: dict = {}
        exec(text, names)
        np.testing.assert_array_equal(np.loadtxt("labels.csv", skiprows=1), names["labels"])
        return names

    return run_here


@pytest.mark.parametrize("merged", [(), ((0, 2),)], ids=["a scenario", "an example, merged"])
def test_a_script_draws_a_scenario_and_lays_merges_over_the_labels(made, merged):
    origin = script.from_demo("iris") if merged else script.from_scenario("5.2", n=60, seed=3)
    frame = load_demo("iris")[0] if merged else load_scenario("5.2", n=60, seed=3)[0]
    schema = core.infer_schema(frame)
    text = script.script_of(origin, task_of(random_state=1), schema, merged=merged)
    labels = core.MAPDP(random_state=1).fit(frame, schema).labels_
    np.testing.assert_array_equal(made(text)["labels"], Naming(merged=merged).apply(labels).labels)
    assert max(map(len, text.splitlines())) <= 100


def test_a_script_weighs_rows_and_counts_noise_as_a_group_as_the_page_does(made):
    x = [0.0, 0.1, 0.2, 9.0, 9.1, 9.2, 9.3, 50.0]
    frame = pd.DataFrame({"x": x, "times": [1, 2, 0, 1, 3, 1, 1, 1]})
    frame.to_csv("t.csv", index=False)
    schema = core.Schema(
        [core.ColumnSpec("x", "normal"), core.ColumnSpec("times", "poisson", "weight")]
    )
    weighed = tasks("d", schema, Settings(likelihood_power=0.5), 8)["MAPDP"]
    text = script.script_of(
        script.from_file("t.csv", core.ReadOptions()), weighed, schema, "weights"
    )
    assert "likelihood_power=0.5" in text
    expected = core.MAPDP(**dict(weighed.arguments)).fit(frame, schema)
    np.testing.assert_array_equal(made(text)["labels"], expected.labels_)
    schema, noisy = (
        core.Schema([core.ColumnSpec("x", "normal")]),
        task_of("HDBSCAN", min_cluster_size=3),
    )
    names = made(script.script_of(script.from_file("t.csv", core.ReadOptions()), noisy, schema))
    assert -1 in names["model"].labels_
    expected = core.HDBSCAN(min_cluster_size=3).fit_encoded(schema.encode(frame))
    np.testing.assert_array_equal(names["labels"], expected.labels_)


@pytest.mark.parametrize("mark", ["\0", "\x07", "\ud800", "\u2028", '"""', "\\"])
def test_a_script_compiles_whatever_is_in_a_name(mark):
    name = f"a{mark}b"
    schema = core.Schema([core.ColumnSpec(name, "categorical", levels=(name, "c"))])
    recipe = Recipe().with_step(RenameColumns(((name, "x"),)))
    origin = script.prepared(script.from_file(f"{name}.csv", core.ReadOptions(sheet=name)), recipe)
    text = script.script_of(origin, task_of(random_state=1), schema, name)
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
    frame = recipe.apply(core.read_table(tmp_path / "costs.csv")).frame
    schema = core.infer_schema(frame)
    assert (schema["price paid"].special, schema["range"].family) == (("zero",), "binomial")
    origin = script.prepared(script.from_file("costs.csv", core.ReadOptions()), recipe)
    text = script.script_of(origin, task_of(random_state=1), schema)
    labels = core.MAPDP(random_state=1).fit(frame, schema).labels_
    np.testing.assert_array_equal(made(text)["labels"], labels)


N = 1_000
TITLES = ("The rest", 'Old "ones"', "O'Brien's", "=4", "Cluster 5")
RANDOM = np.random.default_rng(5)
#: Columns of all kinds, with holes, codes and quotes in odd places.
KINDS = {
    'the "age"': {"family": "normal", "missing_codes": (999,)},
    "no column's": {"family": "categorical", "missing_codes": ("?",)},
    "crp": {"family": "normal", "transform": "log", "special": {"zero": 0}},
    "pain": {"family": "binomial", "levels": ("low", "middle", "high")},
    "smokes": {"family": "bernoulli", "levels": (False, True)},
    "kind": {"family": "categorical"},
    "far": {"family": "normal"},
}
AGE, CRP = RANDOM.integers(18, 90, N).astype(float), np.exp(RANDOM.normal(1.0, 1.0, N))
AGE[1::7], AGE[::5] = 999.0, np.nan
CRP[CRP < 1.5], CRP[::4] = 0.0, np.nan
WORDS = RANDOM.choice(["it's", 'a "b"', "Yes", "yes", " c"], N).astype(object)
PAIN = RANDOM.choice(["low", "middle", "high"], N).astype(object)
WORDS[::11], WORDS[::3], PAIN[::6] = "?", None, None
SMOKES, FAR = RANDOM.choice([True, False], N), RANDOM.integers(-3, 4, N)
CELLS = (AGE, WORDS, CRP.round(1), PAIN, SMOKES, RANDOM.choice([0, 1, 7], N), FAR)
TABLE = pd.DataFrame(dict(zip(KINDS, CELLS, strict=True)))
KNOWN = {name: {"role": "cluster"} | options for name, options in KINDS.items()}
ENCODED = core.infer_schema(TABLE).with_columns(KNOWN).encode(TABLE)
RULES = rules_of_table(TABLE, ENCODED, np.where(SMOKES, FAR > 0, RANDOM.integers(2, 5, N)))


def _random_rules(seed: int) -> list[Rule]:
    """Rules of conditions on all columns."""
    random, every = np.random.default_rng(seed), []
    for (name, of_outcome), cells in RULES.cells.items():
        values = np.unique(cells.values[~np.isnan(cells.values)])[int(of_outcome) :]
        words = (AT_LEAST, BELOW, IS) if cells.is_cut else (IS, IS_NOT)
        some = values[:: max(1, len(values) // 4)]
        every += [Condition(name, w, float(v), of_outcome) for w in words for v in some]
    return [Rule(k, tuple(random.choice(every, 1 + k % 3, replace=False))) for k in range(1, 5)]


def function_of(rules: list[Rule]):
    """That of some rules, each as sure as the others."""
    room, sure = {}, Tally(9, 9, 9)
    tallied = replace(RULES, rules=(None, *(replace(r, tally=sure, apart=sure) for r in rules)))
    exec(script.rules_in_python(tallied, TITLES, "a\n'file'", prepared=False), room)
    return room["group_of"]


@pytest.mark.parametrize("seed", [None, *range(8)])
def test_the_function_gives_the_groups_of_the_rules(seed):
    rules = [rule for rule in RULES.rules[1:] if rule] if seed is None else _random_rules(seed)
    assert {name for name, _ in RULES.cells} == {*TABLE}
    expected = np.full(N, None)
    for rule in reversed(rules):
        expected[rule.holds(RULES.cells)] = TITLES[rule.group]
    assert any(expected)
    group_of = function_of(rules)
    as_dicts = TABLE.astype(object).where(TABLE.notna(), None).to_dict("records")
    assert [group_of(row) for row in as_dicts] == expected.tolist()
    of_rows = [group_of(row) for _, row in TABLE.iterrows()]  # NaN and NA are missing
    assert of_rows == expected.tolist()


def test_blanks_around_a_text_make_no_other_text():
    """Files are read without them, and rules are tried on cells as they stand in a database."""
    group_of = function_of([Rule(k, (Condition("pain", IS, k - 1.0),)) for k in (1, 2)])
    cells = ["low  ", " middle", " high ", "low", None]
    assert [group_of({"pain": cell}) for cell in cells] == [*TITLES[1:3], None, TITLES[1], None]
