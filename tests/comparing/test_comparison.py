"""The comparison: what each setting touches, one yardstick for all, and which answer to take."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, DPMeans, infer_schema
from mapdp_studio.core.comparing import comparison
from mapdp_studio.core.comparing.comparison import Results, known_truth, matched, scoreboard, tasks
from mapdp_studio.core.comparing.panels import method_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from tests.tables.labelled import FRAME, SCHEMA

HAVE_STARTS = ("MAPDP", "KMeansBIC", "MixtureEM", "CollapsedGibbs")
RANDOM = np.random.default_rng(0)
MIDDLES = np.repeat([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0]], 40, axis=0)
APART = pd.DataFrame(MIDDLES + RANDOM.normal(size=(120, 2)), columns=["x", "y"])
#: A narrow group beside a wide one, which K-means cuts.
WIDE, NARROW = RANDOM.normal(0.0, 8.0, (160, 2)), RANDOM.normal([14.0, 0.0], 0.3, (40, 2))
UNLIKE = pd.DataFrame(np.vstack([WIDE, NARROW]), columns=["x", "y"])


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"concentration": 5.0}, ("MAPDP", "CollapsedGibbs")),
        ({"penalty": 4.0}, ("DPMeans",)),
        ({"n_clusters": 4}, ("MixtureEM",)),
        ({"likelihood_power": 0.3}, ("MAPDP", "MixtureEM", "CollapsedGibbs")),
        ({"n_clusters": 4, "bic": False}, ("MixtureEM", "KMeansBIC")),
        ({"effort": 2}, HAVE_STARTS),
        ({"seed": 1}, HAVE_STARTS),
    ],
    ids=str,
)
def test_a_setting_touches_only_the_algorithms_that_read_it(change, touched):
    before = tasks("digest", SCHEMA, Settings(), 90)
    after = tasks("digest", SCHEMA, replace(Settings(), **change), 90)
    assert {name for name in METHODS.first if before[name] != after[name]} == set(touched)


def test_only_what_is_clustered_on_makes_results_stale_and_large_tables_have_fewer_sweeps():
    def of(digest="digest", **changes):
        schema = SCHEMA
        for name, change in changes.items():
            schema = schema.with_column(name, **change)
        return tasks(digest, schema, Settings(), 90)

    assert of(kind={"role": "ignore"}) == of()
    weighted, without = of(visits={"role": "weight"}), of(visits={"role": "ignore"})
    retyped, other = of(visits={"family": "categorical"}), of("other")
    for name in METHODS.first:
        assert len({weighted[name], without[name], retyped[name], other[name], of()[name]}) == 5
    gibbs = [tasks("d", SCHEMA, Settings(), n)["CollapsedGibbs"] for n in (100, 10_000_000)]
    assert [dict(task.arguments)["n_sweeps"] for task in gibbs] == [125, 20]


def test_all_partitions_are_judged_under_one_model(fitted):
    results, wanted = fitted
    judge = results.get(wanted[JUDGE])
    for name, task in wanted.items():
        expected = Partition(judge.columns_, 3.0, results.get(task).labels_).objective()
        assert results.objective(task, wanted[JUDGE]) == pytest.approx(expected), name
    rows = scoreboard(results, wanted, known_truth(FRAME, SCHEMA))
    assert rows["above"].min() == 0.0
    assert [*rows.index] == [method.title for method in METHODS.first.values()]
    assert rows["ARI"].iloc[0] > 0.9
    gibbs = results.get(wanted["CollapsedGibbs"])
    assert gibbs.prior_ == judge.prior_, "it runs under the prior that MAP-DP chose"
    assert gibbs.init is judge.labels_
    other = tasks("digest", SCHEMA, Settings(concentration=3.5), len(FRAME))[JUDGE]
    np.testing.assert_array_equal(results.fit(other, FRAME, SCHEMA).labels_, judge.labels_)
    assert results.get(other).objective_ != judge.objective_
    assert results.objective(task, wanted[JUDGE]) != results.objective(task, other)


def test_a_fit_is_made_once_and_an_interrupted_one_is_not_kept():
    results, task = Results(), tasks("digest", SCHEMA, Settings(), 90)[JUDGE]

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results.fit(task, FRAME, SCHEMA, stop)
    assert results.get(task) is None
    model = results.fit(task, FRAME, SCHEMA)
    assert results.fit(task, FRAME, SCHEMA) is results.get(task) is model
    assert results.fitted == {JUDGE: 1}
    np.testing.assert_array_equal(model.labels_, MAPDP(random_state=0).fit(FRAME, SCHEMA).labels_)
    kept = [tasks("d", SCHEMA, Settings(penalty=float(p)), 90)["DPMeans"] for p in range(1, 15)]
    assert [results.fit(task, FRAME, SCHEMA) for task in kept][-1] is results.get(kept[-1])
    assert results.get(kept[0]) is None  # old ones are let go


def test_what_cannot_be_fitted_says_why_and_the_others_go_on():
    results, wanted = Results(), tasks("digest", SCHEMA, Settings(n_clusters=5), 2)
    frame = FRAME.iloc[[1, 80]].reset_index(drop=True)
    for task in wanted.values():
        results.fit(task, frame, SCHEMA)
    refused = results.get(wanted["MixtureEM"])
    assert isinstance(refused, comparison.FitError)
    assert "5" in refused.reason
    rows = scoreboard(results, wanted, None)
    assert rows["K"].isna().tolist() == [False, False, False, True, False]
    view = choose_view(SCHEMA.encode(frame))
    panel = method_panel("MixtureEM", view, results, wanted, wanted, None)
    assert panel.remark == "does not run on this table"


def test_the_truth_leaves_out_rows_without_one_and_matching_keeps_the_colour_of_the_same_rows():
    truth = known_truth(FRAME, SCHEMA)
    assert truth.names == ("b", "c", "a")
    assert (truth.classes[:10] == -1).all()
    assert known_truth(FRAME.assign(kind=None), SCHEMA) is None
    assert known_truth(FRAME, SCHEMA.with_column("kind", role="ignore")) is None
    reference = np.array([0, 0, 0, 1, 1, -1, -1, -1])
    labels = np.array([1, 1, 1, 0, 0, 2, 2, 0])
    np.testing.assert_array_equal(matched(reference, labels), [0, 0, 0, 1, 1, 2, 2, 1])


@pytest.mark.parametrize("n_tried", [1, 60])
def test_a_penalty_is_suggested_that_gives_the_clusters_asked_for_or_says_that_none_does(
    monkeypatch, n_tried
):
    encoded, positions = SCHEMA.encode(FRAME), np.geomspace(1.0, 100.0, 60).tolist()
    monkeypatch.setattr(comparison, "CELLS_TRIED", n_tried * encoded.values.size)
    found = {at: DPMeans(penalty=at).fit(FRAME, SCHEMA).n_clusters_ for at in positions}
    suggested = {
        k: comparison.suggestion(encoded, k, positions) for k in range(1, max(found.values()) + 2)
    }
    exact = {k for k, (_, is_exact) in suggested.items() if is_exact}
    assert exact == {*found.values()} != {*suggested}
    assert all(found[suggested[k][0]] == k for k in exact)


def judged(frame: pd.DataFrame, *names: str, **told: float) -> tuple[Results, dict]:
    schema, results = infer_schema(frame), Results()
    wanted = tasks("digest", schema, Settings(**told), len(frame), names)
    for task in wanted.values():
        results.fit(task, frame, schema)
    return results, wanted


LITTLE, OWN = "**It matters little which you take**", "**Take MAP-DP's**"


@pytest.mark.parametrize(
    ("frame", "names", "told", "merged", "said"),
    [
        (APART, ("KMeansBIC", "MixtureEM"), {}, None, LITTLE),
        (APART, ("KMeansBIC", "MixtureEM"), {}, ((0, 1),), OWN),
        (APART, ("DPMeans", "MixtureEM"), {"penalty": 1e6}, None, OWN),  # one of three parts
        (UNLIKE, ("KMeansBIC",), {}, None, OWN),
    ],
)
def test_any_of_those_that_agree_is_taken_else_the_most_probable(frame, names, told, merged, said):
    results, wanted = judged(frame, *names, **told)
    labels = results.get(wanted[JUDGE]).labels_
    groups = None if merged is None else Naming(merged).apply(labels)
    found = comparison.which_to_take(results, wanted, "As chance makes.", groups)
    assert found.startswith(said)
    its_own = f"than its {labels.max() + 1} clusters as fitted. As chance makes."
    assert (its_own in found) == (said == OWN)


def test_a_partition_more_probable_than_mapdp_s_own_is_taken():
    results, wanted = judged(APART, "KMeansBIC")
    judge = results.get(wanted[JUDGE])
    together = Partition(judge.columns_, judge.concentration, np.zeros(120, dtype=np.int64))
    poor = Results()
    poor.keep(wanted[JUDGE], MAPDP(prior=list(judge.prior_)).adopt(together, None))
    assert comparison.which_to_take(poor, wanted) == "", "one answer is not compared"
    poor.keep(wanted["KMeansBIC"], results.get(wanted["KMeansBIC"]))
    assert comparison.which_to_take(poor, wanted).startswith("**Take K-means")
