"""Public cohorts with a time to an event: tests/data/survival/SOURCE.txt says whose they are."""

from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[1] / "data" / "survival"
#: Name -> columns of the time, the event, the group and of further covariates.
COHORTS = {
    "rossi": ("week", "arrest", "fin", ["age", "prio"]),
    "gbsg": ("rfstime", "status", "hormon", ["age", "size", "nodes"]),
    "larynx": ("time", "death", "Stage_III", ["age", "Stage_IV"]),
}


def table(name: str) -> pd.DataFrame:
    """A cohort as it was published."""
    return pd.read_csv(FOLDER / f"{name}.csv")


def cohort(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, events, groups and covariates (group first) of one of ``COHORTS``."""
    frame = table(name)
    time, event, group, others = COHORTS[name]
    times, events = frame[time].to_numpy(float), frame[event].to_numpy() == 1
    return times, events, frame[group].to_numpy(), frame[[group, *others]].to_numpy(np.float64)


def competing(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times without ties, events, and other events drawn among those without it.

    lifelines moves tied times at random: they are moved here, the same for all.
    """
    times, events, _, _ = cohort(name)
    times = times + np.argsort(np.random.default_rng(1).random(times.size)) * 1e-6
    return times, events, ~events & (np.random.default_rng(2).random(times.size) < 0.3)
