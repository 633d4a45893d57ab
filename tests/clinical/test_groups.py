"""The groups of a study: as the paper found them, as they were planned, and of a site."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from mapdp_studio.core import MAPDP, choose_model, infer_schema
from mapdp_studio.core.clinical import verdict
from mapdp_studio.core.clinical.concerns import mostly_sites
from mapdp_studio.core.clinical.lock import Lock
from mapdp_studio.core.clinical.report import methods_paragraph
from mapdp_studio.core.clinical.t_tests import PAPER, leave_out
from mapdp_studio.core.inference.merge_path import merge_path
from mapdp_studio.core.partitions.scores import ari, match_labels
from mapdp_studio.core.plain import to_plain
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import SHUFFLED
from mapdp_studio.demo_datasets import load_parkinsonism
from tests.clinical.studies import Studied, own_text, studied
from tests.misfit_tables import load_misfit

PUBLISHED_SHARES = (50.0, 43.0, 5.0, 1.7, 0.4)


def test_the_cohort_has_the_paper_s_five_groups_two_patients_apart(cohort):
    groups = cohort.groups
    assert np.abs(100 * groups.sizes / groups.labels.size - PUBLISHED_SHARES).max() < 2.0
    assert ari(load_parkinsonism(0)[2], groups.labels) >= 0.95
    assert (groups.profiled, groups.atypical) == ((0, 1, 2, 3), (4,))
    assert groups.text == "5 groups (1 of fewer than 5 patients)"
    assert groups.atypical_rows.size == 2
    # They are in no test and no average.
    outcomes = cohort.validation.validators
    assert outcomes.left_out == (4,)
    assert all(4 not in pair.groups for column in outcomes.columns for pair in column.pairs)
    assert all(4 not in pair for pair in cohort.tests.lines()["pair"])
    # About 61 columns differ between the two largest, as in the paper.
    lines = cohort.tests.lines([(0, 1)], PAPER)
    assert 55 <= lines["differs"].sum() <= 68
    assert lines["judged"].count() * PAPER.alpha == pytest.approx(2.1, abs=0.05)


@pytest.fixture(scope="module")
def heavy() -> Studied:
    frame, _ = load_misfit("heavy tails", 200)
    return studied(frame, infer_schema(frame))


def test_clusters_are_put_together_until_all_come_back_as_on_compare(heavy):
    groups, number = heavy.groups, how_many(heavy.groups.fitted)
    assert groups.fitted.n_clusters_ > number.n_groups == groups.n_groups == 3
    assert f"3 groups ({groups.fitted.n_clusters_} clusters as fitted)" in own_text(heavy.written())
    model = groups.model
    for labels in (groups.labels, model.labels_, clone(model).fit(heavy.frame).labels_):
        np.testing.assert_array_equal(labels, number.labels)
    judged = JudgedPartition.of(groups.fitted, number.labels)
    assert model.objective_ == pytest.approx(judged.objective_)
    np.testing.assert_allclose(
        model.predict_proba(heavy.frame), judged.predict_proba(heavy.frame), rtol=1e-9
    )
    assert groups.titles == ("Group 1", "Group 2", "Group 3")
    # So they are without a column, before they are matched.
    found = leave_out(heavy.tests, groups).left_out
    fewer = infer_schema(heavy.frame).with_column("y", role="ignore")
    again = MAPDP(random_state=0).fit(heavy.frame, fewer)
    coarse = merge_path(again.partition_).labels_at(min(3, again.n_clusters_))
    np.testing.assert_array_equal(found["y"], match_labels(groups.labels, coarse))


@pytest.mark.parametrize("plan", [{"put_together": False}, {"likelihood_power": 0.97}])
def test_clusters_stay_as_fitted_where_the_plan_says_so(heavy, plan):
    groups = studied(heavy.frame, infer_schema(heavy.frame), **plan).groups
    power = plan.get("likelihood_power", 1.0)
    fitted = MAPDP(likelihood_power=power, random_state=0).fit(heavy.frame)
    np.testing.assert_array_equal(groups.labels, fitted.labels_)
    assert groups.model is groups.fitted
    assert groups.n_groups > 3


@pytest.mark.parametrize(("merges", "place"), [(True, 0), (True, 19), (False, 0)])
def test_where_chance_makes_as_many_all_patients_are_one_group(heavy, merges, place, monkeypatch):
    """By the first nineteen shuffled tables, as on Compare, however many the light asks for."""
    gains = [np.array([1.0])] * 99
    gains[place] = np.array([6.0])
    found = Chance(np.array([0.0, 5.0]), {SHUFFLED: tuple(gains)}, n_tables=99)
    monkeypatch.setattr(verdict, "chance", lambda search, **kwargs: found)
    monkeypatch.setattr(verdict, "assess", lambda model, *args, **kwargs: None)
    one = studied(heavy.frame, infer_schema(heavy.frame), put_together=merges)
    seen = verdict.run_checks(heavy.frame, one.lock, heavy.groups, True)
    is_one = merges and place < 19
    assert (seen.groups.labels.max() == 0) == is_one != seen.groups.found_any
    assert (seen.light.colour == "grey") == is_one
    assert ("chance" in seen.light.clauses[0].sentence) == is_one


def test_a_model_that_the_table_chose_is_told_and_is_part_of_the_hash():
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 1)) + 0.1 * random.normal(size=(60, 3))
    frame = pd.DataFrame(x.round(2), columns=list("abc"))
    schema = choose_model(frame).schema
    one = studied(frame, schema)
    text = methods_paragraph(one.study, one.checks, None, "t.csv")
    assert "columns, but for a, b, c together, are independent within a group" in text
    assert "priors that were chosen with the groups before the lock" in text
    assert studied(frame, schema.without_choice()).lock.hash != one.lock.hash
    assert Lock.from_dict(to_plain(one.lock)).hash == one.lock.hash


@pytest.mark.parametrize(
    ("column", "role", "is_said"),
    [
        ("device_nr", "ignore", True),
        ("device_nr", "control", True),
        ("device_nr", "validator", False),
        ("unrelated_nr", "ignore", False),
        ("arm", "control", False),  # a trial's arm is no place
    ],
)
def test_groups_of_a_site_are_said_to_be_its(column, role, is_said):
    random, kind = np.random.default_rng(5), np.arange(200) % 2
    frame = pd.DataFrame({f"m{j}": random.normal(6 * kind, 1).round(3) for j in range(3)})
    away = np.char.add("unit ", np.where(kind, random.integers(4, 8, 200), 0).astype(str))
    frame[column] = {"arm": np.where(kind, "drug", "placebo"), "device_nr": away}.get(
        column, random.permutation(away)
    )
    schema = infer_schema(frame).with_column(column, role=role)
    assert (f"mostly those of “{column}”" in mostly_sites(frame, schema, kind)) == is_said
    if (column, role) == ("device_nr", "control"):
        one = studied(frame, schema)
        assert one.groups.sites
        assert one.groups.sites in own_text(one.written())
