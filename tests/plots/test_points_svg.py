"""The picture that needs no chart library: whole, in its frame, and safe."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from sklearn.datasets import load_wine

from mapdp_studio.core import infer_schema
from mapdp_studio.core.comparing.first_look import first_picture
from mapdp_studio.core.plots.points_svg import FOOT, HEIGHT, RADIUS, WIDTH, points_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_every_row_is_a_point_in_its_cluster_s_colour_and_names_stay_text():
    frame = load_wine(as_frame=True).data
    view, panel = first_picture(frame, infer_schema(frame), 3.0, lambda progress: None)
    named = replace(view, x=replace(view.x, title="<script>a & b</script>"))
    image = ElementTree.fromstring(points_svg(named, panel, "#1c2629"))
    groups = [group for group in image.iter(f"{SVG}g") if len(group)]
    assert sorted(map(len, groups)) == sorted(
        (panel.labels == label).sum() for label in set(panel.labels)
    )
    for point in image.iter(f"{SVG}circle"):
        assert -RADIUS <= float(point.get("cx")) <= WIDTH + RADIUS
        assert -RADIUS <= float(point.get("cy")) <= HEIGHT - FOOT + RADIUS
    words = [text.text for text in image.iter(f"{SVG}text")]
    assert "<script>a & b</script>" in words
    assert [word for word in words if word.isdigit()] == [str(b[2] + 1) for b in panel.badges]
    # A step up in the table is a step up in the image.
    highest = min(float(point.get("cy")) for group in groups for point in group)
    share = (view.points[:, 1].max() - view.y.low) / (view.y.high - view.y.low)
    assert highest == pytest.approx((HEIGHT - FOOT) * (1 - share), abs=0.1)
