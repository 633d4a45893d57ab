"""The names and arguments that scripts outside this repository rely on: none may be lost."""

from __future__ import annotations

import inspect
import io

import numpy as np
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
#: Families, and how their priors are called.
PRIORS = {
    **{"normal": "Normal", "normal_known_variance": "NormalKnownVariance"},
    **{"exponential": "Exponential", "bernoulli": "Bernoulli", "binomial": "Binomial"},
    **{"categorical": "Categorical", "poisson": "Poisson", "geometric": "Geometric"},
    **{"negative_binomial": "NegativeBinomial", "gaussian": "Gaussian", "spherical": "Spherical"},
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_arguments_keep_their_names_places_and_defaults(name):
    owner, _, method = name.partition(".")
    homes = (core, demo_datasets, families)
    named = next(getattr(home, owner) for home in homes if hasattr(home, owner))
    named = getattr(named, method) if method else named
    parameters = dict(inspect.signature(named).parameters)
    parameters.pop("self", None)
    positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    wanted = list(SIGNATURES[name])
    by_place = wanted[: wanted.index(None)] if None in wanted else wanted
    assert positional[: len(by_place)] == by_place
    for argument, default in SIGNATURES[name].items():
        if argument is not None:
            assert parameters[argument].default == default, argument


def test_every_family_and_its_prior_can_be_named():
    assert {*PRIORS} <= {*FAMILIES}
    assert all(inspect.isclass(getattr(families, f"{name}Prior")) for name in PRIORS.values())


def test_a_table_is_read_typed_fitted_and_read_off():
    table = FRAME.assign(visits=FRAME.index % 5, time=np.arange(100.0) + 1)
    table["status"] = np.arange(100) % 3
    table = core.read_table(io.BytesIO(table.to_csv().encode()))
    schema = infer_schema(table)
    assert list(schema) == list(table)
    assert all(schema[name].role and schema[name].reason for name in table)
    schema = schema.with_column("visits", family="poisson", role="cluster")
    schema = schema.with_column("height", family="normal", transform="log")
    schema = schema.with_column("kind", role="validator").with_column("status", role="ignore")
    outcome = {"family": "time_to_event", "event": "status", "event_codes": [2]}
    schema = schema.with_column("time", role="validator", **outcome)
    assert schema["time"].event_codes == (2,)
    joined = infer_schema(table).with_block("size", columns=["height", "weight"], family="gaussian")
    assert joined.blocks["size"].columns == ("height", "weight")
    model = MAPDP(concentration=3.0, n_init=2, random_state=0).fit(table, schema)
    assert model.labels_.shape == (len(table),)
    assert model.n_clusters_ == model.labels_.max() + 1 == len(model.clusters_)
    assert (model.result_.labels == model.labels_).all()
    assert model.objective_ == model.objective_trace_[-1]
    assert model.n_iter_ >= 1
    assert isinstance(model.converged_, bool)
    assert model.predict(table).shape == model.score_samples(table).shape == (len(table),)
    assert model.predict_proba(table).shape == (len(table), model.n_clusters_ + 1)
    assert model.impute(table)["height"].notna().all()


def test_arrays_are_one_block_or_independent_columns():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    given = GaussianPrior(np.zeros(2), 0.1, 4.0, np.eye(2))
    MAPDP(likelihood="gaussian", prior=given, random_state=0).fit(rows)
    each = [NormalPrior(0.0, 0.1, 2.0, 1.0)] * 2
    model = MAPDP(prior=each, refine=False, n_init=1, shuffle=False).fit(rows)
    assert model.prior_ == tuple(each)
    gibbs = CollapsedGibbs(n_sweeps=20, random_state=0).fit(rows)
    assert gibbs.co_assignment_.shape == (40, 40)
    assert len(gibbs.n_clusters_trace_) > 0
    for other in (DPMeans(penalty=4.0), DPMeans(n_clusters_hint=3)):
        assert other.fit(rows).n_clusters_ >= 1
    assert KMeansBIC(k_min=2, k_max=2, n_init=3, random_state=0).fit(rows).n_clusters_ == 2
    assert MixtureEM(n_components=3, init="kmeans", random_state=0).fit(rows).n_clusters_ <= 3


def test_scenarios_have_title_text_and_spec():
    assert list(SCENARIOS) == ["5.1", "5.2", "5.3", "5.4", "5.5", "5.6"]
    assert all(one.title and one.text and one.spec for one in SCENARIOS.values())
    frame, truth = load_scenario("5.1", n=60, seed=0)
    assert (len(frame), len(truth)) == (60, 60)
    frame, schema, truth = demo_datasets.load_parkinsonism(seed=0)
    assert (list(schema), len(truth)) == (list(frame), len(frame))
