"""The conventions of scikit-learn, which all the estimators keep."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import has_fit_parameter

from mapdp_studio import core
from tests.random_tables import as_frame, random_table

SMALL = {
    "MAPDP": {"prior": "empirical", "patience": 1, "random_state": 0},
    "CollapsedGibbs": {"prior": "empirical", "n_sweeps": 20, "random_state": 0},
    "DPMeans": {"n_clusters_hint": 2},
    "KMeansBIC": {"k_max": 4, "n_init": 2, "random_state": 0},
    "MixtureEM": {"n_components": 3, "random_state": 0},
    "MAPViews": {"prior": "empirical", "patience": 1, "random_state": 0},
    "BayesianHierarchy": {"prior": "empirical", "random_state": 0},
    "Biclusters": {"likelihood": "normal", "prior": "empirical", "random_state": 0},
    "HardHDP": {},
    "KernelDPMeans": {},
    "SpectralDPMeans": {"random_state": 0},
    "PenalisedCut": {"random_state": 0},
    "AffinityPropagation": {"random_state": 0},
    "SpectralClustering": {"random_state": 0},
    "BisectingKMeans": {"random_state": 0},
    "HDBSCAN": {},
    "Agglomerative": {},
    "DissimilarityAnalysis": {},
}
#: Copies are drawn, ordered and compared with DP-means' penalty one by one, a row of weight 2 once;
#: that E, means and objectives are the same is tested with the weights.
EQUIVALENCE = {"check_sample_weight_equivalence_on_dense_data": "random starts are not of copies"}


#: Values at an end of what an argument may be, or words that it does not know.
AT_AN_END = [
    ("MAPDP", {"concentration": [0.0, np.inf], "n_init": [0], "patience": [-1], "max_iter": [1.5]}),
    ("MAPDP", {"prior": ["flat"], "likelihood_power": [0.0, 1.1]}),
    ("CollapsedGibbs", {"burn_in": [1.0], "read_out": ["mean"]}),
    ("DPMeans", {"penalty": [0], "n_clusters_hint": [0]}),
    ("KMeansBIC", {"k_min": [0, 7], "k_max": [0], "n_init": [True], "best_start": ["R16"]}),
    ("MixtureEM", {"n_components": [7], "tol": [-1.0], "prior": ["weak"], "init": ["farthest"]}),
    ("MixtureEM", {"covariance_floor": [np.nan]}),
    ("MAPViews", {"view_concentration": [0.0]}),
    ("BayesianHierarchy", {"concentration": [0.0]}),
    ("Biclusters", {"concentration": [0.0], "prior": ["gamma"]}),
    ("HardHDP", {"local_penalty": [-1.0], "global_penalty": ["a"]}),
    ("KernelDPMeans", {"kernel": ["sine"], "penalty": [0.0]}),
    ("SpectralDPMeans", {"penalty": ["a"]}),
    ("PenalisedCut", {"cut": ["grass"]}),
    ("AffinityPropagation", {"max_iter": [0]}),
    ("SpectralClustering", {"n_clusters": [0]}),
    ("HDBSCAN", {"min_cluster_size": [1]}),
    ("Agglomerative", {"linkage": ["chain"], "measure": ["tape"]}),
    ("DissimilarityAnalysis", {"n_clusters": [0]}),
]
#: Arguments that are refused by name: words in the place of every number, and those.
WRONG = [
    (name, argument, "small")
    for name in SMALL
    for argument, default in getattr(core, name)().get_params().items()
    if type(default) in (int, float)
] + [(name, argument, value) for name, of in AT_AN_END for argument in of for value in of[argument]]


def refused(estimator):
    """Checks that an estimator does not pass, and why."""
    if isinstance(estimator, core.KernelDPMeans):
        return EQUIVALENCE | {"check_sample_weights_list": "it takes no row of weight 0"}
    return EQUIVALENCE if estimator.weighs_rows else {}


@pytest.mark.parametrize(("name", "argument", "value"), WRONG)
def test_wrong_arguments_are_named(name, argument, value):
    more = {"k_max": 9} if argument == "k_min" else {}
    with pytest.raises(ValueError, match=f"^{argument}=.* is not allowed"):
        getattr(core, name)(**SMALL[name] | more | {argument: value}).fit(np.eye(6))


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.models.biclusters.PATIENCE", 1)


def _stop(progress):
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", SMALL)
def test_mixed_tables_with_holes_are_clustered_and_predicted_and_a_callback_stops(name):
    families = ["poisson"] * 4 if name == "Biclusters" else list(core.FAMILIES)
    encoded, _ = random_table(np.random.default_rng(0), 40, families, missing=0.3, fill=True)
    frame, schema = as_frame(encoded)
    model = getattr(core, name)(**SMALL[name])
    assert model.fit(frame, schema).labels_.shape == (40,)
    assert np.isfinite(model.objective_)
    assert not hasattr(model, "clusters_") or len(model.clusters_) == model.n_clusters_
    if hasattr(model, "predict"):
        assert model.predict(frame[:3]).shape == (3,)
    else:
        with pytest.raises(AttributeError, match=f"{name} has no predict: its clusters are of"):
            _ = model.predict
    with pytest.raises(KeyboardInterrupt):
        model.fit(frame, schema, callback=_stop)


@pytest.mark.parametrize("name", SMALL)
def test_scikit_learn_checks_pass(name):
    # One check is skipped by itself: it needs SCIPY_ARRAY_API, for arrays other than numpy's.
    estimator = getattr(core, name)(**SMALL[name])
    check_estimator(estimator, on_skip=None, expected_failed_checks=refused(estimator))


def test_every_public_estimator_is_checked_and_says_whether_it_weighs_rows():
    public = [getattr(core, name) for name in core.__all__]
    estimators = {x.__name__ for x in public if isinstance(x, type) and hasattr(x, "get_params")}
    assert estimators == {*SMALL}
    weighing = {name for name in SMALL if has_fit_parameter(getattr(core, name), "sample_weight")}
    flagged = {name for name in SMALL if getattr(core, name).weighs_rows}
    assert weighing == flagged


@pytest.mark.parametrize("name", SMALL)
def test_numbers_near_the_ends_of_floating_point(name):
    values = np.random.default_rng(0).normal(size=(12, 2))
    estimator = getattr(core, name)(**SMALL[name])
    with pytest.raises(ValueError, match="too large to be squared"):
        estimator.fit(1e200 * values)
    if hasattr(estimator.fit(values), "predict"):
        with pytest.raises(ValueError, match="too large to be squared"):
            estimator.predict(1e200 * values)
    for tiny in (1e-150, 1e-154, 1e-160, 1e-200, 1e-320):
        assert np.isfinite(estimator.fit(tiny * values).objective_)
        if hasattr(estimator, "predict_proba"):
            assert np.isfinite(estimator.predict_proba(tiny * values)).all()


WORDS = np.array([["1", "2"], ["3", "red"]])
MIXED = np.array([[1.0, 2.0], [3.0, "red"]], dtype=object)
INFINITE = np.array([[1.5, 2.5], [3.1, 4.1], [5.2, -np.inf]])
NOT_NUMBERS = [
    (WORDS, ValueError, "Column 1 of the array holds text, '1' in row 1: give a"),
    (MIXED, ValueError, "Column 2 of the array holds text, 'red' in row 2: give a"),
    (INFINITE, ValueError, "Column 2 of the array holds infinity in row 3: correct"),
    (pd.DataFrame(INFINITE), core.SchemaError, "Column '1' has an infinite value in row 3"),
    (np.array([[1.0, {}], [3.0, 4.0]], dtype=object), TypeError, "dict"),
    ("patients.csv", TypeError, "take a table, not .*give read_table"),
    (Path("patients.csv"), TypeError, "take a table, not .*give read_table"),
    ({"a": [1.0, 2.0]}, TypeError, "take a table, not .*give pandas.DataFrame"),
    ([{"a": 1.0}, {"a": 2.0}], TypeError, "take a table, not .*give pandas.DataFrame"),
    (SimpleNamespace(collect=None), TypeError, r"take a table, not .*give X\.collect"),
]


@pytest.mark.parametrize(("table", "error", "sentence"), NOT_NUMBERS)
@pytest.mark.parametrize("estimator", [core.MAPDP(), core.KMeansBIC()], ids=["frame", "numbers"])
def test_what_is_no_table_of_numbers_gets_a_sentence(estimator, table, error, sentence):
    with pytest.raises(error, match=sentence):
        estimator.fit(table)


def test_names_of_features_are_those_clustered_on():
    fitted = core.MAPDP(random_state=0).fit(pd.DataFrame({"a": [1.5, 3.1, 5.2], "b": list("xyx")}))
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(core.MAPDP(random_state=0).fit(np.eye(3)), "feature_names_in_")
