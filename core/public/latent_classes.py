"""The words of latent class analysis for clusters that are components of a mixture.

They are of the finite mixture: E-M's own, or, of MAP-DP, the one that E-M comes to from its
clusters, since clusters that were found by assigning every row for sure would look far surer than
they are. The rows stay assigned as MAP-DP has them.

Sources: AIC (Akaike 1974), BIC (Schwarz 1978), ICL (Biernacki, Celeux and Govaert 2000), entropy R2
and the classification table (Vermunt and Magidson 2016, section 3), relative entropy (Ramaswamy and
others 1993).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..inference.prediction import Predictions
from ..models.em import MixtureEM, em_states
from ..models.mixture import Mixture
from ..wording import counted, percent
from .clustered import groups_of, rows_of


@dataclass(frozen=True, eq=False)
class LatentClasses:
    """How well a mixture fits and how surely it assigns; lower AIC, BIC and ICL are better."""

    #: "Cluster 1", the largest, and so on.
    titles: tuple[str, ...]
    #: float64, shape (N, K). Probability of every class for every row.
    probabilities: np.ndarray
    #: int64, shape (N,). Class that every row is assigned to.
    labels: np.ndarray
    #: float64, shape (N,). How often each row counts.
    weights: np.ndarray
    #: ln p of all observed cells, in nats, in the user's units.
    log_likelihood: float
    #: Free parameters: of K classes and their sizes.
    n_parameters: int

    @property
    def n_rows(self) -> float:
        """Rows, as often as they count."""
        return float(self.weights.sum())

    @property
    def aic(self) -> float:
        """-2 ln L + 2 p."""
        return 2.0 * (self.n_parameters - self.log_likelihood)

    @property
    def bic(self) -> float:
        """-2 ln L + p ln N."""
        return self.n_parameters * np.log(self.n_rows) - 2.0 * self.log_likelihood

    @property
    def icl(self) -> float:
        """BIC plus twice the entropy of the assignments: classes that overlap cost."""
        return self.bic + 2.0 * self.entropy

    @cached_property
    def entropy(self) -> float:
        """Of the assignments, in nats: 0 where no row is in doubt."""
        return float(self.weights @ _entropy(self.probabilities))

    @property
    def entropy_r2(self) -> float:
        """Share of the classes' entropy that the columns explain, 0 to 1; NaN of one class."""
        total = self.n_rows * float(_entropy(self._sizes / self.n_rows))
        return 1.0 - self.entropy / total if total > 0.0 else np.nan

    @property
    def relative_entropy(self) -> float:
        """1 minus the entropy over its largest value N ln K; NaN of one class."""
        k = len(self.titles)
        return 1.0 - self.entropy / (self.n_rows * np.log(k)) if k > 1 else np.nan

    @property
    def _sizes(self) -> np.ndarray:
        return self.weights @ self.probabilities

    @cached_property
    def classification(self) -> pd.DataFrame:
        """Rows by the class that is probable (down) and the class assigned (across)."""
        assigned = np.eye(len(self.titles))[self.labels]
        counts = (self.weights[:, None] * self.probabilities).T @ assigned
        return pd.DataFrame(counts, index=_axis(self.titles, "class"), columns=list(self.titles))

    @property
    def classification_error(self) -> float:
        """Share of the rows that are expected to be assigned to another class than their own."""
        return 1.0 - float(np.trace(self.classification)) / self.n_rows

    @property
    def table(self) -> pd.DataFrame:
        """Every number by its name, one column ``value``."""
        names = ("log_likelihood", "n_parameters", "aic", "bic", "icl", "entropy_r2")
        names += ("relative_entropy", "classification_error")
        values = [getattr(self, name) for name in names]
        return pd.DataFrame({"value": values}, index=_axis(names, "statistic"))

    @property
    def sentence(self) -> str:
        """How surely rows are assigned."""
        return (
            f"{counted(len(self.titles), 'latent group')}, BIC"
            f" {self.bic:,.1f}; {percent(self.classification_error)} of the rows are expected to be"
            " assigned to another class than their own."
        )

    def _repr_html_(self) -> str:
        tables = self.table.to_html(border=0), self.classification.round(1).to_html(border=0)
        return f"<p>{self.sentence}</p>{''.join(tables)}"

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"


def latent_classes(model: Any) -> LatentClasses:
    """Say of fitted clusters what latent class analysis says of its classes.

    Parameters
    ----------
    model : MixtureEM, MAPDP, CollapsedGibbs or another with a likelihood
        Fitted to a table.

    Raises
    ------
    TypeError
        The clusters have no likelihood.
    ValueError
        The model holds no rows.

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import MixtureEM, latent_classes
    >>> rows = np.random.default_rng(0).normal([[0.0], [3.0]], 1.0, (2, 99)).reshape(-1, 1)
    >>> one, two = (latent_classes(MixtureEM(k, random_state=0).fit(rows)) for k in (1, 2))
    >>> bool(two.bic < one.bic), one.n_parameters, two.n_parameters
    (True, 2, 5)
    """
    encoded = rows_of(model)
    if isinstance(model, MixtureEM):
        mixture, fitted = replace(model._mixture, power=1.0), model._fitted
        titles = tuple(f"Cluster {k + 1}" for k in range(model.n_components))
        rows = mixture.read(encoded)
    elif isinstance(model, Predictions):
        titles = groups_of(model).titles
        mixture = Mixture.of(encoded, model.prior_)
        rows = mixture.read(encoded)
        *_, last = em_states(mixture, rows, np.eye(len(titles))[model.result_.labels])
        fitted = last.fitted
    else:
        raise TypeError(
            f"{type(model).__name__} has no likelihood, and so no probabilities of its clusters:"
            " fit MixtureEM or MAPDP."
        )
    probabilities, log_density = mixture.expect(rows, fitted)
    weights = np.ones(len(encoded.values)) if encoded.weights is None else encoded.weights
    is_em = isinstance(model, MixtureEM)
    return LatentClasses(
        titles,
        np.ascontiguousarray(probabilities.T),
        probabilities.argmax(axis=0) if is_em else model.result_.labels,
        weights,
        float(weights @ log_density),
        mixture.n_parameters(len(titles)),
    )


def _entropy(shares: np.ndarray) -> np.ndarray:
    """In nats, over the last axis."""
    return -np.sum(shares * np.log(np.where(shares > 0.0, shares, 1.0)), axis=-1)


def _axis(names: Any, name: str) -> pd.Index:
    return pd.Index(list(names), name=name)
