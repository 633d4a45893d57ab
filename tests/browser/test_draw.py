"""Drag it, in a real browser: the live board under a hand, a keyboard, and from links."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.teaching.drawing import write_points

#: Points far from each other's clouds, by the widths of a board.
LOW, HIGH = (0.25, 0.75), (0.75, 0.25)
#: What changed is drawn in the next frame.
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
CLOUDS = np.random.default_rng(0).normal([[1000, 1000], [3000, 3000]], 250, (60, 2, 2))
POINTS = f"points={write_points(CLOUDS.reshape(-1, 2).round().astype(int))}"


@pytest.fixture(scope="module")
def draw(studio):
    """The view, with the points that it begins with."""
    opened(studio, "")
    return studio


def opened(studio, query: str) -> None:
    studio.open(f"teach?view=Draw&{query}")
    said(studio, "K-means")


def said(studio, method: str) -> str:
    """What a method's card says of the drawing."""
    card = studio.page.locator(".cards button").filter(has_text=method).locator("small")
    card.filter(has_text="group").wait_for()
    return card.inner_text()


def everything_said(studio) -> list[str]:
    studio.page.evaluate(NEXT_FRAME)
    return [said(studio, one) for one in ("K-means", "DP-means", "MAP-DP")] + [count(studio)]


def count(studio) -> str:
    return studio.page.locator("output").inner_text()


def press(studio, name: str) -> None:
    studio.page.get_by_role("button", name=name, exact=True).click()


def at(studio, place: tuple[float, float]) -> tuple[float, float]:
    """Where a share of the board is in the window."""
    box = studio.page.get_by_role("application", name="Board").bounding_box()
    return box["x"] + place[0] * box["width"], box["y"] + place[1] * box["height"]


def drag(studio, start: tuple[float, float], end: tuple[float, float], steps: int = 6) -> None:
    studio.page.mouse.move(*at(studio, start))
    studio.page.mouse.down()
    studio.page.mouse.move(*at(studio, end), steps=steps)
    studio.page.mouse.up()


def test_a_scenario_is_on_the_board_which_is_square_and_on_the_first_screen(draw):
    assert everything_said(draw)[-1] == "200 points"
    for width, height in ((1024, 768), (1280, 720), (1920, 1080), (1440, 900)):
        draw.resize(width, height)
        box = draw.page.get_by_role("application", name="Board").bounding_box()
        assert box["width"] == pytest.approx(box["height"], rel=0.01)
        assert box["height"] >= 0.6 * height
        assert box["y"] + box["height"] <= height
        assert draw.page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


def test_the_board_is_worked_with_the_keyboard(draw):
    draw.page.get_by_role("button", name="Point", exact=True).press("Enter")
    draw.page.get_by_role("application", name="Board").focus()
    for key in ("ArrowRight", "Enter", "Shift+ArrowUp", "Enter"):
        draw.page.keyboard.press(key)
    assert everything_said(draw)[-1] == "202 points"
    draw.page.keyboard.press("Control+z")
    assert everything_said(draw)[-1] == "201 points"


def test_a_drag_is_answered_at_every_move_without_the_server(draw):
    opened(draw, POINTS)
    spoken = "() => window.traffic.sent"
    start = (1000 / 4095 * 10 + 0.3) / 10.6, 1 - (1000 / 4095 * 10 + 0.3) / 10.6
    press(draw, "Group")
    draw.page.mouse.move(*at(draw, start))
    draw.page.mouse.down()
    before, runs, answers = draw.page.evaluate(spoken), len(draw.sent), set()
    for share in (0.3, 0.4, 0.5, 0.7, 0.9, 1.3):  # beyond the edge
        draw.page.mouse.move(*at(draw, (share, start[1])))
        answers.add(tuple(everything_said(draw)))
    assert len(answers) == 6
    assert (draw.page.evaluate(spoken), len(draw.sent)) == (before, runs)
    draw.page.mouse.up()
    draw.page.wait_for_function("() => location.href.includes('points=~')")  # far outside


def test_a_centre_of_k_means_is_dragged_and_the_link_opens_the_same(draw):
    opened(draw, "preset=bad-start")
    error = float(said(draw, "K-means").split()[-1])
    for start, end in (((2.5, 2.5), (2, 2)), ((7.5, 3), (3, 3)), ((5, 7.5), (6, 5))):
        drag(draw, *(((x + 0.3) / 10.6, 1 - (y + 0.3) / 10.6) for x, y in (start, end)))
    draw.page.evaluate(NEXT_FRAME)
    assert float(said(draw, "K-means").split()[-1]) > 2 * error
    fresh = type(draw)(draw.page.context.new_page(), draw.address)
    draw.page.wait_for_function("() => location.href.includes('centres=')")
    draw.settle()
    opened(fresh, draw.page.url.partition("view=Draw")[2].lstrip("&"))
    assert everything_said(fresh) == everything_said(draw)
    assert fresh.page.locator(".task").inner_text() == draw.page.locator(".task").inner_text()
    fresh.page.close()


def test_points_are_drawn_moved_and_undone_and_all_five_methods_answer(draw):
    opened(draw, "")
    press(draw, "Clear")
    press(draw, "Cloud")
    drag(draw, LOW, (0.35, 0.65))
    drag(draw, HIGH, (0.85, 0.15))
    before = everything_said(draw)
    assert int(before[-1].split()[0]) > 30
    press(draw, "Group")
    drag(draw, LOW, (0.6, 0.9))
    assert everything_said(draw) != before
    press(draw, "Undo")
    assert everything_said(draw) == before
    press(draw, "Delete")
    drag(draw, HIGH, (0.85, 0.15))
    assert int(count(draw).split()[0]) < int(before[-1].split()[0])
    press(draw, "Undo")
    press(draw, "Far outlier")
    assert int(everything_said(draw)[-1].split()[0]) == int(before[-1].split()[0]) + 1
    draw.settle()
    press(draw, "All five methods")
    assert draw.sees("NMI is the agreement with MAP-DP")
    draw.page.locator(".st-key-panels .annotation-text").filter(has_text="Gibbs").wait_for()
    press(draw, "My drawing")
    assert "scenario=drawn" in draw.page.url


def test_a_page_on_the_way_from_the_start_answers_in_three_seconds(draw):
    draw.open()
    link = draw.page.get_by_role("button", name="Drag points about")
    link.wait_for()
    draw.settle()
    begun = draw.page.evaluate("performance.now()")
    link.click()
    said(draw, "K-means")
    assert draw.page.evaluate("performance.now()") - begun < 3000
