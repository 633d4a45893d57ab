"""The groups of the cohort, and its two atypical patients."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.groups import find_subgroups
from mapdp_studio.core.clinical.methods import methods_paragraph
from mapdp_studio.core.clinical.tables import Replication
from mapdp_studio.core.partitions.scores import ari
from tests.clinical.run_study import Work, study_of
from tests.far_away import Far
from tests.misfit_tables import load_misfit

PUBLISHED_SHARES = (50.0, 43.0, 5.0, 1.7, 0.4)


def test_the_cohort_has_the_paper_s_five_groups(cohort):
    groups = cohort["groups"]
    shares = 100 * groups.sizes / groups.labels.size
    assert np.abs(shares - PUBLISHED_SHARES).max() < 2.0
    assert ari(cohort["truth"], groups.labels) >= 0.95


def test_the_two_patients_are_atypical_and_in_no_test(cohort):
    groups, validation = cohort["groups"], cohort["validation"]
    assert (groups.profiled, groups.atypical) == ((0, 1, 2, 3), (4,))
    assert groups.atypical_rows.size == 2
    assert validation.validators.left_out == (4,)
    pairs = {pair.groups for column in validation.validators.columns for pair in column.pairs}
    assert all(4 not in pair for pair in pairs)
    assert all(4 not in pair for pair in Replication(cohort["seen"], cohort["tests"]).lines["pair"])
    assert 4 not in cohort["seen"].yes.columns


def test_a_study_judges_the_groups_that_survive_a_doubt_where_that_was_locked():
    frame, truth = load_misfit("heavy tails", 300)
    study, groups = study_of(frame, infer_schema(frame), restarts=2, judged="surviving")
    far = Far()
    again = find_subgroups(study.lock.cohort(frame), study.lock, Work(), far)
    assert far.asked == 1
    assert np.array_equal(again.objectives, groups.objectives)
    assert "3 groups stay" in groups.survivors.sentence
    assert int(groups.survivors.sentence.split()[0]) > 3
    assert groups.model.likelihood_power == groups.survivors.power < 1.0
    assert len(groups.profiled) == 3
    assert ari(truth, groups.labels) > 0.95
    said = methods_paragraph(study, Checks(groups), None, "t.csv")
    assert groups.survivors.sentence[:-1] in said


def test_where_none_survive_a_study_finds_no_groups():
    frame, _ = load_misfit("skewed", 300)
    one = frame[frame["x"] > 8.5].reset_index(drop=True)
    schema = infer_schema(one)
    finest, surviving = (
        study_of(one, schema, restarts=2, judged=judged)[1] for judged in ("finest", "surviving")
    )
    assert finest.found_any
    assert surviving.survivors.power is None
    assert not surviving.found_any
