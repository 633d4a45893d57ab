"""The simulated cohort and a table of noise, each as a study."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.demo_datasets import load_parkinsonism
from tests.clinical.studies import Studied, studied


@pytest.fixture(scope="session")
def cohort() -> Studied:
    frame, schema, _ = load_parkinsonism(0)
    return studied(frame, schema, purpose="A test.", put_together=False)


@pytest.fixture(scope="session")
def noise() -> Studied:
    table = pd.DataFrame(np.random.default_rng(2).normal(size=(60, 4)), columns=list("abcd"))
    return studied(table, infer_schema(table))
