"""Rules for new rows as plain numbers, for files: the centres of clusters, and mixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..families import FAMILIES, Prior
from ..families.prior import from_json
from ..schema.encoded import Encoded, Unit
from .centroids import CentroidEstimator
from .em import MixtureEM
from .mixture import Mixture, MixtureParameters
from .numeric import NumericEncoding


def plain(value: Any) -> Any:
    """What JSON can hold; what is no plain value by the name of its kind."""
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


def listed(value: Any) -> Any:
    """The same, arrays as lists."""
    return value.tolist() if isinstance(value, np.ndarray) else plain(value)


def _numbers(values: Any) -> np.ndarray:
    numbers = np.array(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("it holds numbers that are not finite")
    return numbers


def unit_to_dict(unit: Unit, prior: Prior) -> dict[str, Any]:
    """A column or block with its prior."""
    return {
        "name": unit.name,
        "family": unit.family,
        "columns": list(unit.columns),
        "options": plain(unit.options),
        "prior": prior.to_dict(),
    }


def units_from(parts: list[Mapping[str, Any]]) -> tuple[tuple[Unit, ...], list[Prior]]:
    """Columns and blocks, and their priors."""
    units = tuple(
        Unit(part["name"], part["family"], tuple(part["columns"]), from_json(part["options"]))
        for part in parts
    )
    return units, [prior_from(unit, part["prior"]) for unit, part in zip(units, parts, strict=True)]


def prior_from(unit: Unit, numbers: Mapping[str, Any]) -> Prior:
    """The prior of a unit."""
    return FAMILIES[unit.family].Prior.from_dict(numbers)


def _centres_to_dict(model: CentroidEstimator) -> dict[str, Any]:
    encoding = {name: listed(value) for name, value in vars(model.encoding_).items()}
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
    return {
        "columns": [*map(unit_to_dict, units, priors)],
        "center": center.tolist(),
        "floor": floor,
        "weights": model._fitted.weights.tolist(),
        "parts": [[array.tolist() for array in part] for part in model._fitted.parts],
    }


def _components_from_dict(data: Mapping[str, Any]) -> MixtureEM:
    """An estimator with these components; a ValueError where they do not fit its columns."""
    units, priors = units_from(data["columns"])
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
