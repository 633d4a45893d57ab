"""What the Take away page hands out: model, labelled table, link, names of files."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core import CollapsedGibbs, load_model, save_model
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.exports.take_away import file_stem, labelled, methods_in_address
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition


def test_a_saved_model_predicts_the_same_in_a_fresh_process(fitted, run, tmp_path):
    frame, _, results, wanted = fitted
    model = results.get(wanted["CollapsedGibbs"])
    assert isinstance(model, CollapsedGibbs)
    merged = Naming(merged=((0, 1),)).apply(model.labels_).labels
    judged = JudgedPartition.of(results.get(wanted["MAPDP"]), merged)
    (tmp_path / "fitted.json").write_text(save_model(model), encoding="utf-8")
    (tmp_path / "judged.json").write_text(save_model(judged), encoding="utf-8")
    frame.to_parquet(tmp_path / "rows.parquet")
    found = run(
        "import numpy as np\nfrom mapdp_studio.core import load_model, read_table\n"
        "rows, names = read_table('rows.parquet'), ('fitted.json', 'judged.json')\n"
        "models = [load_model(open(name, encoding='utf-8').read()) for name in names]\n"
        "labels = np.concatenate([model.predict(rows) for model in models])\n"
        "np.savetxt('labels.csv', labels, fmt='%d', header='x')\n"
    )
    expected = [saved.predict(frame) for saved in (model, judged)]
    np.testing.assert_array_equal(found, np.concatenate(expected))
    for saved in (model, judged):
        again = load_model(save_model(saved))
        np.testing.assert_array_equal(again.predict_proba(frame), saved.predict_proba(frame))


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


def test_file_names_are_plain():
    assert file_stem("../my table (2).csv") == "my-table-2"
    assert file_stem("größe 😀.parquet") == "größe"
    assert file_stem("😀.csv") == "table"
    assert file_stem("a\0b.csv") == "a-b"
    long = file_stem("ü" * 400 + ".csv")
    assert long == "ü" * 90
    assert len(f"{long}-agglomerative-clustering-report.html".encode()) <= 255
