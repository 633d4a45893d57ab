"""The names and arguments that scripts outside this repository rely on: none may be lost."""

import inspect

import pytest

from mapdp_studio import core, demo_datasets
from mapdp_studio.core import (
    FAMILIES,
    families,
)

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
    expected = list(SIGNATURES[name])
    by_place = expected[: expected.index(None)] if None in expected else expected
    assert positional[: len(by_place)] == by_place
    for argument, default in SIGNATURES[name].items():
        if argument is not None:
            assert parameters[argument].default == default, argument


def test_every_family_and_its_prior_can_be_named():
    assert {*PRIORS} <= {*FAMILIES}
    assert all(inspect.isclass(getattr(families, f"{name}Prior")) for name in PRIORS.values())
