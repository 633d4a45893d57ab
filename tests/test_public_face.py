"""The names and arguments that scripts outside this repository rely on: none may be lost."""

from __future__ import annotations

import inspect
import io

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core, demo_datasets
from mapdp_studio.core import (
    FAMILIES,
    MAPDP,
    CollapsedGibbs,
    DPMeans,
    KMeansBIC,
    MixtureEM,
    families,
    infer_schema,
)
from mapdp_studio.core.families import GaussianPrior, NormalPrior
from mapdp_studio.demo_datasets import SCENARIOS, load_scenario
from tests.tables.four_groups import FRAME

REQUIRED = inspect.Parameter.empty
#: Arguments in the order in which they may be given by position, then by name alone (after None).
SIGNATURES = {
    "MAPDP": {"concentration": 3.0, None: None}
    | {"likelihood": "normal", "prior": "scale-grid", "missing": "marginalize", "refine": True}
    | {"n_init": 1, "shuffle": True, "max_iter": 300, "tol": 1e-6, "random_state": None},
    "CollapsedGibbs": {"concentration": 3.0, None: None}
    | {"likelihood": "normal", "prior": "scale-grid", "n_sweeps": 600, "random_state": None},
    "DPMeans": {"penalty": None, "n_clusters_hint": 3, None: None}
    | {"max_iter": 300, "n_init": 1, "random_state": None},
    "KMeansBIC": {"k_min": 1, "k_max": 20, "n_init": 10, None: None}
    | {"max_iter": 300, "tol": 1e-4, "random_state": None},
    "MixtureEM": {"n_components": 3, None: None}
    | {"init": "kmeans", "n_init": 1, "max_iter": 300, "tol": 1e-6, "random_state": None},
    "read_table": {"path_or_buffer": REQUIRED, None: None, "options": None, "name": None},
    "infer_schema": {"frame": REQUIRED},
    "Schema.with_block": {"name": REQUIRED, "columns": REQUIRED, "family": REQUIRED},
    "load_scenario": {"key": REQUIRED, "n": 4000, "seed": 0},
    "load_parkinsonism": {"seed": 0},
    "GaussianPrior": dict.fromkeys(["mean", "mean_count", "dof", "scatter"], REQUIRED),
    "NormalPrior": dict.fromkeys(["mean", "mean_count", "shape", "rate"], REQUIRED),
}
PRIORS = (
    *("NormalPrior", "NormalKnownVariancePrior", "ExponentialPrior", "BernoulliPrior"),
    *("BinomialPrior", "CategoricalPrior", "PoissonPrior", "GeometricPrior"),
    "NegativeBinomialPrior",
    *("GaussianPrior", "SphericalPrior"),
)


def _named(name: str):
    owner, _, method = name.partition(".")
    homes = (core, demo_datasets, families)
    found = next(getattr(home, owner) for home in homes if hasattr(home, owner))
    return getattr(found, method) if method else found


@pytest.mark.parametrize("name", SIGNATURES)
def test_arguments_keep_their_names_places_and_defaults(name):
    parameters = dict(inspect.signature(_named(name)).parameters)
    parameters.pop("self", None)
    positional = [p for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    wanted = list(SIGNATURES[name])
    by_place = wanted[: wanted.index(None)] if None in wanted else wanted
    assert [p.name for p in positional[: len(by_place)]] == by_place
    for argument, default in SIGNATURES[name].items():
        if argument is not None:
            assert parameters[argument].default == default, argument


def test_every_family_and_its_prior_can_be_named():
    assert {
        *("normal", "normal_known_variance", "exponential", "bernoulli", "binomial"),
        *("categorical", "poisson", "geometric", "negative_binomial"),
        *("gaussian", "spherical"),
    } <= set(FAMILIES)
    assert all(inspect.isclass(getattr(families, name)) for name in PRIORS)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return core.read_table(io.BytesIO(FRAME.assign(visits=FRAME.index % 5).to_csv().encode()))


def test_a_table_is_read_typed_fitted_and_read_off(table):
    schema = infer_schema(table)
    assert list(schema) == list(table)
    assert all(schema[name].role and schema[name].reason for name in table)
    schema = schema.with_column("visits", family="poisson", role="cluster")
    schema = schema.with_column("height", family="normal", transform="log")
    schema = schema.with_column("kind", role="validator")
    model = MAPDP(concentration=3.0, n_init=2, random_state=0).fit(table, schema)
    assert model.labels_.shape == (len(table),)
    assert model.n_clusters_ == model.labels_.max() + 1 == len(model.clusters_)
    assert model.result_.labels is model.labels_ or (model.result_.labels == model.labels_).all()
    assert model.objective_ == model.objective_trace_[-1]
    assert model.n_iter_ >= 1
    assert isinstance(model.converged_, bool)
    assert model.predict(table).shape == model.score_samples(table).shape == (len(table),)
    assert model.predict_proba(table).shape == (len(table), model.n_clusters_ + 1)
    assert model.impute(table)["height"].notna().all()


def test_outcomes_and_blocks_are_told_to_the_schema(table):
    table = table.assign(time=np.arange(100.0) + 1, status=np.arange(100) % 3)
    outcome = {"family": "time_to_event", "event": "status", "event_codes": [2]}
    schema = infer_schema(table).with_column("time", role="validator", **outcome)
    schema = schema.with_block("size", columns=["height", "weight"], family="gaussian")
    assert schema["time"].event_codes == (2,)
    assert schema.blocks["size"].columns == ("height", "weight")


def test_arrays_are_one_block_or_independent_columns():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    MAPDP(likelihood="gaussian", random_state=0).fit(rows)
    given = GaussianPrior(np.zeros(2), 0.1, 4.0, np.eye(2))
    MAPDP(likelihood="gaussian", prior=given, random_state=0).fit(rows)
    each = [NormalPrior(0.0, 0.1, 2.0, 1.0), NormalPrior(0.0, 0.1, 2.0, 1.0)]
    model = MAPDP(prior=each, refine=False, n_init=1, shuffle=False).fit(rows)
    assert model.prior_ == tuple(each)
    gibbs = CollapsedGibbs(n_sweeps=20, random_state=0).fit(rows)
    assert gibbs.co_assignment_.shape == (40, 40)
    assert len(gibbs.n_clusters_trace_) > 0
    assert DPMeans(penalty=4.0).fit(rows).n_clusters_ >= 1
    assert DPMeans(n_clusters_hint=3).fit(rows).n_clusters_ >= 1
    assert KMeansBIC(k_min=2, k_max=2, n_init=3, random_state=0).fit(rows).n_clusters_ == 2
    assert MixtureEM(n_components=3, init="kmeans", random_state=0).fit(rows).n_clusters_ <= 3


def test_scenarios_have_title_text_and_spec():
    assert list(SCENARIOS) == ["5.1", "5.2", "5.3", "5.4", "5.5", "5.6"]
    for scenario in SCENARIOS.values():
        assert scenario.title
        assert scenario.text
        assert scenario.spec
    frame, truth = load_scenario("5.1", n=60, seed=0)
    assert (len(frame), len(truth)) == (60, 60)
    frame, schema, truth = demo_datasets.load_parkinsonism(seed=0)
    assert (list(schema), len(truth)) == (list(frame), len(frame))
