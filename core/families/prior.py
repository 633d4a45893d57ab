"""The base class of likelihoods and their conjugate priors."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .family import YES_NO, Kernels, Support
from .sufficient import GroupMoments, Rows, Statistic

#: Power of each row's likelihood: one number for all, or one each.
Weight = float | np.ndarray


@dataclass(frozen=True, eq=False)
class Prior:
    """Hyper-parameters of a conjugate prior; a posterior is an object of the same class.

    A subclass stands for one likelihood, whose facts it names, and is a frozen dataclass of
    hyper-parameters in the user's units (after the column's transform). It adds

    - ``default(values, scale, weight)``, a weak empirical-Bayes prior from the data;
    - ``statistic_of(rows)``, the sufficient statistic of the observed rows of K clusters;
    - ``posterior_of(statistic)`` of one cluster, and ``log_marginal_of(statistic)`` of all, (K,),
      in nats;
    - ``packed(center, scale)``, what its kernels read, for data rescaled to ``(x - center) /
      scale``;
    - ``summary()``, plain numbers that describe a cluster, and ``moments(summary)``, the mean and
      covariance of its numeric features;
    - ``draw(size, random)``, draws from its predictive;
    - ``of_pooled(found)``, of measurements: the prior that ``families.pooled`` found;
    - ``predictive()`` of a column; of a block ``conditional(rows, missing)``, its missing cells
      given the others, and ``without(row, weight=1.0)``, the posterior without one of its rows.
    """

    name: ClassVar[str]
    #: What the interface calls it, and one line on when to choose it.
    label: ClassVar[str]
    help: ClassVar[str]
    #: One of ``KINDS``; whether its values are names.
    kind: ClassVar[str]
    is_nominal: ClassVar[bool] = False
    kernels: ClassVar[Kernels]
    support: ClassVar[Support] = Support()
    #: Options of a column that it reads, such as ``"levels"``, and those that ``default`` takes.
    options: ClassVar[tuple[str, ...]] = ()
    prior_options: ClassVar[tuple[str, ...]] = ()
    is_block: ClassVar[bool] = False
    #: Real-valued, so that the engine centres and scales the data.
    is_real: ClassVar[bool] = True
    #: Whether the engine sets missing cells to modes, as no closed form leaves them out.
    fills_missing: ClassVar[bool] = False
    positive: ClassVar[tuple[str, ...]] = ()
    #: Levels, trials or block width, on which its state rows depend; 1 for others.
    size: ClassVar[int] = 1
    #: Parameters that ``default`` learns from the data, for the penalty of model choice.
    n_learned: ClassVar[int] = 1
    #: The largest possible value, None without one.
    top: ClassVar[int | None] = None
    #: Fields of ``default`` proportional to its ``scale``.
    scaled: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.to_dict() == self.to_dict()

    def __hash__(self) -> int:
        return hash((type(self), repr(self.to_dict())))

    @classmethod
    def are_impossible(cls, values: np.ndarray) -> np.ndarray:
        """Whether each value is observed but impossible, of the same shape."""
        top = 1.0 if cls.kind == YES_NO else None
        return np.logical_or.reduce([wrong for wrong, _, _ in cls.support.faults(values, top)])

    @classmethod
    def default_prior(
        cls, values: np.ndarray, scale: float, weight: Weight = 1.0, **options: Any
    ) -> Self:
        """Weak empirical-Bayes prior of a column (n,) or block (n, D).

        ``scale`` is the width of a cluster relative to the column (real-valued families only).
        """
        given = {name: options[name] for name in cls.prior_options if name in options}
        return cls.default(values, scale, weight=weight, **given)

    @classmethod
    def options_of(cls, values: np.ndarray) -> Mapping[str, Any]:
        highest = int(np.nanmax(values, initial=0.0, where=~np.isnan(values)))
        if "trials" in cls.prior_options:
            return {"trials": max(highest, 1)}
        if "levels" in cls.prior_options:
            smallest = 2 if cls.kind == YES_NO else 1
            return {"levels": tuple(range(max(highest + 1, smallest)))}
        return {}

    def log_base_measure(self, x: np.ndarray) -> np.ndarray | float:
        """Ln h(x), the part of ln p of cells without parameters, which the engine leaves out."""
        return 0.0

    def parts(self) -> Sequence[Self]:
        """Priors of the columns that the engine runs: itself, or one for each coordinate."""
        return (self,)

    def statistic(
        self,
        values: np.ndarray,
        labels: np.ndarray | None = None,
        n_clusters: int = 1,
        weight: Weight = 1.0,
    ) -> Statistic:
        """Sufficient statistic of rows (n,) or (n, D), NaN where missing, in K clusters.

        ``labels``, int64 (n,), are 0..K-1, -1 for rows in no cluster; None puts all into one.
        """
        return self.statistic_of(Rows.of(values, labels, n_clusters, weight))

    def read_statistic(self, state: np.ndarray, center: np.ndarray, scale: np.ndarray) -> Statistic:
        """Statistic of K clusters from the engine's, shape (S, K), of (x - center)/scale."""
        return GroupMoments.of_state(state, center, scale)

    @classmethod
    def evidences(cls, tried: Sequence[Self], statistic: Statistic) -> np.ndarray:
        """Ln p of all clusters together under each of S priors, shape (S,)."""
        return np.array([prior.log_marginal_of(statistic).sum() for prior in tried])

    def strengthened(self, factor: float) -> Self:
        """Prior of the same expectation that is worth ``factor`` times the observations."""
        return self

    def of_columns(self, which: Sequence[int]) -> Self | None:
        """Marginal prior of some columns of a block; None where it is of no such form."""
        return None

    def at_scale(self, scale: float) -> Self:
        """Default prior at that scale, from the one at a scale of 1."""
        if not self.scaled:
            return self
        return replace(self, **{name: scale * getattr(self, name) for name in self.scaled})

    def posterior(self, values: np.ndarray, weight: Weight = 1.0) -> Self:
        return self.posterior_of(self.statistic(values, weight=weight))

    def log_marginal(self, values: np.ndarray, weight: Weight = 1.0) -> float:
        """Ln p of the observed values of one cluster, in nats."""
        return float(self.log_marginal_of(self.statistic(values, weight=weight))[0])

    def __post_init__(self) -> None:
        # Hundreds of posteriors are made at every fit, so plain numbers skip the conversion.
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
        return {f.name: np.asarray(getattr(self, f.name)).tolist() for f in fields(self)}


@dataclass(frozen=True)
class Predictive:
    """Summary of the next value of a column."""

    mode: float
    #: Mean; where the predictive has none, that of the likelihood at the mean parameter.
    mean: float
    variance: float
    probabilities: tuple[float, ...] | None = None

    @classmethod
    def of_levels(cls, probabilities: np.ndarray) -> Self:
        codes = np.arange(probabilities.size)
        mean = float(codes @ probabilities)
        variance = float(np.square(codes - mean) @ probabilities)
        return cls(float(probabilities.argmax()), mean, variance, tuple(probabilities.tolist()))


class Moments(NamedTuple):
    """Mean (P,) and covariance (P, P) of the numeric features of a unit in a cluster."""

    mean: np.ndarray
    covariance: np.ndarray

    @classmethod
    def of_column(cls, mean: float, variance: float) -> Self:
        return cls(np.array([mean]), np.array([[variance]]))


#: Smallest variance: it and its inverse can still be multiplied and divided.
LEAST_VARIANCE = 1e-280


def observed_cells(values: np.ndarray, weight: Weight) -> tuple[np.ndarray, np.ndarray]:
    """Observed values of a column, and their weights."""
    values = np.asarray(values, dtype=np.float64)
    seen = ~np.isnan(values)
    return values[seen], np.broadcast_to(np.asarray(weight, np.float64), values.shape)[seen]


def spread_of(values: np.ndarray, weight: Weight) -> tuple[np.ndarray, np.ndarray, float]:
    """Moments of columns, (n,) or (n, D), for the default priors of measurements.

    Mean and variance, (D,), see ``mean_and_variance``, and the observations that the mean of a weak
    prior is worth: ten over the whole data.
    """
    moments = [mean_and_variance(column, weight) for column in np.atleast_2d(values.T)]
    n_rows = float(np.broadcast_to(weight, len(values)).sum())  # missing or not
    return *np.array(moments).T, 10.0 / max(n_rows, 1.0)


def mean_and_variance(values: np.ndarray, weight: Weight = 1.0) -> tuple[float, float]:
    """Mean and variance of observed values; a variance up to ``LEAST_VARIANCE`` becomes 1."""
    x, w = values[~np.isnan(values)], weight
    if np.ndim(weight):  # one weight for all needs no array, which halves the time
        x, w = observed_cells(values, weight)
    if x.size == 0:
        return 0.0, 1.0
    n = np.broadcast_to(w, x.shape).sum()
    mean = (w * x).sum() / n
    variance = float((w * np.square(x - mean)).sum() / n)
    return float(mean), variance if variance > LEAST_VARIANCE else 1.0


def best_prior(
    tried: Sequence[Prior], values: np.ndarray, labels: np.ndarray, weight: Weight = 1.0
) -> tuple[Prior, float]:
    """The prior of highest evidence given groups, and ln p of the cells under it, in nats.

    ``tried`` are of one family, ``values`` and ``labels`` as for ``Prior.statistic``.
    """
    statistic = tried[0].statistic(values, labels, int(labels.max()) + 1, weight)
    evidences = tried[0].evidences(tried, statistic)
    best = int(np.argmax(evidences))
    return tried[best], float(evidences[best])
