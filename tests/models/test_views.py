"""Views against enumeration, MAP-DP, planted groupings and their own invariances."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from mapdp_studio.core import MAPDP, MAPViews, infer_schema
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import NormalPrior
from mapdp_studio.core.models.priors import EMPIRICAL_SCALE
from mapdp_studio.core.models.views import ViewSearch
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import plain_columns, random_families, random_table
from tests.reference import log_marginal, lowest_partition, partition_objective, set_partitions
from tests.several_groupings import three_groupings


def _slow_objective(model: MAPViews, encoded: Encoded, concentration: float) -> float:
    of_unit = model.result_.details["view_of_unit"]
    total = partition_objective([], of_unit, concentration)
    for view in model.views_:
        packed = plain_columns(view.columns_, view.partition_.table)
        total += partition_objective(packed, view.labels_, view.concentration)
    return total


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_objective_is_the_slow_twin_s_and_never_above_one_view_s(seed):
    random = np.random.default_rng(seed)
    encoded, _ = random_table(random, 40, random_families(random, most=6), fill=True)
    model, seen = MAPViews(2.0, 0.7, patience=2, random_state=seed).fit_encoded(encoded), []
    assert model.objective_ == pytest.approx(_slow_objective(model, encoded, 0.7), abs=1e-6)
    again = MAPViews(2.0, 0.7, patience=2, random_state=seed).fit_encoded(encoded, seen.append)
    assert np.array_equal(again.objective_trace_, model.objective_trace_)
    assert np.array_equal(again.labels_, model.labels_)
    done = [progress.done / progress.total for progress in seen]
    assert done == sorted(done)
    assert 0.0 <= done[0] <= done[-1] < 1.0
    single = MAPDP(2.0, patience=2, random_state=seed).fit_encoded(encoded)
    alone = single.objective_ + partition_objective([], [0] * len(encoded.units), 0.7)
    assert model.single_objective_ == pytest.approx(alone)
    assert model.objective_ <= alone + 1e-9


def test_lowest_of_all_divisions_of_three_columns_and_four_rows():
    hits = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        families = list(random.choice(["normal", "bernoulli", "poisson", "categorical"], 3))
        encoded, priors = random_table(random, 4, families)
        packed = plain_columns(PackedTable.pack(encoded, priors))
        lowest = np.inf
        for of_unit in set_partitions(3):
            views = [[packed[u] for u in range(3) if of_unit[u] == v] for v in set(of_unit)]
            rows = sum(lowest_partition(view, 4, 2.0) for view in views)
            lowest = min(lowest, rows + partition_objective([], of_unit, 0.8))
        model = MAPViews(2.0, 0.8, prior=list(priors), patience=5, random_state=0)
        model.fit_encoded(encoded)
        assert model.objective_ > lowest - 1e-8
        hits += model.objective_ < lowest + 1e-8
    assert hits >= 29


def test_a_weight_is_so_many_rows_and_none_a_label_in_every_view():
    random = np.random.default_rng(3)
    encoded, _ = random_table(random, 25, ["normal", "poisson", "bernoulli", "normal"])
    weights = random.integers(0, 4, 25)
    model = MAPViews(2.0, 0.7, likelihood_power=0.6, patience=2, random_state=0)
    model.fit_encoded(replace(encoded, weights=weights.astype(float)))
    total = partition_objective([], model.result_.details["view_of_unit"], 0.7)
    for view in model.views_:
        part = view.columns_.encoded
        assert len(part.values) == len(view.labels_) == 25
        rows = Encoded(np.repeat(part.values, weights, axis=0), part.units)
        packed = PackedTable.pack(rows, view.prior_, 0.6)
        total += Partition(packed, 2.0, np.repeat(view.labels_, weights)).objective()
    assert model.objective_ == pytest.approx(total)


def test_a_column_with_special_outcomes_and_a_block_are_in_one_view():
    random = np.random.default_rng(0)
    is_zero = random.random(60) < 0.5
    frame = pd.DataFrame(
        {
            "cost": np.where(is_zero, 0.0, np.exp(random.normal(5.0, 1.0, 60))),
            "ill": np.where(is_zero, "no", "yes"),
            "age": random.normal(50.0, 9.0, 60),
            "size": random.normal(50.0, 9.0, 60),
        }
    )
    schema = infer_schema(frame).with_block("pair", ["size", "age"], "gaussian")
    assert schema["cost"].special
    model = MAPViews(patience=1, random_state=0).fit(frame, schema)
    assert model.view_of_column_.shape == (4,)
    assert model.view_of_column_[2] == model.view_of_column_[3]
    assert model.dependence_.shape == (3, 3)
    for v, view in enumerate(model.views_):
        inside = [schema.names("cluster")[j] for j in np.flatnonzero(model.view_of_column_ == v)]
        assert view.schema_.names("cluster") == tuple(inside)
        assert {*view.columns_.encoded.columns} == {*inside}
        assert view.predict(frame).shape == (60,)


@pytest.fixture(scope="module")
def planted():
    encoded, of_column, truths = three_groupings(5, n=120)
    return encoded, of_column, truths, MAPViews(patience=5, random_state=0).fit_encoded(encoded)


def test_independent_groupings_are_told_apart(planted):
    encoded, of_column, truths, model = planted
    assert ari(model.view_of_column_, of_column) > 0.9
    single = MAPDP(random_state=0).fit_encoded(encoded)
    for truth in truths:
        found = max(ari(truth, view.labels_) for view in model.views_)
        assert found > 0.9
        assert found > ari(truth, single.labels_)
    noise = set(model.view_of_column_[of_column == 3]) - set(model.view_of_column_[of_column < 3])
    assert all(model.views_[v].n_clusters_ == 1 for v in noise)
    random = np.random.default_rng(1)
    rows, units = random.permutation(120), random.permutation(len(encoded.units))
    values = np.ascontiguousarray(encoded.values[np.ix_(rows, units)])
    mixed = Encoded(values, tuple(encoded.units[u] for u in units))
    other = MAPViews(patience=5, random_state=0).fit_encoded(mixed)
    assert other.objective_ == pytest.approx(model.objective_)
    assert ari(other.view_of_column_, model.view_of_column_[units]) == 1.0


@pytest.mark.parametrize("seed", [1, 11])
def test_columns_that_follow_groups_by_chance_leave_for_what_e_gained(seed, monkeypatch):
    encoded, of_column, _ = three_groupings(seed, 100, (5,), n_noise=12, missing=0.3)
    found = [None, MAPViews(patience=3, random_state=0).fit_encoded(encoded)]
    monkeypatch.setattr(ViewSearch, "without_weak_columns", lambda self, views, *_: views)
    found[0] = MAPViews(patience=3, random_state=0).fit_encoded(encoded)
    # Which columns stand in a view of several groups.
    divided = [[model.views_[v].n_clusters_ > 1 for v in model.view_of_column_] for model in found]
    divided = np.array(divided)
    true = of_column == 0
    lost = int(np.sum(divided[0] & ~true))
    assert lost > 0
    assert np.array_equal(divided[1], true)
    rise = found[1].objective_ - found[0].objective_
    assert 0.0 < rise < lost * np.log(17)
    assert found[1].objective_ == pytest.approx(_slow_objective(found[1], encoded, 1.0), abs=1e-6)
    assert found[1].objective_ == found[1].objective_trace_[-1]
    assert found[1].objective_ <= found[1].single_objective_


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_column_stays_in_its_view_from_ln_u_nats_of_evidence_on(share):
    random, group = np.random.default_rng(0), np.arange(400) % 2
    strong = 8.0 * group[:, None] + random.normal(size=(400, 3))
    noise, weak = random.normal(size=(400, 4)), random.normal(size=400)

    def rise(apart: float) -> float:
        """Of E, if the column joins the four that tell nothing instead of the three that do."""
        column = weak + apart * group
        prior = NormalPrior.default(column, EMPIRICAL_SCALE)
        together = prior.log_marginal(column)
        nats = sum(prior.log_marginal(column[group == k]) for k in range(2)) - together
        return nats + np.log(3) - np.log(4)

    apart = optimize.brentq(lambda apart: rise(apart) - share * np.log(8), 0.0, 3.0)
    table = np.column_stack([strong, noise, weak + apart * group])
    model = MAPViews(prior="empirical", patience=3, random_state=0).fit(table)
    *views, own = model.view_of_column_.tolist()
    assert (own == views[0], own == views[3]) == (share > 1.0, share < 1.0)


def test_dependence_is_a_log_bayes_factor_of_bins():
    encoded, of_column, _ = three_groupings(2, n=60, missing=0.0)
    model = MAPViews(prior="empirical", patience=0, random_state=0).fit_encoded(encoded)
    nats, plain = model.dependence_, plain_columns(model.single_.columns_)
    for u, w in itertools.product(range(1, 9, 4), range(0, 20, 3)):
        if u == w or encoded.units[w].family == "bernoulli":
            continue
        family, prior, values = plain[w]
        bins = encoded.values[:, u]  # a yes/no column: its bins are its values
        apart = sum(log_marginal(family, prior, values[bins == k]) for k in np.unique(bins))
        assert nats[u, w] >= apart - log_marginal(family, prior, values) - 1e-8
        assert nats[u, w] == nats[w, u]
    is_pair, same = np.tri(20, k=-1) > 0, np.equal.outer(of_column, of_column)
    inside, across = (nats[:20, :20][is_pair & of[:20, :20]] for of in (same, ~same))
    assert inside.mean() > across.mean() + 1.0
