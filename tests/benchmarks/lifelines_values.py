"""What lifelines finds in public cohorts: the values that judge times to events.

    python -m venv beside && beside/bin/pip install lifelines
    beside/bin/python -m tests.benchmarks.lifelines_values

Writes tests/data/lifelines.json, which tests/statistics/test_survival.py reads.
lifelines asks for pandas below 3, which users do not get: it is installed beside, not with the
tests.
"""

import json
import warnings
from pathlib import Path

import lifelines
import numpy as np
import pandas as pd

from tests.tables.cohorts import COHORTS, cohort, competing

KEPT = Path(__file__).parents[1] / "data" / "lifelines.json"


def known(values: np.ndarray) -> list[float | None]:
    """Twelve digits of each number, and None where there is none."""
    return [float(f"{value:.12g}") if np.isfinite(value) else None for value in values]


def curve(times: np.ndarray, events: np.ndarray) -> dict:
    """Kaplan-Meier's curve at 0 and at every event, and the median follow-up."""
    found = lifelines.KaplanMeierFitter().fit(times, events)
    at = [0.0, *np.unique(times[events])]
    bounds = found.confidence_interval_survival_function_.loc[at].to_numpy().T
    follow_up = lifelines.KaplanMeierFitter().fit(times, ~events).median_survival_time_
    return {
        "times": at,
        "share": known(found.predict(at).to_numpy()),
        "low": known(bounds[0]),
        "high": known(bounds[1]),
        "at risk": found.event_table.loc[at, "at_risk"].tolist(),
        "median follow-up": known([follow_up])[0],
    }


def incidence(times: np.ndarray, events: np.ndarray, others: np.ndarray) -> dict:
    """Aalen and Johansen's curve at 0 and at every event of either kind."""
    found = lifelines.AalenJohansenFitter(seed=0).fit(times, events + 2 * others, 1)
    at = [0.0, *np.unique(times[events | others])]
    bounds = found.confidence_interval_.loc[at].to_numpy().T
    return {
        "times": at,
        "share": known(found.cumulative_density_["CIF_1"].loc[at].to_numpy()),
        "low": known(bounds.min(axis=0)),
        "high": known(bounds.max(axis=0)),
    }


def values(name: str) -> dict:
    """Everything that is judged in one cohort."""
    times, events, groups, inputs = cohort(name)
    test = lifelines.statistics.multivariate_logrank_test(times, groups, events)
    table = pd.DataFrame(inputs).assign(t=times, e=events)
    model = lifelines.CoxPHFitter().fit(table, "t", "e", fit_options={"precision": 1e-12})
    until = float(np.quantile(times, 0.8))
    first = lifelines.KaplanMeierFitter().fit(times[groups == 1], events[groups == 1])
    mean = lifelines.utils.restricted_mean_survival_time(first, until)
    return {
        "curves": [curve(times[groups == k], events[groups == k]) for k in (0, 1)],
        "log-rank": known([test.test_statistic, test.p_value]),
        "coefficients": known(model.params_.to_numpy()),
        "errors": known(model.standard_errors_.to_numpy()),
        "restricted mean": known([until, mean]),
        "incidence": incidence(*competing(name)),
    }


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: values(name) for name in COHORTS}
    found = {"lifelines": lifelines.__version__, "pandas": pd.__version__, **found}
    KEPT.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
