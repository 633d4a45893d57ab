"""A simulated cohort of the shape of R16 section 6; the real data are not public."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from ..core.schema.schema import ColumnSpec, Schema

GROUP_SIZES = (264, 226, 26, 9, 2)

_TYPICAL, _ABSENT = "Resting tremor (present and typical)", "Resting tremor (absent)"

# Shares of cells left empty one by one, and of questionnaires not handed in at all.
_EMPTY_CELLS, _EMPTY_FORMS = 0.06, 0.12
_QUESTIONNAIRES = (
    "Non-motor symptoms",
    "Depression scale",
    "Sleepiness scale",
    "Quality of life",
)

_SITES = ("north", "south", "east", "west", "centre")
_PERCENT = tuple(range(0, 101, 10))
_WHY = {
    "validator": "An outcome: kept out of the clustering, to test the groups against.",
    "control": "Drawn without regard to the groups: nothing should be found here.",
}

# Of groups 1 to 5.
_SURE_OF_PD = np.array([0.95, 0.95, 0.60, 0.55, 0.15])
_DEATHS_A_MONTH = np.array([0.002, 0.005, 0.003, 0.02, 0.04])
_DECLINE = np.array([1.5, 3.2, 0.8, 5.0, 9.0])
_BINDING = np.array([1.5, 1.1, 2.3, 0.8, 0.7])
_DEMENTIA = np.array([0.08, 0.22, 0.10, 0.50, 0.60])
_ADMISSIONS = np.array([0.6, 1.1, 0.6, 2.5, 4.0])


def load_parkinsonism(seed: int = 0) -> tuple[pd.DataFrame, Schema, np.ndarray]:
    """Simulate a cohort of 527 patients in five groups on 215 mixed columns, with missing cells.

    Within a group columns are independent, but for typical and absent tremor, which exclude each
    other. The 12 columns of Tables 3 and 4 of R16 have the published probabilities and mean scores.

    Parameters
    ----------
    seed : int
        The same seed gives the same cohort.

    Returns
    -------
    frame : DataFrame, shape (527, 225)
        An id, 215 columns to cluster on, then outcomes and controls kept out of the clustering.
    schema : Schema
        Family and role of every column.
    truth : ndarray of int64, shape (527,)
        Group of every patient, 0 to 4 by size.
    """
    random = np.random.default_rng(seed)
    truth = random.permutation(np.repeat(np.arange(len(GROUP_SIZES)), GROUP_SIZES))
    columns = cohort_columns()
    ranks = {column.name: random.random(truth.size) for column in columns}
    ranks[_ABSENT] = 1.0 - ranks[_TYPICAL]
    drawn = {c.name: _draw(c, truth, ranks[c.name], random) for c in columns}
    measured = pd.DataFrame(drawn).mask(_missing(columns, truth.size, random))
    patients = pd.DataFrame({"Patient": [f"P{i + 1:03d}" for i in range(truth.size)]})
    frame = pd.concat([patients, measured, _outcomes(truth, random)], axis=1)
    schema = Schema(_specs(columns))
    return frame, schema, truth.astype(np.int64)


# How far apart groups 1 and 2 lie on a column marked + or -: in logits, or in logs for counts.
_GAP = {"bernoulli": 1.5, "binomial": 1.05, "categorical": 1.5, "poisson": 0.6}


@dataclass(frozen=True, eq=False)
class Column:
    """One column of the cohort and its distribution in every group."""

    name: str
    #: Questionnaire or examination it belongs to.
    form: str
    #: "bernoulli", "binomial", "categorical" or "poisson".
    family: str
    #: (5,) or (5, V). Probability of yes, mean score over trials, mean count, or of every level.
    rates: np.ndarray
    levels: tuple[str, ...] = ()
    #: Of a rating: its steps above the lowest, and the lowest.
    trials: int = 0
    offset: int = 0


def _moved(family: str, usual: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    if family == "poisson":
        return usual * np.exp(shifts)
    if family == "categorical":
        tilted = usual * np.exp(np.outer(shifts, np.linspace(-0.5, 1.0, usual.size)))
        return tilted / tilted.sum(axis=1, keepdims=True)
    return expit(logit(usual) + shifts)


def _shifts(marked: str, family: str, small_groups: Sequence[float]) -> np.ndarray:
    half = {"+": 0.5, "-": -0.5}.get(marked[0], 0.0) * _GAP[family]
    return np.array([-half, half, *small_groups])


def _published(content: Mapping[str, Any]) -> Iterator[Column]:
    for name, rates in content["published_yes"].items():
        yield Column(name, "Diagnostic features", "bernoulli", np.array(rates), ("no", "yes"))
    for name, (lowest, highest, *means) in content["published_scores"].items():
        trials = highest - lowest
        rates = (np.array(means) - lowest) / trials
        yield Column(name, "Motor examination", "binomial", rates, trials=trials, offset=lowest)


def _invented(content: Mapping[str, Any]) -> Iterator[Column]:
    random = np.random.default_rng(2016)  # the usual rates are constants of the cohort
    for form in content["form"]:
        drawn = form["drawn"]
        family, trials = drawn["family"], drawn.get("trials", 0)
        levels = ("no", "yes") if family == "bernoulli" else ()
        for marked in form["names"].split("; "):
            usual = np.array(random.uniform(*drawn["usual"]))
            rates = _moved(family, usual, _shifts(marked, family, drawn["shifts"]))
            yield Column(marked.lstrip("+-"), form["name"], family, rates, levels, trials)
    for marked, drawn in content["nominal"].items():
        levels, shares = zip(*drawn["levels"].items(), strict=True)
        shifts = _shifts(marked, "categorical", drawn["shifts"])
        rates = _moved("categorical", np.array(shares) / sum(shares), shifts)
        yield Column(marked.lstrip("+-"), "Background", "categorical", rates, levels)


@cache
def cohort_columns() -> tuple[Column, ...]:
    """Every column of the cohort that is clustered on, in the table's order."""
    text = Path(__file__).with_name("cohort.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return (*_published(content), *_invented(content))


def _draw(
    column: Column, groups: np.ndarray, ranks: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    rates = column.rates[groups]
    if column.family == "bernoulli":
        return _yes(ranks < rates)
    if column.family == "categorical":
        passed = (ranks[:, None] >= rates.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return np.array(column.levels)[passed]
    if column.family == "binomial":
        return column.offset + random.binomial(column.trials, rates).astype(np.float64)
    return random.poisson(rates).astype(np.float64)


def _missing(columns: tuple[Column, ...], n: int, random: np.random.Generator) -> np.ndarray:
    """Empty cells, shape (n, columns): single ones anywhere, and whole questionnaires."""
    empty = random.random((n, len(columns))) < _EMPTY_CELLS
    for form in _QUESTIONNAIRES:
        skipped = random.random(n) < _EMPTY_FORMS
        empty |= skipped[:, None] & np.array([column.form == form for column in columns])
    return empty


def _outcomes(truth: np.ndarray, random: np.random.Generator) -> pd.DataFrame:
    """What happened later, which depends on the group, and controls, which do not."""
    n = truth.size
    lifetime = random.exponential(1.0 / _DEATHS_A_MONTH[truth])
    watched = random.uniform(24.0, 84.0, n)
    return pd.DataFrame(
        {
            "Specialist's probability of PD (%)": 10 * random.binomial(10, _SURE_OF_PD[truth]),
            "Follow-up (months)": np.minimum(lifetime, watched).round(1),
            "Died": _yes(lifetime <= watched),
            "Motor decline a year (points)": random.normal(_DECLINE[truth], 2.0).round(1),
            "Transporter binding ratio": random.normal(_BINDING[truth], 0.35).round(2),
            "Dementia within three years": _yes(random.random(n) < _DEMENTIA[truth]),
            "Hospital admissions": random.poisson(_ADMISSIONS[truth]),
            "Study site": random.choice(_SITES, n),
            "Enrolled in an even month": _yes(random.random(n) < 0.5),
        }
    )


def _yes(flags: np.ndarray) -> np.ndarray:
    return np.where(flags, "yes", "no")


def _specs(columns: tuple[Column, ...]) -> Iterator[ColumnSpec]:
    yield ColumnSpec("Patient", None, "id", "A different number for every patient.")
    for column in columns:
        low, high = column.offset, column.offset + column.trials
        kind, kwargs = {
            "binomial": (
                f"a rating from {low} to {high}",
                {"trials": column.trials, "offset": low},
            ),
            "poisson": ("whole numbers from 0 up", {}),
            "bernoulli": ("yes or no", {"levels": column.levels}),
            "categorical": ("categories without an order", {"levels": column.levels}),
        }[column.family]
        yield ColumnSpec(column.name, column.family, "cluster", f"{column.form}: {kind}.", **kwargs)
    died = "Read together with 'Follow-up (months)'."
    yes_no, event = {"levels": ("no", "yes")}, {"event": "Died", "event_codes": ("yes",)}
    for name, family, role, kwargs in (
        ("Specialist's probability of PD (%)", "binomial", "validator", {"levels": _PERCENT}),
        ("Follow-up (months)", "time_to_event", "validator", event),
        ("Died", "bernoulli", "ignore", yes_no),
        ("Motor decline a year (points)", "normal", "validator", {}),
        ("Transporter binding ratio", "normal", "validator", {}),
        ("Dementia within three years", "bernoulli", "validator", yes_no),
        ("Hospital admissions", "poisson", "validator", {}),
        ("Study site", "categorical", "control", {"levels": _SITES}),
        ("Enrolled in an even month", "bernoulli", "control", yes_no),
    ):
        yield ColumnSpec(name, family, role, _WHY.get(role, died), **kwargs)
