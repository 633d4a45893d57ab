"""How many groups are shown first, and the table of what speaks for each number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core import MAPDP
from mapdp_studio.core.inference.merge_path import MergePath, merge_path
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.profiling.how_many import (
    DRAWS,
    LEAST_ROWS,
    PATIENCE,
    GroupNumber,
    Redraws,
    how_many,
    is_readable,
)
from mapdp_studio.core.profiling.how_many import redraws as redraws_of
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import CORRELATED, SHUFFLED
from mapdp_studio.core.statistics.resampling import refit

RANDOM = np.random.default_rng(0)
CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]])
ROWS = np.vstack(
    [
        (CENTERS[:, None, :] + RANDOM.normal(size=(4, 50, 2))).reshape(-1, 2),
        [[40.0, 40.0], [41.0, 40.5], [40.2, 41.0]],
    ]
)


@pytest.fixture(scope="module")
def found() -> GroupNumber:
    return how_many(MAPDP(random_state=0).fit(ROWS))


def test_groups_that_come_back_are_shown_and_rows_far_away_are_not(found):
    """Four groups, three rows that are like no others, and one of those taken apart by the fit."""
    assert found.n_fitted == 6
    assert found.redraws.overlap.shape == (DRAWS, 5, 6)
    assert [*found.redraws.is_readable] == [False, True, True, True, False]
    assert found.first() == 5
    merged = Naming(found.merged(5)).apply(found.path.labels)
    assert [*merged.sizes] == [50, 50, 50, 50, 3]


def test_how_a_group_comes_back_is_its_overlap_with_the_group_most_like_it(found):
    """Judged by the stability of the same groups; small ones are not asked, unless all are."""
    model = MAPDP(random_state=0).fit(ROWS)
    drawn = redraws_of(model, model.merge_path_)
    whole, rows = model.merge_path_.labels_at(5), half(ROWS, 0)
    table = model.columns_.encoded.rows(rows)
    fitted = refit(model, table, 0, None, prior=list(model.prior_), patience=PATIENCE)
    labels = merge_path(fitted.partition_).labels_at(5)
    for group in range(5):
        inside = whole[rows] == group
        best = max(
            (inside & (labels == k)).sum() / (inside | (labels == k)).sum() for k in range(5)
        )
        kept = np.bincount(whole)[group] >= LEAST_ROWS
        np.testing.assert_allclose(drawn.overlap[0, 3, group], best if kept else np.nan)
    few = MAPDP(random_state=0).fit(ROWS[::25])
    assert np.isfinite(redraws_of(few, few.merge_path_).least).all()


def half(table: np.ndarray, seed: int) -> np.ndarray:
    n_rows = len(table)
    return np.sort(np.random.default_rng(seed).choice(n_rows, n_rows // 2, replace=False))


def redraws(*least: float, readable: tuple[int, ...] = (1, 1, 1, 1)) -> Redraws:
    """Whose second group comes back so, and all others always."""
    overlap = np.ones((DRAWS, len(least), len(least) + 1))
    overlap[:, :, 1] = least
    return Redraws(overlap, np.array(readable, dtype=bool))


def test_the_most_groups_that_all_come_back_are_first_else_nearly_as_many_as_ever_do():
    assert redraws(0.97, 0.7, 0.61, 0.5).first == 4
    assert redraws(0.97, 0.55, 0.7, 0.5, readable=(1, 1, 0, 0)).first == 2
    assert redraws(0.3, 0.5, 0.4, 0.8, readable=(1, 1, 1, 0)).first == 3
    assert redraws(0.3, 0.5, 0.48, 0.46).first == 4
    many = np.linspace(0.3, 0.5, 12)
    assert redraws(*many, readable=(1,) * 12).first == 9
    assert redraws(*(many + 0.4), readable=(1,) * 12).first == 13
    # Where no number can be read, that is held against none.
    assert redraws(0.5, 0.9, 0.65, 0.4, readable=(0, 0, 0, 0)).first == 4


def test_few_rows_in_small_groups_can_be_read_unless_they_are_what_is_told_apart():
    """Of 1,000 rows: less than 20 are a small group, and 20 of them in all are hardly any."""

    def labels(*sizes: int) -> np.ndarray:
        return np.repeat(np.arange(len(sizes)), sizes)

    assert is_readable(labels(985, 15), labels(500, 485, 15))
    assert not is_readable(labels(1000), labels(985, 15))
    assert not is_readable(labels(970, 15, 15), labels(500, 470, 15, 15))
    assert is_readable(labels(980, 20), labels(500, 480, 20))


def test_one_group_is_shown_where_chance_makes_as_many(found):
    as_much = Chance(np.array([0.0, 5.0]), {SHUFFLED: (np.array([0.0, 6.0]),)})
    less = Chance(np.array([0.0, 5.0]), {SHUFFLED: (np.array([0.0, 4.0]),)})
    assert found.first(as_much) == 1
    assert found.first(less) == found.first() > 1


def test_the_table_says_what_the_path_says(found):
    table = found.as_frame().set_index("groups")
    assert [*table.index] == [2, 3, 4, 5, 6]
    one, all_ = found.path.objectives[-1], found.path.objectives[0]
    for k in table.index:
        labels = found.path.labels_at(k)
        assert table.loc[k, "sizes"] == ", ".join(map(str, np.sort(np.bincount(labels))))
        objective = found.path.objectives[found.n_fitted - k]
        assert table.loc[k, "kept"] == pytest.approx((one - objective) / (one - all_))
        assert table.loc[k, "comes back"] == found.redraws.least[k - 2]
        if k < 6:
            assert table.loc[k, "same as next"] == ari(labels, found.path.labels_at(k + 1))
    many = MergePath(
        np.repeat(np.arange(11), np.arange(1, 12)), np.zeros(10), np.arange(1, 11), np.arange(11.0)
    )
    sizes = GroupNumber(many, None).as_frame()["sizes"]
    assert sizes.iloc[-1] == "1, 2, 3, 4, 5, \u2026, 7, 8, 9, 10, 11", "all would be cut off"
    assert np.isnan(table.loc[6, "same as next"])
    assert table["chance"].isna().all()


def test_the_sentence_claims_only_what_was_measured(found):
    known = replace(found, redraws=redraws(0.97, 0.95, 0.5, 0.4, 0.3, readable=(1, 1, 1, 1, 0)))
    assert known.said(3) == (
        "**3 groups**, put together from the 6 of the fit. Sought again in 20 random halves of the "
        "rows, every one of 10 rows and more (1 group smaller) comes back, the least firm with a "
        "mean overlap of 0.95 (highly stable); with more groups some do not, or are tiny."
    )
    assert known.said(6) == (
        "**6 groups**, as fitted. Sought again in 20 random halves of the rows, not every one of "
        "10 rows and more (2 groups smaller) comes back, the least firm with a mean overlap "
        "of 0.30 (not to be trusted); with 3 groups, of 0.95."
    )
    loose = replace(found, redraws=redraws(0.3, 0.5, 0.4, 0.3, 0.3, readable=(1, 1, 1, 1, 0)))
    assert loose.said(3).endswith(
        "of 0.50 (not to be trusted); no other number up to 9, tiny groups aside, does better by "
        "more than 0.03."
    )
    faint = replace(found, redraws=redraws(0.97, 0.7, 0.5, 0.4, 0.3, readable=(1, 1, 1, 1, 0)))
    assert "comes back, the least firm with a mean overlap of 0.70 (which rows" in faint.said(3)
    assert replace(found, redraws=None).said(6) == "**6 groups**, as fitted."
    assert known.said(1) == "**One group**: all rows together."


def test_steps_of_one_gradient_are_said_to_be_so():
    """Three groups along a line and three on a triangle, both beside a cloud that gains as much."""
    cloud = Chance(np.array([0.0, 5.0]), {CORRELATED: (np.array([6.0]),)}, 5.0)
    apart = Chance(np.array([0.0, 5.0]), {CORRELATED: (np.array([4.0]),)}, 5.0)
    noise = 0.3 * RANDOM.normal(size=(90, 2))
    labels = np.repeat([0, 1, 2], 30)
    on_a_line = np.array([[0.0, 0.0], [5.0, 5.0], [10.0, 10.0]])[labels] + noise
    triangle = np.array([[0.0, 0.0], [9.0, 0.0], [4.5, 8.0]])[labels] + noise
    path = MergePath(labels, np.array([0, 0]), np.array([1, 2]), np.array([0.0, 1.0, 3.0]))
    of_line, of_triangle = (Encoded.from_array(rows, "normal") for rows in (on_a_line, triangle))
    many = GroupNumber(path, None)
    assert many.gradient(of_line, 3, cloud).startswith("**One gradient cut into classes**: 1")
    assert many.gradient(of_line, 2, cloud) == many.gradient(of_line, 3, cloud)
    assert many.gradient(of_triangle, 3, cloud) == ""
    assert many.gradient(of_line, 3, apart) == many.gradient(of_line, 3, None) == ""
