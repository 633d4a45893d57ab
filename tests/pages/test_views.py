"""The Views page: its cards, the way into a view and back, what stands in its place without one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.pages.conftest import in_store, page, studio_of, until
from tests.several_groupings import as_written, three_groupings


@pytest.fixture(scope="module")
def frame(ready):
    return as_written(three_groupings(4, n=80, widths=(3, 3), n_noise=0)[0])


def test_a_view_opens_on_other_pages_and_leads_back(frame):
    studio = studio_of(frame)
    at = page("views", studio)
    assert any("2 groupings of the same rows" in text.value for text in at.markdown)
    whole, found = studio.work, in_store(studio.results, "views")
    [button for button in at.button if button.label == "Look at its groups"][1].click().run()
    view = found.telling[1]
    assert set(studio.schema.names("cluster")) == set(view.columns)
    assert studio.table.name.endswith(": View 2")
    clusters = page("clusters", studio)
    assert any(f"K = {view.model.n_clusters_}" in text.value for text in clusters.markdown)
    assert not studio.results.fitted["MAPDP"], "the view's own fit is shown"
    studio.leave_part()
    assert studio.work is whole
    page("views", studio)
    assert in_store(studio.results, "views") is found, "nothing is sought twice"


def test_a_table_without_groups_says_so(ready):
    random = np.random.default_rng(0)
    noise = pd.DataFrame(random.normal(size=(80, 3)), columns=["a", "b", "c"])
    at = page("views", studio_of(noise))
    assert any(text.value.startswith("**No column tells groups") for text in at.markdown)


def test_blocks_stand_on_a_tab_or_a_sentence_says_why_not(ready):
    random = np.random.default_rng(0)
    side = np.repeat([0.0, 8.0], 20)[:, None] * np.tile([1.0, -1.0], 3)
    both = pd.DataFrame(side + random.normal(size=side.shape), columns=list("abcdef"))
    mixed = pd.DataFrame({"size": both["a"], "ill": np.where(both["b"] > 0.0, "yes", "no")})
    expected = "2 clusters of rows and 2 clusters of columns", "are of different families"
    for table, said in zip((both, mixed), expected, strict=True):
        at = page("views", studio_of(table))
        at.session_state["views_tab"] = "Blocks of rows and columns"
        until(at, lambda at, said=said: any(said in it.value for it in (*at.markdown, *at.info)))
