"""Points drawn by hand, as a text and as a table."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.teaching.drawing import (
    FAR,
    MOST_POINTS,
    PLACES,
    drawn_table,
    read_points,
    write_points,
)


def test_points_come_back_from_their_text():
    corners = [[0, 0], [PLACES - 1, 0], [0, PLACES - 1], [PLACES - 1, PLACES - 1]]
    random = np.random.default_rng(0).integers(0, PLACES, (MOST_POINTS - 4, 2))
    for points in (np.array(corners), np.concatenate([corners, random])):
        text = write_points(points)
        assert len(text) == 4 * len(points)
        assert text.replace("-", "").replace("_", "").isalnum()
        np.testing.assert_array_equal(read_points(text), points)
    assert read_points("").shape == (0, 2)
    assert read_points("AAAAABAC").tolist() == [[0, 0], [1, 2]]  # as links of all versions say it


def test_points_far_outside_come_back_too():
    corners = [[low, high] for low in FAR for high in FAR]
    points = np.random.default_rng(0).integers(FAR[0], FAR[1] + 1, (MOST_POINTS - 4, 2))
    points = np.concatenate([corners, points])
    np.testing.assert_array_equal(read_points(write_points(points)), points)


@pytest.mark.parametrize("text", ["abc", "a", "??", "AAAA" * (MOST_POINTS + 1), "AA==", "~AAAA"])
def test_what_is_no_points_is_refused(text):
    with pytest.raises(ValueError, match="no points"):
        read_points(text)


def test_the_table_has_the_board_s_places():
    frame, schema = drawn_table(np.array([[0, PLACES - 1], [PLACES - 1, 0], [7, 9]]))
    assert frame.iloc[:2].to_numpy().tolist() == [[0.0, 10.0], [10.0, 0.0]]
    assert schema.encode(frame).values.shape == (3, 2)
