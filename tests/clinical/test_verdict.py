"""The verdict, each of its clauses, and what it says above the t-tests."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.clinical import verdict
from mapdp_studio.core.clinical.t_tests import TTests, read_columns
from mapdp_studio.core.clinical.verdict import ONLY_SPREAD, heading, means_of, traffic_light
from mapdp_studio.core.statistics.chance import FULL, Chance
from mapdp_studio.core.statistics.nulls import KINDS, SHUFFLED
from mapdp_studio.core.statistics.resampling import Bootstraps, GroupStability, Restarts

LABELS = np.repeat([0, 1], [50, 40])


def stable(
    jaccard: float = 1.0,
    share: float = 1.0,
    n_moved: int = 0,
    better: float = 0.0,
    complete: bool = True,
    labels: np.ndarray = LABELS,
) -> GroupStability:
    """A stability with these outcomes; another answer that does as well has some rows moved."""
    drawn, other = labels.astype(np.int32), np.tile(labels, (10, 1))
    drawn[: round(50 * (1 - jaccard))] = 2
    other[9, :n_moved] = 1
    restarts = Restarts(np.where(np.arange(10) < 10 * share, 0.0, 1.0), other, better)
    bootstraps = Bootstraps(labels, (drawn,))
    return GroupStability(labels, restarts, bootstraps, complete=complete)


def chance_of(p: float, n: int = FULL, n_tables: int = FULL, worst: str = "correlated") -> Chance:
    """The tables of one kind gain as much so often that p is this; no other does."""
    above = round(p * (n + 1)) - 1
    gains = {kind: np.where(np.arange(n) < above * (kind == worst), 2.0, 0.0) for kind in KINDS}
    draws = {kind: tuple(of[:, None]) for kind, of in gains.items()}
    return Chance(np.array([0.0, 1.0]), draws, 1.0, n_tables)


PROVISIONAL = "amber, provisional"
TINY = np.repeat([0, 1, 2, 3, 4], [50, 40, 7, 2, 1])


@pytest.mark.parametrize(
    ("stability", "reference", "rank_one", "colour", "words"),
    [
        (stable(), chance_of(0.01), None, "green", "Least stable is group 1"),
        (stable(), chance_of(0.05), None, "green", "More than chance makes"),
        (stable(), chance_of(0.06), None, "amber", "may be parts of one cloud"),
        *((stable(), chance_of(1.0, worst=one), None, "amber", "") for one in KINDS),
        (stable(), chance_of(1.0, worst=SHUFFLED), None, "amber", "No more groups than chance"),
        (stable(jaccard=0.7), chance_of(0.01), None, "amber", "overlaps by 0.70"),
        (stable(share=0.2), chance_of(0.01), None, "green", "2 of 10 other starts"),
        (stable(share=0.1), chance_of(0.01), None, "amber", "1 of 10 other starts"),
        # However many reach it, a start that ends below the groups shown is said.
        (stable(better=2.0), chance_of(0.01), None, "amber", "That answer is better"),
        # Answers that fit as well must be nine tenths alike.
        (stable(n_moved=2), chance_of(0.01), None, "green", "2 different answers"),
        (stable(n_moved=3), chance_of(0.01), None, "amber", "2 different answers"),
        (stable(jaccard=0.5), chance_of(0.01), None, "red", "overlaps by 0.50"),
        (stable(jaccard=0.7), chance_of(0.5), None, "red", ""),
        (stable(share=0.1), chance_of(0.5), None, "red", ""),
        # Steps along one line are never green.
        (stable(), chance_of(0.01), 0.89, "green", "89 % of the differences"),
        (stable(), chance_of(0.01), 0.9, "amber", "90 % of the differences"),
        (stable(), chance_of(0.5), 0.99, "red", ""),
        # Atypical patients are no group that was not assessed.
        (stable(labels=TINY), chance_of(0.01), None, "green", "1 group of fewer than 10 patients"),
        # What is not known is never green: the headline, and the colour of chance.
        (None, None, None, PROVISIONAL, "Not checked yet|severity grey"),
        (stable(), None, None, PROVISIONAL, "speaks against|severity grey"),
        (stable(), chance_of(0.05, 19, 19), None, PROVISIONAL, "speaks against|severity grey"),
        (stable(), chance_of(1.0, 19, 19), None, PROVISIONAL, "So far, some|severity amber"),
        (stable(), chance_of(0.2, 4), None, PROVISIONAL, "speaks against|severity grey"),
        (stable(complete=False), chance_of(0.01), None, PROVISIONAL, "against|severity green"),
    ],
)
def test_the_light(stability, reference, rank_one, colour, words):
    labels = LABELS if stability is None else stability.labels
    light = traffic_light(labels, stability, reference, rank_one)
    assert light.colour + ", provisional" * light.provisional == colour
    assert len(light.clauses) == 5 + (rank_one is not None)
    texts = [light.headline, *(f"{one.name} {one.colour} {one.sentence}" for one in light.clauses)]
    assert all(one in " ".join(texts) for one in words.split("|"))
    assert bool(heading(light)) == ("66 of 71" in heading(light)) == (colour != "green")


@pytest.mark.parametrize(("rank_one", "text"), [(0.69, "column by column"), (0.9, "along a scale")])
def test_the_advice_is_what_the_clause_on_one_line_says(rank_one, text):
    means = verdict.Clause("Means", "green", ""), False
    light = verdict.traffic_light(LABELS, stable(jaccard=0.5), chance_of(0.5), rank_one, means)
    assert (light.colour, light.advice.count(text)) == ("red", 1)


@pytest.mark.parametrize("sizes", [[30], [29, 4], [4] * 5])
def test_without_two_groups_there_is_nothing_to_judge(sizes):
    light = traffic_light(np.repeat(np.arange(len(sizes)), sizes), stable(), chance_of(0.01))
    assert (light.colour, light.provisional) == ("grey", False)
    assert "More than chance" in light.clauses[0].sentence


def tightness(shift: float, kinds: bool = False) -> TTests:
    """A tight group of 50 and a loose one of 40, found without whichever column is left out."""
    random = np.random.default_rng(5)
    table = {name: random.normal(size=90) * (1 + 3 * LABELS) for name in "abcd"}
    table["a"] += shift * LABELS
    if kinds:
        odds = np.where(LABELS[:, None] == 1, [0.8, 0.1, 0.1], [0.1, 0.1, 0.8])
        table["name"] = [random.choice(["x", "y", "z"], p=p) for p in odds]
    frame = pd.DataFrame(table)
    specs = [ColumnSpec(c, "categorical" if c == "name" else "normal") for c in frame]
    columns, names = read_columns(frame, Schema(specs)), tuple(frame)
    return TTests(columns, names, LABELS, ("Group 1", "Group 2"), dict.fromkeys(names, LABELS))


ALIKE = tightness(0.0)
#: Far apart in one column, without which they are not found: nothing says that it is spread.
RESTING = replace(ALIKE, left_out=dict(ALIKE.left_out) | {"b": None})


@pytest.mark.parametrize(
    ("tests", "colour", "provisional", "clause", "words"),
    [
        (ALIKE, "amber", False, "amber", "tighter and looser"),
        (tightness(6.0), "green", False, "green", "1 pair of groups"),
        (tightness(0.0, kinds=True), "green", False, "green", "1 pair of groups"),
        (RESTING, "amber", False, "amber", "rest on those"),
        (
            replace(tightness(6.0), left_out={"a": LABELS}),
            "amber",
            True,
            "grey",
            "1 of 4 columns",
        ),
    ],
)
def test_groups_whose_means_do_not_differ_are_no_subtypes(
    tests, colour, provisional, clause, words
):
    light = traffic_light(LABELS, stable(), chance_of(0.01), None, means_of(tests))
    assert (light.colour, light.provisional) == (colour, provisional)
    assert light.clauses[-2].colour == clause
    assert words in light.clauses[-2].sentence
    assert (light.headline == ONLY_SPREAD) == (tests is ALIKE)
