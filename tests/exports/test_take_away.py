"""What the Take away page hands out: model, labelled table, link, names of files."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import load_model, save_model
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.exports.take_away import file_stem, labelled, methods_in_address
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition


@pytest.mark.parametrize("is_own", [True, False], ids=["as fitted", "put together"])
def test_a_saved_model_predicts_the_same(fitted, is_own):
    frame, _, results, wanted = fitted
    model = results.get(wanted["CollapsedGibbs"])
    if not is_own:
        merged = Naming(merged=((0, 1),)).apply(model.labels_).labels
        model = JudgedPartition.of(results.get(wanted["MAPDP"]), merged)
    again = load_model(save_model(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))


def test_the_labelled_table_leaves_out_what_it_is_told_to(fitted):
    frame, _, results, wanted = fitted
    groups = Naming(names={0: "=first"}).apply(results.get(wanted["MAPDP"]).labels_)
    found = labelled(frame, groups, ("visits",), None)
    assert "visits" not in found
    assert (found["cluster"][groups.labels == 0] == "=first").all()
    assert "'=first" in as_csv(found).decode()
    np.testing.assert_array_equal(found["cluster number"], groups.labels)


def test_an_address_holds_the_methods_side_by_side_and_what_they_are_told():
    settings = Settings().telling("Agglomerative", "linkage", "ward")
    settings = settings.telling("HDBSCAN", "min_cluster_size", 7)
    assert methods_in_address(settings, ("MAPDP", "Agglomerative")) == {
        "methods": "MAPDP,Agglomerative",
        "Agglomerative.linkage": "ward",
    }


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("../my table (2).csv", "my-table-2"),
        ("größe 😀.parquet", "größe"),
        ("😀.csv", "table"),
        ("a\0b.csv", "a-b"),
        ("ü" * 400 + ".csv", "ü" * 90),
    ],
)
def test_file_names_are_plain(name, stem):
    assert file_stem(name) == stem
