"""How many groups are shown first, what speaks for each number, and what stays."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, DPMeans, choose_model, how_many
from mapdp_studio.core.inference.merge_path import MergePath, merge_path
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.profiling.how_many import (
    DRAWS,
    LEAST_ROWS,
    PATIENCE,
    GroupNumber,
    Redraws,
    is_readable,
)
from mapdp_studio.core.profiling.how_many import redraws as redraws_of
from mapdp_studio.core.profiling.trees import groups_at
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import CORRELATED, SHUFFLED, Gains, GroupSearch
from mapdp_studio.core.statistics.resampling import refit

RANDOM = np.random.default_rng(0)
CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]])
#: Four groups, and three rows that are like no others, one of which the fit takes apart.
ROWS = np.vstack(
    [
        (CENTERS[:, None, :] + RANDOM.normal(size=(4, 50, 2))).reshape(-1, 2),
        [[40.0, 40.0], [41.0, 40.5], [40.2, 41.0]],
    ]
)
FRAME = pd.DataFrame(ROWS.round(2), columns=["a", "b"])


@pytest.fixture(scope="module")
def model() -> MAPDP:
    return MAPDP(random_state=0).fit(FRAME)


@pytest.fixture(scope="module")
def found(model) -> GroupNumber:
    return how_many(model)


def test_groups_that_come_back_are_shown_and_rows_far_away_are_not(found):
    assert found.n_fitted == 6
    assert found.redraws.overlap.shape == (DRAWS, 5, 6)
    assert [*found.redraws.is_readable] == [False, True, True, True, False]
    assert found.n_groups == found.first() == 5
    assert np.bincount(found.labels).tolist() == [50, 50, 50, 50, 3]
    merged = Naming(groups_at(found.path, 5)).apply(found.path.labels)
    assert np.array_equal(merged.labels, found.labels)
    assert found.sentence.startswith("5 groups, put together from the 6 of the fit.")
    assert "<table" in found._repr_html_()


def test_how_a_group_comes_back_is_its_overlap_with_the_group_most_like_it(model):
    """Judged by the same fit by hand; small groups are not asked, unless all are."""
    drawn, whole = redraws_of(model, model.merge_path_), model.merge_path_.labels_at(5)
    rows = np.sort(np.random.default_rng(0).choice(len(ROWS), len(ROWS) // 2, replace=False))
    table = model.columns_.encoded.rows(rows)
    fitted = refit(model, table, 0, None, prior=list(model.prior_), patience=PATIENCE)
    labels = merge_path(fitted.partition_).labels_at(5)
    for group in range(5):
        inside = whole[rows] == group
        best = max(
            (inside & (labels == k)).sum() / (inside | (labels == k)).sum() for k in range(5)
        )
        is_large = np.bincount(whole)[group] >= LEAST_ROWS
        np.testing.assert_allclose(drawn.overlap[0, 3, group], best if is_large else np.nan)
    few = MAPDP(random_state=0).fit(ROWS[::25])
    assert np.isfinite(redraws_of(few, few.merge_path_).least).all()


def redraws(*least: float, readable: tuple[int, ...] = (1, 1, 1, 1)) -> Redraws:
    """Whose second group comes back so, and all others always."""
    overlap = np.ones((DRAWS, len(least), len(least) + 1))
    overlap[:, :, 1] = least
    return Redraws(overlap, np.array(readable, dtype=bool))


MANY = np.linspace(0.3, 0.5, 12)


@pytest.mark.parametrize(
    ("drawn", "first"),
    [
        (redraws(0.97, 0.7, 0.61, 0.5), 4),
        (redraws(0.97, 0.55, 0.7, 0.5, readable=(1, 1, 0, 0)), 2),
        (redraws(0.3, 0.5, 0.4, 0.8, readable=(1, 1, 1, 0)), 3),
        (redraws(0.3, 0.5, 0.48, 0.46), 4),
        (redraws(*MANY, readable=(1,) * 12), 9),
        (redraws(*(MANY + 0.4), readable=(1,) * 12), 13),
        # Where no number can be read, that is held against none.
        (redraws(0.5, 0.9, 0.65, 0.4, readable=(0, 0, 0, 0)), 4),
    ],
)
def test_the_most_groups_that_all_come_back_are_first_else_nearly_as_many(drawn, first):
    assert drawn.first == first


@pytest.mark.parametrize(
    ("coarse", "fine", "can_be"),
    [
        ((985, 15), (500, 485, 15), True),
        ((1000,), (985, 15), False),
        ((970, 15, 15), (500, 470, 15, 15), False),
        ((980, 20), (500, 480, 20), True),
    ],
)
def test_few_rows_in_small_groups_can_be_read_unless_they_are_what_is_told_apart(
    coarse, fine, can_be
):
    """Of 1,000 rows: less than 20 are a small group, and 20 of them in all are hardly any."""
    labels = [np.repeat(np.arange(len(sizes)), sizes) for sizes in (coarse, fine)]
    assert is_readable(*labels) == can_be


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
    assert found.table["chance"].isna().all()
    many = MergePath(
        np.repeat(np.arange(11), np.arange(1, 12)), np.zeros(10), np.arange(1, 11), np.arange(11.0)
    )
    sizes = GroupNumber(many, None).as_frame()["sizes"]
    assert sizes.iloc[-1] == "1, 2, 3, 4, 5, \u2026, 7, 8, 9, 10, 11", "all would be cut off"


@pytest.mark.parametrize(
    ("least", "n_groups", "text"),
    [
        ((0.97, 0.95, 0.5), 3, "tiny comes back with a mean overlap of 0.95 (highly stable)."),
        ((0.97, 0.95, 0.5), 6, "of 0.30 (not to be trusted); with 3 groups, of 0.95."),
        ((0.97, 0.7, 0.5), 3, "mean overlap of 0.70 (which rows are in it is doubtful)."),
        ((0.97, 0.7, 0.5), 1, "**One group**: all rows together."),
        (None, 6, "**6 groups**, as fitted."),
    ],
)
def test_the_sentence_claims_only_what_was_measured(found, least, n_groups, text):
    drawn = least and redraws(*least, 0.4, 0.3, readable=(1, 1, 1, 1, 0))
    assert text in replace(found, redraws=drawn).text(n_groups)


def test_one_group_is_shown_where_chance_makes_as_many(model, monkeypatch):
    """Asked under the likelihoods of the fit, without the priors that came from its groups."""
    asked = []

    def gains(search, table, seed, callback):
        asked.append(search)
        gain = 9.0 if seed == 0 else 12.0
        return Gains(np.array([0.0, gain]), gain)

    monkeypatch.setattr(GroupSearch, "gains", gains)
    chosen = choose_model(FRAME).model
    for one in (model, chosen):
        found = how_many(one, FRAME)
        assert (found.n_groups, {*found.labels}) == (1, {0})
        assert found.sentence.endswith("gains as much.")
    assert found.chance.n_as_much(SHUFFLED) == 1
    units = asked[-1].encoded.units
    assert [u.options for u in units] == [u.options for u in chosen.columns_.encoded.units]
    assert all(unit.prior is None for unit in units)
    less = Chance(np.array([0.0, 5.0]), {SHUFFLED: (np.array([0.0, 4.0]),)})
    assert found.first(less) == found.first() > 1


def test_one_group_is_not_held_against_chance_and_another_method_is_refused():
    rows = np.random.default_rng(2).normal(size=(60, 2))
    found = how_many(MAPDP(random_state=0).fit(rows), rows)
    assert (found.n_groups, found.chance, found.table.empty) == (1, None, True)
    assert found.sentence == "One group: all rows together."
    with pytest.raises(TypeError, match="a fitted MAPDP tells it, not DPMeans"):
        how_many(DPMeans(n_clusters_hint=2).fit(rows))
    with pytest.raises(TypeError, match="not MAPDP: fit"):
        how_many(MAPDP())


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


FITTED = np.repeat([0, 1, 2, 3], [40, 30, 20, 4])
TWO = np.repeat([0, 1, 0, 2], [40, 30, 20, 4])
ONE = np.zeros(94, dtype=int)
#: Small groups more than of TWO.
SCATTERED = np.where(np.arange(94) < 2, np.r_[7, 6, TWO[2:]], TWO)


@pytest.mark.parametrize(
    ("partitions", "text"),
    [
        # Eleven powers from 1 to .1: the two are those of the second to the tenth.
        (
            (FITTED, *[TWO] * 9, ONE),
            "as the evidence counts less, 2 clusters stay from 79 % of its weight down to 13 %.",
        ),
        ((FITTED, *[SCATTERED] * 2, TWO, *[SCATTERED] * 6, ONE), "down to 13 %."),
        ((FITTED, *[ONE] * 9), "no clusters stay while its weight falls by a factor of 1.5."),
        ((FITTED,) * 6, "3 clusters stay from 100 % of its weight down to 10 %."),
    ],
    ids=["some", "the fewest small ones", "none", "all"],
)
def test_what_stays_as_the_evidence_counts_less_is_said(partitions, text):
    counts = np.array([int((np.bincount(labels) >= 5).sum()) for labels in partitions])
    powers = np.geomspace(1.0, 0.1, len(partitions))
    path = TolerancePath(powers, partitions, np.zeros(len(powers)), counts)
    assert path.sentence.endswith(text)
