"""Groups described in one call, of any estimator, with nothing but what it was fitted to."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio import core
from mapdp_studio.core import MAPDP, DPMeans, describe, load_model, save_model, stability
from mapdp_studio.core.inference.contributions import column_contributions
from tests.models.test_estimator import SMALL

ROOM = np.random.default_rng(1)
GROUP = ROOM.integers(2, size=50)
FRAME = pd.DataFrame(
    {
        "size": ROOM.normal([0.0, 9.0], 1.0, (50, 2))[range(50), GROUP].round(2),
        "kind": np.where(GROUP == 1, "b", "a"),
        "visits": ROOM.poisson(np.array([1.0, 12.0])[GROUP]),
    }
).mask(ROOM.random((50, 3)) < 0.08)


@pytest.fixture(scope="module")
def model() -> MAPDP:
    return MAPDP(random_state=0, patience=2).fit(FRAME)


def test_a_description_says_what_the_rooms_say_in_the_user_s_words(model):
    found = describe(model)
    assert found.sentence.startswith("2 groups of 50 rows")
    assert [card.size for card in found.cards] == np.bincount(model.labels_).tolist()
    own = column_contributions(model.partition_)
    pd.testing.assert_frame_equal(found.contributions, own.loc[found.contributions.index])
    assert found.contributions["nats"].is_monotonic_decreasing
    assert (found.rules["right"] <= found.rules["named"]).all()
    assert found.rules.loc["Cluster 1", "right"] > 15
    assert list(found.table.columns) == ["Column", "All rows", "Cluster 1", "Cluster 2"]
    assert "<table" in found._repr_html_()
    pd.testing.assert_frame_equal(found.frame, FRAME, check_dtype=False)  # decoded, holes as holes
    pd.testing.assert_frame_equal(describe(model, FRAME).rules, found.rules)
    with pytest.raises(ValueError, match=r"fitted to 50 rows and the table has 3"):
        describe(model, FRAME.head(3))
    with pytest.raises(ValueError, match="holds no rows"):
        describe(load_model(save_model(model)))


@pytest.mark.parametrize("name", SMALL)
def test_any_estimator_is_described_and_drawn(name):
    found = describe(getattr(core, name)(**SMALL[name]).fit(FRAME[["size"]].dropna().to_numpy()))
    assert "of 46 rows" in found.sentence
    assert "x0" in found.contributions.index
    assert "Cluster 1" in found.figure().to_json()


def test_stability_is_that_of_the_page(model, few_draws):
    found = stability(model)
    assert list(found.table["rows"]) == np.bincount(model.labels_).tolist()
    assert found.table["jaccard"].between(0.5, 1.0).all()
    assert found.settings["is_own"].sum() >= 1
    assert len(found.rows) == 50
    assert "2 of 2 restarts" in found.sentence
    with pytest.raises(TypeError, match="a fitted MAPDP tells it, not DPMeans"):
        stability(DPMeans(n_clusters_hint=2).fit(FRAME))
