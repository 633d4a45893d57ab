"""A fitted estimator as JSON text: its settings, what it found, and its rule for new rows.

No pickle: a stranger's file can only fail to load. Without a rule it holds the labels, else no row.
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
from ..schema.encoded import Encoded, Unit
from ..schema.frames import as_frame
from ..schema.schema import Schema
from .estimator import NEW_ROWS, ClusterEstimator, no_rule
from .saved_rules import RULES, listed, plain, prior_from, unit_to_dict, units_from


class ModelFileError(ValueError):
    """A text that is no model, a damaged one, or one of a newer version: one sentence."""


FILE = SavedFile("model", 2, ModelFileError)


@dataclass(frozen=True, eq=False)
class FittedModel(Predictions):
    """A model read from a file: predicts, scores and fills new rows as the one that was saved.

    ``settings`` that are no plain values are their kinds; ``objective_`` is E in nats; ``schema_``
    is None for a model of an array; ``columns_`` holds priors but no rows; ``concentration`` is
    N_0.
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

    Arrays with a number a row are there only where it has no rule.
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
    model : estimator of this library, fitted, or read from a file, which is written as it was
    path : str or path, optional
        Where to write it, in UTF-8.

    Returns
    -------
    str
        No row of the table: sums over every cluster's rows, or labels where there is no rule.

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
        What ``save_model`` wrote (a str from a brace on), or where it is.

    Returns
    -------
    FittedModel or SavedClusters
        Of clusters with a likelihood, or of any other estimator.

    Raises
    ------
    ModelFileError
        There is no such file, or it holds no model that can be read.
    """
    if not isinstance(text, bytes) and not (isinstance(text, str) and text.lstrip()[:1] == "{"):
        try:
            text = Path(text).read_bytes()
        except (OSError, ValueError) as error:  # ValueError: no path can be so
            why = getattr(error, "strerror", None) or "that is no path"
            raise ModelFileError(
                f"There is no model file {str(text)[-100:]!r} ({why}): give the path of a saved"
                " model, or its text."
            ) from None
    content = FILE.read_unchanged(text)
    try:
        with np.errstate(all="ignore"):  # of numbers that do not fit each other, found in there
            return SavedClusters(content) if "found" in content else _fitted_from(content)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelFileError(f"This model file is damaged ({error}): save it again.") from None


def _of_clusters(model: Predictions) -> dict[str, Any]:
    """Clusters with a likelihood: posteriors in user's units, statistics of (x - center)/scale."""
    scores = model._row_scores()
    columns, units = scores.columns, scores.columns.encoded.units
    if isinstance(model, FittedModel):
        algorithm, settings = model.algorithm, model.settings
    else:
        algorithm, settings = type(model).__name__, model.get_params()
    parts, rows = [], {}
    for u, unit in enumerate(units):
        inside = columns.inside(range(u, u + 1))
        numbers = {name: getattr(columns, name)[inside].tolist() for name in ("center", "scale")}
        parts.append({**unit_to_dict(unit, columns.priors[u]), **numbers})
        rows[unit.name] = scores.state.state[columns.statistic_rows_of(u)]
    clusters = [
        {
            "size": cluster.size,
            "posterior": {name: prior.to_dict() for name, prior in cluster.posterior.items()},
            "statistics": {name: of_unit[:, k].tolist() for name, of_unit in rows.items()},
        }
        for k, cluster in enumerate(scores.clusters)
    ]
    return {
        "algorithm": algorithm,
        "settings": plain(settings),
        "objective": model.objective_,
        "concentration": float(scores.concentration),
        "schema": None if model.schema_ is None else model.schema_.to_dict(),
        "columns": parts,
        "clusters": clusters,
    }


def _fitted_from(content: Mapping[str, Any]) -> FittedModel:
    """The model of a file; a ValueError where its parts do not fit each other."""
    units, priors = units_from(content["columns"])
    center, scale = (
        np.array([number for part in content["columns"] for number in part[name]], dtype=np.float64)
        for name in ("center", "scale")
    )
    schema = None if content["schema"] is None else Schema.from_dict(content["schema"])
    _check_columns(units, center, scale, schema)
    columns = Columns.without_rows(units, priors, center, scale)
    clusters = tuple(
        Cluster(part["size"], {u.name: prior_from(u, part["posterior"][u.name]) for u in units})
        for part in content["clusters"]
    )
    model = FittedModel(
        content["algorithm"],
        content["settings"],
        float(content["objective"]),
        schema,
        columns,
        clusters,
        float(content["concentration"]),
        _state(columns, content["clusters"]),
    )
    if not (np.isfinite(model.objective_) and 0 < model.concentration < np.inf):
        raise ValueError("E is not finite, or N_0 is not above 0")
    families = [FAMILIES[unit.family] for unit in units for _ in unit.columns]
    least = [float(family.support.is_open) for family in families]
    middle = np.where([family.is_real for family in families], center, least)
    if not np.isfinite(model._row_scores().log_joint(Encoded(middle[None], units))).all():
        raise ValueError("its numbers do not fit each other")
    return model


def _check_columns(
    units: tuple[Unit, ...], center: np.ndarray, scale: np.ndarray, schema: Schema | None
) -> None:
    """Refuse columns that the engine cannot take: a checksum says nothing of files made by hand."""
    names = [name for unit in units for name in unit.columns]
    known = schema.units if schema else Encoded.from_array(np.ones((1, len(names))), "normal").units
    if schema is not None and known != units:
        raise ValueError("its columns are not those of its schema")
    if len({*names}) < len(names) or len({unit.name for unit in units}) < len(units):
        raise ValueError("a column stands in it twice")
    if any(len(unit.columns) != 1 and not FAMILIES[unit.family].is_block for unit in units):
        raise ValueError("a family of single columns is given several")
    if schema is None and names != [name for unit in known for name in unit.columns]:
        raise ValueError("its columns are not those of an array")
    if not center.shape == scale.shape == (len(names),):
        raise ValueError("there is not one centre and one scale for each column")
    if not (np.isfinite(center) & (scale > 1.0 / LARGEST) & (scale < LARGEST)).all():
        raise ValueError("a centre or a scale is no number that can be reckoned with")


def _state(columns: Columns, parts: list[Mapping[str, Any]]) -> Clusters:
    sizes = np.array([part["size"] for part in parts])
    are_numbers = sizes.size and sizes.dtype.kind in "if"
    if not are_numbers or not (np.isfinite(sizes) & (sizes > 0)).all():
        raise ValueError("a cluster has no rows, or no number of rows")
    statistics = []
    for u, unit in enumerate(columns.encoded.units):
        of_unit = [np.array(part["statistics"][unit.name], dtype=np.float64) for part in parts]
        n_rows = columns.statistic_rows_of(u).size
        for k, numbers in enumerate(of_unit):
            if unit.family == "bernoulli" and numbers.size == 3:
                numbers = numbers[[0, 2]]  # of a file of 0.2: n, and those of no and of yes
            elif unit.family in ("binomial", "poisson", "negative_binomial"):
                numbers = numbers[:2]  # with what no cluster differs in
            if numbers.shape != (n_rows,) or not np.isfinite(numbers).all():
                raise ValueError(f"a cluster has too many or too few sums of '{unit.name}'")
            of_unit[k] = numbers
        statistics.append(np.reshape(of_unit, (len(parts), n_rows)).T)
    return clusters_with(columns, np.vstack(statistics), sizes)


def _of_labels(model: ClusterEstimator) -> dict[str, Any]:
    kind = next((kind for kind, rule in RULES.items() if isinstance(model, rule[0])), None)
    rule = None if kind is None else {"kind": kind, **RULES[kind][1](model)}
    n_rows = None if rule is None else model.labels_.size
    found = {
        name: listed(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and _is_kept(value, n_rows)
    }
    return {
        "algorithm": type(model).__name__,
        "settings": plain(model.get_params()),
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
