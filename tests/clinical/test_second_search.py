"""A second cohort searched on its own."""

from __future__ import annotations

import numpy as np
import pytest

from core import SchemaError, infer_schema
from core.clinical.second_search import search_again
from core.clinical.validation import validate
from core.release.door import only_named
from core.release.report import best_named
from core.statistics.suppression import HIDDEN
from tests.clinical.run_study import Work, study_of
from tests.clinical.two_cohorts import cohort_of


@pytest.fixture(scope="module")
def first():
    frame = cohort_of((80, 60, 50), 1)
    schema = infer_schema(frame)
    for name in ("score", "died"):
        schema = schema.with_column(name, role="validator")
    study, groups = study_of(frame, schema, restarts=2)
    return study.lock, groups, validate(frame, study.lock, groups.labels).validators


def again(first, sizes, **changes):
    lock, groups, effects = first
    frame = cohort_of(sizes, 7).assign(**changes)
    return search_again(groups, lock, frame, effects, Work())


def test_the_same_groups_come_back_with_their_profiles_and_outcomes(first):
    found = again(first, (70, 60, 40))
    assert found.sentence.startswith("3 of 3 groups were found again (Jaccard 0.75 or more).")
    assert found.ari > 0.95
    assert found.new == ()
    profiles = found.profiles().set_index("Column")
    assert profiles.loc["gait", "Group 2, first"].startswith("17.")
    assert profiles.loc["gait", "Group 2, second"].startswith("17.")
    effects = found.effects()
    assert set(effects["Direction"]) == {"same"}
    assert len(effects) == 6
    # By hand: the difference of the outcome between two of its own groups.
    score = cohort_of((70, 60, 40), 7)["score"]
    own = score[found.own.labels == found.partners[0]].mean()
    own -= score[found.own.labels == found.partners[2]].mean()
    line = effects[(effects["Column"] == "score") & (effects["Groups"] == "1 and 3")].iloc[0]
    assert f"difference {own:.3g} (" in line["Second cohort (95 % interval)"]


def test_a_group_that_is_absent_or_new_is_said_to_be(first):
    found = again(first, (70, 60, 0, 50))
    assert found.sentence.startswith("2 of 3 groups were found again")
    assert "Group 3 was not; Own 3 is no group of the first cohort" in found.sentence
    table = found.of_groups().set_index("Group")
    assert list(table["Found again"]) == ["yes", "yes", "no"]
    assert list(found.effects()["Groups"].unique()) == ["1 and 2"]


def test_overlap_is_jaccard_s(first):
    """Patients in both groups of those in either, one by one."""
    found = again(first, (70, 60, 40, 8))
    for i, k in enumerate(found.first.profiled):
        here = {p for p, label in enumerate(found.placed) if label == k}
        best = 0.0
        for j in range(found.own.sizes.size):
            there = {p for p, label in enumerate(found.own.labels) if label == j}
            best = max(best, len(here & there) / len(here | there))
        assert found.best[i] == pytest.approx(best)


def test_small_counts_stay_inside(first):
    found = again(first, (70, 60, 40))
    leaving = found.leaving(10)
    crossed = leaving["second-crossed"].set_index("Group")
    for value in crossed.to_numpy().ravel():
        assert value == HIDDEN or int(value) >= 10
    assert set(leaving["second-groups"]) == {"Group", "Own group", "Jaccard", "Found again"}
    told = leaving["second-effects"].set_index(["Column", "Groups"])
    deaths = cohort_of((80, 60, 50), 1)["died"].eq("yes").to_numpy()
    counts = np.bincount(first[1].labels[deaths])
    assert counts.min() < 10  # so that group's effect must not leave
    for pair in ("1 and 2", "1 and 3"):
        assert told.loc[("died = yes", pair), "First cohort (95 % interval)"] == HIDDEN


def test_a_level_the_first_did_not_have_is_missing_and_a_column_it_had_is_asked_for(first):
    found = again(first, (70, 60, 40), tremor=["perhaps"] * 20 + ["no"] * 110 + ["yes"] * 40)
    assert found.own.model.columns_.encoded.is_missing.sum() == 20
    lock, groups, effects = first
    frame = cohort_of((30, 30, 30), 7).drop(columns="gait")
    with pytest.raises(SchemaError, match="lacks gait"):
        search_again(groups, lock, frame, effects, Work())


def test_a_report_lets_its_tables_out_whole(first):
    """The groups of the second cohort are columns that no list of the first's titles names."""
    titles = first[1].titles
    for table in again(first, (70, 60, 40)).leaving(5).values():
        assert [*only_named(table, best_named(table, titles), titles)] == [*table]
