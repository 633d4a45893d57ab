"""The simulated cohort as a study."""

import pytest

from mapdp_studio.demo_datasets import load_parkinsonism
from tests.clinical.studies import Studied, studied


@pytest.fixture(scope="session")
def cohort() -> Studied:
    frame, schema, _ = load_parkinsonism(0)
    return studied(frame, schema, purpose="A test.", put_together=False)
