"""A fitted estimator as JSON text: its settings, what it found, and its rule for new rows.

No pickle: a stranger's file can only fail to load. Without a rule it holds the labels, else no row.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..engine.packed import LARGEST, PackedTable
from ..engine.partition import clusters_from
from ..engine.rows import Clusters
from ..families import FAMILIES
from ..families.prior import Prior
from ..inference.clusters import Cluster, RowScores, clusters_of_state
from ..inference.prediction import Predictions, known_codes
from ..plain import from_fields, from_plain, hints, to_plain
from ..saved_file import SavedFile
from ..schema.encoded import Encoded, Unit
from ..schema.frames import as_frame
from ..schema.rows import encode_new_rows
from ..schema.schema import Schema
from ..wording import RefusedError
from .em import Mixture, MixtureEM, MixtureParameters
from .estimator import NEW_ROWS, ClusterEstimator, no_rule
from .kmeans import CentroidEstimator
from .numeric import NumericEncoding


class ModelFileError(RefusedError):
    """A text that is no model, a damaged one, or one of a newer version: one sentence."""


FILE = SavedFile("model file", 2, ModelFileError)
_numbers = partial(from_plain, np.ndarray)
_schema = partial(from_plain, Schema | None)
#: Families whose clusters had further, redundant sums in 0.2, and which of those are read.
_READ = {"bernoulli": [0, -1], "binomial": [0, 1], "poisson": [0, 1], "negative_binomial": [0, 1]}


@dataclass(frozen=True, eq=False)
class FittedModel(Predictions):
    """A model read from a file: predicts, scores and fills new rows as the one that was saved."""

    algorithm: str
    #: Values that are not plain are stored by the name of their class.
    settings: Mapping[str, Any]
    objective_: float
    schema_: Schema | None
    columns_: PackedTable
    clusters_: tuple[Cluster, ...]
    concentration: float
    state: Clusters

    def __getattr__(self, name: str) -> Any:
        """Say that ``labels_`` and all that needs rows is not in a file."""
        raise AttributeError(f"This model of a file holds no rows, and no {name}: fit it again.")

    @property
    def n_clusters_(self) -> int:
        """Number of clusters K."""
        return len(self.clusters_)

    def _row_scores(self) -> RowScores:
        return RowScores(self.columns_, self.state, self.concentration, self.clusters_)

    def _new_rows(self, X: Any) -> Encoded:
        if self.schema_ is not None:
            return encode_new_rows(self.schema_, as_frame(X))
        array = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
        units, n = self.columns_.encoded.units, self.columns_.scale.size
        if array.shape[1] != n:
            raise ValueError(
                f"The rows have {array.shape[1]} columns and the model was fitted to {n}: give it"
                " the same columns."
            )
        return known_codes(Encoded.from_array(array, units[0].family), units)


class SavedClusters:
    """An estimator read from a file; it has arrays over rows only where it has no rule."""

    n_clusters_: int
    objective_: float

    def __init__(self, content: Mapping[str, Any]) -> None:
        for name, value in content["found"].items():
            setattr(self, name, np.array(value) if isinstance(value, list) else value)
        self._content, self.algorithm = content, content["algorithm"]
        self.settings, self.schema_ = content["settings"], _schema(content["schema"])
        rule = content["rule"]
        if rule is not None:
            model = _RULES[rule["kind"]][2](rule)
            model.schema_, model.likelihood = self.schema_, content["likelihood"]
            units = () if self.schema_ is None else self.schema_.units
            _check(not units or sum(len(u.columns) for u in units) == model.n_features_in_)
            for name in filter(lambda name: hasattr(model, name), NEW_ROWS):
                setattr(self, name, getattr(model, name))

    def __getattr__(self, name: str) -> Any:
        algorithm = vars(self).get("algorithm", "model")  # none yet while it is unpickled
        is_rule = name in NEW_ROWS
        why = no_rule(algorithm, name) if is_rule else f"This saved {algorithm} has no {name}."
        raise AttributeError(why)


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
    elif isinstance(model, ClusterEstimator | Predictions):
        if isinstance(model, ClusterEstimator):
            check_is_fitted(model)
        settings = model.settings if isinstance(model, FittedModel) else model.get_params()
        content = {
            "algorithm": getattr(model, "algorithm", type(model).__name__),
            "settings": plain(settings),
            "schema": to_plain(model.schema_),
            **(_of_clusters(model) if isinstance(model, Predictions) else _of_labels(model)),
        }
    else:
        raise TypeError(
            f"save_model takes a fitted estimator of this library, or one read from a file, not"
            f" {type(model).__name__}."
        )
    text = json.dumps(FILE.signed(content), indent=1, ensure_ascii=False)
    # Short lists on one line: JSON text holds line breaks between values only.
    text = re.sub(r"\[\n[^\[\]{}]*?\n *\]", lambda found: re.sub(r"\n *", " ", found[0]), text)
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
    # Of numbers that do not fit each other, found in there.
    with FILE.rebuilding(), np.errstate(all="ignore"):
        return SavedClusters(content) if "found" in content else _fitted_from(content)


def _check(fits: Any) -> None:
    """Raise a ValueError unless parts fit: files may be edited, and the engine trusts its input."""
    if not fits:
        raise ValueError("its parts do not fit each other")


def _of_clusters(model: Predictions) -> dict[str, Any]:
    """Clusters with a likelihood: posteriors in user's units, statistics of (x - center)/scale."""
    scores = model._row_scores()
    packed, units = scores.packed, scores.packed.encoded.units
    parts, rows = _units_to_list(units, packed.priors), {}
    for u, (unit, part) in enumerate(zip(units, parts, strict=True)):
        inside = packed.columns_of(range(u, u + 1))
        part |= {name: getattr(packed, name)[inside].tolist() for name in ("center", "scale")}
        rows[unit.name] = scores.state.state[packed.statistic_rows_of(u)]
    clusters = [
        {
            "size": cluster.size,
            "posterior": {name: prior.to_dict() for name, prior in cluster.posterior.items()},
            "statistics": {name: of_unit[:, k].tolist() for name, of_unit in rows.items()},
        }
        for k, cluster in enumerate(scores.clusters)
    ]
    return {
        "objective": model.objective_,
        "concentration": float(scores.concentration),
        "columns": parts,
        "clusters": clusters,
    }


def _fitted_from(content: Mapping[str, Any]) -> FittedModel:
    parts, clusters, schema = content["columns"], content["clusters"], _schema(content["schema"])
    units, priors = _units_from(parts)
    center, scale = (_numbers([n for p in parts for n in p[name]]) for name in ("center", "scale"))
    sizes = _numbers([part["size"] for part in clusters], "size")
    n = sum(len(unit.columns) for unit in units)
    expected = Encoded.from_array(np.ones((1, n)), units[0].family).units
    if schema is not None:
        expected = schema.units
        _check(expected == units)
    names = [[(unit.name, unit.family, unit.columns) for unit in of] for of in (units, expected)]
    _check(names[0] == names[1] and center.size == scale.size == n)
    _check(sizes.size)
    _check(((scale > 1.0 / LARGEST) & (scale < LARGEST)).all())
    nobody = Encoded(np.empty((0, n)), units)
    packed = PackedTable.pack(nobody, priors, rescaling=(center, scale))
    state = clusters_from(packed, np.vstack(_statistics(packed, clusters)), sizes)
    model = FittedModel(
        content["algorithm"],
        content["settings"],
        float(content["objective"]),
        schema,
        packed,
        clusters_of_state(packed, state),
        float(content["concentration"]),
        state,
    )
    _check(np.isfinite(model.objective_) and 0 < model.concentration < np.inf)
    families = [FAMILIES[unit.family] for unit in units for _ in unit.columns]
    least = [float(family.support.is_open) for family in families]
    middle = np.where([family.is_real for family in families], center, least)
    _check(np.isfinite(model._row_scores().log_joint(Encoded(middle[None], units))).all())
    return model


def _statistics(packed: PackedTable, clusters: list[Mapping[str, Any]]) -> list[np.ndarray]:
    """Of every unit, its sums in the clusters, (S, K)."""
    found = []
    for u, unit in enumerate(packed.encoded.units):
        n = packed.statistic_rows_of(u).size
        sums = _numbers([part["statistics"][unit.name] for part in clusters], unit.name)
        if sums.shape[1] > n and unit.family in _READ:
            sums = sums[:, _READ[unit.family]]
        _check(sums.shape == (len(clusters), n))
        found.append(sums.T)
    return found


def _of_labels(model: ClusterEstimator) -> dict[str, Any]:
    kind = next((kind for kind, rule in _RULES.items() if isinstance(model, rule[0])), None)
    rule = None if kind is None else {"kind": kind, **_RULES[kind][1](model)}
    n_rows = None if rule is None else model.labels_.size
    found = {
        name: plain(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and _is_stored(value, n_rows)
    }
    return {"likelihood": model.likelihood, "found": found, "rule": rule}


def _is_stored(value: Any, n_rows: int | None) -> bool:
    """Whether an attribute is plain numbers and, of a model with a rule, has none for each row."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf" and n_rows not in value.shape
    return isinstance(value, bool | int | float | np.generic)


def plain(value: Any) -> Any:
    """A value as JSON can hold it; others by the name of their class."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    is_plain = value is None or isinstance(value, bool | int | float | str)
    return value if is_plain else type(value).__name__


def _units_to_list(units: Any, priors: Any) -> list[dict[str, Any]]:
    pairs = zip(units, priors, strict=True)
    return [to_plain(unit) | {"prior": prior.to_dict()} for unit, prior in pairs]


def _units_from(parts: list[Mapping[str, Any]]) -> tuple[tuple[Unit, ...], list[Prior]]:
    units = tuple(from_fields(Unit, {name: part[name] for name in hints(Unit)}) for part in parts)
    priors = (from_fields(FAMILIES[part["family"]], part["prior"]) for part in parts)
    return units, list(priors)


def _centres_to_dict(model: CentroidEstimator) -> dict[str, Any]:
    return {"encoding": to_plain(model.encoding_), "centers": model.cluster_centers_.tolist()}


def _centres_from_dict(data: Mapping[str, Any]) -> CentroidEstimator:
    """An estimator with these centres."""
    model = CentroidEstimator()
    model.encoding_ = encoding = from_fields(NumericEncoding, data["encoding"], "encoding")
    model.cluster_centers_ = _numbers(data["centers"], "centers")
    model.n_features_in_ = n = len(encoding.n_levels)
    _check(min(encoding.n_levels) >= 0)
    _check(encoding.fill.shape == encoding.center.shape == encoding.scale.shape == (n,))
    n_numbers = sum(max(n_levels, 1) for n_levels in encoding.n_levels)
    _check(n_numbers == len(encoding.names) == model.cluster_centers_.shape[1])
    return model


def _components_to_dict(model: MixtureEM) -> dict[str, Any]:
    mixture = model._mixture
    center = np.zeros(sum(len(unit.columns) for unit in mixture.units))
    for part in mixture.parts:
        center[part.columns] = part.center
    return {
        "columns": _units_to_list(mixture.units, mixture.priors),
        "center": center.tolist(),
        "floor": mixture.floor,
        "weights": model._fitted.weights.tolist(),
        "parts": [[array.tolist() for array in part] for part in model._fitted.parts],
    }


def _components_from_dict(data: Mapping[str, Any]) -> MixtureEM:
    """An estimator with these components."""
    units, priors = _units_from(data["columns"])
    model, center = MixtureEM(), _numbers(data["center"], "center")
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
    _check(np.isfinite(mixture.expect(nothing, model._fitted)[0]).all())
    return model


#: By its name in a file: the class with that rule, and how it is written and read.
_RULES = {
    "centres": (CentroidEstimator, _centres_to_dict, _centres_from_dict),
    "components": (MixtureEM, _components_to_dict, _components_from_dict),
}
