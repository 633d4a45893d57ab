"""The model chosen with the groups: its E by another way, what it keeps, what it finds."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, choose_model, infer_schema
from mapdp_studio.core.families import FAMILIES, GaussianPrior, NormalPrior
from mapdp_studio.core.families.pooled import best_pooled
from mapdp_studio.core.models.choice import choose
from mapdp_studio.core.models.choice.candidates import (
    STRENGTHS,
    SetCosts,
    best_sets,
    price,
    step_of,
)
from mapdp_studio.core.models.choice.model import Dataset, best_model, changes_of, suggested
from tests.random_tables import plain_columns
from tests.reference import log_marginal, partition_objective


def _ellipses(seed=0, n=150, apart=5.0):
    """Two groups of three columns that vary together within them, apart across the long axis."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    size = random.normal(size=n)
    x = size[:, None] * [3.0, 3.0, 3.0] + 0.5 * random.normal(size=(n, 3))
    x[:, 0] += apart * group
    return pd.DataFrame(np.round(x, 3), columns=list("abc")), group


def _mixed(seed=0, n=120):
    """A measurement, ratings wider than a binomial, counts, names, yes/no; some cells missing."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    frame = pd.DataFrame(
        {
            "size": np.round(np.exp(random.normal(1.0 + 1.5 * group, 0.3)), 2),
            "rating": random.choice([1, 2, 3, 4, 5], n, p=[0.4, 0.1, 0.0, 0.1, 0.4]),
            "visits": random.poisson(np.where(group, 9.0, 1.0)),
            "site": random.choice(["north", "south", "west"], n),
            "smoker": np.where(random.random(n) < 0.2 + 0.6 * group, "yes", "no"),
        }
    )
    return frame.mask(random.random(frame.shape) < 0.04)


def test_its_e_is_that_of_the_partition_the_jacobians_and_the_prices():
    frame = _mixed()
    choice = choose_model(frame)
    model = choice.model
    inside = partition_objective(plain_columns(model.columns_), model.labels_, 3.0)
    assert model.objective_ == pytest.approx(inside, rel=1e-9)
    assert [n for n in frame if choice.schema[n].transform is not None] == ["size"]
    assert choice.schema["size"].transform == "log"
    jacobian = np.nansum(np.log(frame["size"].astype(float)))
    data = Dataset.of(frame, infer_schema(frame))
    first = MAPDP(random_state=np.random.default_rng(0)).fit(frame, data.schema)
    data = replace(data, usual=suggested(data, first.prior_).priors)
    again = best_model(data, model.labels_, suggested(data))
    assert again.schema.completed(frame) == choice.schema.without_choice()
    assert choice.objective == pytest.approx(inside + jacobian + again.price, abs=1e-6)
    assert choice.objective <= choice.suggested_objective


@pytest.mark.parametrize(("sample", "large"), [(2_000, 780), (100, 780), (100, 779)])
def test_columns_that_vary_together_make_a_block_and_the_groups_are_found(
    sample, large, monkeypatch
):
    monkeypatch.setattr(choose, "SAMPLE", sample)  # from which many rows begin
    monkeypatch.setattr(choose, "LARGE", large)  # and above which they are all that is searched
    frame, group = _ellipses(n=260)
    steps = []
    choice = choose_model(frame, callback=steps.append)
    assert any(step.phase == "all rows" for step in steps) == (large == 779)
    assert steps[-1].done >= steps[-1].total - 1
    of_all = partition_objective(plain_columns(choice.model.columns_), choice.model.labels_, 3.0)
    assert choice.model.objective_ == pytest.approx(of_all, rel=1e-9)
    assert choice.objective < choice.suggested_objective - 100.0
    assert [set(block.columns) for block in choice.schema.blocks.values()] == [set("abc")]
    labels = choice.model.labels_
    held = [{*group[labels == k]} for k in np.flatnonzero(np.bincount(labels) >= 5)]
    assert sorted(held, key=min) == [{0}, {1}]
    assert set(choice.steps[0].columns) == set("abc")
    assert choice.steps[0].gain > 100.0


def _set_costs(readings, group, columns, transforms, jacobian=None):
    """Of readings side by side, (N, R), of so many columns, in two groups."""
    moments = GaussianPrior.default(readings).statistic(readings, group, 2)
    nothing = np.zeros(readings.shape[1])
    jacobian = nothing if jacobian is None else jacobian
    costs = SetCosts(
        moments, nothing, len(readings), columns, transforms, jacobian, departs=nothing
    )
    single = np.array([costs((r,)) for r in range(len(columns))])
    return replace(costs, alone=np.array([single[columns == j].min() for j in set(columns)]))


@pytest.mark.parametrize("seed", range(6))
def test_best_sets_of_three_columns_are_those_of_lowest_cost(seed):
    frame, group = _ellipses(seed, 60, 2.0)
    x = frame.to_numpy() @ np.diag([1.0, 1.0, -1.0])
    x[:, 2] += np.random.default_rng(seed).normal(scale=6.0, size=60)
    costs = _set_costs(x, group, np.arange(3), np.zeros(3, dtype=int))
    ways = [[], [(0, 1)], [(0, 2)], [(1, 2)], [(0, 1, 2)]]
    assert costs.total(best_sets(costs)) == pytest.approx(min(map(costs.total, ways)))


def test_a_block_reads_its_columns_as_they_go_together():
    """A product and its factors: one in logarithms alone tells nothing, all three tell it all."""
    random = np.random.default_rng(0)
    logs = random.normal(scale=0.3, size=(120, 2))
    logs = np.column_stack([logs, logs.sum(axis=1) + 0.01 * random.normal(size=120)])
    readings, group = np.hstack([np.exp(logs), logs]), random.integers(2, size=120)
    jacobian = np.concatenate([np.zeros(3), logs.sum(axis=0)])
    columns, transforms = np.tile(np.arange(3), 2), np.repeat([0, 1], 3)
    costs = _set_costs(readings, group, columns, transforms, jacobian)
    ways = [tuple(sorted(way)) for way in product((0, 3), (1, 4), (2, 5))]
    assert min(ways, key=costs) == (3, 4, 5)
    assert best_sets(costs) == ((3, 4, 5),)
    plain = (0, 1, 2)
    assert costs.total(best_sets(costs, [plain])) < costs.total([plain])


@pytest.mark.parametrize(("d", "numbers", "sets"), [(1, 0, 1), (2, 1, 3), (3, 3 + 1, 1)])
def test_a_block_is_worth_its_evidence_less_its_price(d, numbers, sets):
    frame, group = _ellipses()
    x = frame.to_numpy()
    costs = _set_costs(x, group, np.arange(3), np.zeros(3, dtype=int))
    costs.departs = np.array([False, False, True])  # which is paid for as a number
    cells, family = (x[:, :d], GaussianPrior) if d > 1 else (x[:, 0], NormalPrior)
    (best,) = best_pooled(x, group, np.arange(d)[None])
    prior = family.of_pooled(best)
    evidence = prior.log_marginal_of(prior.statistic(cells, group, 2)).sum()
    paid = d * price(len(x), 2, 30) + price(len(x), numbers) + np.log(sets)
    assert costs(tuple(range(d))) == pytest.approx(paid - evidence)


def test_what_a_person_set_stays():
    frame = _mixed()
    schema = infer_schema(frame).with_column("visits", family="geometric")
    assert choose_model(frame, schema).schema["visits"].family == "geometric"
    assert choose_model(frame).schema["visits"].family != "geometric"
    joined, _ = _ellipses()
    own = infer_schema(joined).with_block("mine", ["a", "b"], "spherical")
    assert choose_model(joined, own).schema.blocks["mine"].family == "spherical"


def test_a_column_that_no_prior_of_the_groups_suits_keeps_its_own():
    """Its spreads differ by powers of ten: a pooled prior costs more than all others gain."""
    random = np.random.default_rng(0)
    group = random.integers(4, size=300)
    x = random.normal(size=(300, 1)) + 0.7 * random.normal(size=(300, 2))
    frame = pd.DataFrame(np.round(x, 2), columns=["a", "b"])
    for name in ("site", "kind"):
        levels = np.where(random.random(300) < 0.9, group, random.integers(4, size=300))
        frame[name] = np.array(["n", "s", "w", "o"])[levels]
    for name in ("paid", "owed"):
        frame[name] = np.rint(10.0 ** (group - 1) * random.normal(size=300))
        frame.loc[group == 0, name] = 0.0
    schema = infer_schema(frame)
    for name in ("paid", "owed"):
        found = {"family": "normal", "transform": None, "special": {}, "reason": "Found."}
        schema = schema.with_column(name, **found)
    assert [change.columns for change in choose_model(frame, schema).steps] == [("a", "b")]


def test_a_rating_wider_than_a_binomial_is_a_category():
    frame, labels = _mixed(n=200)[["rating", "size"]], np.zeros(200, dtype=int)
    data = Dataset.of(
        frame, Schema([ColumnSpec("rating", "binomial"), ColumnSpec("size", "normal")])
    )
    model = best_model(data, labels, suggested(data))
    assert model.schema["rating"].family == "categorical"
    (gain,) = [c.gain for c in changes_of(model, labels) if c.columns == ("rating",)]
    costs = []
    for candidate in data.candidates["rating"]:
        family, values = candidate.spec.family, candidate.values
        if family in ("binomial", "categorical"):
            default = FAMILIES[family].default_prior(values, 1.0, **candidate.unit.options)
            tried = [default.strengthened(s) for s in STRENGTHS]
            evidence = max(log_marginal(family, prior, values) for prior in tried)
            costs.append(price(200, default.n_learned, len(STRENGTHS)) - evidence)
    assert gain == pytest.approx(costs[0] - costs[1] - price(200, 1), abs=1e-6)


def test_every_change_gains_and_so_do_logarithms_within_a_block():
    frame, group = _ellipses(n=120)
    frame = np.exp(frame / 4.0).round(4)
    data = Dataset.of(frame, Schema([ColumnSpec(name, "normal") for name in frame]))
    model = best_model(data, group, suggested(data))
    changes = changes_of(model, group)
    assert [set(block) for block in model.blocks] == [set("abc")]
    assert len(changes) == 4
    assert min(change.gain for change in changes) > 20.0


@pytest.mark.parametrize("n_missing", [0, 15])
def test_rows_count_by_their_weights(n_missing):
    frame, _ = _ellipses(3, 80)
    frame.iloc[:n_missing] = np.nan
    twice = pd.concat([frame, frame], ignore_index=True)
    data = Dataset.of(frame, infer_schema(frame), np.full(80, 2.0))
    copies = Dataset.of(twice, infer_schema(twice))
    labels = np.zeros(80, dtype=int)
    one = best_model(data, labels, suggested(data))
    other = best_model(copies, np.tile(labels, 2), suggested(copies))
    assert one.blocks == other.blocks != ()
    assert one.price == pytest.approx(other.price)
    for name, prior in one.priors.items():
        for field, number in prior.to_dict().items():
            np.testing.assert_allclose(number, other.priors[name].to_dict()[field], rtol=1e-9)


STEPS = {
    0.5: [1.5, 2.0, 7.5, np.nan],
    0.2: [5.1, 4.9, 4.7],
    5.0: [10, 25, 30],
    0.0: [np.pi, np.e, 1],
}


@pytest.mark.parametrize(("step", "values"), [*STEPS.items(), (0.0, [3.0, 3.0])])
def test_the_step_is_that_of_which_all_values_are_multiples(values, step):
    assert step_of(np.array(values)) == pytest.approx(step)


def test_rows_of_weight_0_have_no_say_and_get_labels():
    frame, _ = _ellipses(1, 120)
    weights = np.where(np.arange(120) % 6, 1.0, 0.0)
    choice = choose_model(frame, sample_weight=weights)
    some = choose_model(frame[weights > 0].reset_index(drop=True))
    assert choice.objective == pytest.approx(some.objective, abs=1e-9)
    assert np.array_equal(choice.model.labels_[weights > 0], some.model.labels_)
    assert np.array_equal(choice.model.labels_[weights == 0], some.model.predict(frame[::6]))
    with pytest.raises(ValueError, match="All weights are zero"):
        choose_model(frame, sample_weight=np.zeros(120))
