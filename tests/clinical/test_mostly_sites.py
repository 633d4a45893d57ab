"""Groups that are those of a site are said to be so, whatever role the column has."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.concerns import mostly_sites
from mapdp_studio.core.clinical.outcomes import validate
from mapdp_studio.core.clinical.report import package
from mapdp_studio.core.clinical.t_tests import TTests
from tests.clinical.run_study import study_of

N = 200


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(5)
    where = random.integers(2, size=N)
    measured = {f"m{j}": random.normal(6 * where, 1).round(3) for j in range(4)}
    away = np.char.add("unit ", np.where(where, random.integers(4, 8, N), 0).astype(str))
    return pd.DataFrame(measured).assign(
        device_nr=away, arm=random.choice(["drug", "placebo"], N), stage=where
    )


@pytest.mark.parametrize("role", ["ignore", "control"])
def test_groups_of_a_site_are_said_to_be_its(frame, role):
    schema = infer_schema(frame).with_column("device_nr", role=role)
    schema = schema.with_column("stage", role="validator")
    study, groups = study_of(frame, schema, restarts=1)
    assert "mostly those of “device_nr”" in groups.sites
    tested = validate(frame, study.lock, groups.labels)
    written = package(
        study, Checks(groups, tests=TTests.of(frame, study.lock, groups)), tested, "cohort.csv"
    )
    assert "mostly those of “device_nr”" in written.html


def test_groups_that_go_with_no_site_are_not(frame):
    labels = np.random.default_rng(6).integers(2, size=N)
    schema = infer_schema(frame)
    assert mostly_sites(frame, schema, labels) == ""
    # An outcome, or a trial's arm, is no place.
    schema = schema.with_column("stage", role="validator").with_column("arm", role="control")
    alike = frame.drop(columns="device_nr")
    alike["arm"] = np.where(frame["stage"], "drug", "placebo")
    assert mostly_sites(alike, schema, frame["stage"].to_numpy()) == ""
