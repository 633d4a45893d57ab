"""KJ12's figure 2."""

from __future__ import annotations

import pytest

from tests.reproductions import kj12


def test_figure_two_counts_what_dp_means_and_gibbs_do():
    figure = kj12.figure_two(3, 30, n=90, n_penalties=12)
    clusters = figure.by_penalty["n_clusters"].to_numpy()
    assert clusters[0] > kj12.N_CLUSTERS > clusters[-1] == 1
    low, high = figure.plateau()
    right = figure.by_penalty["penalty"].between(low, high)
    assert (figure.by_penalty.loc[right, "n_clusters"] == kj12.N_CLUSTERS).all()
    assert figure.dp_means["run"].nunique() == 3
    first = figure.dp_means[figure.dp_means["sweep"] == 0]
    assert (first["n_clusters"] == 1).all()
    assert figure.gibbs.groupby("method").size().to_dict() == {kj12.LEARNT: 30, kj12.VALIDATED: 30}
    learnt = figure.gibbs[figure.gibbs["method"] == kj12.LEARNT]
    assert learnt["concentration"].nunique() == 30
    summary = figure.summary().set_index("measure")
    last = figure.dp_means.groupby("run")["nmi"].last()
    assert summary.loc["mean NMI of DP-means", "ours"] == pytest.approx(last.mean())
    assert summary.loc["mean NMI of DP-means", "published"] == 0.89
