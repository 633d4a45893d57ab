"""Moons and rings: where their rows lie, how many, and what they are called."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.demo_datasets import load_scenario, load_scenario_table
from mapdp_studio.demo_datasets.generators import INNER, NOISE, RINGS

#: Centre, radius and side of every curve: above its centre, below, or all round.
MOONS = (((0.0, 0.0), 1.0, 1), ((1.0, 0.5), 1.0, -1))
BOTH_RINGS = ((RINGS, 1.0, 0), (RINGS, INNER, 0))


@pytest.mark.parametrize(
    ("share", "curves", "sizes"),
    [
        (0.0, MOONS, [1000, 1000]),
        (1.0, BOTH_RINGS, [1000, 1000]),
        (0.25, MOONS + BOTH_RINGS, [750, 750, 250, 250]),
    ],
)
def test_rows_lie_about_their_curves(share, curves, sizes):
    frame, truth = load_scenario("shapes", 2000, 1, ring_share=share)
    assert np.bincount(truth).tolist() == sizes
    for k, (center, radius, side) in enumerate(curves):
        steps = frame.to_numpy()[truth == k] - center
        off = np.linalg.norm(steps, axis=1) - radius
        assert off.std() == pytest.approx(NOISE, rel=0.15)
        assert np.abs(off).max() < 6 * NOISE
        assert side == 0 or (side * steps[:, 1]).min() > -6 * NOISE
        turns = np.histogram(np.arctan2(steps[:, 1], steps[:, 0]), bins=4, range=(-np.pi, np.pi))[0]
        assert turns[turns > 30].min() > 0.6 * sizes[k] / (4 if side == 0 else 2)


@pytest.mark.parametrize("n", [30, 31])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.99, 1.0])
def test_every_size_has_every_curve(n, share):
    frame, truth = load_scenario("shapes", n, ring_share=share)
    assert len(frame) == n
    assert np.bincount(truth).min() >= 1
    assert truth.max() + 1 == (2 if share in (0.0, 1.0) else 4)


def test_the_table_has_the_curves_names():
    for share, names in ((0.0, {"upper moon", "lower moon"}), (1.0, {"outer ring", "inner ring"})):
        frame, schema, label = load_scenario_table("shapes", 60, ring_share=share)
        assert set(frame[label]) == names == {*schema[label].levels}
    with pytest.raises(ValueError, match=r"'ring_share' of scenario shapes must be .* from 0 to 1"):
        load_scenario("shapes", ring_share=1.5)
