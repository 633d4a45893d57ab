"""Four groups and the model that finds them."""

import pytest

from mapdp_studio.core import MAPDP
from tests.tables.four_groups import FRAME, SCHEMA


@pytest.fixture(scope="session")
def model() -> MAPDP:
    fitted = MAPDP(0.3, random_state=0).fit(FRAME, SCHEMA)
    assert fitted.n_clusters_ == 4
    return fitted
