"""Any fitted estimator as a text file: what it was told, what it found, and its rule for new rows.

Clusters with a likelihood are written by ``inference.model_file``; here are the others. Of those
with a rule (centres, a mixture) the file holds the rule and no row; of the others, the clusters
are the labels of the rows, and these are in it. No pickle: a file can do nothing but fail to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..families import FAMILIES
from ..families.prior import from_json
from ..inference.model_file import FILE, FittedModel, as_text, damage_told, plain, written
from ..inference.model_file import load_model as load_clusters
from ..inference.model_file import save_model as save_clusters
from ..inference.prediction import Predictions
from ..schema.encoded import Encoded, Unit
from ..schema.schema import Schema
from .centroids import CentroidEstimator
from .em import MixtureEM
from .estimator import NEW_ROWS, ClusterEstimator, no_rule
from .mixture import Mixture, MixtureParameters
from .numeric import NumericEncoding

#: Files that versions which know clusters with a likelihood alone refuse with a sentence.
_FILE = replace(FILE, version=2)


def _centres_to_dict(model: CentroidEstimator) -> dict[str, Any]:
    encoding = {name: _listed(value) for name, value in vars(model.encoding_).items()}
    return {"encoding": encoding, "centers": model.cluster_centers_.tolist()}


def _centres_from_dict(data: Mapping[str, Any]) -> CentroidEstimator:
    """An estimator with these centres; a ValueError where they do not fit its columns."""
    parts = {name: _numbers(data["encoding"][name]) for name in ("fill", "center", "scale")}
    words, n_levels = data["encoding"], tuple(data["encoding"]["n_levels"])
    model, n_numbers = CentroidEstimator(), sum(max(n, 1) for n in n_levels)
    model.encoding_ = NumericEncoding(
        tuple(words["names"]), str(words["sentence"]), **parts, n_levels=n_levels
    )
    model.cluster_centers_ = _numbers(data["centers"])
    if (
        not all(isinstance(n, int) and n >= 0 for n in n_levels)
        or any(numbers.shape != (len(n_levels),) for numbers in parts.values())
        or n_numbers != len(words["names"])
        or model.cluster_centers_.shape[1:] != (n_numbers,)
    ):
        raise ValueError("its centres do not fit its columns")
    model.n_features_in_ = len(n_levels)
    return model


def _components_to_dict(model: MixtureEM) -> dict[str, Any]:
    units, priors, floor = model._told
    center = np.zeros(sum(len(unit.columns) for unit in units))
    for part in model._mixture.parts:
        center[part.columns] = getattr(part, "center", 0.0)
    described = [
        {
            "name": unit.name,
            "family": unit.family,
            "columns": list(unit.columns),
            "options": plain(unit.options),
            "prior": prior.to_dict(),
        }
        for unit, prior in zip(units, priors, strict=True)
    ]
    return {
        "columns": described,
        "center": center.tolist(),
        "floor": floor,
        "weights": model._fitted.weights.tolist(),
        "parts": [[array.tolist() for array in part] for part in model._fitted.parts],
    }


def _components_from_dict(data: Mapping[str, Any]) -> MixtureEM:
    """An estimator with these components; a ValueError where they do not fit its columns."""
    units = tuple(
        Unit(part["name"], part["family"], tuple(part["columns"]), from_json(part["options"]))
        for part in data["columns"]
    )
    priors = [FAMILIES[part["family"]].Prior.from_dict(part["prior"]) for part in data["columns"]]
    model, center = MixtureEM(), _numbers(data["center"])
    # The parts take the means of the rows that they are made of, here of the one at the centre.
    mixture = Mixture.of(Encoded(center[None], units), priors, data["floor"])
    parts = tuple(
        part.Parameters(*map(_numbers, arrays))
        for part, arrays in zip(mixture.parts, data["parts"], strict=True)
    )
    model._mixture, model._fitted = mixture, MixtureParameters(_numbers(data["weights"]), parts)
    model.n_features_in_ = center.size
    # Parts that do not fit each other fail here rather than at the first new row.
    nothing = mixture.read(Encoded(np.full((1, center.size), np.nan), units))
    if not np.isfinite(mixture.expect(nothing, model._fitted)[0]).all():
        raise ValueError("its components do not fit its columns")
    return model


#: How a rule is called in a file: whose it is, and how it is written and read.
RULES = {
    "centres": (CentroidEstimator, _centres_to_dict, _centres_from_dict),
    "components": (MixtureEM, _components_to_dict, _components_from_dict),
}


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
    if isinstance(model, Predictions):
        text = save_clusters(model)
    elif isinstance(model, SavedClusters):
        text = as_text(model._content)
    elif isinstance(model, ClusterEstimator):
        check_is_fitted(model)
        text = as_text(_FILE.signed(_content(model)))
    else:
        raise TypeError(
            f"save_model takes a fitted estimator of this library, or one read from a file, not"
            f" {type(model).__name__}."
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
    text = written(text)
    if "found" not in _FILE.read(text):
        return load_clusters(text)
    content = _FILE.read_unchanged(text)
    with damage_told():
        return SavedClusters(_FILE.signed(content))


def _content(model: ClusterEstimator) -> dict[str, Any]:
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


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else plain(value)


def _numbers(values: Any) -> np.ndarray:
    numbers = np.array(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("it holds numbers that are not finite")
    return numbers
