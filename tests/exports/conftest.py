"""A table with awkward names, under every method."""

import pandas as pd
import pytest

from mapdp_studio.core import Schema, infer_schema, read_table
from mapdp_studio.core.comparing.comparison import Results, tasks
from mapdp_studio.core.methods.settings import Settings
from tests.tables.awkward_names import FRAME


@pytest.fixture(scope="session")
def fitted() -> tuple[pd.DataFrame, Schema, Results, dict]:
    frame = read_table(FRAME.to_csv(index=False, sep=";").encode(), name="my table.csv")
    schema = infer_schema(frame).with_column("=weight", transform="log")
    schema = schema.with_block("size", columns=["größe 😀", "=weight"], family="gaussian")
    settings = Settings(penalty=5.0, n_clusters=4)
    results, fits = Results(), tasks("digest", schema, settings, len(frame))
    for task in fits.values():
        results.fit(task, frame, schema)
    return frame, schema, results, fits
