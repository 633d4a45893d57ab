"""How many groups in one call: the number of the page Clusters, its rows, and what chance makes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, DPMeans, choose_model, how_many
from mapdp_studio.core.statistics.gains import Gains, Search
from mapdp_studio.core.statistics.nulls import SHUFFLED

RANDOM = np.random.default_rng(0)
#: A bend that the fit takes apart, and a round group.
ALONG = np.linspace(-3.0, 3.0, 160)
BEND = np.column_stack([ALONG, ALONG**2]) + 0.2 * RANDOM.normal(size=(160, 2))
ROWS = np.concatenate([BEND, RANDOM.normal([[20.0, 0.0]] * 40)])
FRAME = pd.DataFrame(np.round(ROWS, 2), columns=["a", "b"])


@pytest.fixture(scope="module")
def model():
    return MAPDP(random_state=0).fit(FRAME)


def test_the_number_is_the_pages_and_the_labels_are_as_many(model):
    found = how_many(model)
    assert found.n_groups == found.redraws.first < model.n_clusters_
    assert np.bincount(found.labels).tolist() == sorted(np.bincount(found.labels))[::-1]
    assert np.unique(found.labels).size == found.n_groups
    assert (
        pd.DataFrame({"fit": model.labels_, "shown": found.labels})
        .groupby("fit")["shown"]
        .nunique()
        .eq(1)
        .all()
    )
    assert found.chance is None
    assert found.table["chance"].isna().all()
    assert found.table["comes_back"].loc[found.n_groups] == found.redraws.of(found.n_groups)
    assert found.sentence.startswith(f"{found.n_groups} groups, put together from the")
    assert "<table" in found._repr_html_()


def test_with_the_table_at_hand_chance_is_asked_under_the_model_of_the_fit(model, monkeypatch):
    asked = []

    def gains(search, table, seed, callback):
        asked.append(search)
        gain = 9.0 if seed == 0 else 12.0
        return Gains(np.array([0.0, gain]), gain)

    monkeypatch.setattr(Search, "gains", gains)
    found = how_many(model, FRAME)
    assert found.n_groups == 1
    assert set(found.labels) == {0}
    assert found.chance.n_as_much(SHUFFLED) == 1
    assert found.sentence.endswith("gains as much.")
    chosen = choose_model(FRAME).model
    assert how_many(chosen, FRAME).n_groups == 1
    assert [unit.options for unit in asked[-1].encoded.units] == [
        unit.options for unit in chosen.columns_.encoded.units
    ]
    assert all(unit.prior is None for unit in asked[-1].encoded.units)


def test_one_group_is_not_held_against_chance():
    rows = np.random.default_rng(2).normal(size=(60, 2))
    found = how_many(MAPDP(random_state=0).fit(rows), rows)
    assert found.n_groups == 1
    assert found.chance is None
    assert found.table.empty
    assert found.sentence == "One group: all rows together."


def test_another_method_is_refused():
    with pytest.raises(TypeError, match="a fitted MAPDP tells it, not DPMeans"):
        how_many(DPMeans(n_clusters_hint=2).fit(FRAME))
    with pytest.raises(TypeError, match="not MAPDP: fit"):
        how_many(MAPDP())
