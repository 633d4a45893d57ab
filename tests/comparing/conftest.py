"""A labelled table under every method."""

import pytest

from mapdp_studio.core.comparing.comparison import Results, tasks
from mapdp_studio.core.methods.settings import Settings
from tests.tables.labelled import FRAME, SCHEMA


@pytest.fixture(scope="session")
def fitted() -> tuple[Results, dict]:
    results, fits = Results(), tasks("digest", SCHEMA, Settings(), len(FRAME))
    for task in fits.values():
        results.fit(task, FRAME, SCHEMA)
    return results, fits
