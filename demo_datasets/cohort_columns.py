"""The 215 columns of the simulated cohort: what they are, and how the five groups differ on them.

They stand in ``cohort.toml``: 12 of them are from Tables 3 and 4 of R16.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

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
    #: Shape (5,) or (5, V). Probability of yes, mean score over trials, mean count, or probability
    #: of every level.
    rates: np.ndarray
    #: Of yes/no columns, (no, yes), and of nominal ones.
    levels: tuple[str, ...] = ()
    #: Of a rating: its steps above the lowest, and the lowest.
    trials: int = 0
    offset: int = 0


def _logit(p: np.ndarray) -> np.ndarray:
    return np.log(p / (1.0 - p))


def _moved(family: str, usual: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Rates of every group, from the usual rate and each group's shift."""
    if family == "poisson":
        return usual * np.exp(shifts)
    if family == "categorical":
        tilted = usual * np.exp(np.outer(shifts, np.linspace(-0.5, 1.0, usual.size)))
        return tilted / tilted.sum(axis=1, keepdims=True)
    return 1.0 / (1.0 + np.exp(-_logit(usual) - shifts))


def _shifts(mark: str, family: str, small_groups: Sequence[float]) -> np.ndarray:
    half = {"+": 0.5, "-": -0.5}.get(mark, 0.0) * _GAP[family]
    return np.array([-half, half, *small_groups])


def _split(name: str) -> tuple[str, str]:
    """Mark and plain name."""
    return (name[0], name[1:]) if name[0] in "+-" else ("", name)


def _published(told: Mapping[str, Any]) -> Iterator[Column]:
    for name, rates in told["published_yes"].items():
        yield Column(name, "Diagnostic features", "bernoulli", np.array(rates), ("no", "yes"))
    for name, (lowest, highest, *means) in told["published_scores"].items():
        trials = highest - lowest
        rates = (np.array(means) - lowest) / trials
        yield Column(name, "Motor examination", "binomial", rates, trials=trials, offset=lowest)


def _invented(told: Mapping[str, Any]) -> Iterator[Column]:
    random = np.random.default_rng(2016)  # the usual rates are constants of the cohort
    for form in told["form"]:
        family = form["family"]
        levels = ("no", "yes") if family == "bernoulli" else ()
        for marked in form["names"].split("; "):
            mark, name = _split(marked)
            usual = np.array(random.uniform(*form["usual"]))
            rates = _moved(family, usual, _shifts(mark, family, form["shifts"]))
            yield Column(name, form["name"], family, rates, levels, form.get("trials", 0))
    for column in told["nominal"]:
        mark, name = _split(column["name"])
        usual = np.array([*column["levels"].values()]) / sum(column["levels"].values())
        rates = _moved("categorical", usual, _shifts(mark, "categorical", column["shifts"]))
        yield Column(name, "Background", "categorical", rates, tuple(column["levels"]))


@cache
def cohort_columns() -> tuple[Column, ...]:
    """Every column of the cohort that is clustered on, in the table's order."""
    text = Path(__file__).with_name("cohort.toml").read_text(encoding="utf-8")
    told = tomllib.loads(text)
    return (*_published(told), *_invented(told))
