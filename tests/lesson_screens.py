"""The screens of the lessons as the Teach page computes them, each fitted once."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import multivariate_normal

from mapdp_studio.core import choose_model
from mapdp_studio.core.comparing.comparison import Results, matched, suggestion
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.priors import EMPIRICAL_SCALE
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.steps import Walk, row_costs, walk
from mapdp_studio.demo_datasets import GENERATED, scenario_spec
from mapdp_studio.pages.parts.compare.settings import PENALTIES
from mapdp_studio.pages.parts.teach.room import Classroom, set_at
from tests.classroom import room


def of(key: str, stop: int, **moved: Any) -> Classroom:
    """What a stop sets the page to, some controls moved, by their names."""
    sets = {**set_at(key, stop), **moved}
    knobs = [GENERATED[key].knob.name] if key in GENERATED else []
    knob = {name: sets[name] for name in knobs}
    told = {"bic": sets["bic"], "effort": sets["restarts"], "likelihood_power": sets["tolerance"]}
    settings = Settings(sets["n0"], 1.0, sets["k"], sets["k"], **told)
    here = room(key, sets["rows"], settings, **knob)
    if sets["chosen"]:
        schema = choose_model(here.frame, here.schema).schema
        encoded = schema.encode(here.frame)
        here = replace(here, schema=schema, encoded=encoded, view=choose_view(encoded))
    penalty = suggestion(here.encoded, sets["k"], PENALTIES)[0]
    return replace(here, settings=replace(settings, penalty=penalty))


@cache
def shown(key: str, stop: int) -> tuple[Classroom, Results]:
    """The page at a stop, from 1 on, nothing fitted yet."""
    return of(key, stop), _STORE


#: One for all screens: what two of them share is fitted once.
_STORE = Results()


def model(key: str, stop: int, name: str) -> ClusterEstimator:
    here, results = shown(key, stop)
    if here.tasks[name].prior_of is not None:
        model(key, stop, "MAPDP")
    return _fitted(here.tasks[name], here, results)


_MODELS: dict[Any, ClusterEstimator] = {}


def _fitted(task: Any, here: Classroom, results: Results) -> ClusterEstimator:
    if task not in _MODELS:  # beyond those that a session keeps
        _MODELS[task] = results.get(task) or results.fit(task, here.frame, here.schema)
    results.keep(task, _MODELS[task])
    return _MODELS[task]


def fitted(name: str, here: Classroom, frame: pd.DataFrame) -> ClusterEstimator:
    """What a panel would show of another table."""
    return Results().fit(here.tasks[name], frame, here.schema)


def labels(key: str, stop: int, name: str) -> np.ndarray:
    return model(key, stop, name).labels_


def k_of(key: str, stop: int, name: str = "MAPDP") -> int:
    return model(key, stop, name).n_clusters_


def score(key: str, stop: int, name: str) -> float:
    """NMI of a panel with the truth."""
    return nmi(shown(key, stop)[0].truth.classes, labels(key, stop, name))


def scores(key: str, stop: int) -> dict[str, float]:
    return {name: score(key, stop, name) for name in shown(key, stop)[0].tasks}


def crossed(key: str, stop: int, name: str) -> np.ndarray:
    """Rows by true group, down, and by cluster, across."""
    classes, found = shown(key, stop)[0].truth.classes, labels(key, stop, name)
    table = np.zeros((classes.max() + 1, found.max() + 1), dtype=int)
    np.add.at(table, (classes, found), 1)
    return table


def row_at(key: str, stop: int) -> int:
    return set_at(key, stop)["row"] - 1


@cache
def walked(key: str, stop: int) -> tuple[Classroom, Walk]:
    here, _ = shown(key, stop)
    name = set_at(key, stop)["walk"]
    centred = name in ("chance", "truth", "KMeansBIC")
    scale = EMPIRICAL_SCALE if centred else model(key, stop, "MAPDP").prior_scale_
    run = walk(name, here.encoded, here.view, here.truth.classes, here.settings, scale)
    return here, run


def judged(key: str, stop: int, name: str = "MAPDP") -> str:
    """What is said under a method's bars for the row of a stop."""
    here, results = shown(key, stop)
    model(key, stop, name)
    wanted = {name: here.tasks[name]}
    row = row_at(key, stop)
    return row_costs(results, wanted, here.encoded, row, here.truth.classes)[0].words


def wrongly(key: str, stop: int, name: str) -> np.ndarray:
    """Whether a panel places each row otherwise than the truth."""
    classes = shown(key, stop)[0].truth.classes
    return matched(classes, labels(key, stop, name)) != classes


def surely(key: str) -> np.ndarray:
    """Whether one who knew the generator of a scenario would be 99 % sure of each row."""
    points, spec = shown(key, 1)[0].points, scenario_spec(key)
    parts = zip(spec.weights, spec.means, spec.covariances, strict=True)
    densities = np.array([w * multivariate_normal(m, c).pdf(points) for w, m, c in parts])
    return (densities / densities.sum(axis=0)).max(axis=0) > 0.99
