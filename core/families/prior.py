"""What every prior offers, whatever its family."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True)
class Prior:
    """Hyper-parameters of one conjugate prior; its posterior is an object of the same class.

    A subclass is a frozen dataclass whose fields are the hyper-parameters in the user's units
    (after the column's transform). It adds

    - ``default(values, scale, **options)``: a weak empirical-Bayes prior from the data;
    - ``posterior(values)``: the prior updated with the observed values of one cluster;
    - ``packed(center, scale)``: the numbers its kernels read, for data rescaled to
      ``(x - center) / scale``;
    - ``summary()``: plain numbers that describe a cluster (mean, spread, probabilities);
    - ``draw(size, random)``: draws from its predictive;
    - ``predictive()``: the next value of a column in a few numbers; of a block, whose cells depend
      on one another, ``conditional(rows, missing)``: the missing cells given the others.
    """

    positive: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        # Posteriors of hundreds of columns are made at every fit, so plain numbers go fast.
        for name, value in vars(self).items():
            if isinstance(value, float | int):
                is_finite, is_positive = math.isfinite(value), value > 0
            else:
                is_finite = np.isfinite(value).all()
                is_positive = (np.asarray(value) > 0).all()
            if not is_finite:
                raise ValueError(f"{type(self).__name__}: {name} must be finite.")
            if name in self.positive and not is_positive:
                raise ValueError(f"{type(self).__name__}: {name} must be above 0, not {value}.")

    def to_dict(self) -> dict[str, Any]:
        """Hyper-parameters as plain numbers and lists, for JSON."""
        return {f.name: np.asarray(getattr(self, f.name)).tolist() for f in fields(self)}


@dataclass(frozen=True)
class Predictive:
    """The next value of a column, as a prior or posterior expects it.

    Parameters
    ----------
    mode : float
        The most probable value.
    mean, variance : float
        Where the predictive's tail is too heavy to have one (of too few values), that of the
        likelihood at the mean parameter instead.
    probabilities : tuple of float, optional
        Of every code, where the column holds names and not quantities.
    """

    mode: float
    mean: float
    variance: float
    probabilities: tuple[float, ...] | None = None

    @classmethod
    def of_levels(cls, probabilities: np.ndarray) -> Predictive:
        """Of a column of names."""
        codes = np.arange(probabilities.size)
        mean = float(codes @ probabilities)
        variance = float(np.square(codes - mean) @ probabilities)
        return cls(float(probabilities.argmax()), mean, variance, tuple(probabilities.tolist()))


def observed(values: np.ndarray) -> np.ndarray:
    """The values that are there, as float64."""
    values = np.asarray(values, dtype=np.float64)
    return values[~np.isnan(values)]


def mean_and_variance(values: np.ndarray) -> tuple[float, float]:
    """Mean and variance of the observed values, with a variance of 1 where there is no spread."""
    x = observed(values)
    if x.size == 0:
        return 0.0, 1.0
    variance = float(x.var())
    return float(x.mean()), variance if variance > 0 else 1.0
