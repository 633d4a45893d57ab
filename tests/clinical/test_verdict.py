"""The verdict, each of its clauses, and what it says above the t-tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.clinical.t_tests import TTests, read_columns
from mapdp_studio.core.clinical.verdict import (
    ONLY_SPREAD,
    Light,
    heading,
    means_of,
    traffic_light,
)
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.statistics.chance import FULL, LIMITS, Chance
from mapdp_studio.core.statistics.nulls import KINDS, SHUFFLED
from mapdp_studio.core.statistics.resampling import Bootstraps, GroupStability, Restarts


def known(jaccard: float = 1.0, share: float = 1.0, agreement: float = 1.0) -> GroupStability:
    """A whole stability with these outcomes, on groups of 50 and 40."""
    reference = np.repeat([0, 1], [50, 40])
    other = reference.copy()
    other[: round(50 * (1 - jaccard))] = 2
    bootstraps = Bootstraps(reference, (other.astype(np.int32),))
    objectives = np.where(np.arange(10) < 10 * share, 0.0, 1.0)
    labels = np.tile(reference, (10, 1))
    if agreement < 1.0:
        labels[9] = np.random.default_rng(0).permutation(reference)
    restarts = Restarts(objectives, labels, 0.0)
    return GroupStability(reference, restarts, bootstraps, complete=True)


def reference_of(
    p: float, n: int = FULL, n_tables: int = FULL, worst: str = "correlated"
) -> Chance:
    """The tables of one kind gain as much so often that p is this; no other does."""
    above = round(p * (n + 1)) - 1
    gains = {kind: np.where(np.arange(n) < above * (kind == worst), 2.0, 0.0) for kind in KINDS}
    draws = {kind: tuple(of[:, None]) for kind, of in gains.items()}
    return Chance(np.array([0.0, 1.0]), draws, 1.0, n_tables)


def light_of(
    stability: GroupStability | None = None, reference: Chance | None = None, *more
) -> Light:
    return traffic_light(known().labels, stability, reference, *more)


@pytest.mark.parametrize(
    ("stability", "p", "rank_one", "colour"),
    [
        (known(), 0.01, None, "green"),
        (known(), 0.05, None, "green"),
        (known(), 0.06, None, "amber"),
        (known(jaccard=0.7), 0.01, None, "amber"),
        (known(share=0.1), 0.01, None, "amber"),
        (known(agreement=0.0), 0.01, None, "amber"),
        (known(jaccard=0.5), 0.01, None, "red"),
        (known(jaccard=0.7), 0.5, None, "red"),
        (known(share=0.1), 0.5, None, "red"),
        # Steps along one line are never green.
        (known(), 0.01, 0.89, "green"),
        (known(), 0.01, 0.9, "amber"),
        (known(), 0.5, 0.99, "red"),
    ],
)
def test_the_light(stability, p, rank_one, colour):
    light = light_of(stability, reference_of(p), rank_one)
    assert (light.colour, light.provisional) == (colour, False)
    assert len(light.clauses) == 6
    assert light.clauses[-1].sentence == LIMITS
    assert all(clause.sentence for clause in light.clauses)
    assert light.advice
    # Where it is not green, the t-tests say so first, on the page, in CSV and report.
    assert (
        (f"is {colour}" in heading(light)) == ("66 of 71" in heading(light)) == bool(heading(light))
    )
    assert bool(heading(light)) == (colour != "green")


@pytest.mark.parametrize("worst", KINDS)
def test_the_worst_of_the_references_counts(worst):
    reference = reference_of(1.0, worst=worst)
    assert reference.p(worst) == 1.0
    assert light_of(known(), reference).colour == "amber"
    words = "No more groups than chance" if worst == SHUFFLED else "may be parts of one cloud"
    assert words in reference.sentence


@pytest.mark.parametrize(
    ("stability", "reference"),
    [
        (None, None),
        (known(), None),
        (known(), reference_of(0.05, 19, n_tables=19)),
        (known(), reference_of(0.2, 4)),
        (replace(known(), complete=False), reference_of(0.01)),
    ],
)
def test_what_is_not_known_is_never_green(stability, reference):
    light = light_of(stability, reference)
    assert (light.colour, light.provisional) == ("amber", True)
    assert ("Not checked yet" in light.headline) == (stability is None)
    assert "not known yet" in heading(light)


@pytest.mark.parametrize(
    ("sizes", "words"), [([30], "one cluster"), ([29, 1], "nearly all"), ([4] * 5, "fewer")]
)
def test_without_two_groups_there_is_nothing_to_judge(sizes, words):
    light = traffic_light(np.repeat(np.arange(len(sizes)), sizes), known(), None)
    assert (light.colour, light.provisional) == ("grey", False)
    assert light.headline == "No groups found"
    assert words in light.clauses[0].sentence


@pytest.mark.parametrize(("n_moved", "colour"), [(2, "green"), (3, "amber")])
def test_answers_that_fit_as_well_must_be_nine_tenths_alike(n_moved, colour):
    stability = known()
    labels = stability.restarts.labels.copy()
    labels[9, :n_moved] = 1
    alike = ari(labels[9], stability.labels)
    assert 0.8 < alike < 0.95
    assert (alike >= 0.9) == (colour == "green")
    stability = replace(stability, restarts=replace(stability.restarts, labels=labels))
    light = light_of(stability, reference_of(0.01))
    clause = clause_of(light, "One answer")
    assert (clause.colour, light.colour) == (colour, colour)
    assert f"agree by {alike:.2f}" in clause.sentence


def clause_of(light: Light, name: str):
    return next(clause for clause in light.clauses if clause.name == name)


def test_a_start_that_ends_below_the_groups_shown_is_said_however_many_reach_it():
    stability = known()
    better = replace(stability.restarts, model_objective=2.0)
    light = light_of(replace(stability, restarts=better), reference_of(0.01))
    clause = clause_of(light, "Other starts")
    assert (clause.colour, light.colour) == ("amber", "amber")
    assert "One ended at better groups" in clause.sentence


@pytest.mark.parametrize(("p", "colour"), [(1.0, "amber"), (0.05, "grey")])
def test_more_tables_are_asked_for_only_while_nothing_is_known(p, colour):
    clause = clause_of(light_of(known(), reference_of(p, 19, 19)), "Chance or severity")
    assert clause.colour == colour
    assert ("Up to" in clause.sentence) == (colour == "grey")


def test_atypical_patients_are_no_group_that_was_not_assessed():
    labels = np.repeat([0, 1, 2, 3, 4], [50, 40, 7, 2, 1])
    bootstraps = Bootstraps(labels, (labels.astype(np.int32),))
    light = traffic_light(labels, replace(known(), bootstraps=bootstraps), reference_of(0.01))
    assert "1 group of fewer than 10 patients not assessed" in light.clauses[0].sentence


# ---- means


def tightness(shift: float, kinds: bool = False) -> TTests:
    """A tight group of 50 and a loose one of 40, found without whichever column is left out."""
    random, labels = np.random.default_rng(5), np.repeat([0, 1], [50, 40])
    table = {name: random.normal(size=90) * (1 + 3 * labels) for name in "abcd"}
    table["a"] += shift * labels
    if kinds:
        odds = np.where(labels[:, None] == 1, [0.8, 0.1, 0.1], [0.1, 0.1, 0.8])
        table["name"] = [random.choice(["x", "y", "z"], p=p) for p in odds]
    frame = pd.DataFrame(table)
    specs = [ColumnSpec(c, "categorical" if c == "name" else "normal") for c in frame]
    columns, names = read_columns(frame, Schema(specs)), tuple(frame)
    return TTests(columns, names, labels, ("Group 1", "Group 2"), dict.fromkeys(names, labels))


ALIKE = tightness(0.0)
#: Far apart in one column, without which they are not found: nothing says that it is spread.
RESTING = replace(ALIKE, without=dict(ALIKE.without) | {"b": None})
UNKNOWN = replace(tightness(6.0), without={"a": ALIKE.labels})


@pytest.mark.parametrize(
    ("tests", "colour", "provisional", "clause", "words"),
    [
        (ALIKE, "amber", False, "amber", "tighter and looser"),
        (tightness(6.0), "green", False, "green", "differs in the mean"),
        (tightness(0.0, kinds=True), "green", False, "green", "differs in the mean"),
        (RESTING, "amber", False, "amber", "rest on these alone"),
        (UNKNOWN, "amber", True, "grey", "1 of 4 columns"),
    ],
)
def test_groups_whose_means_do_not_differ_are_no_subtypes(
    tests, colour, provisional, clause, words
):
    means = means_of(tests)
    pair = ("Group 1 and Group 2",)
    assert (means.alike == pair, means.resting == pair) == (tests is ALIKE, tests is RESTING)
    light = light_of(known(), reference_of(0.01), None, means)
    assert (light.colour, light.provisional) == (colour, provisional)
    assert light.clauses[-2].colour == clause
    assert words in light.clauses[-2].sentence
    assert (light.headline == ONLY_SPREAD) == (tests is ALIKE)
