"""The comparison: what each setting touches, one yardstick for all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core import MAPDP
from mapdp_studio.core.comparing.comparison import (
    FitError,
    Results,
    known_truth,
    matched,
    numbering,
    scoreboard,
    tasks,
)
from mapdp_studio.core.comparing.panels import algorithm_panels
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from tests.tables.labelled import FRAME, SCHEMA


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"concentration": 5.0}, ("MAPDP", "CollapsedGibbs")),
        ({"penalty": 4.0}, ("DPMeans",)),
        ({"n_clusters": 4}, ("MixtureEM",)),
        ({"likelihood_power": 0.3}, ("MAPDP", "MixtureEM", "CollapsedGibbs")),
        ({"n_clusters": 4, "bic": False}, ("MixtureEM", "KMeansBIC")),
        ({"effort": 2}, ("MAPDP", "KMeansBIC", "MixtureEM", "CollapsedGibbs")),
        ({"seed": 1}, ("MAPDP", "KMeansBIC", "MixtureEM", "CollapsedGibbs")),
    ],
    ids=str,
)
def test_a_setting_touches_only_the_algorithms_that_read_it(change, touched):
    before = tasks("digest", SCHEMA, Settings(), 90)
    after = tasks("digest", SCHEMA, replace(Settings(), **change), 90)
    assert {name for name in METHODS.first if before[name] != after[name]} == set(touched)


def test_only_what_is_clustered_on_makes_results_stale():
    before = tasks("digest", SCHEMA, Settings(), 90)
    assert tasks("digest", SCHEMA.with_column("kind", role="ignore"), Settings(), 90) == before
    retyped = tasks("digest", SCHEMA.with_column("visits", family="categorical"), Settings(), 90)
    weighted = tasks("digest", SCHEMA.with_column("visits", role="weight"), Settings(), 90)
    unweighted = tasks("digest", SCHEMA.with_column("visits", role="ignore"), Settings(), 90)
    assert all(weighted[name] != unweighted[name] for name in METHODS.first)
    other_table = tasks("other", SCHEMA, Settings(), 90)
    assert all(retyped[name] != before[name] != other_table[name] for name in METHODS.first)


def test_large_tables_are_asked_for_fewer_starts_and_sweeps():
    small, large = (
        dict(tasks("d", SCHEMA, Settings(), n)["CollapsedGibbs"].arguments)
        for n in (100, 10_000_000)
    )
    assert small["n_sweeps"] == 125
    assert large["n_sweeps"] == 20


def test_all_partitions_are_judged_under_one_model(fitted):
    results, wanted = fitted
    judge = results.get(wanted["MAPDP"])
    for name, task in wanted.items():
        model = results.get(task)
        expected = Partition(judge.columns_, 3.0, model.labels_).objective()
        assert results.objective(task, wanted["MAPDP"]) == pytest.approx(expected), name
    rows = scoreboard(results, wanted, known_truth(FRAME, SCHEMA))
    assert min(row.above for row in rows) == 0.0
    assert [row.title for row in rows] == [method.title for method in METHODS.first.values()]
    assert rows[0].agreement["ari"] > 0.9


def test_gibbs_runs_under_the_prior_that_mapdp_chose(fitted):
    results, wanted = fitted
    mapdp, gibbs = (results.get(wanted[name]) for name in ("MAPDP", "CollapsedGibbs"))
    assert gibbs.prior_ == mapdp.prior_
    assert gibbs.init is mapdp.labels_


def test_the_concentration_changes_e_even_where_the_labels_stay(fitted):
    results, wanted = fitted
    other = tasks("digest", SCHEMA, Settings(concentration=3.5), len(FRAME))
    results.fit(other["MAPDP"], FRAME, SCHEMA)
    former, latter = (results.get(t["MAPDP"]) for t in (wanted, other))
    np.testing.assert_array_equal(former.labels_, latter.labels_)
    assert former.objective_ != latter.objective_
    task = wanted["DPMeans"]
    assert results.objective(task, wanted["MAPDP"]) != results.objective(task, other["MAPDP"])


def test_a_fit_is_made_once_and_an_interrupted_one_is_not_kept():
    results, task = Results(), tasks("digest", SCHEMA, Settings(), 90)["MAPDP"]

    class Stop(BaseException):
        pass

    def stop(progress):
        raise Stop

    with pytest.raises(Stop):
        results.fit(task, FRAME, SCHEMA, stop)
    assert results.get(task) is None
    model = results.fit(task, FRAME, SCHEMA)
    assert results.get(task) is model
    assert results.fitted == {"MAPDP": 1}
    alone = MAPDP(3.0, random_state=0).fit(FRAME, SCHEMA)
    np.testing.assert_array_equal(model.labels_, alone.labels_)


def test_what_cannot_be_fitted_says_why_and_the_others_go_on():
    results, wanted = Results(), tasks("digest", SCHEMA, Settings(n_clusters=5), 2)
    frame = FRAME.iloc[[1, 80]].reset_index(drop=True)
    for task in wanted.values():
        results.fit(task, frame, SCHEMA)
    refused = results.get(wanted["MixtureEM"])
    assert isinstance(refused, FitError)
    assert "5" in refused.reason
    rows = scoreboard(results, wanted, None)
    assert [row.n_clusters is None for row in rows] == [False, False, False, True, False]
    view = choose_view(SCHEMA.encode(frame))
    panels = algorithm_panels(view, results, wanted, wanted, None)
    assert panels[3].remark == "does not run on this table"


def test_old_models_are_let_go():
    results = Results()
    kept = [tasks("d", SCHEMA, Settings(penalty=float(p)), 90)["DPMeans"] for p in range(1, 15)]
    for task in kept:
        results.fit(task, FRAME, SCHEMA)
    assert results.get(kept[0]) is None
    assert results.get(kept[-1]) is not None


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [([0, 1, 2], [1, 2, 3]), ([0, 1, 3], [1, 2, 3]), ([3, 4, 1], [2, 1, 3]), ([0, 2], [1, 3])],
)
def test_clusters_that_are_no_known_group_take_the_numbers_left_free(labels, numbers):
    found = numbering(np.array([-1, *labels]), n_known=3)
    assert [found[label] for label in sorted(labels)] == numbers


def test_the_truth_leaves_out_rows_without_one():
    truth = known_truth(FRAME, SCHEMA)
    assert truth.names == ("b", "c", "a")
    assert (truth.classes[:10] == -1).all()
    assert known_truth(FRAME.assign(kind=None), SCHEMA) is None
    assert known_truth(FRAME, SCHEMA.with_column("kind", role="ignore")) is None


def test_matching_keeps_the_colour_of_the_same_rows():
    reference = np.array([0, 0, 0, 1, 1, -1, -1, -1])
    labels = np.array([1, 1, 1, 0, 0, 2, 2, 0])
    np.testing.assert_array_equal(matched(reference, labels), [0, 0, 0, 1, 1, 2, 2, 1])
