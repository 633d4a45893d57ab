"""Clusters, Missing values, New rows and Compare's lower half: whatever the table, no traceback."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import SchemaError
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.comparing.comparison import tasks
from mapdp_studio.core.exports.settings_file import save_settings
from mapdp_studio.core.inference.merge_path import merge_path
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.trees import groups_at
from mapdp_studio.core.statistics import resampling
from mapdp_studio.core.statistics.resampling import Protocol
from mapdp_studio.pages import Session
from tests.odd_tables import ODD_TABLES
from tests.pages.conftest import in_store, page, settle, studio_of

pytestmark = pytest.mark.usefixtures("ready")
RANDOM = np.random.default_rng(5)
GROUP = np.repeat([0, 1, 2], 25)
FRAME = pd.DataFrame(
    {
        "patient": [f"P{i:03d}" for i in range(75)],
        "height": RANDOM.normal(160.0, 3.0, 75) + 14.0 * GROUP,
        "kind": np.array(["a", "b", "c"])[GROUP],
        "visits": RANDOM.poisson(1.0 + 4.0 * GROUP),
        "sick": RANDOM.random(75) < 0.2 + 0.3 * GROUP,
    }
)
FRAME["sick"] = FRAME["sick"].map({True: "yes", False: "no"})
FRAME.loc[::6, "height"] = np.nan
FRAME.loc[::5, "kind"] = None
TABS = {
    "clusters": ["Columns", "Rows", "Merge and name", "What if"],
    "missing": ["Missing together", "Filled in", "If incomplete rows were dropped"],
    "compare": ["Marked rows", "Two methods", "Consensus"],
}
OTHERS = ("data", "new_rows", "clinical", "stability", "snapshots")


@pytest.mark.parametrize("table", ODD_TABLES)
def test_an_odd_table_goes_through_every_page_and_tab(table):
    studio = studio_of(ODD_TABLES[table], table)
    others = {name: [None] for name in OTHERS}
    for name, tabs in (TABS | others).items():
        for tab in tabs:
            assert not page(name, studio, tab).error
    assert set(studio.results.fitted.values()) == {1}
    assert write_report(studio) == ""


def write_report(studio: Session) -> str:
    """Write the report and the settings from Take away; what went wrong, or ""."""
    page("take_away", studio).button(key="write_report").click().run(timeout=60)
    (job,) = (job for key, job in studio.jobs._newest.items() if key == "report")
    assert job.wait(60)
    json.loads(save_settings(studio.work.saved()))
    return job.failure or ("" if len(job.result) > 1e6 else "The report is empty.")


def test_stability_is_shown_of_rows(monkeypatch):
    few = classmethod(lambda kind, seed=0: Protocol(3, 3, 1, seed))
    monkeypatch.setattr(Protocol, "preview", few)
    monkeypatch.setattr(resampling, "ORDERS", 2)
    monkeypatch.setattr(resampling, "EFFORTS", {"preview": Protocol.preview})
    studio = studio_of(FRAME, "stability")
    at = page("stability", studio)
    settle(at.button(key="start_stability").click().run(timeout=60))
    (job,) = (job for key, job in studio.jobs._newest.items() if key == "stability")
    assert job.wait(60)
    for tab, words in {
        "Groups": "times, rows were drawn anew",
        "Starts": "restarts reached",
        "How many": "when the rows are drawn anew",
        "Rows": "How often a row came out",
    }.items():
        at.session_state["stability_tab"] = tab
        at.run(timeout=60)
        assert not at.exception
        assert any(words in text.value for text in (*at.caption, *at.markdown)), tab


@pytest.mark.parametrize("n_groups", [1, 2, 3])
def test_stability_judges_the_groups_that_are_shown(n_groups):
    studio = studio_of(FRAME)
    page("clusters", studio)
    (task,) = studio.results._kept["fit of MAPDP"]
    path = merge_path(studio.results.get(task).partition_)
    studio.naming[task] = Naming(groups_at(path, n_groups))
    at = page("stability", studio)
    shown = studio.naming[task].apply(studio.results.get(task).labels_)
    model = in_store(studio.results, "judged by stability")
    is_fit = n_groups in (1, 3)  # one group has nothing to come back to
    assert model.n_clusters_ == (3 if is_fit else n_groups)
    assert n_groups == 1 or (model.labels_ == shown.labels).all()
    assert any("before any were put together" in c.value for c in at.caption) == (n_groups == 1)


def test_groups_are_described_by_columns_that_did_not_make_them():
    studio = studio_of(FRAME, "described")
    studio.change({"sick": {"role": "validator"}})
    at = page("clusters", studio, "Columns")
    box = next(box for box in at.selectbox if box.label.startswith("Column, those"))
    assert box.options[-1] == "sick"
    box.set_value("sick").run()
    assert "sick took no part in the grouping." in [caption.value for caption in at.caption]
    shares = at.dataframe[-1].value
    observed = f"{100 * (FRAME['sick'] == 'yes').mean():.1f} %"
    assert shares.iloc[-1][["n observed", "yes"]].tolist() == [75, observed]
    assert not at.exception


@pytest.mark.parametrize("weight", [1 / 75, 214.0])
def test_a_column_of_weights_has_no_scale_and_the_pages_say_so(weight):
    frame = FRAME.assign(share=weight)
    studio = studio_of(frame, f"weighed {weight}")
    studio.change({"share": {"role": "weight", "family": "normal"}})
    for name, said in {
        "data": f"{weight:.3g} on average, are scaled to mean 1, so that the table counts as 75",
        "compare": "75 rows, weighed by “share” (scaled to mean 1), clustered",
        "clusters": "Rows count by “share”, scaled to mean 1",
        "clinical": "Other pages scale it to mean 1",
    }.items():
        at = page(name, studio)
        assert any(said in text.value for text in at.caption), name
    task = tasks(f"weighed {weight}", studio.schema, Settings(), 75)["MAPDP"]
    assert studio.results.get(task).n_clusters_ == 3


def test_names_and_merges_hold_on_every_page():
    studio = studio_of(FRAME)
    page("clusters", studio)
    task = tasks("digest", studio.schema, Settings(), len(FRAME))["MAPDP"]
    model = studio.results.get(task)
    assert model.n_clusters_ == 3
    studio.naming[task] = Naming().merging((0,), (1,)).renamed(0, "the *tall* ones")
    for name in ("clusters", "missing"):
        at = page(name, studio)
        assert any("K = 2 (of 3 fitted)" in text.value for text in at.markdown)
    assert any("the \\*tall\\* ones" in text.value for text in page("clusters", studio).markdown)
    assert studio.results.fitted == {"MAPDP": 1}


def test_a_row_is_found_by_an_id_that_is_never_sent():
    studio = studio_of(FRAME)
    at = page("clusters", studio, "Rows")
    at.text_input[0].set_value("p041").run(timeout=60)
    assert any("Row 42: why it is in" in heading.value for heading in at.subheader)
    assert any("placed using 4 of 4 columns" in text.value for text in at.markdown)
    assert "patient" not in at.dataframe[0].value
    at.text_input[0].set_value("nobody").run(timeout=60)
    assert any("No row has the id" in text.value for text in at.warning)


def test_the_slider_coarsens_and_a_merge_by_hand_moves_it():
    studio = studio_of(FRAME)
    at = page("clusters", studio, "Merge and name")
    at.slider[0].set_value(2).run(timeout=60)
    (naming,) = studio.naming.values()
    assert len(naming.merged) == 1
    at.button(key="merge").click().run(timeout=60)
    assert at.slider[0].value == 1
    assert any("K = 1 (of 3 fitted)" in text.value for text in at.markdown)


def test_a_part_is_a_table_of_its_own_with_a_way_back():
    studio = studio_of(FRAME)
    page("clusters", studio)
    before, study = studio.results, studio.study
    studio.take_part(studio.work.on_part(np.flatnonzero(GROUP < 2), "two groups"))
    assert len(studio.table.frame) == 50
    page("clusters", studio)
    studio.take_part(studio.work.on_part(np.flatnonzero(GROUP[:50] == 0), "one of them"))
    # All of these rows are of one kind: it tells none of them apart.
    assert studio.schema["kind"].role == "ignore"
    page("clusters", studio)
    with pytest.raises(SchemaError, match="at least two"):
        studio.take_part(studio.work.on_part(np.array([3]), "a single row"))
    studio.leave_part()
    studio.leave_part()
    assert studio.table.frame is FRAME
    assert studio.results is before
    assert studio.study is study
    assert studio.parents == ()


def test_what_two_methods_disagree_on_can_be_marked():
    studio = studio_of(FRAME)
    at = page("compare", studio, "Two methods")
    at.selectbox(key="pair_across_MAP-DP").set_value("E-M").run(timeout=60)
    marks = [button for button in at.button if button.label == "Mark these rows"]
    assert bool(marks) == any("**0 of" not in c.value and "lie off" in c.value for c in at.caption)
    studio.marked = np.array([3, 4])
    at = page("compare", studio, "Marked rows")
    assert at.dataframe[0].value["Row"].tolist() == [4, 5]


def test_rows_are_filtered_by_ranges_and_values():
    studio = studio_of(FRAME)
    at = page("clusters", studio, "Rows")
    at.multiselect(key="filter-digest").set_value(["height", "kind"]).run(timeout=60)
    at.slider(key="condition-digest-height").set_range(170.0, 175.0).run(timeout=60)
    at.multiselect(key="condition-digest-kind").set_value(["b"]).run(timeout=60)
    assert not at.exception
    expected = FRAME["height"].between(170.0, 175.0) & FRAME["kind"].eq("b")
    rows = next(table.value["Row"] for table in at.dataframe if "Row" in table.value)
    assert sorted(rows - 1) == np.flatnonzero(expected).tolist()


def test_holes_are_filled_and_incomplete_rows_dropped_when_asked():
    studio = studio_of(FRAME)
    for tab, button, text in (
        ("Filled in", "Fill the missing cells", "Cell by cell"),
        ("If incomplete rows were dropped", "Fit the complete rows alone", None),
    ):
        at = page("missing", studio, tab)
        next(b for b in at.button if b.label == button).click().run(timeout=60)
        for _ in range(50):
            if at.dataframe or at.metric:
                break
            at.run(timeout=60)
        assert not at.exception
        assert text is None or any(heading.value == text for heading in at.subheader)
    n_incomplete = int(FRAME[["height", "kind"]].isna().any(axis=1).sum())
    assert at.metric[0].value == f"{n_incomplete} of 75"


def test_ids_are_listed_where_they_are_asked_for_and_never_of_a_locked_study():
    studio = studio_of(FRAME, "ids")
    for name, tab in (("data", None), ("clusters", "Rows")):
        at = page(name, studio, tab)
        if name == "data":
            at.session_state["data_tab"] = "Rows"
            at.run()
        assert "patient" not in at.dataframe[-1].value
        at.toggle(key="with_ids").set_value(True).run()
        assert at.dataframe[-1].value["patient"].str.startswith("P").all()
    studio.study.lock_in(FRAME, studio.schema, Plan())
    at = page("clusters", studio, "Rows")
    assert "patient" not in at.dataframe[-1].value
    assert any("A study of this table is locked" in caption.value for caption in at.caption)
