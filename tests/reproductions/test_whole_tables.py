"""Comparisons on whole data sets: KJ12's HDP and Table 1, R14's Tables 2 and 3, M12's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine

from mapdp_studio.core.models.dpmeans import DPMeans
from mapdp_studio.core.partitions.scores import nmi
from tests.reproductions import kj12_hdp, m12, uci
from tests.reproductions.beside import beside

TINY = uci.Effort(n_runs=2, sweeps=20, burn_in=10)


def test_means_stand_beside_what_is_printed():
    runs = pd.DataFrame({"data": ["a", "a", "a"], "method": ["x", "x", "y"], "nmi": [0.2, 0.4, 1]})
    table = beside(runs, "nmi", {"a": {"x": 0.5}, "b": {"x": 0.7}}).set_index(["data", "method"])
    assert table.loc[("a", "x")].tolist() == [pytest.approx(0.3), 0.5]
    assert table.loc[("a", "y"), "ours"] == 1.0
    assert np.isnan(table.loc[("a", "y"), "published"])
    assert np.isnan(table.loc[("b", "x"), "ours"])


def test_fifty_data_sets_share_fifteen_gaussians():
    rows, groups, truth = kj12_hdp.draw(3)
    assert np.unique(truth).size == 15
    for j in range(50):
        assert sorted(np.unique(truth[groups == j], return_counts=True)[1]) == [5] * 5
    residual = rows - np.array([rows[truth == k].mean(axis=0) for k in range(15)])[truth]
    assert residual.std() == pytest.approx(0.1, rel=0.05)


def test_the_hdp_experiment_scores_every_method_within_its_data_sets(monkeypatch):
    monkeypatch.setattr(kj12_hdp, "N_DATA_SETS", 4)
    found = kj12_hdp.hdp_runs(1, 5).set_index("method")
    assert [*found.index] == list(kj12_hdp.METHODS)
    assert found["nmi"].between(0.3, 1.0).all()
    assert found.loc[kj12_hdp.KMEANS_EACH, ["n_global", "n_local"]].tolist() == [20.0, 5.0]
    rows, groups, truth = kj12_hdp.draw(5)
    pooled = kj12_hdp._fitted(kj12_hdp.DPMEANS, rows, groups)[0]
    each = [nmi(truth[groups == j], pooled[groups == j]) for j in range(4)]
    assert found.loc[kj12_hdp.DPMEANS, "nmi"] == pytest.approx(np.mean(each))


def test_the_balance_tips_where_the_torque_is_larger():
    values, classes = uci.balance_scale()
    assert len(np.unique(values, axis=0)) == 625
    assert np.bincount(classes).tolist() == [288, 49, 288]
    assert classes[(values == [5, 5, 1, 1]).all(axis=1)].tolist() == [2]


def test_k_means_and_dp_means_score_as_kj12_prints_of_the_wines():
    runs = uci.kj12_table_1({"Wine": load_wine(return_X_y=True)}, TINY)
    table = beside(runs, "nmi", uci.KJ12_PUBLISHED["nmi"]).set_index(["data", "method"])
    for method in (uci.DPMEANS, uci.KMEANS):
        row = table.loc[("Wine", method)]
        assert abs(row["ours"] - row["published"]) < 0.05
    assert table.loc[("Wine", uci.GIBBS), "ours"] > 0.2


def test_r14_s_methods_run_under_its_prior():
    tables = {"Wine": load_wine(return_X_y=True)}
    runs = uci.r14_tables(tables, TINY).set_index(["method", "run"])
    assert runs.loc[uci.DPMEANS, "n_clusters"].tolist() == [3.0, 3.0]
    assert runs.loc[(uci.DPMEANS, 0), "nmi"] == pytest.approx(0.42, abs=0.03)
    assert runs.loc[uci.SEARCH, "nmi"].min() > 0.5
    assert runs.loc[(uci.GIBBS, 0), "iterations"] >= 10


def test_the_penalty_is_one_that_gives_the_number_of_clusters():
    values, classes = load_wine(return_X_y=True)
    model = DPMeans(uci.penalty_for(values, 3)).fit(values)
    assert model.n_clusters_ == np.unique(classes).size


def test_trees_are_cut_at_the_true_number(monkeypatch):
    monkeypatch.setattr(m12, "N_ROWS", 40)
    runs = m12.table_25_1(2, seed=1)
    assert len(runs) == 2 * 2 * 4
    means = runs.groupby("method")["purity"].mean()
    assert means[m12.BHC] > means["single"]
    encoded, _ = m12.images(*load_digits(return_X_y=True), np.random.default_rng(0))
    assert set(np.unique(encoded.values)) == {0.0, 1.0}
