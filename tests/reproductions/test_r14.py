"""R14's experiment on Chinese restaurant draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student_t

from tests.expected_clusters import expected_clusters
from tests.reproductions import r14


@pytest.fixture(scope="module")
def crp():
    return r14.crp_experiment(2, n=80, n_sweeps=40, n_kept=5)


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
    assert crp.groupby("method").size().to_dict() == dict.fromkeys(r14.METHODS, 2)
    by_method = crp.set_index(["method", "draw"])
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
    first = crp[(crp["draw"] == 0) & (crp["method"] == r14.TRUTH)]
    assert first["held_out_nll"].item() == pytest.approx(-np.log(density).mean())
