"""What-if in one click, from Clusters and from Data: both results, then kept or closed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.pages import Session, Table
from tests.pages.conftest import until
from tests.pages.test_session import page, studio  # noqa: F401

pytestmark = pytest.mark.usefixtures("ready")


@pytest.mark.parametrize(("name", "tab"), [("clusters", "What if"), ("data", "Columns")])
def test_one_click_shows_both_results_and_another_keeps_the_change(name, tab, studio):  # noqa: F811
    at = page(name, studio)
    at.session_state[f"{name}_tab"] = tab
    chosen = "what-if" if name == "clusters" else "detail"
    at.session_state[f"{chosen}-digest"] = "weight"
    button = f"{name} what if without it"
    until(at.run(), lambda at: any(one.key == button for one in at.button))
    asked = studio.results.fitted.total()
    at.button(key=button).click().run()
    until(at, lambda at: {metric.label for metric in at.metric} == {"ARI", "AMI", "Rows apart"})
    assert studio.schema["weight"].role == "cluster"
    assert any("without weight" in text.value for text in at.markdown)
    assert any("not comparable" in text.value for text in at.markdown)
    until(at, lambda at: any("of rows held out: mean log" in text.value for text in at.caption))
    # A study must know that groups were seen.
    assert studio.results.fitted.total() == asked + 1
    at.button(key=f"{name} keep").click().run()
    assert not at.exception
    assert studio.schema["weight"].role == "ignore"
    assert not at.metric
    at.button(key="undo").click().run()
    assert studio.schema["weight"].role == "cluster"


def test_a_what_if_is_closed_and_forgotten_with_its_table(studio):  # noqa: F811
    at = page("data", studio)
    at.session_state["detail-digest"] = "height"
    at.run()
    at.button(key="data what if in logarithms").click().run()
    assert any("height in logarithms" in text.value for text in at.markdown)
    at.button(key="data close").click().run()
    assert not any("height in logarithms" in text.value for text in at.markdown)
    assert isinstance(at.session_state["studio"], Session)
    assert studio.schema["height"].transform is None


def test_ratings_that_fit_badly_are_changed_together_by_one_click(studio):  # noqa: F811
    random = np.random.default_rng(0)
    names = [f"item {j}" for j in range(3)]
    ends = pd.DataFrame(random.choice([1, 2, 5], (150, 3), p=[0.45, 0.1, 0.45]), columns=names)
    studio.take(Table(ends, "ends.csv", "ends"), infer_schema(ends))
    at = page("clusters", studio)
    at.session_state["clusters_tab"] = "What if"
    until(at, lambda at: any("would do better" in warning.value for warning in at.warning))
    next(b for b in at.button if (b.key or "").startswith("misfit item")).click().run()
    until(at, lambda at: {metric.label for metric in at.metric} == {"ARI", "AMI", "Rows apart"})
    at.button(key="misfit keep").click().run()
    assert not at.exception
    assert {studio.schema[name].family for name in names} == {"categorical"}


def test_groups_of_a_handful_of_rows_share_one_card(studio):  # noqa: F811
    frame = studio.table.frame.copy()
    frame.loc[[3, 4, 25], "height"] = [400.0, 160.0, 20.0]
    frame.loc[[3, 4, 25], "weight"] = [60.0, 300.0, -100.0]
    studio.take(Table(frame, "t.csv", "odd"), studio.schema)
    at = page("clusters", studio)
    until(at, lambda at: any("Rows like no others" in text.value for text in at.markdown))
    (task,) = studio.results._kept["fit of MAPDP"]
    labels = studio.results.get(task).labels_
    sizes = np.bincount(labels)
    small = np.flatnonzero(sizes < 5)
    said = next(text.value for text in at.markdown if "Rows like no others" in text.value)
    assert f"{sizes[small].sum()} rows in {small.size} groups" in said
    told = " ".join(caption.value for caption in at.caption)
    assert all(f"Cluster {k + 1}: row" in told for k in small)
    cards = [text.value for text in at.markdown if text.value.startswith("**Cluster")]
    assert len(cards) == sizes.size - small.size
