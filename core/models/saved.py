"""Any fitted estimator as a text file: what it was told, what it found, and its rule for new rows.

Clusters with a likelihood are written by ``inference.model_file``; here are the others. Of those
with a rule (centres, a mixture) the file holds the rule and no row; of the others, the clusters
are the labels of the rows, and these are in it. No pickle: a file can do nothing but fail to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..families import FAMILIES
from ..families.prior import from_json
from ..inference.model_file import FILE, FittedModel, as_text, damage_told, plain, written
from ..inference.model_file import load_model as load_clusters
from ..inference.model_file import save_model as save_clusters
from ..inference.prediction import Predictions
from ..schema.encoded import Encoded, Unit
from ..schema.frames import as_frame
from ..schema.schema import Schema
from .centroids import CentroidEstimator, nearest_centers
from .em import MixtureEM
from .estimator import NEW_ROWS, ClusterEstimator, no_rule
from .mixture import Mixture, MixtureParameters
from .numeric import NumericEncoding

#: Files that versions which know clusters with a likelihood alone refuse with a sentence.
_FILE = replace(FILE, version=2)


@dataclass(frozen=True)
class Centres:
    """Nearest centres in the coordinates of an encoding."""

    encoding: NumericEncoding
    centers: np.ndarray
    shift: np.ndarray

    def __post_init__(self) -> None:
        m, p = len(self.encoding.n_levels), len(self.encoding.names)
        whole = all(isinstance(n, int) and n >= 0 for n in self.encoding.n_levels)
        widths = (self.encoding.fill, self.encoding.center, self.encoding.scale)
        if (
            not whole
            or any(numbers.shape != (m,) for numbers in widths)
            or sum(max(n, 1) for n in self.encoding.n_levels) != p
            or self.centers.ndim != 2
            or self.centers.shape[1] != p
            or self.shift.shape != (p,)
        ):
            raise ValueError("its centres do not fit its columns")

    @property
    def n_columns(self) -> int:
        """Columns that new rows have."""
        return len(self.encoding.n_levels)

    @property
    def methods(self) -> Mapping[str, Any]:
        """What there is to say of new rows, by the name of the method."""
        return {"predict": lambda rows: nearest_centers(rows, *self._found)}

    @property
    def _found(self) -> tuple[NumericEncoding, np.ndarray, np.ndarray]:
        return self.encoding, self.centers, self.shift

    @classmethod
    def of(cls, model: CentroidEstimator) -> Centres:
        """Those of a fitted estimator."""
        return cls(model.encoding_, model.cluster_centers_, model._shift)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        encoding = {name: _listed(value) for name, value in vars(self.encoding).items()}
        return {
            "encoding": encoding,
            "centers": self.centers.tolist(),
            "shift": self.shift.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Centres:
        """Rebuild from ``to_dict``."""
        told = dict(data["encoding"])
        numbers = {name: _numbers(told.pop(name)) for name in ("fill", "center", "scale")}
        names, n_levels = tuple(told["names"]), tuple(told["n_levels"])
        encoding = NumericEncoding(names, str(told["sentence"]), **numbers, n_levels=n_levels)
        return cls(encoding, _numbers(data["centers"]), _numbers(data["shift"]))


@dataclass(frozen=True)
class Components:
    """The components of a mixture."""

    units: tuple[Unit, ...]
    priors: tuple[Any, ...]
    #: Shape (M,). What the columns' values are told about.
    center: np.ndarray
    floor: float | None
    fitted: MixtureParameters

    def __post_init__(self) -> None:
        # Parts that do not fit each other fail here rather than at the first new row.
        nothing = Encoded(np.full((1, self.n_columns), np.nan), self.units)
        if not np.isfinite(self._expect(nothing)[0]).all():
            raise ValueError("its components do not fit its columns")

    @property
    def n_columns(self) -> int:
        """Columns that new rows have."""
        return self.center.size

    @property
    def methods(self) -> Mapping[str, Any]:
        """What there is to say of new rows, by the name of the method."""
        return {
            "predict": lambda rows: self._expect(rows)[0].argmax(axis=0),
            "predict_proba": lambda rows: self._expect(rows)[0].T,
            "score_samples": lambda rows: self._expect(rows)[1],
        }

    def _expect(self, rows: Encoded) -> tuple[np.ndarray, np.ndarray]:
        # The parts take the means of the rows that they are made of, here of the one at the centre.
        middle = Encoded(self.center[None], self.units)
        mixture = Mixture.of(middle, self.priors, self.floor)
        return mixture.expect(mixture.read(rows), self.fitted)

    @classmethod
    def of(cls, model: MixtureEM) -> Components:
        """Those of a fitted estimator."""
        units, priors, floor = model._told
        center = np.zeros(sum(len(unit.columns) for unit in units))
        for part in model._mixture.parts:
            center[part.columns] = getattr(part, "center", 0.0)
        return cls(units, tuple(priors), center, floor, model._fitted)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        units = [
            {
                "name": unit.name,
                "family": unit.family,
                "columns": list(unit.columns),
                "options": plain(unit.options),
                "prior": prior.to_dict(),
            }
            for unit, prior in zip(self.units, self.priors, strict=True)
        ]
        parts = [[array.tolist() for array in part] for part in self.fitted.parts]
        return {
            "columns": units,
            "center": self.center.tolist(),
            "floor": self.floor,
            "weights": self.fitted.weights.tolist(),
            "parts": parts,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Components:
        """Rebuild from ``to_dict``."""
        units = tuple(
            Unit(part["name"], part["family"], tuple(part["columns"]), from_json(part["options"]))
            for part in data["columns"]
        )
        priors = tuple(FAMILIES[p["family"]].Prior.from_dict(p["prior"]) for p in data["columns"])
        center, floor = _numbers(data["center"]), data["floor"]
        mixture = Mixture.of(Encoded(center[None], units), priors, floor)
        parts = tuple(
            part.Parameters(*map(_numbers, arrays))
            for part, arrays in zip(mixture.parts, data["parts"], strict=True)
        )
        fitted = MixtureParameters(_numbers(data["weights"]), parts)
        return cls(units, priors, center, floor, fitted)


#: How a rule is called in a file, by the estimators that have it.
RULES = {
    "centres": (CentroidEstimator, Centres),
    "components": (MixtureEM, Components),
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
        told = content["schema"]
        self.schema_ = None if told is None else Schema.from_dict(told)
        for name, value in content["found"].items():
            if not name.endswith("_") or name.startswith("_") or name in vars(self):
                raise ValueError(f"{name!r} is nothing that is found")
            setattr(self, name, np.array(value) if isinstance(value, list) else value)
        self._likelihood, rule = content["likelihood"], content["rule"]
        self._rule = None if rule is None else RULES[rule["kind"]][1].from_dict(rule)
        units = () if self.schema_ is None or self._rule is None else self.schema_.units
        if units and sum(len(unit.columns) for unit in units) != self._rule.n_columns:
            raise ValueError("its rule does not fit its schema")

    def __getattr__(self, name: str) -> Any:
        rule = self.__dict__.get("_rule")
        if name in NEW_ROWS and rule is not None and name in rule.methods:
            return lambda X: rule.methods[name](self._new_rows(X))
        if name in NEW_ROWS:
            raise AttributeError(no_rule(self.algorithm, name))
        raise AttributeError(f"This saved {self.__dict__.get('algorithm')} has no {name}.")

    def _new_rows(self, X: Any) -> Encoded:
        if self.schema_ is not None:
            return self.schema_.encode(as_frame(X), allow_new_levels=True)
        array = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
        if array.shape[1] != self._rule.n_columns:
            raise ValueError(
                f"The rows have {array.shape[1]} columns and the model was fitted to"
                f" {self._rule.n_columns}: give it the same columns."
            )
        return Encoded.from_array(array, self._likelihood)

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
    kind = next((kind for kind, (known, _) in RULES.items() if isinstance(model, known)), None)
    rule = None if kind is None else {"kind": kind, **RULES[kind][1].of(model).to_dict()}
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
