"""Points drawn by hand, as a text and as a table."""

import numpy as np
import pytest

from mapdp_studio.core.teaching import drawing
from mapdp_studio.core.teaching.drawing import PLACES, drawn_table, read_points, write_points


@pytest.mark.parametrize(("low", "high", "letters"), [(0, PLACES - 1, 4), (*drawing.FAR, 5)])
def test_points_come_back_from_their_text(low, high, letters):
    corners = [[x, y] for x in (low, high) for y in (low, high)]
    random = np.random.default_rng(0).integers(low, high + 1, (drawing.MOST_POINTS - 4, 2))
    points = np.concatenate([corners, random])
    text = write_points(points).removeprefix("~")
    assert len(text) == letters * len(points)
    assert text.replace("-", "").replace("_", "").isalnum()
    np.testing.assert_array_equal(read_points(write_points(points)), points)
    assert read_points("").shape == (0, 2)
    assert read_points("AAAAABAC").tolist() == [[0, 0], [1, 2]]  # as links of all versions say it
    frame, schema = drawn_table(np.array([[0, PLACES - 1], [PLACES - 1, 0], [7, 9]]))
    assert frame.iloc[:2].to_numpy().tolist() == [[0.0, 10.0], [10.0, 0.0]]
    assert schema.encode(frame).values.shape == (3, 2)


@pytest.mark.parametrize("text", ["abc", "??", "AAAA" * (drawing.MOST_POINTS + 1), "AA==", "~AAAA"])
def test_what_is_no_points_is_refused(text):
    with pytest.raises(ValueError, match="no points"):
        read_points(text)
