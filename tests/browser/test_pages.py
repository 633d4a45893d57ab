"""Every page in a real browser: room, a frame, doors; Compare's chart that stays, and marks."""

import numpy as np
import pandas as pd
import pytest

from tests.studio import PANELS
from tests.tables.labelled import FRAME

#: Titles of pages, and their tabs that are wide.
PAGES = {
    "Data": ("Prepare", "Rows", "Columns"),
    "Compare": ("Two methods", "Consensus"),
    "Clusters": ("Columns", "Rows", "Merge and name"),
    "Missing values": ("Missing together", "Filled in"),
    **dict.fromkeys(("Take away", "Stability", "Views", "New rows", "Snapshots", "About"), ()),
}
PLOT = "document.querySelector('.st-key-panels .js-plotly-plot')"
RANGE = f"{PLOT}._fullLayout.xaxis.range"
HEADINGS = f"{PLOT}.querySelectorAll('.annotation-text').length"
#: Pixels by which the chart is not as wide as its place.
BESIDE = f"Math.abs({PLOT}._fullLayout.width - {PLOT}.clientWidth)"
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
DRAWN = np.random.default_rng(8)
#: Tables, and how many groups their first line on Clusters is to say.
HEADLINES = {
    # So many rows that what chance makes of them takes longer than a page waits for it.
    "three groups": (DRAWN.normal(size=(900, 6)) + 3.0 * np.repeat([0, 1, 2], 300)[:, None], 3),
    # An odd row between two places: with it the fit has three groups.
    "places": (np.r_[DRAWN.normal(size=80), 4.0, DRAWN.normal(size=70) + 30.0][:, None], 2),
    "ages": (np.r_[DRAWN.normal(30.0, 3.0, 100), DRAWN.normal(50.0, 4.0, 60)][:, None], 2),
    "tails": (DRAWN.standard_t(2, size=(100, 3)), 1),
}
# Notes every first line that ever stands there.
NOTE_LINES = """() => {
    window.lines = new Set();
    (window.noting = new MutationObserver(() => {
        const text = document.querySelector('[data-testid="stMain"]')?.innerText ?? "";
        for (const [line] of text.matchAll(/^(\\d+ groups?|One group)[ ;(].*/gm)) lines.add(line);
    })).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
ALL_THERE = "All results belong to these settings."


def test_start_draws_both_answers_at_once_and_its_doors_bring_their_data(studio):
    other = studio.page.context.new_page()  # whose console says that there is no such page
    other.goto(f"{studio.address}/compute")  # a part of the pages
    other.get_by_role("heading", name="MAP-DP Studio").wait_for(timeout=90_000)
    other.close()
    doors = {"Open the first one": "halfway between", "Open the cohort": "parkinsonism"}
    studio.open()
    for button, heading in doors.items():
        assert studio.sees("MAP-DP learns each width", seconds=5)  # stored: no engine is needed
        studio.page.locator(".scatterlayer").nth(1).wait_for()  # drawn after the words below it
        assert studio.has_room(1440, 800)
        studio.button(button).click()
        assert studio.sees(heading, seconds=120)
        studio.page.get_by_role("link", name="Start").click()


@pytest.fixture(scope="module")
def visited(studio):
    """A visit that begins on Data, and goes on from page to page."""
    studio.open("data")
    studio.until("document.title", lambda title: title == "Data")
    studio.page.get_by_role("link", name="Start").wait_for()
    return studio


@pytest.mark.parametrize("name", HEADLINES)
def test_no_headline_turns_round(visited, name):
    values, n_groups = HEADLINES[name]
    frame = pd.DataFrame(values).add_prefix("c").round(3)
    visited.go("Data")
    visited.upload(f"{name}.csv", frame.to_csv(index=False).encode())
    visited.page.evaluate(NOTE_LINES)
    visited.go("Clusters")
    visited.until("[...lines]", lambda lines: lines)
    visited.page.get_by_role("button", name="Stop").last.wait_for(state="detached")
    visited.settle()
    visited.page.evaluate("noting.disconnect()")
    (line,) = visited.page.evaluate("[...lines]")
    few = "One group", "no more groups than chance makes"
    begins, chance = (f"{n_groups} groups", "more than chance makes") if n_groups > 1 else few
    assert line.startswith(begins)
    assert chance in line


@pytest.fixture(scope="module")
def compare(visited):
    """The mixed table on Compare, with all its results."""
    visited.go("Data")
    visited.upload("mixed.csv", FRAME.rename(columns={"kind": "species"}).to_csv().encode())
    visited.go("Compare")
    assert visited.sees(ALL_THERE, seconds=180)
    visited.page.wait_for_selector(".annotation-text")  # Plotly's script may come last
    visited.settle()
    return visited


def drag_over(studio, pixels: int) -> None:
    """Drag over so many pixels, across and down, from the upper left of the first panel."""
    box = studio.page.locator(".st-key-panels .js-plotly-plot").bounding_box()
    x, y = box["x"] + 120, box["y"] + 70
    studio.drag((x, y), (x + pixels, y + pixels), steps=3)


@pytest.mark.parametrize(
    ("width", "height", "in_a_row", "rows"),
    [(1440, 900, 3, 2), (1024, 768, 2, 1), (800, 900, 1, 1)],
)
def test_sliders_and_pictures_stand_in_one_view(compare, width, height, in_a_row, rows):
    def in_rows(panels: list) -> bool:
        tops = [round(top) for _, top, *_ in panels]
        return {tops.count(top) for top in tops} == {in_a_row}

    compare.resize(width, height)
    compare.until(BESIDE, lambda pixels: pixels < 2)
    panels = compare.until(PANELS, in_rows)
    tops = [round(top) for _, top, *_ in panels]
    assert min(bottom - top for _, top, _, bottom, *_ in panels) >= 299
    assert sorted({*tops})[rows - 1] + 300 <= height
    slider = compare.page.get_by_role("slider", name="Clusters K")
    assert 0 < slider.bounding_box()["y"] < min(tops)
    compare.page.get_by_role("tab", name="Scores").scroll_into_view_if_needed()
    assert 0 < slider.bounding_box()["y"] < 200, "the sliders stay on top"
    compare.page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")


def test_marked_rows_stand_out_in_all_panels_of_a_chart_that_stays_while_sliders_move(compare):
    page = compare.page
    compare.resize(1440)
    drag_over(compare, 160)
    first, *others = marked = compare.until(MARKED, lambda panels: None not in panels)
    assert 3 < len(first) < 85
    assert others == [first] * 5
    page.get_by_role("button", name="Options").click()
    compare.choose("Click or zoom")
    page.keyboard.press("Escape")
    whole = np.ptp(page.evaluate(RANGE))
    drag_over(compare, 180)
    zoomed = compare.until(RANGE, lambda shown: np.ptp(shown) < 0.8 * whole)
    compare.settle()
    n_headings = page.evaluate(HEADINGS)
    page.evaluate(SAMPLE)
    for slider in ("Concentration N₀", "Clusters K"):
        compare.move(slider, "ArrowRight")
        assert compare.sees(ALL_THERE, seconds=120)
        # No panel stays faint.
        compare.until(f"{PLOT}.layout.shapes?.length ?? 0", lambda n_veils: n_veils == 0)
        compare.until(HEADINGS, lambda n: n == n_headings)
    boxes = page.evaluate("() => { clearInterval(window.sampler); return window.boxes; }")
    assert len(boxes) > 10
    assert {tuple(box or ()) for box in boxes} == {tuple(boxes[0])}
    assert page.evaluate(RANGE) == zoomed
    assert page.evaluate(MARKED) == marked
    compare.tab("Marked rows")
    assert compare.sees(f"Marked: {len(first)} of 90 rows")


def test_every_page_has_room_at_both_widths(compare):
    for title, tabs in PAGES.items():
        compare.go(title)
        if title == "Compare":
            assert compare.sees(ALL_THERE, seconds=120)
        assert tabs or compare.has_room(1440, 800), title
        for tab in tabs:
            compare.tab(tab)
            assert compare.has_room(1440, 800), tab
