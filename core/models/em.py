"""E-M for finite mixtures, under the likelihoods, blocks and priors of MAP-DP (R16 section 5)."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..engine.packed import check_prior, default_priors
from ..families import FAMILIES, Prior
from ..inference.fit import Fit
from ..inference.prediction import known_codes
from ..partitions.labels import by_size
from ..schema.encoded import Encoded, Unit
from ..wording import counted
from .estimator import Callback, PredictsLabels, WeighsRows, number, one_of, share, whole
from .kmeans import lloyd_states, plus_plus
from .mixture import MixtureBlock, MixtureColumns
from .numeric import numeric_encoding
from .priors import EMPIRICAL_SCALE, given_priors
from .progress import Progress


class MixtureParameters(NamedTuple):
    """Weights (K,), and one tuple of arrays (K, ...) for each part of the model."""

    weights: np.ndarray
    parts: tuple[NamedTuple, ...]

    def reordered(self, order: np.ndarray) -> Self:
        """The same components in another order."""
        parts = tuple(type(part)(*(array[order] for array in part)) for part in self.parts)
        return MixtureParameters(self.weights[order], parts)


class MixtureRows(NamedTuple):
    """A table as the parts of the model read it, and how often each row counts, (N,)."""

    parts: tuple[Any, ...]
    weights: np.ndarray


@dataclass(frozen=True)
class Mixture:
    """The model."""

    #: One of all columns, if there are any, and one for each block.
    parts: tuple[Any, ...]
    #: In the order of the table, each with its prior, in the user's units.
    units: tuple[Unit, ...]
    priors: Sequence[Prior]
    #: Not None for maximum likelihood: the variance added to every one, in squared units.
    floor: float | None = None
    #: Of every row's likelihood given its component.
    power: float = 1.0

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        priors: Sequence[Prior],
        floor: float | None = None,
        power: float = 1.0,
    ) -> Self:
        """The model of a table under a prior for each unit."""
        columns, blocks = [], []
        for unit, prior, start in zip(encoded.units, priors, encoded.starts, strict=True):
            check_prior(unit, prior)
            is_block = FAMILIES[unit.family].fills_missing
            (blocks if is_block else columns).append((unit, prior, start))
        parts: list[Any] = [MixtureColumns.of(encoded, columns, floor)] if columns else []
        parts += [MixtureBlock.of(encoded, *block, floor) for block in blocks]
        return cls(tuple(parts), encoded.units, priors, floor, power)

    def read(self, encoded: Encoded) -> MixtureRows:
        """Rows of a table with the fitted one's columns."""
        parts = tuple(part.read(encoded.values) for part in self.parts)
        weights = np.ones(len(encoded.values)) if encoded.weights is None else encoded.weights
        return MixtureRows(parts, weights)

    def maximise(
        self, rows: MixtureRows, weight: np.ndarray, previous: MixtureParameters | None = None
    ) -> MixtureParameters:
        """M step, given the responsibilities, shape (K, N), and the parameters they came from."""
        before = previous.parts if previous else (None,) * len(self.parts)
        weight = weight * rows.weights
        evidence = weight if self.power == 1.0 else self.power * weight
        every = zip(self.parts, rows.parts, before, strict=True)
        parts = tuple(part.maximise(data, evidence, old) for part, data, old in every)
        sizes = weight.sum(axis=1)
        return MixtureParameters(sizes / sizes.sum(), parts)

    def expect(
        self, rows: MixtureRows, parameters: MixtureParameters
    ) -> tuple[np.ndarray, np.ndarray]:
        """E step: responsibilities, shape (K, N), and ln p of every row's cells in users' units."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(parameters.weights)
        out = np.tile(log_weights[:, None] / self.power, rows.weights.size)
        for part, data, found in zip(self.parts, rows.parts, parameters.parts, strict=True):
            part.add_log_density(data, found, out)
        if self.power != 1.0:
            out *= self.power
        top = out.max(axis=0)
        out -= top
        np.exp(out, out=out)
        total = out.sum(axis=0)
        out /= total
        return out, top + np.log(total)

    def log_prior(self, parameters: MixtureParameters) -> float:
        """Log prior density of the parameters; 0 for maximum likelihood."""
        if self.floor is not None:
            return 0.0
        pairs = zip(self.parts, parameters.parts, strict=True)
        return sum(part.log_prior(found) for part, found in pairs)

    def describe(self, parameters: MixtureParameters) -> dict[str, dict[str, np.ndarray]]:
        """Every unit's parameters, stacked over the components, by the family's own names."""
        found = {}
        for part, numbers in zip(self.parts, parameters.parts, strict=True):
            found |= part.describe(numbers)
        return {unit.name: found[unit.name] for unit in self.units}


@dataclass(frozen=True)
class MixtureState:
    """A mixture after one iteration, its parameters, and what it says of the rows."""

    mixture: Mixture
    fitted: MixtureParameters
    #: float64, shape (N, K). Probability of every component for every row under these parameters.
    responsibilities: np.ndarray
    #: Negative of log likelihood plus log prior; it never rises.
    objective: float
    converged: bool = False

    @property
    def labels(self) -> np.ndarray:
        """Most probable component of every row, shape (N,); numbers stay put between states."""
        return self.responsibilities.argmax(axis=1)

    @cached_property
    def parameters(self) -> dict[str, dict[str, np.ndarray]]:
        """Unit name -> its ``mean``, ``sd``, ``probabilities`` and the like, by component."""
        return self.mixture.describe(self.fitted)


def em_step(
    mixture: Mixture,
    rows: MixtureRows,
    responsibilities: np.ndarray,
    previous: MixtureParameters | None = None,
) -> MixtureState:
    """One M step under responsibilities (N, K), and the E step that shows what it gave."""
    fitted = mixture.maximise(rows, responsibilities.T, previous)
    weight, log_density = mixture.expect(rows, fitted)
    objective = -(float((rows.weights * log_density).sum()) + mixture.log_prior(fitted))
    return MixtureState(mixture, fitted, weight.T, objective)


def em_states(
    mixture: Mixture,
    rows: MixtureRows,
    responsibilities: np.ndarray,
    max_iter: int = 300,
    tol: float = 1e-6,
) -> Iterator[MixtureState]:
    """Run E-M one iteration at a time from given responsibilities, shape (N, K).

    Ends with an iteration that gains at most ``tol``, in nats a row; one that would lose, by
    rounding or by the floor of maximum likelihood, is not taken.
    """
    state = em_step(mixture, rows, responsibilities)
    for _ in range(max_iter):
        following = em_step(mixture, rows, state.responsibilities, state.fitted)
        gain = state.objective - following.objective
        if gain >= 0.0:
            yield state
            state = following
        if gain <= tol * rows.weights.sum():
            yield replace(state, converged=True)
            return
    yield state


@dataclass(eq=False, repr=False)
class MixtureEM(WeighsRows, PredictsLabels):
    """Fit a finite mixture by expectation-maximisation.

    ``prior=None`` on complete columns is scikit-learn's ``GaussianMixture``, of "full" covariance
    with ``likelihood="gaussian"`` and "diag" with ``likelihood="normal"``.

    Parameters
    ----------
    n_components : int
        K.
    likelihood : str
        As in ``MAPDP``.
    prior : "empirical", None, Prior, or sequence or mapping of Prior
        As in ``MAPDP``; None is maximum likelihood. The weights have a uniform prior.
    likelihood_power : float
        As in ``MAPDP``; predictions are not under it.
    init : "kmeans", or array-like, shape (N, K), responsibilities to start from
    n_init : int
        Starts, of which the lowest objective wins; one where the start is given.
    max_iter : int
        Most iterations from one start.
    tol : float
        Gain of an iteration that ends a run, in nats a row.
    covariance_floor : float
        Added to variances under maximum likelihood, in squared column units.
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        Most probable component, 0 the one with most rows.
    n_clusters_ : int
        Components that are some row's most probable one; the others come last.
    objective_ : float
        Negative of log likelihood plus log prior, in nats, in the user's units.
        The prior is a density of means, log precisions, log rates and log probabilities.
    responsibilities_ : ndarray, shape (N, K)
    weights_ : ndarray, shape (K,)
    parameters_ : dict
        Unit name -> ``mean``, ``sd``, ``covariance``, ... by component.
    result_ : Fit

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import MixtureEM
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    >>> MixtureEM(2, random_state=0).fit(rows).predict([[0.0], [9.0], [9.5]])
    array([0, 1, 1])
    """

    n_components: int = 3
    _: KW_ONLY
    likelihood: str = "normal"
    prior: Any = "empirical"
    likelihood_power: float = 1.0
    init: Any = "kmeans"
    n_init: int = 1
    max_iter: int = 300
    tol: float = 1e-6
    covariance_floor: float = 1e-6
    random_state: Any = None

    limits: ClassVar = {
        **dict.fromkeys(("n_components", "n_init", "max_iter"), whole(1)),
        **dict.fromkeys(("tol", "covariance_floor"), number(0.0)),
        "likelihood_power": share,
    }

    def states_encoded(self, encoded: Encoded) -> Iterator[MixtureState]:
        """Yield the states of a fit with ``n_init=1`` to an encoded table, components unsorted."""
        mixture, rows = self._prepare(encoded)
        start = self._start(encoded, np.random.default_rng(self.random_state))
        yield from em_states(mixture, rows, start, self.max_iter, self.tol)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every component for each row, shape (N, K)."""
        return self._expect(self._new_rows(X))[0].T

    def score_samples(self, X: Any) -> np.ndarray:
        """Log density of each row's observed cells under the mixture, in nats, shape (N,)."""
        return self._expect(self._new_rows(X))[1]

    def _expect(self, encoded: Encoded) -> tuple[np.ndarray, np.ndarray]:
        mixture = replace(self._mixture, power=1.0)
        return mixture.expect(mixture.read(known_codes(encoded, mixture.units)), self._fitted)

    def _labels_of(self, encoded: Encoded) -> np.ndarray:
        return self._expect(encoded)[0].argmax(axis=0)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        mixture, rows = self._prepare(encoded)
        random = np.random.default_rng(self.random_state)
        n_runs = self.n_init if isinstance(self.init, str) else 1
        best, best_trace, tried = None, [], set()
        for run in range(n_runs):
            start, trace = self._start(encoded, random), []
            # K-means often converges where it did before, and E-M would go the same way again.
            labels = by_size(start.argmax(axis=1))[0].tobytes()
            if labels in tried:
                continue
            tried.add(labels)
            for state in em_states(mixture, rows, start, self.max_iter, self.tol):
                trace.append(state.objective)
                done, total = run * (self.max_iter + 1) + len(trace), n_runs * (self.max_iter + 1)
                phase = f"start {run + 1} of {n_runs}, iteration {len(trace) - 1}"
                callback(Progress(done, total, state.objective, self.n_components, phase))
            if best is None or state.objective < best.objective:
                best, best_trace = state, trace
        return self._result(best, best_trace)

    def _prepare(self, encoded: Encoded) -> tuple[Mixture, MixtureRows]:
        self.check_arguments()
        n_rows, prior = len(encoded.values), self.prior
        if self.n_components > n_rows:
            raise ValueError(
                f"n_components={self.n_components} is not allowed: the table has"
                f" {counted(n_rows, 'sample')} (rows), and every component needs one."
            )
        if isinstance(prior, str) and prior != "empirical":
            raise ValueError(f"prior={prior!r} is not allowed: give 'empirical', None, or priors.")
        if prior is None or isinstance(prior, str):
            priors = default_priors(encoded, EMPIRICAL_SCALE)
        else:
            priors = given_priors(prior, encoded)
        floor = float(self.covariance_floor) if prior is None else None
        mixture = Mixture.of(encoded, priors, floor, self.likelihood_power)
        return mixture, mixture.read(encoded)

    def _start(self, encoded: Encoded, random: np.random.Generator) -> np.ndarray:
        """Responsibilities (N, K) to begin at."""
        n_rows, k = len(encoded.values), self.n_components
        if not isinstance(self.init, str):
            start = np.asarray(self.init)
            is_one = start.shape == (n_rows, k) and np.allclose(start.sum(axis=1), 1.0)
            if not is_one or (start < 0.0).any():
                raise ValueError(
                    f"init of shape {start.shape} is not allowed: give responsibilities of shape"
                    f" ({n_rows}, {k}), 0 or more, that sum to 1 in every row."
                )
            return np.array(start.T, np.float64, order="C").T
        one_of("kmeans")("init", self.init)
        rows, weights = numeric_encoding(encoded).apply(encoded.values), encoded.weights
        *_, last = lloyd_states(rows, plus_plus(rows, k, random, weights), weights)
        return (np.arange(k)[:, None] == last.labels).astype(np.float64).T

    def _result(self, state: MixtureState, trace: list[float]) -> Fit:
        # Rows claimed equally go to the first component, so an order can change the sizes.
        order = np.arange(self.n_components)
        for _ in range(self.n_components):
            taken = by_size(state.responsibilities[:, order].argmax(axis=1))[1]
            order = order[[*taken, *np.setdiff1d(np.arange(order.size), taken)]]
        self._mixture, self._fitted = state.mixture, state.fitted.reordered(order)
        self.responsibilities_ = np.ascontiguousarray(state.responsibilities[:, order])
        self.weights_ = self._fitted.weights
        self.parameters_ = state.mixture.describe(self._fitted)
        labels = self.responsibilities_.argmax(axis=1)
        return self._make_fit(labels, trace, converged=state.converged)
