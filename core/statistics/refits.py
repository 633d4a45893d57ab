"""The procedure of a model run once more, on other rows or another table."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..schema.encoded import Encoded


def refit(model: MAPDP, encoded: Encoded, seed: int, callback: Callback, **changes: Any) -> MAPDP:
    """Run a model's whole procedure once more, from new starts, on a table of the same columns.

    Nothing of the model's own answer is used: a start from it would make every answer look alike.
    ``changes`` are arguments that differ from the model's.
    """
    twin = clone(model).set_params(random_state=seed, n_init=1, **changes)
    return twin.fit_encoded(encoded, callback)


def take_rows(encoded: Encoded, rows: np.ndarray) -> Encoded:
    """Some rows of a table as a table of their own."""
    return encoded.rows(rows)


def procedure(model: MAPDP) -> str:
    """How the procedure chooses its prior, for tables other than the model's own.

    A prior that was handed to the model came from its table, so it is chosen anew; one that came
    with the schema's columns is held, as the schema is.
    """
    return model.prior if isinstance(model.prior, str) else "scale-grid"
