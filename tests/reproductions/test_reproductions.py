"""The papers' experiments, at a size that takes seconds: what must hold at any size."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.stats import t as student_t

from core.models.concentration import expected_clusters
from core.reproductions import kj12, r14, r16
from demo_datasets import bayes_labels, load_scenario


class Stop(BaseException):
    pass


def _stop_at(count):
    seen = []

    def callback(progress):
        seen.append(progress)
        assert 0 <= progress.done < progress.total
        assert progress.phase
        if len(seen) == count:
            raise Stop

    return callback


@pytest.fixture(scope="module")
def crp():
    shared = []
    found = r14.crp_experiment(2, n=80, n_sweeps=40, n_kept=5, share=shared.append)
    assert [len(part.runs) for part in shared] == [len(r14.METHODS), 2 * len(r14.METHODS)]
    return found


def test_mixture_draws_follow_the_restaurant_and_the_prior():
    random = np.random.default_rng(0)
    draws = [r14.draw_mixture(random, 40) for _ in range(300)]
    clusters = np.array([np.unique(draw.truth).size for draw in draws])
    error = clusters.std() / np.sqrt(clusters.size)
    assert abs(clusters.mean() - expected_clusters(r14.CONCENTRATION, 40)) < 4 * error
    assert {draw.held_out.shape for draw in draws} == {(40, 2)}
    # Rows of the first cluster of each draw: a draw of the prior's own predictive, a Student t.
    firsts = np.array([draw.values[0] for draw in draws]).ravel()
    prior = r14.PRIOR
    spread = np.sqrt(prior.rate * (prior.mean_count + 1) / (prior.shape * prior.mean_count))
    uniform = student_t.cdf(firsts, 2 * prior.shape, prior.mean, spread)
    assert abs(uniform.mean() - 0.5) < 4 * np.sqrt(1 / 12 / firsts.size)
    assert abs(np.mean(uniform < 0.1) - 0.1) < 4 * np.sqrt(0.09 / firsts.size)


def test_crp_experiment_measures_every_method_on_every_draw(crp):
    assert crp.runs.groupby("method").size().to_dict() == dict.fromkeys(r14.METHODS, 2)
    by_method = crp.runs.set_index(["method", "draw"])
    refined, plain = by_method.loc[r14.REFINED], by_method.loc[r14.PLAIN]
    assert (refined["objective"] <= plain["objective"] + 1e-6).all()
    truth = by_method.loc[r14.TRUTH]
    assert truth[["nmi", "nmi_max", "ami"]].to_numpy() == pytest.approx(1.0)
    assert (truth["difference"] == 0).all()
    assert (by_method["nmi_max"] <= by_method["nmi"] + 1e-12).all()


def test_held_out_density_of_the_true_partition(crp):
    random = np.random.default_rng(0).spawn(2)[0]
    draw = r14.draw_mixture(random, 80)
    density = np.zeros(80)
    rows = [draw.values[draw.truth == k] for k in np.unique(draw.truth)]
    for size, posteriors in [
        *((len(x), [r14.PRIOR.posterior(column) for column in x.T]) for x in rows),
        (r14.CONCENTRATION, [r14.PRIOR] * 2),
    ]:
        log_density = np.full(80, np.log(size / (80 + r14.CONCENTRATION)))
        for post, x in zip(posteriors, draw.held_out.T, strict=True):
            spread = np.sqrt(post.rate * (post.mean_count + 1) / (post.shape * post.mean_count))
            log_density += student_t.logpdf(x, 2 * post.shape, post.mean, spread)
        density += np.exp(log_density)
    first = crp.runs[(crp.runs["draw"] == 0) & (crp.runs["method"] == r14.TRUTH)]
    assert first["held_out_nll"].item() == pytest.approx(-np.log(density).mean())


def test_crp_summary_stands_beside_the_published_values(crp):
    summary = crp.summary().set_index(["measure", "method"])
    assert summary.loc[("difference", r14.PLAIN), "published"] == -6.94
    assert summary.loc[("nmi", r14.GIBBS), "published"] == 0.67
    assert summary["published"].notna().sum() == 2 * len(r14.PUBLISHED)
    curves = crp.size_curves()
    assert curves.groupby("method")["mean"].sum().to_numpy() == pytest.approx(1.0)
    largest = curves[curves["rank"] == 1]
    assert (largest["low"] <= largest["median"]).all()
    assert (largest["median"] <= largest["high"]).all()


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


def test_scenario_runs_stand_beside_the_tables():
    effort = r16.Effort(200, 3, 5, 2, 2, 20)
    runs = r16.scenario_runs(load_scenario, (0, 1), sections=("5.5",), effort=effort)
    assert len(runs) == 2 * len(r16.ALGORITHMS)
    table = r16.beside_published(runs, "nmi").set_index("algorithm")
    assert table.loc[r16.MAPDP_SEARCH, "ours"] > 0.97
    assert table.loc[r16.EM, "published"] == 0.99
    iterations = r16.beside_published(runs, "iterations").set_index("algorithm")
    assert iterations.loc[r16.GIBBS, "published"] == 459
    assert iterations.loc[r16.GIBBS, "highest"] <= effort.sweeps
    clusters = r16.beside_published(runs, "n_clusters").set_index("algorithm")
    assert clusters.loc[r16.KMEANS, ["lowest", "highest"]].tolist() == [3, 3]
    assert "200 rows" in r16.describe_effort(effort)
    with pytest.raises(ValueError, match="not known"):
        r16.scenario_runs(load_scenario, algorithms=["K-medians"], effort=effort)


def test_true_responsibilities_are_bayes_rule_to_sampling_error():
    frame, truth = load_scenario("5.6", 2000)
    weight = r16.true_responsibilities(frame.to_numpy(), truth)
    assert weight.sum(axis=1) == pytest.approx(1.0)
    agreement = np.mean(weight.argmax(axis=1) == bayes_labels("5.6", frame))
    assert agreement > 0.97


@pytest.mark.parametrize(
    "experiment",
    [
        partial(r14.crp_experiment, 2, n=40, n_sweeps=20),
        partial(kj12.figure_two, 2, 20, n=60, n_penalties=4),
        partial(r16.scenario_runs, load_scenario, effort=r16.Effort(100, 2, 3, 1, 1, 5)),
    ],
    ids=["r14", "kj12", "r16"],
)
def test_experiments_stop_at_once(experiment):
    with pytest.raises(Stop):
        experiment(callback=_stop_at(12))
