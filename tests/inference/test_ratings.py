"""When ratings would do better as categories, and when nothing is said."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.inference.ratings import better_as_categories

RANDOM = np.random.default_rng(5)


def fitted(frame: pd.DataFrame, family: str = "binomial", names: tuple[str, ...] = ()):
    schema = infer_schema(frame)
    for name in names:
        schema = schema.with_column(name, family=family)
    return MAPDP(random_state=0).fit(frame, schema)


def two_ended(n: int = 300) -> pd.DataFrame:
    """Ratings 1 to 10 that pile up at both ends, more at one of them; a cell is missing."""
    ends, rare = np.r_[0.6, np.full(8, 0.03), 0.16], np.repeat([False, True], [n // 2, n - n // 2])
    frame = pd.DataFrame(
        {
            name: np.where(rare, RANDOM.choice(10, n, p=ends[::-1]), RANDOM.choice(10, n, p=ends))
            + 1.0
            for name in "abcd"
        }
    )
    frame.loc[0, "a"] = np.nan
    return frame


def test_e_with_the_categories_named_is_as_low_as_promised():
    frame = two_ended()
    before = fitted(frame)
    found = better_as_categories(before.result_)
    assert set(found.columns) == set("abcd")
    assert found.n_clusters < before.n_clusters_
    after = fitted(frame, "categorical", found.columns)
    assert after.result_.objective <= before.result_.objective - found.fall + 1e-6


def test_a_full_factorial_is_one_cluster_of_categories():
    levels = range(1, 6)
    frame = pd.DataFrame(list(product(levels, levels, levels, levels)), columns=list("abcd"))
    before = fitted(frame)
    found = better_as_categories(before.result_)
    after = fitted(frame, "categorical", found.columns)
    assert (found.n_clusters, after.n_clusters_) == (1, 1)
    assert after.result_.objective == pytest.approx(before.result_.objective - found.fall)
    assert "and 1 more would do better" in found.sentence


def test_ratings_that_are_binomial_and_tables_without_any_are_left_alone():
    group = np.repeat([0, 1], 150)
    binomial = pd.DataFrame({name: RANDOM.binomial(4, 0.2 + 0.6 * group) for name in "abcd"})
    assert better_as_categories(fitted(binomial).result_) is None
    assert better_as_categories(fitted(pd.DataFrame({"x": RANDOM.normal(size=50)})).result_) is None


def test_less_than_ten_nats_are_not_worth_a_word(monkeypatch):
    little = fitted(two_ended(24)[["a", "b"]], "binomial", ("a", "b")).result_
    enough = fitted(two_ended(16), "binomial", tuple("abcd")).result_
    assert better_as_categories(little) is None
    assert 10.0 <= better_as_categories(enough).fall < 100.0
    monkeypatch.setattr("mapdp_studio.core.inference.ratings.LEAST", 1e-6)
    assert 1.0 < better_as_categories(little).fall < 10.0
