"""Columns that describe groups without having made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..schema.spec import TIME_TO_EVENT, SchemaError


def described_by(frame: pd.DataFrame, schema: Schema) -> Mapping[str, Encoded]:
    """Numbers of every column that the groups are to be described by, by its name.

    Those with the role "validator" whose cells suit their likelihood, times to an event aside.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    schema : Schema
    """
    found = {}
    for name in schema.names("validator"):
        spec = schema[name]
        if spec.family is None or spec.family == TIME_TO_EVENT:
            continue
        alone = Schema([replace(spec, role="cluster")])
        try:
            found[name] = alone.completed(frame).encode(frame)
        except SchemaError:  # which Data says of it
            continue
    return found
