"""The verdict and each of its clauses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core.clinical.verdict import traffic_light
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.statistics.bootstraps import Bootstraps, Draw, consensus
from mapdp_studio.core.statistics.chance import FULL, LIMITS, Chance
from mapdp_studio.core.statistics.nulls import KINDS, SHUFFLED
from mapdp_studio.core.statistics.resampling import Restarts, Stability


def known(jaccard: float = 1.0, share: float = 1.0, agreement: float = 1.0) -> Stability:
    """A whole stability with these outcomes, on groups of 50 and 40."""
    reference = np.repeat([0, 1], [50, 40])
    other = reference.copy()
    other[: round(50 * (1 - jaccard))] = 2
    bootstraps = Bootstraps(reference, (Draw(other.astype(np.int32), 1.0),))
    objectives = np.where(np.arange(10) < 10 * share, 0.0, 1.0)
    labels = np.tile(reference, (10, 1))
    if agreement < 1.0:
        labels[9] = np.random.default_rng(0).permutation(reference)
    restarts = Restarts(objectives, labels, 0.0)
    return Stability(reference, restarts, bootstraps, (), consensus(bootstraps, [reference]))


def reference_of(
    p: float, n: int = FULL, n_tables: int = FULL, worst: str = "correlated"
) -> Chance:
    """The tables of one kind gain as much so often that p is this; no other does."""
    above = round(p * (n + 1)) - 1
    gains = {kind: np.where(np.arange(n) < above * (kind == worst), 2.0, 0.0) for kind in KINDS}
    draws = {kind: tuple(of[:, None]) for kind, of in gains.items()}
    return Chance(np.array([0.0, 1.0]), draws, 1.0, n_tables)


@pytest.mark.parametrize(
    ("stability", "p", "colour"),
    [
        (known(), 0.01, "green"),
        (known(), 0.05, "green"),
        (known(), 0.06, "amber"),
        (known(jaccard=0.7), 0.01, "amber"),
        (known(share=0.1), 0.01, "amber"),
        (known(agreement=0.0), 0.01, "amber"),
        (known(jaccard=0.5), 0.01, "red"),
        (known(jaccard=0.7), 0.5, "red"),
        (known(share=0.1), 0.5, "red"),
    ],
)
def test_the_light(stability, p, colour):
    light = traffic_light(stability.labels, stability, reference_of(p))
    assert (light.colour, light.provisional) == (colour, False)
    assert len(light.clauses) == 6
    assert light.clauses[-1].sentence == LIMITS
    assert all(clause.sentence for clause in light.clauses)


@pytest.mark.parametrize(("share", "colour"), [(0.89, "green"), (0.9, "amber"), (0.99, "amber")])
def test_steps_along_one_line_are_never_green(share, colour):
    light = traffic_light(known().labels, known(), reference_of(0.01), share)
    assert light.colour == colour
    assert traffic_light(known().labels, known(), reference_of(0.5), 0.99).colour == "red"


@pytest.mark.parametrize("worst", KINDS)
def test_the_worst_of_the_references_counts(worst):
    reference = reference_of(1.0, worst=worst)
    assert reference.worst_p == 1.0
    assert traffic_light(known().labels, known(), reference).colour == "amber"
    words = "No more groups than chance" if worst == SHUFFLED else "may be parts of one cloud"
    assert words in reference.sentence


def test_what_is_not_known_is_never_green():
    for stability, reference in [
        (None, None),
        (known(), None),
        (known(), reference_of(0.05, 19, n_tables=19)),
        (known(), reference_of(0.2, 4)),
        (replace(known(), consensus=None), reference_of(0.01)),
    ]:
        light = traffic_light(known().labels, stability, reference)
        assert light.provisional
        assert light.colour == "amber"
        assert ("Not checked yet" in light.headline) == (stability is None)


def test_without_two_groups_there_is_nothing_to_judge():
    for sizes, words in [([30], "one cluster"), ([29, 1], "nearly all"), ([4] * 5, "fewer")]:
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
    assert (alike >= 0.9) == (colour == "green")
    assert 0.8 < alike < 0.95
    stability = replace(stability, restarts=replace(stability.restarts, labels=labels))
    light = traffic_light(stability.labels, stability, reference_of(0.01))
    clause = next(clause for clause in light.clauses if clause.name == "One answer")
    assert (clause.colour, light.colour) == (colour, colour)
    assert f"an ARI of {alike:.2f}" in clause.sentence
