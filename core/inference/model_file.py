"""A fitted model as a text file: readable JSON that loads back to the same predictions.

No pickle: a file from a stranger can do nothing but fail to load. Numbers are written so that they
are read back to the last bit; a checksum tells a file that was edited afterwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from ..engine.columns import LARGEST, Columns
from ..engine.partition import clusters_with
from ..engine.product import Clusters
from ..families import FAMILIES, Prior
from ..families.prior import from_json
from ..saved_file import SavedFile
from ..schema.encoded import Encoded, Unit
from ..schema.frames import as_frame
from ..schema.schema import Schema
from .clusters import Cluster
from .prediction import Predictions, known_codes
from .row_scores import RowScores


class ModelFileError(ValueError):
    """A text that is no model, a damaged one, or one of a newer version: one sentence."""


FILE = SavedFile("model", 1, ModelFileError)


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


def save_model(model: Predictions) -> str:
    """Write a fitted model of clusters as JSON.

    Parameters
    ----------
    model : MAPDP, CollapsedGibbs or BayesianHierarchy, or FittedModel
        Fitted, or read from a file.

    Returns
    -------
    str
        No row of the table is in it, but the sums over every cluster's rows are. A model that was
        read is written as it was.

    Raises
    ------
    TypeError
        Another estimator, whose clusters have no likelihood to be saved by.

    Examples
    --------
    >>> from mapdp_studio import MAPDP, load_model, save_model
    >>> model = MAPDP(random_state=0).fit([[0.0], [0.5], [9.0]])
    >>> bool((load_model(save_model(model)).predict([[0.2]]) == model.predict([[0.2]])).all())
    True
    """
    if not isinstance(model, Predictions):
        raise TypeError(
            "save_model takes a fitted MAPDP, CollapsedGibbs or BayesianHierarchy, or a model"
            f" read from a file, not {type(model).__name__}: keep its settings and its labels_"
            " instead."
        )
    scores = model._row_scores()
    columns = scores.columns
    algorithm, settings = _origin(model)
    content = {
        "algorithm": algorithm,
        "settings": {name: plain(value) for name, value in settings.items()},
        "objective": model.objective_,
        "concentration": float(scores.concentration),
        "schema": None if model.schema_ is None else model.schema_.to_dict(),
        "columns": [_unit_to_dict(columns, u) for u in range(len(columns.encoded.units))],
        "clusters": [_cluster_to_dict(scores, k) for k in range(scores.n_clusters)],
    }
    return as_text(FILE.signed(content))


def as_text(content: Mapping[str, Any]) -> str:
    """The signed content of a file as JSON that can be read."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    # Short lists on one line: JSON text holds line breaks between values only.
    return re.sub(
        r"\[\n([^\[\]{}]*?)\n *\]",
        lambda match: "[" + re.sub(r"\n *", " ", match[1]).strip() + "]",
        text,
    )


def load_model(text: str | bytes | PathLike[str]) -> FittedModel:
    """Read a model back.

    Parameters
    ----------
    text : str, bytes or path
        What ``save_model`` wrote, or the path of a file that holds it. A ``str`` is the text where
        it begins with a brace, as the text of every model does, and else a path.

    Raises
    ------
    ModelFileError
        There is no such file, or it holds no model that can be read.
    """
    content = FILE.read_unchanged(written(text))
    with damage_told():
        model = _model_of(content)
        _check(model)
        return model


@contextmanager
def damage_told() -> Iterator[None]:
    """Turn whatever content that does not fit raises into a sentence on the file."""
    try:
        with np.errstate(all="ignore"):  # of numbers that do not fit each other, found in there
            yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelFileError(f"This model file is damaged ({error}): save it again.") from None


def written(text: str | bytes | PathLike[str]) -> str | bytes:
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


def _origin(model: Any) -> tuple[str, Mapping[str, Any]]:
    """Name and settings of the estimator that a model was made by."""
    if isinstance(model, FittedModel):
        return model.algorithm, model.settings
    return type(model).__name__, model.get_params()


def plain(value: Any) -> Any:
    """A setting as JSON can hold it; what is no plain value by the name of its kind."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    return type(value).__name__


def _unit_to_dict(columns: Columns, u: int) -> dict[str, Any]:
    unit, start = columns.encoded.units[u], columns.encoded.starts[u]
    inside = slice(start, start + len(unit.columns))
    return {
        "name": unit.name,
        "family": unit.family,
        "columns": list(unit.columns),
        "options": plain(unit.options),
        "center": columns.center[inside].tolist(),
        "scale": columns.scale[inside].tolist(),
        "prior": columns.priors[u].to_dict(),
    }


def _cluster_to_dict(scores: RowScores, k: int) -> dict[str, Any]:
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
        array = Encoded.from_array(np.zeros((1, len(names))), units[0].family).units
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


def _size(number: Any) -> float:
    known = isinstance(number, int | float) and not isinstance(number, bool)
    if not known or not np.isfinite(number):
        raise ValueError(f"{number!r} is no number of rows")
    return number


def _model_of(content: Mapping[str, Any]) -> FittedModel:
    parts = content["columns"]
    units = [
        Unit(part["name"], part["family"], tuple(part["columns"]), from_json(part["options"]))
        for part in parts
    ]
    columns = Columns.without_rows(
        units,
        [_prior(part["family"], part["prior"]) for part in parts],
        np.array([number for part in parts for number in part["center"]], dtype=np.float64),
        np.array([number for part in parts for number in part["scale"]], dtype=np.float64),
    )
    clusters = tuple(
        Cluster(
            _size(part["size"]),
            {unit.name: _prior(unit.family, part["posterior"][unit.name]) for unit in units},
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


def _prior(family: str, numbers: Mapping[str, Any]) -> Prior:
    return FAMILIES[family].Prior.from_dict(numbers)
