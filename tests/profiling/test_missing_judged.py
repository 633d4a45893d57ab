"""Cells that are missing, in which groups; any partition under MAP-DP's model, and its rows."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import load_model, save_model
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.inference.contributions import assignments
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition, find_rows, row_assignments
from mapdp_studio.core.profiling.missing import fill_table, missing_by_group, missingness
from mapdp_studio.core.schema.rows import aligned, match_columns
from tests.tables.four_groups import FRAME, GROUP

TABLE = pd.DataFrame(
    {
        "full": [1.0, 2.0, 3.0, 4.0],
        "half": [np.nan, 1.0, np.nan, 2.0],
        "word": ["a", None, "b", "a"],
    }
)


def _holes(encoded) -> pd.DataFrame:
    return pd.DataFrame(encoded.is_missing, columns=list(encoded.columns))


def silent(progress) -> None:
    pass


def test_holes_are_counted_together(model):
    found = missingness(_holes(model.columns_.encoded))
    assert found.n_missing == int(FRAME[["height", "weight", "kind"]].isna().sum().sum())
    assert found.n_complete == int(FRAME.notna().all(axis=1).sum())
    assert found.patterns["n"].sum() == 100
    assert found.patterns["columns"][0] == ()
    shares = missing_by_group(model.columns_.encoded, GROUP)
    expected = FRAME["kind"].isna().groupby(GROUP).mean()
    np.testing.assert_allclose(shares.loc["kind"], expected)


def test_holes_are_shared_out_and_rows_with_the_same_holes_lie_together():
    missing = missingness(TABLE.isna())
    assert missing.shares == {"half": 0.5, "word": 0.25}
    assert missing.n_complete == 1
    assert missing.pattern.tolist() == [[True, False], [True, False], [False, True], [False, False]]


def test_only_holes_are_filled(model):
    judged = JudgedPartition.of(model, model.labels_)
    found = fill_table(judged, FRAME, "mode")
    for name in ("id", "height", "weight", "kind"):
        observed = FRAME[name].notna()
        pd.testing.assert_series_equal(
            found.table.loc[observed, name], FRAME.loc[observed, name], check_dtype=False
        )
        assert found.table[name].notna().all()
    # Within a group, heights are spread by 2.
    assert found.cells("height")["spread"].between(1.0, 5.0).all()
    expected = 150.0 + 15.0 * GROUP[::5]
    assert np.abs(found.cells("height")["value"].to_numpy() - expected).max() < 3.0
    assert found.by_column().loc["height", "n_filled"] == 20


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
    monkeypatch.setattr("mapdp_studio.core.profiling.judged.BLOCK", 7)
    judged = JudgedPartition.of(model, model.labels_)
    stand, whole = row_assignments(judged, silent), assignments(model)
    np.testing.assert_array_equal(stand.labels, model.labels_)
    np.testing.assert_array_equal(stand.second, whole.second)
    np.testing.assert_allclose(stand.log_density, whole.log_density)
    own = np.arange(len(GROUP)), whole.labels
    np.testing.assert_allclose(stand.probability, whole.probabilities[own])
    np.testing.assert_allclose(stand.none_of_these, whole.probabilities[:, -1])
    assert (stand.n_observed[0], stand.n_columns) == (1, 3)


def test_columns_that_do_not_match_are_named_and_scored_without(model):
    other = FRAME.drop(columns="weight").rename(columns={"height": "Height "})
    other = other.assign(kind=other["kind"].mask(GROUP == 3, "new"), note="=1")
    match = match_columns(other, model.schema_)
    assert match.renamed == {"Height ": "height"}
    assert match.absent == ("weight",)
    assert match.unused == ("note",)
    assert match.unknown == {"kind": ("new",)}
    stand = row_assignments(model, silent, aligned(other, match))
    seen = FRAME["height"].notna() | (FRAME["kind"].notna() & (GROUP != 3))
    assert (stand.labels == model.labels_)[seen].mean() > 0.95
    written = other.assign(
        **{"Height ": other["Height "].map("{:.3f} cm".format, na_action="ignore")}
    )
    written = written.rename(columns={"Height ": "height (cm)"})
    written.loc[0, "height (cm)"], written.loc[1, "height (cm)"] = "<20", "lost"
    written["kind"] = written["kind"].str.upper()
    again = match_columns(written, model.schema_)
    assert (again.renamed, again.limits) == ({"height (cm)": "height"}, {"height": ("<20",)})
    assert again.unknown == {"kind": ("NEW",), "height": ("lost",)}
    read = aligned(written, again)
    assert (read["height"][0], np.isnan(read["height"][1])) == (10, True)
    assert read["kind"][GROUP != 3].isin(["a", "b", "c", None]).all()
    row_assignments(model, silent, read)
    commas = FRAME["height"].map("{:.2f}".format, na_action="ignore").str.replace(".", ",")
    commas = FRAME.assign(height=commas.mask(GROUP == 0, "<20,5"))
    of_commas = match_columns(commas, model.schema_)
    assert (of_commas.limits, of_commas.unknown) == ({"height": ("<20,5",)}, {})
    lengths = FRAME["height"].round(2).mask(GROUP == 0, 10.25)
    np.testing.assert_allclose(aligned(commas, of_commas)["height"], lengths)
    endless = FRAME.assign(height=np.where(GROUP == 0, np.inf, FRAME["height"]))
    odd = match_columns(endless, model.schema_)
    assert odd.unknown == {"height": ("inf",)}
    assert aligned(endless, odd)["height"].isna().sum() >= (GROUP == 0).sum()
    far = pd.DataFrame({"height": [900.0], "weight": [-300.0], "kind": ["a"]})
    assert row_assignments(model, silent, far).none_of_these[0] > 0.99


@pytest.mark.parametrize(("text", "rows"), [(" p7 ", [7]), ("8", [7]), ("0", []), ("x", [])])
def test_a_row_is_found_by_id_or_number(text, rows):
    assert find_rows(FRAME, ["id"], text).tolist() == rows
