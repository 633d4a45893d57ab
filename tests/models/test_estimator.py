"""The conventions of scikit-learn, which all the estimators keep."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import core

SMALL = {
    "MAPDP": {"prior": "empirical", "patience": 1, "random_state": 0},
    "CollapsedGibbs": {"prior": "empirical", "n_sweeps": 20, "random_state": 0},
    "DPMeans": {"n_clusters_hint": 2},
    "KMeansBIC": {"k_max": 4, "n_init": 2, "random_state": 0},
    "MixtureEM": {"n_components": 3, "random_state": 0},
    "MAPViews": {"prior": "empirical", "patience": 1, "random_state": 0},
    "BayesianHierarchy": {"prior": "empirical", "random_state": 0},
    "Biclusters": {"likelihood": "normal", "prior": "empirical", "patience": 1, "random_state": 0},
    "HardHDP": {},
    "KernelDPMeans": {"n_clusters_hint": 2},
    "SpectralDPMeans": {"random_state": 0},
    "PenalisedCut": {"random_state": 0},
    "AffinityPropagation": {"random_state": 0},
    "SpectralClustering": {"random_state": 0},
    "BisectingKMeans": {"random_state": 0},
    "HDBSCAN": {},
    "Agglomerative": {},
    "DissimilarityAnalysis": {},
    "MAPHDP": {"prior": "empirical", "patience": 1, "random_state": 0},
}
#: Checks that ask for what the library refuses, and why.
REFUSED = {
    "KernelDPMeans": {
        "check_sample_weights_pandas_series": "its frame has numbers for names of columns",
        **dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_sample_weights_list"),
            "w d^2 is compared with lambda (KJ12 5.2): a weight of 2 is not two rows, nor 0 none",
        ),
    }
}
#: Copies are drawn, ordered and compared with DP-means' penalty one by one, a row of weight 2 once;
#: that E, means and objectives are the same is tested with the weights.
EQUIVALENCE = {"check_sample_weight_equivalence_on_dense_data": "random starts are not of copies"}
NO_WEIGHTS = dict.fromkeys(
    [
        "check_all_zero_sample_weights_error",
        "check_sample_weight_equivalence_on_dense_data",
        *(
            f"check_sample_weights_{what}"
            for what in ("list", "not_an_array", "not_overwritten", "pandas_series", "shape")
        ),
    ],
    "counts every row once, and says so",
)


@pytest.mark.parametrize("name", SMALL)
def test_scikit_learn_checks_pass(name):
    # One check is skipped by itself: it needs SCIPY_ARRAY_API, for arrays other than numpy's.
    estimator = getattr(core, name)(**SMALL[name])
    refused = REFUSED.get(name, EQUIVALENCE if estimator.weighs_rows else NO_WEIGHTS)
    check_estimator(estimator, on_skip=None, expected_failed_checks=refused)


@pytest.mark.parametrize("name", SMALL)
def test_numbers_near_the_ends_of_floating_point(name):
    values = np.random.default_rng(0).normal(size=(12, 2))
    estimator = getattr(core, name)(**SMALL[name])
    with pytest.raises(ValueError, match="too large to be squared"):
        estimator.fit(1e200 * values)
    for tiny in (1e-150, 1e-154, 1e-160, 1e-200, 1e-320):
        assert np.isfinite(estimator.fit(tiny * values).objective_)
        if hasattr(estimator, "predict_proba"):
            assert np.isfinite(estimator.predict_proba(tiny * values)).all()
