"""The rows and clusters of a fitted estimator, whichever it is, as the other rooms read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..engine.columns import Columns, default_priors
from ..engine.partition import Partition
from ..inference.imputation import put_back
from ..models.mapdp import MAPDP
from ..models.priors import EMPIRICAL_SCALE
from ..partitions.naming import Groups, Naming
from ..schema.encoded import Encoded
from ..schema.frames import as_frame


def rows_of(model: Any) -> Encoded:
    """The rows that an estimator was fitted to, as numbers.

    Raises
    ------
    ValueError
        It keeps none: it was read from a file, or never held the whole table.
    NotFittedError
    """
    if isinstance(model, BaseEstimator):  # a model read from a file is none, but fitted
        check_is_fitted(model)
    for holder, name in ((model, "encoded_"), (getattr(model, "columns_", None), "encoded")):
        encoded = getattr(holder, name, None)
        if encoded is not None and len(encoded.values):
            return encoded
    raise ValueError(
        f"This {type(model).__name__} holds no rows, only what was learnt from them: give a model"
        " that was fitted to a table in this session."
    )


def groups_of(model: Any) -> Groups:
    """The clusters with their titles, "Cluster 1" the largest."""
    rows_of(model)
    return Naming().apply(model.result_.labels)


def partition_of(model: Any) -> Partition:
    """The clusters under MAP-DP's model: its own, or those of another method under weak priors."""
    known = getattr(model, "partition_", None)
    if known is not None:
        return known
    encoded = rows_of(model)
    columns = Columns.pack(encoded, default_priors(encoded, EMPIRICAL_SCALE))
    return Partition.at_rest(columns, MAPDP().concentration, model.result_.labels)


def table_of(model: Any, frame: Any = None) -> pd.DataFrame:
    """The rows in their user's words: those given, or the columns clustered on, decoded.

    Raises
    ------
    ValueError
        The frame has another number of rows than the model was fitted to.
    """
    encoded = rows_of(model)
    if frame is not None:
        frame = as_frame(frame)
        if len(frame) != len(encoded.values):
            raise ValueError(
                f"The model was fitted to {len(encoded.values):,} rows and the table has"
                f" {len(frame):,}: give the table that the groups were found in."
            )
        return frame
    if model.schema_ is None:
        return pd.DataFrame(encoded.values, columns=list(encoded.names))
    empty = pd.DataFrame(index=range(len(encoded.values)))
    known = np.nan_to_num(encoded.values)
    table = put_back(empty, model.schema_, encoded, known, np.zeros(known.shape))[0]
    return table.mask(encoded.is_missing)
