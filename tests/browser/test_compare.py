"""The Compare page in a real browser: five panels, sliders that touch what is theirs."""

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
RANDOM = np.random.default_rng(3)
GROUP = np.repeat([0, 1, 2], 40)


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
    assert studio.sees("All results belong to these settings.", seconds=180)
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


def test_five_panels_stand_side_by_side_and_nothing_is_cut_off(compare, pictures):
    titles = compare.page.locator(".annotation-text").all_text_contents()
    for name in ("MAP-DP", "DP-means", "K-means", "E-M", "Gibbs"):
        assert any(title.startswith(name) for title in titles)
    assert compare.screenshots("compare", pictures) == {1440: 0, 800: 0}


@pytest.mark.parametrize("width", [1440, 800])
def test_no_text_of_the_figure_sticks_out_or_overlaps(compare, width):
    compare.resize(width, 1000)
    compare.page.wait_for_function(
        f"() => Math.abs({PLOT}._fullLayout.width - {PLOT}.clientWidth) < 2"
    )
    boxes = compare.page.evaluate(
        """() => {
            const box = (element) => {
                const {left, right, top, bottom} = element.getBoundingClientRect();
                return [left, right, top, bottom];
            };
            const chart = document.querySelector('.js-plotly-plot');
            const texts = '.annotation-text, .xtick text, .ytick text, .xtitle, .ytitle';
            return {
                chart: box(chart),
                texts: [...chart.querySelectorAll(texts)].map(box).filter((b) => b[0] < b[1]),
            };
        }"""
    )
    left, right, top, bottom = boxes["chart"]
    assert len(boxes["texts"]) > 10
    for a in boxes["texts"]:
        assert left <= a[0]
        assert a[1] <= right + 1
        assert top <= a[2]
        assert a[3] <= bottom + 1
    for k, a in enumerate(boxes["texts"]):
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
    open_view(compare)
    compare.page.get_by_text("Two columns", exact=True).click()
    compare.settle()
    assert compare.sees("Rows with a missing value stand in the margin.")
    # Components have one unit, these columns two: every panel takes its whole place again.
    compare.page.wait_for_function(f"() => new Set(({HIGH})()).size === 1")
    move(compare, "Penalty λ", "ArrowLeft")
    query = compare.page.url.partition("?")[2]
    assert {part.partition("=")[0] for part in query.split("&")} <= {"n0", "lambda", "k", "bic"}
    compare.page.get_by_text("All columns", exact=True).click()
    compare.settle()


def test_results_and_sliders_survive_a_visit_to_another_page(compare):
    before = rows(compare)
    compare.page.get_by_role("link", name="Data").click()
    compare.settle()
    compare.page.get_by_role("link", name="Compare").click()
    assert compare.sees("All results belong to these settings.")
    compare.settle()
    assert rows(compare) == before


def open_view(studio) -> None:
    studio.page.get_by_role("button", name="Panels").click()


@pytest.fixture(scope="module")
def scenario(browser, server, studio):
    """Scenario 5.1 on a small screen, in a tab of its own."""
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    other = type(studio)(context.new_page(), server)
    other.open("compare?example=5.1")
    assert other.sees("All results belong to these settings.", seconds=180)
    other.page.wait_for_function(f"() => {PLOT}?._fullData?.length > 6")
    other.settle()
    yield other
    context.close()
    assert other.errors == []


def test_the_panels_are_whole_on_the_first_screen(scenario):
    top, bottom = scenario.page.evaluate(
        f"() => {{ const b = {PLOT}.getBoundingClientRect(); return [b.top, b.bottom]; }}"
    )
    assert 0 < top < bottom <= 768
    scenario.resize(800, 900)
    assert scenario.page.evaluate(f"() => {PLOT}.getBoundingClientRect().top") < 450
    scenario.resize(1024, 768)


def drag_over(page, across: int, down: int) -> None:
    """Drag over so many pixels from the upper left of the first panel."""
    box = page.locator(".st-key-panels .js-plotly-plot").bounding_box()
    page.mouse.move(box["x"] + 120, box["y"] + 70)
    page.mouse.down()
    page.mouse.move(box["x"] + 120 + across, box["y"] + 70 + down, steps=3)
    page.mouse.up()


def test_the_chart_stays_while_sliders_move_and_keeps_zoom_and_marks(scenario):
    page = scenario.page
    drag_over(page, 100, 80)
    page.wait_for_function(
        f"() => {PLOT}._fullData.filter((t) => t.customdata).every((t) => t.selectedpoints)"
    )
    scenario.settle()
    marked = scenario.marked()
    assert len(marked) == 6
    assert 10 < len(marked[0]) < 4000
    assert marked == [marked[0]] * 6
    page.get_by_role("radio", name="Click or zoom").click()
    scenario.settle()
    drag_over(page, 120, 100)
    scenario.settle()
    zoomed = page.evaluate(f"() => {PLOT}._fullLayout.xaxis.range")
    assert zoomed[1] - zoomed[0] < 30
    title = page.locator(".st-key-panels .annotation-text").first.text_content
    page.evaluate(SAMPLE)
    for slider in ("Concentration N₀", "Clusters K", "Tolerance for misfit"):
        before = page.locator(".st-key-panels .annotation-text").all_text_contents()
        move(scenario, slider, "ArrowRight")
        assert scenario.sees("All results belong to these settings.", seconds=120)
        scenario.settle()
        after = page.locator(".st-key-panels .annotation-text").all_text_contents()
        assert len(after) == len(before)
    boxes = page.evaluate("() => { clearInterval(window.sampler); return window.boxes; }")
    assert title().startswith("MAP-DP, K = ")
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
    open_view(scenario)
    page.get_by_text("Light up disagreement").click()
    # In every panel but that of the known groups, which none can disagree with.
    page.wait_for_function(f"() => ({MARKED})().map((rows) => rows === null).indexOf(true) === 5")
    *lit, known = [rows and len(rows) for rows in scenario.marked()]
    assert known is None
    assert min(lit) < 500 < max(lit)
