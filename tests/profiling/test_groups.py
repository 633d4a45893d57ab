"""What a person does with a partition: merge, name, take apart, compare, find, fill, score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import MAPDP, infer_schema, load_model, save_model
from core.engine.partition import Partition
from core.inference.contributions import assignments
from core.partitions.agreement import agreement
from core.partitions.contingency import Contingency
from core.partitions.naming import Naming
from core.partitions.scores import ari
from core.profiling.dendrogram import Dendrogram, groups_at
from core.profiling.filling import fill_table
from core.profiling.judged import JudgedPartition
from core.profiling.missingness import missing_by_group, missingness, without_incomplete_rows
from core.profiling.standing import standings
from core.schema.matching import aligned, match_columns
from core.schema.subset import subtable
from core.session.filters import Condition, find_rows, matching

RANDOM = np.random.default_rng(4)
GROUP = np.repeat([0, 1, 2, 3], [40, 30, 20, 10])
FRAME = pd.DataFrame(
    {
        "id": [f"P{i}" for i in range(100)],
        "height": RANDOM.normal(150.0, 2.0, 100) + 15.0 * GROUP,
        "weight": RANDOM.normal(50.0, 2.0, 100) + 12.0 * GROUP,
        "kind": np.array(["a", "b", "c", "d"])[GROUP],
    }
)
FRAME.loc[::5, "height"] = np.nan
FRAME.loc[::5, "weight"] = np.nan
FRAME.loc[3::10, "kind"] = None
SCHEMA = infer_schema(FRAME)


@pytest.fixture(scope="module")
def model() -> MAPDP:
    fitted = MAPDP(0.3, random_state=0).fit(FRAME, SCHEMA)
    assert fitted.n_clusters_ == 4
    return fitted


def silent(progress) -> None:
    pass


# ---- names and merges


def test_a_merged_group_keeps_the_colour_and_name_of_its_largest_part():
    labels = np.repeat([0, 1, 2], [5, 4, 3])
    naming = Naming().renamed(1, "  mild   ones ").merging((1,), (2,))
    groups = naming.apply(labels)
    assert groups.titles == ("mild ones", "Cluster 1")
    assert groups.colours == (1, 0)
    assert groups.parts == ((1, 2), (0,))
    assert groups.sizes.tolist() == [7, 5]
    assert naming.taking_apart(1).apply(labels).n_groups == 3
    assert naming.renamed(1, " ").apply(labels).titles[0] == "Cluster 2"
    assert Naming.from_dict(naming.to_dict()) == naming


def test_one_name_given_twice_still_tells_two_groups_apart():
    titles = Naming(names={0: "same", 1: "same"}).apply(np.array([0, 0, 1])).titles
    assert len(set(titles)) == 2


def test_the_path_s_groups_are_those_of_its_labels(model):
    path = model.merge_path_
    for k in range(1, 5):
        groups = Naming(merged=groups_at(path, k)).apply(model.labels_)
        np.testing.assert_array_equal(groups.labels, path.labels_at(k))


def test_branches_of_the_tree_never_run_downwards_or_cross(model):
    tree = Dendrogram.of(model.merge_path_)
    assert sorted(tree.leaves) == [0, 1, 2, 3]
    for join in tree.joins:
        assert join.height >= max(join.left[1], join.right[1])
        assert join.left[0] < join.right[0]
    assert [join.n_clusters for join in tree.joins] == [3, 2, 1]


# ---- any partition under MAP-DP's model


def test_a_partition_is_judged_by_the_exact_objective(model):
    merged = Naming().merging((0,), (3,)).apply(model.labels_)
    judged = JudgedPartition.of(model, merged.labels)
    expected = Partition(model.columns_, model.concentration, merged.labels).objective()
    assert judged.objective_ == pytest.approx(expected)
    assert judged.objective_ > model.objective_
    assert JudgedPartition.of(model, model.labels_).objective_ == model.objective_
    np.testing.assert_array_equal(judged.predict(FRAME), merged.labels)
    loaded = load_model(save_model(judged))
    np.testing.assert_array_equal(loaded.predict_proba(FRAME), judged.predict_proba(FRAME))


def test_standings_are_the_assignments_block_by_block(model, monkeypatch):
    monkeypatch.setattr("core.profiling.standing.BLOCK", 7)
    judged = JudgedPartition.of(model, model.labels_)
    stand, whole = standings(judged, silent), assignments(model)
    np.testing.assert_array_equal(stand.labels, model.labels_)
    np.testing.assert_array_equal(stand.second, whole.second)
    np.testing.assert_allclose(stand.log_density, whole.log_density)
    np.testing.assert_allclose(stand.none_of_these, whole.probabilities[:, -1])
    assert stand.placed_using(0) == "placed using 1 of 3 columns"


# ---- two and more partitions


def test_agreement_lies_on_the_diagonal():
    first = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    second = np.array([5, 5, 5, 3, 3, 3, 3, 0, 0])
    table = Contingency.of(first, second)
    assert table.second == (5, 3, 0)
    assert np.diag(table.counts).tolist() == [3, 3, 2]
    assert np.flatnonzero(table.apart).tolist() == [3]
    assert table.ari == pytest.approx(ari(first, second))


def test_the_consensus_is_nearer_to_the_truth_than_what_it_is_made_of():
    truth = RANDOM.integers(0, 4, 600)
    partitions = []
    for _ in range(5):
        wrong = RANDOM.random(600) < 0.2
        partitions.append(np.where(wrong, RANDOM.integers(0, 6, 600), truth))
    found = agreement(partitions)
    assert ari(truth, found.labels) > max(ari(truth, one) for one in partitions) + 0.05
    assert found.support.max() == 5
    alone = agreement([truth])
    assert ari(truth, alone.labels) == 1.0


# ---- rows


def test_rows_meet_all_conditions_and_missing_cells_none():
    conditions = [Condition("height", 160.0, 500.0), Condition("kind", values=("b", "c"))]
    expected = FRAME["height"].ge(160.0) & FRAME["kind"].isin(["b", "c"])
    np.testing.assert_array_equal(matching(FRAME, conditions), expected)


@pytest.mark.parametrize(("text", "rows"), [(" p7 ", [7]), ("8", [7]), ("0", []), ("x", [])])
def test_a_row_is_found_by_id_or_number(text, rows):
    assert find_rows(FRAME, ["id"], text).tolist() == rows


def test_a_part_sets_aside_what_tells_its_rows_nothing():
    schema = SCHEMA.with_block("size", ["height", "weight"], "gaussian")
    rows = np.flatnonzero(GROUP == 1)
    frame = FRAME.assign(weight=FRAME["weight"].where(GROUP != 1, 60.0))
    part, kept = subtable(frame, schema, rows)
    assert len(part) == 30
    assert kept["kind"].role == kept["weight"].role == "ignore"
    assert kept.blocks["size"].columns == ("height",)
    MAPDP(random_state=0).fit(part, kept)


# ---- missing cells


def test_holes_are_counted_together(model):
    found = missingness(model.columns_.encoded)
    assert found.n_missing == int(FRAME[["height", "weight", "kind"]].isna().sum().sum())
    assert found.n_complete == int(FRAME.notna().all(axis=1).sum())
    assert found.together.loc["height", "weight"] == pytest.approx(1.0)
    assert found.patterns["n"].sum() == 100
    assert found.patterns["columns"][0] == ()
    shares = missing_by_group(model.columns_.encoded, GROUP)
    expected = FRAME["kind"].isna().groupby(GROUP).mean()
    np.testing.assert_allclose(shares.loc["kind"], expected)


def test_only_holes_are_filled(model):
    judged = JudgedPartition.of(model, model.labels_)
    found = fill_table(judged, FRAME, "mode")
    for name in ("id", "height", "weight", "kind"):
        known = FRAME[name].notna()
        pd.testing.assert_series_equal(
            found.table.loc[known, name], FRAME.loc[known, name], check_dtype=False
        )
        assert found.table[name].notna().all()
    # Within a group, heights are spread by 2.
    assert found.cells("height")["spread"].between(1.0, 5.0).all()
    expected = 150.0 + 15.0 * GROUP[::5]
    assert np.abs(found.cells("height")["value"].to_numpy() - expected).max() < 3.0
    assert found.by_column().loc["height", "n_filled"] == 20


def test_dropping_incomplete_rows_says_what_is_lost(model):
    found = without_incomplete_rows(
        FRAME, SCHEMA, model.labels_, "MAPDP", {"concentration": 0.3, "random_state": 0}, silent
    )
    complete = np.flatnonzero(FRAME.notna().all(axis=1))
    np.testing.assert_array_equal(found.rows, complete)
    assert found.ari == pytest.approx(1.0)
    holes = FRAME.assign(
        weight=FRAME["weight"].where(GROUP == 0), kind=FRAME["kind"].where(GROUP > 0)
    )
    with pytest.raises(ValueError, match="0 of 100 rows are complete"):
        without_incomplete_rows(holes, SCHEMA, model.labels_, "MAPDP", {}, silent)


# ---- a second table


def test_columns_that_do_not_match_are_named_and_scored_without(model):
    other = FRAME.drop(columns="weight").rename(columns={"height": "Height "})
    other = other.assign(kind=other["kind"].mask(GROUP == 3, "new"), note="=1")
    match = match_columns(other, model.schema_)
    assert match.renamed == {"Height ": "height"}
    assert match.absent == ("weight",)
    assert match.unused == ("note",)
    assert match.unknown == {"kind": ("new",)}
    stand = standings(model, silent, aligned(other, match))
    seen = FRAME["height"].notna() | (FRAME["kind"].notna() & (GROUP != 3))
    assert (stand.labels == model.labels_)[seen].mean() > 0.95
    far = pd.DataFrame({"height": [900.0], "weight": [-300.0], "kind": ["a"]})
    assert standings(model, silent, far).none_of_these[0] > 0.99
