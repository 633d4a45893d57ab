"""The simulated cohort and a table of noise, each as a study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.groups import Distinctions
from mapdp_studio.core.clinical.outcomes import validate
from mapdp_studio.core.clinical.report import package
from mapdp_studio.core.clinical.t_tests import TTests
from mapdp_studio.demo_datasets import load_parkinsonism
from tests.clinical.run_study import study_of


@pytest.fixture(scope="session")
def cohort():
    frame, schema, truth = load_parkinsonism(0)
    study, groups = study_of(frame, schema, restarts=2, purpose="A test.")
    return {
        "frame": frame,
        "truth": truth,
        "study": study,
        "groups": groups,
        "seen": Distinctions(groups),
        "tests": TTests.of(frame, study.lock, groups),
        "validation": validate(frame, study.lock, groups.labels),
        "checks": Checks(groups, tests=TTests.of(frame, study.lock, groups)),
    }


@pytest.fixture(scope="session")
def noise():
    random = np.random.default_rng(2)
    table = pd.DataFrame(random.normal(size=(60, 4)), columns=list("abcd"))
    study, groups = study_of(table, infer_schema(table), restarts=2)
    return {"frame": table, "study": study, "groups": groups}


@pytest.fixture(scope="session")
def written(cohort):
    parts = (cohort[name] for name in ("study", "checks", "validation"))
    return package(*parts, "A & B.csv", 10)
