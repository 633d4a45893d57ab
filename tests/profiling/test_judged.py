"""Any partition under MAP-DP's model, and where its rows stand."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import load_model, save_model
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.inference.contributions import assignments
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition, find_rows, row_assignments
from mapdp_studio.core.schema.rows import aligned, match_columns
from tests.tables.four_groups import FRAME, GROUP


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


def silent(progress) -> None:
    pass


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
    assert stand.placed_using(0) == "placed using 1 of 3 columns"


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
    endless = FRAME.assign(height=np.where(GROUP == 0, np.inf, FRAME["height"]))
    odd = match_columns(endless, model.schema_)
    assert odd.unknown == {"height": ("inf",)}
    assert aligned(endless, odd)["height"].isna().sum() >= (GROUP == 0).sum()
    far = pd.DataFrame({"height": [900.0], "weight": [-300.0], "kind": ["a"]})
    assert row_assignments(model, silent, far).none_of_these[0] > 0.99


@pytest.mark.parametrize(("text", "rows"), [(" p7 ", [7]), ("8", [7]), ("0", []), ("x", [])])
def test_a_row_is_found_by_id_or_number(text, rows):
    assert find_rows(FRAME, ["id"], text).tolist() == rows
