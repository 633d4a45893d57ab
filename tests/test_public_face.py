"""The names and arguments that scripts outside this repository rely on: none may be lost."""

import inspect

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
)
from mapdp_studio.core.families import GaussianPrior, NormalPrior

EACH = [NormalPrior(0.0, 0.1, 2.0, 1.0)] * 2
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


#: What scripts read off a fit, by the arguments that they call estimators with.
READ_OFF = (
    (MAPDP(likelihood="gaussian", prior=GaussianPrior(np.zeros(2), 0.1, 4.0, np.eye(2))), ""),
    (MAPDP(prior=EACH, refine=False, n_init=1, shuffle=False), "prior_ prior_scale_"),
    (CollapsedGibbs(n_sweeps=20, random_state=0), "co_assignment_ n_clusters_trace_"),
    (DPMeans(penalty=4.0), ""),
    (DPMeans(n_clusters_hint=3), ""),
    (KMeansBIC(k_min=2, k_max=2, n_init=3, random_state=0), ""),
    (MixtureEM(n_components=3, init="kmeans", random_state=0), ""),
)


@pytest.mark.parametrize(("model", "more"), READ_OFF, ids=str)
def test_arrays_are_fitted_and_read_off_under_these_names(model, more):
    model.fit(np.random.default_rng(0).normal(size=(40, 2)))
    always = "labels_ n_clusters_ objective_ objective_trace_ n_iter_ converged_ result_"
    assert [name for name in f"{always} {more}".split() if not hasattr(model, name)] == []
    assert model.n_clusters_ == model.labels_.max() + 1
    assert (model.result_.labels == model.labels_).all()
    assert model.objective_ == model.objective_trace_[-1] or "co_assignment_" in more
