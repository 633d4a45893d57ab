"""Compare in a real browser: pictures and sliders in one view, what sliders touch, and marks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.conftest import HIGH, MARKED

#: Samples the chart's box every 50 ms.
SAMPLE = """() => {
    window.boxes = [];
    window.sampler = setInterval(() => {
        const box = document.querySelector('.st-key-panels .js-plotly-plot')
            ?.getBoundingClientRect();
        window.boxes.push(box ? [box.top + window.scrollY, box.width, box.height] : null);
    }, 50);
}"""
PLOT = "document.querySelector('.st-key-panels .js-plotly-plot')"
#: Left, top, right and bottom of every panel's plot in the window, by rows of equal tops.
PANELS = f"""() => {{
    const plot = {PLOT}, box = plot.getBoundingClientRect(), layout = plot._fullLayout;
    return Object.keys(layout).filter((name) => /^yaxis[0-9]*$/.test(name)).map((name) => {{
        const y = layout[name], x = layout[name.replace('y', 'x')];
        const left = box.left + x._offset, top = box.top + y._offset;
        return [left, top, left + x._length, top + y._length].map(Math.round);
    }});
}}"""
TEXTS = f"""() => {{
    const box = (e) => {{
        const b = e.getBoundingClientRect();
        return [b.left, b.right, b.top, b.bottom];
    }};
    const texts = '.annotation-text, .xtick text, .ytick text, .xtitle, .ytitle';
    const found = [...{PLOT}.querySelectorAll(texts)].map(box).filter((b) => b[0] < b[1]);
    return {{ chart: box({PLOT}), texts: found }};
}}"""
RANDOM = np.random.default_rng(3)
GROUP = np.repeat([0, 1, 2], 40)
ALL_THERE = "All results belong to these settings."


def table() -> bytes:
    """A mixed table with holes and a name that would be markup, as a CSV file."""
    lines = ["height,<b>mass</b>,visits,sex,species"]
    for group in GROUP:
        height = f"{RANDOM.normal(160 + 12 * group, 3):.1f}" if RANDOM.random() > 0.1 else ""
        mass, visits = RANDOM.normal(60 + 9 * group, 3), RANDOM.poisson(1 + 3 * group)
        lines.append(f"{height},{mass:.2f},{visits},{'fm'[RANDOM.integers(2)]},kind {'abc'[group]}")
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def compare(studio):
    studio.open()
    studio.page.get_by_role("link", name="Data").click()
    studio.settle()
    studio.upload("mixed.csv", table())
    assert studio.has_table("mixed.csv")
    studio.page.get_by_role("link", name="Compare").click()
    assert studio.sees(ALL_THERE, seconds=180)
    studio.page.wait_for_selector(".annotation-text")  # Plotly's script may come last
    studio.settle()
    return studio


def rows(studio) -> dict[str, list[str]]:
    """Cells of the scoreboard by algorithm."""
    lines = studio.page.locator("table tr").all()[1:]
    cells = [line.locator("th, td").all_inner_texts() for line in lines]
    return {first: rest for first, *rest in cells}


def move(studio, slider: str, key: str) -> None:
    studio.page.get_by_role("slider", name=slider).focus()
    studio.page.keyboard.press(key)
    studio.settle()


def options(studio) -> None:
    """Open what stands behind Options, or close it."""
    studio.page.get_by_role("button", name="Options").click()
    studio.settle()


@pytest.mark.parametrize(
    ("width", "height", "in_a_row", "rows_in_view"),
    [(1440, 900, 3, 2), (1024, 768, 2, 1), (800, 900, 1, 1)],
)
def test_sliders_and_pictures_stand_in_one_view(compare, width, height, in_a_row, rows_in_view):
    compare.resize(width, height)
    page = compare.page
    page.wait_for_function(f"() => Math.abs({PLOT}._fullLayout.width - {PLOT}.clientWidth) < 2")
    panels = page.evaluate(PANELS)
    tops = [top for _, top, _, _ in panels]
    assert len(panels) == 6
    assert {tops.count(top) for top in tops} == {in_a_row}
    assert min(bottom - top for _, top, _, bottom in panels) >= 299
    assert sorted({*tops})[rows_in_view - 1] + 300 <= height
    slider = page.get_by_role("slider", name="Clusters K")
    assert 0 < slider.bounding_box()["y"] < min(tops)
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    compare.page.get_by_role("tab", name="Scores").scroll_into_view_if_needed()
    assert 0 < slider.bounding_box()["y"] < 200, "the sliders stay on top"
    page.get_by_role("heading", name="Compare").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
    boxes = page.evaluate(TEXTS)
    left, right, top, bottom = boxes["chart"]
    assert len(boxes["texts"]) > 10
    for k, a in enumerate(boxes["texts"]):
        assert left <= a[0] < a[1] <= right + 1
        assert top <= a[2] < a[3] <= bottom + 1
        for b in boxes["texts"][:k]:
            apart = a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] + 1 or b[3] <= a[2] + 1
            assert apart, (a, b)
    compare.resize(1440)


def test_the_concentration_touches_mapdp_and_gibbs_alone(compare):
    before = rows(compare)
    move(compare, "Concentration N₀", "ArrowRight")
    after = rows(compare)
    energy, seconds = 1, -1
    assert all(before[name][energy] != after[name][energy] for name in before)
    for name in ("DP-means", "K-means", "E-M"):
        assert before[name][0] == after[name][0]
        assert before[name][seconds] == after[name][seconds]
    assert "n0=5" in compare.page.url


def test_the_address_tells_nothing_of_the_table(compare):
    options(compare)
    for name in ("height", "visits"):
        compare.page.get_by_label("Axes of all panels").last.click()
        compare.page.get_by_role("option", name=name).click()
        compare.settle()
    assert compare.sees("Rows with a missing value stand in the margin.")
    # Components have one unit, these columns two: every panel takes its whole place again.
    compare.page.wait_for_function(f"() => new Set(({HIGH})()).size === 1")
    compare.page.keyboard.press("Escape")
    options(compare)
    move(compare, "Penalty λ", "ArrowLeft")
    query = compare.page.url.partition("?")[2]
    assert {part.partition("=")[0] for part in query.split("&")} <= {"n0", "lambda", "k", "bic"}


def test_results_and_sliders_survive_a_visit_to_another_page(compare):
    before = rows(compare)
    compare.page.get_by_role("link", name="Data").click()
    compare.settle()
    compare.page.get_by_role("link", name="Compare").click()
    assert compare.sees(ALL_THERE)
    compare.settle()
    assert rows(compare) == before


@pytest.fixture(scope="module")
def scenario(browser, server, studio):
    """Scenario 5.1 on a small screen, in a tab of its own."""
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    other = type(studio)(context.new_page(), server)
    other.open("compare?example=5.1")
    assert other.sees(ALL_THERE, seconds=180)
    other.page.wait_for_function(f"() => {PLOT}?._fullData?.length > 6")
    other.settle()
    yield other
    context.close()
    assert other.errors == []


def drag_over(page, across: int, down: int) -> None:
    """Drag over so many pixels from the upper left of the first panel."""
    box = page.locator(".st-key-panels .js-plotly-plot").bounding_box()
    page.mouse.move(box["x"] + 120, box["y"] + 70)
    page.mouse.down()
    page.mouse.move(box["x"] + 120 + across, box["y"] + 70 + down, steps=3)
    page.mouse.up()


def test_the_chart_stays_while_sliders_move_and_keeps_zoom_and_marks(scenario):
    page = scenario.page
    drag_over(page, 160, 160)
    page.wait_for_function(
        f"() => {PLOT}._fullData.filter((t) => t.customdata).every((t) => t.selectedpoints)"
    )
    scenario.settle()
    marked = scenario.marked()
    assert len(marked) == 6
    assert 10 < len(marked[0]) < 4000
    assert marked == [marked[0]] * 6
    options(scenario)
    page.get_by_role("radio", name="Click or zoom").click()
    scenario.settle()
    page.keyboard.press("Escape")
    drag_over(page, 180, 180)
    scenario.settle()
    zoomed = page.evaluate(f"() => {PLOT}._fullLayout.xaxis.range")
    assert zoomed[1] - zoomed[0] < 30
    page.evaluate(SAMPLE)
    for slider in ("Concentration N₀", "Clusters K"):
        before = page.locator(".st-key-panels .annotation-text").all_text_contents()
        move(scenario, slider, "ArrowRight")
        assert scenario.sees(ALL_THERE, seconds=120)
        scenario.settle()
        after = page.locator(".st-key-panels .annotation-text").all_text_contents()
        assert len(after) == len(before)
        page.wait_for_function(f"() => !{PLOT}.layout.shapes?.length")  # no panel stays faint
    boxes = page.evaluate("() => { clearInterval(window.sampler); return window.boxes; }")
    assert len(boxes) > 10
    assert None not in boxes
    assert {tuple(box) for box in boxes} == {tuple(boxes[0])}
    assert page.evaluate(f"() => {PLOT}._fullLayout.xaxis.range") == zoomed
    assert scenario.marked() == marked


def test_a_tree_is_cut_by_its_slider(scenario):
    page = scenario.page
    page.get_by_role("tab", name="Tree").click()
    page.locator("[role=figure][aria-label^='Tree of MAP-DP, cut into 3 groups']").wait_for()
    scenario.settle()
    move(scenario, "Groups", "Home")
    page.locator("[role=figure][aria-label='Tree of MAP-DP, cut into 1 group.']").wait_for()


def test_rows_that_disagree_are_lit_on_demand(scenario):
    page = scenario.page
    options(scenario)
    page.get_by_text("Light up disagreement").click()
    # In every panel but the first, of the known groups, which none can disagree with.
    page.wait_for_function(f"() => ({MARKED})().map((rows) => rows === null).indexOf(true) === 0")
    known, *lit = [rows and len(rows) for rows in scenario.marked()]
    assert known is None
    assert min(lit) < 500 < max(lit)
