"""A fitted estimator as a text file: what it was told, what it found, and its rule for new rows.

Of clusters with a likelihood, of centres and of a mixture, the file holds the rule and no row; of
other estimators the clusters are the labels of the rows, and these are in it. No pickle: a file
from a stranger can do nothing but fail to load. Numbers are written so that they are read back to
the last bit; a checksum tells a file that was edited afterwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..engine.columns import LARGEST, Columns
from ..engine.partition import clusters_with
from ..engine.product import Clusters
from ..families import FAMILIES
from ..inference.clusters import Cluster
from ..inference.prediction import Predictions, known_codes
from ..inference.row_scores import RowScores
from ..saved_file import SavedFile
from ..schema.encoded import Encoded
from ..schema.frames import as_frame
from ..schema.schema import Schema
from .estimator import NEW_ROWS, ClusterEstimator, no_rule
from .saved_rules import RULES, plain, prior_from, unit_from, unit_to_dict


class ModelFileError(ValueError):
    """A text that is no model, a damaged one, or one of a newer version: one sentence."""


FILE = SavedFile("model", 2, ModelFileError)


@dataclass(frozen=True, eq=False)
class FittedModel(Predictions):
    """A model read from a file: predicts, scores and fills new rows as the one that was saved.

    Parameters
    ----------
    algorithm : str
        Name of the estimator class.
    settings : mapping
        Its arguments; those that are no plain values by their kind only.
    objective_ : float
        Exact negative log joint E of the partition it was fitted to (nats).
    schema_ : Schema or None
        None for a model of an array.
    columns_ : Columns
        Columns and priors; no rows.
    concentration : float
        N_0.
    state : Clusters
        The engine's statistics of the clusters.
    """

    algorithm: str
    settings: Mapping[str, Any]
    objective_: float
    schema_: Schema | None
    columns_: Columns
    clusters_: tuple[Cluster, ...]
    concentration: float
    state: Clusters

    @property
    def n_clusters_(self) -> int:
        """Number of clusters K."""
        return len(self.clusters_)

    def _row_scores(self) -> RowScores:
        return RowScores(self.columns_, self.state, self.concentration, self.clusters_)

    def _new_rows(self, X: Any) -> Encoded:
        if self.schema_ is not None:
            return self.schema_.encode(as_frame(X), allow_new_levels=True)
        array = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
        units = self.columns_.encoded.units
        if array.shape[1] != self.columns_.scale.size:
            raise ValueError(
                f"The rows have {array.shape[1]} columns and the model was fitted to"
                f" {self.columns_.scale.size}: give it the same columns."
            )
        return known_codes(Encoded.from_array(array, units[0].family), units)


class SavedClusters:
    """An estimator that was read from a file: its settings, what it found, its rule for new rows.

    Attributes
    ----------
    algorithm : str
        Name of the estimator class.
    settings : mapping
        Its arguments; those that are no plain values by their kind only.
    schema_ : Schema or None
        None for an estimator of an array.
    n_clusters_, objective_, and what else it found in numbers
        Arrays that have a number a row only where there is no rule.
    """

    n_clusters_: int
    objective_: float

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = content
        self.algorithm, self.settings = str(content["algorithm"]), content["settings"]
        schema, rule = content["schema"], content["rule"]
        self.schema_ = None if schema is None else Schema.from_dict(schema)
        for name, value in content["found"].items():
            if not name.endswith("_") or name.startswith("_") or name in vars(self):
                raise ValueError(f"{name!r} is nothing that is found")
            setattr(self, name, np.array(value) if isinstance(value, list) else value)
        self._model = None
        if rule is not None:
            self._model = RULES[rule["kind"]][2](rule)
            self._model.schema_, self._model.likelihood = self.schema_, content["likelihood"]
            units = () if self.schema_ is None else self.schema_.units
            if units and sum(len(unit.columns) for unit in units) != self._model.n_features_in_:
                raise ValueError("its rule does not fit its schema")

    def __getattr__(self, name: str) -> Any:
        model = self.__dict__.get("_model")
        if name in NEW_ROWS and hasattr(model, name):
            return getattr(model, name)
        if name in NEW_ROWS:
            raise AttributeError(no_rule(self.algorithm, name))
        raise AttributeError(f"This saved {self.__dict__.get('algorithm')} has no {name}.")

    def __repr__(self) -> str:
        return f"SavedClusters of {self.algorithm}, {self.n_clusters_:,} clusters"


def save_model(model: Any, path: str | PathLike[str] | None = None) -> str:
    """Write a fitted estimator as JSON.

    Parameters
    ----------
    model : estimator
        Any of this library, fitted, or read from a file.
    path : str or path, optional
        Where to write it, in UTF-8.

    Returns
    -------
    str
        No row of the table is in it. Of clusters with a likelihood there are the sums over every
        cluster's rows; of those without a rule for new rows, the label of each. A model that was
        read is written as it was.

    Raises
    ------
    NotFittedError, TypeError
        Not fitted, or no estimator of this library.

    Examples
    --------
    >>> from mapdp_studio import MAPDP, load_model, save_model
    >>> model = MAPDP(random_state=0).fit([[0.0], [0.5], [9.0]])
    >>> bool((load_model(save_model(model)).predict([[0.2]]) == model.predict([[0.2]])).all())
    True
    """
    if isinstance(model, SavedClusters):
        content = model._content
    elif isinstance(model, Predictions):
        content = _of_clusters(model)
    elif isinstance(model, ClusterEstimator):
        check_is_fitted(model)
        content = _of_labels(model)
    else:
        raise TypeError(
            f"save_model takes a fitted estimator of this library, or one read from a file, not"
            f" {type(model).__name__}."
        )
    text = json.dumps(FILE.signed(content), indent=1, ensure_ascii=False)
    # Short lists on one line: JSON text holds line breaks between values only.
    text = re.sub(
        r"\[\n([^\[\]{}]*?)\n *\]",
        lambda match: "[" + re.sub(r"\n *", " ", match[1]).strip() + "]",
        text,
    )
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def load_model(text: str | bytes | PathLike[str]) -> FittedModel | SavedClusters:
    """Read a model back.

    Parameters
    ----------
    text : str, bytes or path
        What ``save_model`` wrote, or the path of a file that holds it. A ``str`` is the text where
        it begins with a brace, as the text of every model does, and else a path.

    Returns
    -------
    FittedModel or SavedClusters
        Of clusters with a likelihood, or of any other estimator.

    Raises
    ------
    ModelFileError
        There is no such file, or it holds no model that can be read.
    """
    content = FILE.read_unchanged(_written(text))
    try:
        with np.errstate(all="ignore"):  # of numbers that do not fit each other, found in there
            if "found" in content:
                return SavedClusters(content)
            model = _fitted_from(content)
            _check(model)
            return model
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelFileError(f"This model file is damaged ({error}): save it again.") from None


def _written(text: str | bytes | PathLike[str]) -> str | bytes:
    """The text of a file itself, or that of the file at this path."""
    if isinstance(text, bytes) or (isinstance(text, str) and text.lstrip().startswith("{")):
        return text
    try:
        return Path(text).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: no path can be so
        why = getattr(error, "strerror", None) or "that is no path"
        raise ModelFileError(
            f"There is no model file {str(text)[-100:]!r} ({why}): give the path of a saved"
            " model, or its text."
        ) from None


def _of_clusters(model: Predictions) -> dict[str, Any]:
    """Clusters with a likelihood, fitted or read from a file."""
    scores = model._row_scores()
    if isinstance(model, FittedModel):
        algorithm, settings = model.algorithm, model.settings
    else:
        algorithm, settings = type(model).__name__, model.get_params()
    return {
        "algorithm": algorithm,
        "settings": {name: plain(value) for name, value in settings.items()},
        "objective": model.objective_,
        "concentration": float(scores.concentration),
        "schema": None if model.schema_ is None else model.schema_.to_dict(),
        "columns": [_column(scores.columns, u) for u in range(len(scores.columns.priors))],
        "clusters": [_cluster(scores, k) for k in range(scores.n_clusters)],
    }


def _column(columns: Columns, u: int) -> dict[str, Any]:
    inside = columns.inside(range(u, u + 1))
    return {
        **unit_to_dict(columns.encoded.units[u], columns.priors[u]),
        "center": columns.center[inside].tolist(),
        "scale": columns.scale[inside].tolist(),
    }


def _cluster(scores: RowScores, k: int) -> dict[str, Any]:
    """Posterior in the user's units; statistics of values (x - center) / scale."""
    cluster = scores.clusters[k]
    statistics = {
        unit.name: scores.state.state[scores.columns.statistic_rows_of(u), k].tolist()
        for u, unit in enumerate(scores.columns.encoded.units)
    }
    return {
        "size": cluster.size,
        "posterior": {name: prior.to_dict() for name, prior in cluster.posterior.items()},
        "statistics": statistics,
    }


def _fitted_from(content: Mapping[str, Any]) -> FittedModel:
    parts = content["columns"]
    units = [*map(unit_from, parts)]
    columns = Columns.without_rows(
        units,
        [prior_from(part["family"], part["prior"]) for part in parts],
        np.array([number for part in parts for number in part["center"]], dtype=np.float64),
        np.array([number for part in parts for number in part["scale"]], dtype=np.float64),
    )
    clusters = tuple(
        Cluster(
            _size(part["size"]),
            {unit.name: prior_from(unit.family, part["posterior"][unit.name]) for unit in units},
        )
        for part in content["clusters"]
    )
    return FittedModel(
        content["algorithm"],
        content["settings"],
        float(content["objective"]),
        None if content["schema"] is None else Schema.from_dict(content["schema"]),
        columns,
        clusters,
        float(content["concentration"]),
        _state(columns, content["clusters"]),
    )


def _state(columns: Columns, parts: list[Mapping[str, Any]]) -> Clusters:
    """The engine's clusters from their sufficient statistics."""
    statistics = []
    for u, unit in enumerate(columns.encoded.units):
        of_unit = [np.array(part["statistics"][unit.name], dtype=np.float64) for part in parts]
        n_rows = columns.statistic_rows_of(u).size
        for k, numbers in enumerate(of_unit):
            if unit.family == "bernoulli" and numbers.size == 3:
                numbers = numbers[[0, 2]]  # of a file of 0.2: n, and those of no and of yes
            elif unit.family in ("binomial", "poisson", "negative_binomial"):
                numbers = numbers[:2]  # with what no cluster differs in
            if numbers.shape != (n_rows,):
                raise ValueError(f"a cluster has too many or too few sums of '{unit.name}'")
            of_unit[k] = numbers
        statistics.append(np.reshape(of_unit, (len(parts), n_rows)).T)
    return clusters_with(columns, np.vstack(statistics), np.array([p["size"] for p in parts]))


def _size(number: Any) -> float:
    known = isinstance(number, int | float) and not isinstance(number, bool)
    if not known or not np.isfinite(number):
        raise ValueError(f"{number!r} is no number of rows")
    return number


def _check(model: FittedModel) -> None:
    """Refuse parts that do not fit each other: a checksum tells nothing of a file made by hand.

    Raises
    ------
    ValueError
    """
    columns, units, schema = model.columns_, model.columns_.encoded.units, model.schema_
    names = [name for unit in units for name in unit.columns]
    if len({*names}) < len(names) or len({unit.name for unit in units}) < len(units):
        raise ValueError("a column stands in it twice")
    if any(len(unit.columns) != 1 and not FAMILIES[unit.family].is_block for unit in units):
        raise ValueError("a family of single columns is given several")
    if columns.center.shape != (len(names),) or columns.scale.shape != (len(names),):
        raise ValueError("there is not one centre and one scale for each column")
    if (
        not np.isfinite(columns.center).all()
        or not ((columns.scale > 1.0 / LARGEST) & (columns.scale < LARGEST)).all()
    ):
        raise ValueError("a centre or a scale is no number that can be reckoned with")
    if not all(map(np.isfinite, (model.objective_, model.concentration))):
        raise ValueError("E or N_0 is not finite")
    if model.concentration <= 0 or not isinstance(model.algorithm, str):
        raise ValueError("N_0 is not above 0, or the algorithm has no name")
    if schema is not None and schema.units != units:
        raise ValueError("its columns are not those of its schema")
    if schema is None:
        array = Encoded.from_array(np.ones((1, len(names))), units[0].family).units
        if [unit.columns for unit in array] != [unit.columns for unit in units]:
            raise ValueError("its columns are not those of an array")
    k = model.n_clusters_
    if (
        k < 1
        or not (model.state.sizes[:k] > 0).all()
        or not np.isfinite(model.state.state[:, :k]).all()
    ):
        raise ValueError("a cluster has no rows, or no finite numbers")
    families = [FAMILIES[unit.family] for unit in units for _ in unit.columns]
    least = [float(family.support.is_open) for family in families]
    middle = np.where([family.is_real for family in families], columns.center, least)
    if not np.isfinite(model._row_scores().log_joint(Encoded(middle[None], units))).all():
        raise ValueError("its numbers do not fit each other")


def _of_labels(model: ClusterEstimator) -> dict[str, Any]:
    """An estimator whose clusters have no likelihood of their own."""
    kind = next((kind for kind, rule in RULES.items() if isinstance(model, rule[0])), None)
    rule = None if kind is None else {"kind": kind, **RULES[kind][1](model)}
    n_rows = None if rule is None else model.labels_.size
    found = {
        name: value.tolist() if isinstance(value, np.ndarray) else plain(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and _is_kept(value, n_rows)
    }
    return {
        "algorithm": type(model).__name__,
        "settings": {name: plain(value) for name, value in model.get_params().items()},
        "likelihood": model.likelihood,
        "schema": None if model.schema_ is None else model.schema_.to_dict(),
        "found": {"n_clusters_": model.n_clusters_, "objective_": plain(model.objective_)} | found,
        "rule": rule,
    }


def _is_kept(value: Any, n_rows: int | None) -> bool:
    """Whether what was found is plain numbers, and of a model with a rule of no single row."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf" and n_rows not in value.shape
    return isinstance(value, bool | int | float | np.generic)
