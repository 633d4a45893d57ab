"""The Teach page in a real browser: the first screen, a lecture, clicks, steps, strips, links."""

import re
from functools import partial

import pytest

from mapdp_studio.core.teaching.lessons import LESSONS
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.demo_datasets import TAUGHT
from mapdp_studio.pages.parts.shared.controls import CONCENTRATIONS
from mapdp_studio.pages.parts.teach.room import VIEWS
from tests.studio import COUNT, PANELS

ACTIVE = """() => document.querySelector('.st-key-steps .js-plotly-plot')
    ?.layout?.sliders[0].active ?? 0"""
#: There while the figure is the one before: it stays, faint, until the next has been walked.
WALKING = "[role=progressbar]:has-text('Walking')"
#: Where a point of a figure's first plot stands, counted from the left, and what it stands for.
PLACE_OF_POINT = """([selector, k]) => {
    const plot = document.querySelector(selector);
    plot.scrollIntoView({block: 'center'});
    const {xaxis, yaxis} = plot._fullLayout;
    const points = plot._fullData
        .filter((trace) => trace.customdata !== undefined && trace.xaxis === 'x')
        .flatMap(({x, y, customdata}) => Array.from(x, (_, i) => [x[i], y[i], customdata[i]]));
    const [x, y, value] = points.sort((a, b) => a[0] - b[0])[k];
    const box = plot.getBoundingClientRect();
    return [box.left + xaxis._offset + xaxis.d2p(x),
            box.top + yaxis._offset + yaxis.d2p(y), value];
}"""
#: Buttons whose middle something else lies on.
COVERED = """() => [...document.querySelectorAll('[data-testid=stMain] button')].filter((one) => {
    const {left, right, top, bottom, width} = one.getBoundingClientRect();
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return width && bottom < innerHeight && on && !one.contains(on);
}).map((one) => one.innerText)"""


def show(studio, query: str, **size: int) -> None:
    studio.open(f"teach?{query}", ".js-plotly-plot .main-svg", **size)  # bare, it has no heading


def press_more(studio, name: str) -> None:
    studio.button("More data").click()
    studio.press(name)
    studio.page.keyboard.press("Escape")  # what was opened lies over other buttons


def lowest(panels: list) -> float:
    return max((bottom for _, _, _, bottom, *_ in panels), default=float("inf"))


def fill_most_of_the_window(panels: list, height: int = 720) -> bool:
    tops = [top for _, top, *_ in panels]
    return bool(tops) and 0.6 * height + min(tops) <= lowest(panels) <= height


def in_one_unit(studio, n_panels: int) -> None:
    one = pytest.approx([1.0] * n_panels, abs=0.02)
    studio.until(PANELS, lambda panels: [scale for *_, scale, _ in panels[:n_panels]] == one)


def gap(*locators) -> float:
    """Between the middles of two, across the window."""
    first, second = (one.bounding_box() for one in locators)
    return abs(first["x"] + first["width"] / 2 - second["x"] - second["width"] / 2)


def click_point(studio, selector: str, k: int):
    """Click the k-th point of a figure from the left; what it stands for."""
    studio.page.wait_for_selector(f"{selector} .main-svg")
    x, y, value = studio.page.evaluate(PLACE_OF_POINT, [selector, k])
    studio.page.mouse.move(x, y)
    studio.page.wait_for_selector(".hoverlayer .hovertext", state="attached")
    studio.page.mouse.click(x, y)
    return value


def test_sliders_with_strips_that_set_them_and_pictures_are_on_the_first_screen(studio):
    show(studio, "rows=150&lambda=0.5")
    for width, height, side in ((1024, 768, 195), (1280, 720, 170), (1440, 900, 290)):
        studio.resize(width, height)
        panels = studio.until(PANELS, lambda panels, h=height: lowest(panels) <= h)
        titles = [text.split("</b>")[0][3:] for *_, text in panels]
        assert titles == ["Known", "K-means", "MAP-DP", "DP-means", "E-M", "Gibbs"]
        bar = studio.page.locator(".st-key-teach_bar").bounding_box()
        for left, top, right, bottom, *_ in panels:
            assert min(right - left, bottom - top) >= side
            assert top > bar["y"] + bar["height"]
        words, controls = studio.page.evaluate(COUNT)
        assert words <= 495 / 2
        assert controls <= 70 / 2
        assert studio.has_room(width)
    for name, title in (("k", "Clusters K"), ("n0", "Concentration N₀"), ("lambda", "Penalty λ")):
        studio.page.wait_for_selector(f".st-key-strip_{name} .main-svg", timeout=120_000)
        line = studio.page.locator(f".st-key-strip_{name} .shapelayer path[style*=dash]")
        slider = studio.page.get_by_role("slider", name=title)
        thumb = studio.page.locator("[data-orientation] > *").filter(has=slider).last
        studio.until(partial(gap, line, thumb), lambda pixels: pixels <= 2)
    place = click_point(studio, ".st-key-strip_n0 .js-plotly-plot", 9)
    assert studio.in_address(f"n0={CONCENTRATIONS[place]:g}")
    studio.settle()
    studio.move("Penalty λ", "ArrowRight")
    assert studio.in_address("lambda=0.52")


def test_a_lecture_is_given_with_keys_in_a_full_window_and_escape_ends_it(studio):
    show(studio, "lesson=1&rows=300", width=1280, height=720)
    assert studio.page.evaluate(COVERED) == []
    show(studio, "projector=true&lesson=1&rows=300", width=1280, height=720)
    (_, (stop, *_)), (key, (following, *_)) = [*LESSONS.items()][:2]
    assert studio.sees(stop.question)
    assert stop.answer not in studio.page.text_content("body")
    studio.until(PANELS, fill_most_of_the_window)
    studio.page.keyboard.press("ArrowRight")
    assert studio.sees(f"It is: {stop.rightly}.")
    assert studio.sees(stop.answer)
    studio.settle()
    studio.until(PANELS, fill_most_of_the_window)
    studio.page.keyboard.press("PageDown")
    assert studio.sees(following.question)
    assert studio.has_room(1280)
    bar = studio.page.locator(".st-key-teach_bar").bounding_box()
    assert bar["height"] <= 40
    studio.page.get_by_test_id("stHeader").wait_for(state="hidden")
    slider = studio.page.get_by_role("slider", name="Clusters K")
    studio.move("Clusters K", "ArrowRight")  # whose arrow keys are its own
    assert studio.in_address("k=4", f"scenario={key}")
    slider.evaluate("(slider) => slider.blur()")
    studio.page.keyboard.press("Escape")
    studio.page.wait_for_url(lambda address: "projector" not in address)
    studio.page.get_by_test_id("stHeader").wait_for()
    assert studio.in_address(f"scenario={key}")
    show(studio, "scenario=starts&lesson=1&prediction=0")
    for key in ("End", "ArrowRight"):  # where a walk ends, the lecture goes on
        studio.page.keyboard.press(key)
    assert studio.sees(LESSONS["units"][0].question)


def test_one_run_or_two_go_under_one_clock_and_keys_without_the_server(studio):
    show(studio, "rows=300&view=Step&beside=nothing&walk=CollapsedGibbs")
    for is_two in (False, True):
        if is_two:
            studio.page.get_by_role("combobox", name="Beside it").click()
            title = f"beside: {procedures()['MAPDP'].title}"
            studio.page.get_by_role("option", name=title, exact=True).click()
            studio.settle()
            studio.page.locator(WALKING).wait_for(state="detached")
        titles = studio.page.locator(".st-key-steps .annotation-text")
        ends = "$" if is_two else ":"  # of one run the step is said in words, too
        titles.filter(has_text=re.compile(f"^Step 0{ends}")).wait_for(state="attached")
        studio.page.evaluate("document.activeElement.blur()")
        before = studio.page.evaluate("traffic.sent"), len(studio.sent)
        for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
            studio.page.keyboard.press(key)
            studio.page.wait_for_function(f"({ACTIVE})() === {step}")
        studio.page.get_by_role("button", name="Step", exact=True).press("Enter")
        studio.page.wait_for_function(f"({ACTIVE})() === 1")
        studio.page.keyboard.press("End")
        titles.filter(has_text=re.compile(f"^Step 29{ends}")).wait_for(state="attached")
        assert (studio.page.evaluate("traffic.sent"), len(studio.sent)) == before
        in_one_unit(studio, 1 + is_two)
    studio.page.get_by_label("Speed").select_option("fast")
    studio.button("Play").click()
    studio.page.wait_for_function(f"({ACTIVE})() >= 2")


def test_every_view_has_room_and_an_embedded_one_shows_one_bar_and_the_picture(studio):
    show(studio, "rows=150&numbers=true")
    for view in ("Step", "Restaurant", "Watch", "Small variances"):
        press = studio.choose if view in VIEWS else partial(press_more, studio)
        press(view)
        if view in ("Step", "Restaurant"):
            studio.button("Play").wait_for()
        assert studio.has_room(1440, 800), view
    show(studio, "rows=150&scenario=5.3&embed=true", width=960, height=540)
    studio.until(PANELS, lambda panels: len(panels) == 6 and lowest(panels) <= 540)
    for role, name in (("heading", "Teach"), ("button", "Exit")):
        studio.page.get_by_role(role, name=name).wait_for(state="detached")


def test_data_sets_are_drawn_in_the_chart_that_is_there_and_a_click_asks_about_a_row(studio):
    show(studio, "rows=300")
    chart = studio.page.locator(".st-key-panels .js-plotly-plot")
    chart.evaluate("(chart) => { chart.dataset.kept = ''; }")
    for key in ("5.4", "shapes", "5.1"):
        if key == "shapes":
            press_more(studio, TAUGHT[key].title)
        else:
            studio.choose(TAUGHT[key].title)
        in_one_unit(studio, 6 + len(TAUGHT[key].beside))
        studio.until(PANELS, lambda panels: abs(lowest(panels) - 900) <= 25)
        # A chart made anew costs half a second of WebGL.
        assert studio.page.locator(".st-key-panels [data-kept]").count() == chart.count() == 1
    studio.press("Numbers")
    row = click_point(studio, ".st-key-panels .js-plotly-plot", 0)
    assert studio.sees(f"What do they weigh for row {row:,}?")
    assert studio.in_address(f"row={row}")
    assert studio.sees("decides")
