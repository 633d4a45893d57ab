"""Compare in a real browser: pictures and sliders in one view, a chart that stays, marks."""

import numpy as np
import pytest

from mapdp_studio.demo_datasets import DEMOS
from tests.browser.conftest import PANELS
from tests.browser.test_pages import table

PLOT = "document.querySelector('.st-key-panels .js-plotly-plot')"
# Samples the chart's box every 50 ms.
SAMPLE = f"""() => {{
    window.boxes = [];
    window.sampler = setInterval(() => {{
        const box = {PLOT}?.getBoundingClientRect();
        window.boxes.push(box ? [box.top + window.scrollY, box.width, box.height] : null);
    }}, 50);
}}"""
# Rows that stand out in each panel, whose traces of rows carry their numbers; null where all do.
MARKED = f"""() => {{
    const panels = {{}};
    {PLOT}._fullData
        .filter((trace) => trace.customdata !== undefined)
        .forEach((trace) => {{
            const panel = panels[trace.xaxis] ??= [];
            if (!trace.selectedpoints) panel.areAll = true;
            else panel.push(...trace.selectedpoints.map((place) => trace.customdata[place]));
        }});
    return Object.values(panels).map((rows) => rows.areAll ? null : rows.sort((a, b) => a - b));
}}"""
ALL_MARKED = f"() => ({MARKED})().every((rows) => rows !== null)"
ALL_THERE = "All results belong to these settings."


@pytest.fixture(scope="module")
def compare(studio):
    studio.open("data")
    studio.upload("mixed.csv", table())
    studio.go("Compare")
    assert studio.sees(ALL_THERE, seconds=180)
    studio.page.wait_for_selector(".annotation-text")  # Plotly's script may come last
    studio.settle()
    return studio


def options(studio) -> None:
    """Open what stands behind Options, or close it."""
    studio.page.get_by_role("button", name="Options").click()
    studio.settle()


def drag_over(page, across: int, down: int) -> None:
    """Drag over so many pixels from the upper left of the first panel."""
    box = page.locator(".st-key-panels .js-plotly-plot").bounding_box()
    page.mouse.move(box["x"] + 120, box["y"] + 70)
    page.mouse.down()
    page.mouse.move(box["x"] + 120 + across, box["y"] + 70 + down, steps=3)
    page.mouse.up()


@pytest.mark.parametrize(
    ("width", "height", "in_a_row", "rows_in_view", "tall"),
    [(1440, 900, 3, 2, 299), (1024, 768, 2, 1, 299), (800, 900, 2, 1, 260)],
)
def test_sliders_and_pictures_stand_in_one_view(
    compare, width, height, in_a_row, rows_in_view, tall
):
    compare.resize(width, height)
    page = compare.page
    page.wait_for_function(f"() => Math.abs({PLOT}._fullLayout.width - {PLOT}.clientWidth) < 2")
    panels = page.evaluate(PANELS)
    tops = [round(top) for _, top, *_ in panels]
    assert {tops.count(top) for top in tops} == {in_a_row}
    assert min(bottom - top for _, top, _, bottom, _ in panels) >= tall
    assert sorted({*tops})[rows_in_view - 1] + 300 <= height
    slider = page.get_by_role("slider", name="Clusters K")
    assert 0 < slider.bounding_box()["y"] < min(tops)
    compare.page.get_by_role("tab", name="Scores").scroll_into_view_if_needed()
    assert 0 < slider.bounding_box()["y"] < 200, "the sliders stay on top"
    page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
    compare.resize(1440)


def test_marked_rows_stand_out_in_all_panels(compare):
    drag_over(compare.page, 160, 160)
    compare.page.wait_for_function(ALL_MARKED)
    compare.tab("Marked rows")
    first, *others = compare.page.evaluate(MARKED)
    assert 3 < len(first) < 115
    assert others == [first] * 5
    assert compare.sees(f"Marked: {len(first)} of 120 rows")


@pytest.fixture(scope="module")
def scenario(browser, server, studio):
    """Scenario 5.1 on a small screen, in a tab of its own."""
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    other = type(studio)(context.new_page(), server)
    other.example(DEMOS["5.1"].title)
    other.go("Compare")
    assert other.sees(ALL_THERE, seconds=180)
    other.page.wait_for_function(f"() => {PLOT}?._fullData?.length > 6")
    other.settle()
    yield other
    context.close()
    assert other.errors == []


def test_the_chart_stays_while_sliders_move_and_keeps_zoom_and_marks(scenario):
    page = scenario.page
    drag_over(page, 160, 160)
    page.wait_for_function(ALL_MARKED)
    scenario.settle()
    marked = page.evaluate(MARKED)
    assert 10 < len(marked[0]) < 4000
    assert marked == [marked[0]] * 6
    options(scenario)
    page.get_by_role("radio", name="Click or zoom").click()
    scenario.settle()
    page.keyboard.press("Escape")
    drag_over(page, 180, 180)
    scenario.settle()
    zoomed = page.evaluate(f"() => {PLOT}._fullLayout.xaxis.range")
    assert np.ptp(zoomed) < 30
    page.evaluate(SAMPLE)
    headings = page.locator(".st-key-panels .annotation-text")
    n_headings = headings.count()
    for slider in ("Concentration N₀", "Clusters K"):
        scenario.move(slider, "ArrowRight")
        assert scenario.sees(ALL_THERE, seconds=120)
        scenario.settle()
        assert headings.count() == n_headings
        page.wait_for_function(f"() => !{PLOT}.layout.shapes?.length")  # no panel stays faint
    boxes = page.evaluate("() => { clearInterval(window.sampler); return window.boxes; }")
    assert len(boxes) > 10
    assert {tuple(box or ()) for box in boxes} == {tuple(boxes[0])}
    assert page.evaluate(f"() => {PLOT}._fullLayout.xaxis.range") == zoomed
    assert page.evaluate(MARKED) == marked
