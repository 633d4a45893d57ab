"""A study from a table to its groups."""

from __future__ import annotations

from mapdp_studio.core.clinical.groups import find_subgroups
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.clinical.study import Study


def study_of(frame, schema, **plan):
    study = Study()
    study.lock_in(frame, schema, Plan(**plan))
    return study, find_subgroups(study.lock.cohort(frame), study.lock)
