"""Draws of patients, and what comes back in them."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.statistics.bootstraps import BANDS, Bootstraps, Draw, draw_patients


def test_rows_of_a_patient_are_drawn_together():
    patients = np.repeat(["p1", "p2", "p3", "p4"], 3)
    for _, rows in draw_patients(12, patients, 20, 0):
        assert np.isin(np.flatnonzero(np.isin(patients, patients[rows])), rows).all()
    shares = [rows.size / 500 for _, rows in draw_patients(500, None, 20, 0)]
    assert np.mean(shares) == pytest.approx(1 - np.exp(-1), abs=0.01)


def test_jaccard_is_hennig_s_on_the_drawn_patients():
    reference = np.repeat([0, 1], [30, 20])
    labels = np.where(np.arange(50) < 24, 0, 1).astype(np.int32)
    labels[::5] = -1
    drawn = labels >= 0
    found = Bootstraps(reference, (Draw(labels, None),)).jaccard[0]
    for k in (0, 1):
        group = drawn & (reference == k)
        overlaps = [(group & (labels == c)).sum() / (group | (labels == c)).sum() for c in (0, 1)]
        assert found[k] == pytest.approx(max(overlaps))


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (85, "highly stable"),
        (84, "stable"),
        (75, "stable"),
        (74, BANDS[2][1]),
        (60, BANDS[2][1]),
        (59, BANDS[3][1]),
    ],
)
def test_bands_of_stability_begin_where_hennig_says(kept, words):
    reference = np.repeat([0, 1], 100)
    labels = reference.astype(np.int32)
    labels[kept:100] = 2 + np.arange(100 - kept)  # the others are each on their own
    found = Bootstraps(reference, (Draw(labels, None),))
    assert found.mean_jaccard[0] == pytest.approx(kept / 100)
    assert found.bands == (words, "highly stable")


def test_groups_of_ten_can_be_assessed_and_those_of_nine_cannot():
    reference = np.repeat([0, 1], [10, 9])
    found = Bootstraps(reference, (Draw(reference.astype(np.int32), None),))
    assert found.bands == ("highly stable", "not assessable")
