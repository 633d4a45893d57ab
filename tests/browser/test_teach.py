"""The Teach page in a real browser: watch, click, step, strips, tables, lessons, links."""

from __future__ import annotations

import pytest

from core import MAPDP
from core.teaching.steps import WALKS
from demo_datasets import SCENARIOS, load_scenario_table

#: Plots of the panels, in order; each has its rows in traces that carry row numbers.
READ_PANELS = """() => [...document.querySelectorAll('.st-key-panels .js-plotly-plot')].flatMap(
    (plot) => plot._fullData.filter((trace) => trace.customdata !== undefined)
        .map((trace) => Array.from(trace.marker.color)))"""
TEXTS = ".annotation-text, .xtick text, .ytick text, .xtitle, .ytitle, .legendtext, .slider-label"
COLLISIONS = """(selector) => [...document.querySelectorAll('.js-plotly-plot')].flatMap((plot) => {
    const frame = plot.getBoundingClientRect();
    const boxes = [...plot.querySelectorAll(selector)].map((text) =>
        [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    const out = boxes.filter(([, b]) => b.left < frame.left - 1 || b.right > frame.right + 1
        || b.top < frame.top - 1 || b.bottom > frame.bottom + 1).map(([text]) => [text, 'cut off']);
    boxes.forEach(([one, a], k) => boxes.slice(0, k).forEach(([two, b]) => {
        const apart = a.right <= b.left + 1 || b.right <= a.left + 1
            || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;
        if (!apart) out.push([one, two]);
    }));
    return out;
})"""
ACTIVE = """() => document.querySelector('.st-key-steps .js-plotly-plot')
    ._fullLayout.sliders[0].active"""


@pytest.fixture(scope="module")
def teach(studio):
    show(studio, "rows=600")
    return studio


def show(studio, query: str) -> None:
    studio.open(f"teach?{query}")
    studio.page.wait_for_selector(".js-plotly-plot .main-svg, table", timeout=180_000)
    studio.settle()


def scoreboard(studio) -> dict[str, list[str]]:
    lines = studio.page.locator("table tr").all()[1:]
    cells = [line.locator("th, td").all_inner_texts() for line in lines]
    return {first: rest for first, *rest in cells}


def test_page_values_are_the_librarys(teach):
    frame, schema, _ = load_scenario_table("5.1", 600, 0)
    model = MAPDP(concentration=3.0, n_init=1, random_state=0).fit(frame, schema)
    k, energy, *_ = scoreboard(teach)["MAP-DP"]
    assert int(k) == model.n_clusters_
    assert float(energy.replace(",", "")) == pytest.approx(model.objective_, abs=0.051)


def test_every_scenario_draws_six_panels(teach):
    for scenario in SCENARIOS.values():
        teach.page.get_by_role("radio", name=scenario.title).click()
        assert teach.sees(scenario.knob.label)
        teach.settle()
        titles = teach.page.locator(".st-key-panels .annotation-text").all_text_contents()
        names = [title.split(",")[0].split(":")[0] for title in titles]
        assert names == ["Known", "MAP-DP", "DP-means", "K-means", "E-M", "Gibbs"]


@pytest.mark.parametrize(
    "query",
    ["rows=600&row=12&cells=true", "view=Step&rows=300", "view=Step&walk=Gibbs&rows=300",
     "view=From+K-means&rows=300", "view=Restaurant", "view=Strips&rows=150"],
)  # fmt: skip
def test_nothing_overlaps_or_is_cut_off(teach, pictures, query):
    show(teach, query)
    name = "teach-" + query.replace("&", "-").replace("=", "-")
    if "Strips" in query:
        assert teach.sees("BIC is highest at", seconds=60)
    for width in (1440, 800):
        teach.page.set_viewport_size({"width": width, "height": 1600})
        teach.page.wait_for_timeout(900)
        teach.settle()
        teach.page.wait_for_timeout(300)
        teach.page.screenshot(path=pictures / f"{name}-{width}.png")
        assert teach.page.evaluate(COLLISIONS, TEXTS) == []
        sticks_out = "document.documentElement.scrollWidth - window.innerWidth"
        assert teach.page.evaluate(sticks_out) == 0
    teach.page.set_viewport_size({"width": 1440, "height": 900})


def test_a_click_on_a_point_explains_it(teach):
    show(teach, "rows=600")
    place = teach.page.evaluate(
        """() => { const plot = document.querySelector('.st-key-panels .js-plotly-plot');
            const {xaxis, yaxis} = plot._fullLayout, trace = plot._fullData[0];
            const box = plot.getBoundingClientRect(), k = 40;
            return [box.left + xaxis._offset + xaxis.d2p(trace.x[k]),
                    box.top + yaxis._offset + yaxis.d2p(trace.y[k]), trace.customdata[k]]; }"""
    )
    teach.page.mouse.move(place[0], place[1])
    teach.page.wait_for_timeout(300)
    teach.page.mouse.click(place[0], place[1])
    assert teach.sees("What do they weigh for row")
    assert "row=" in teach.page.url
    assert teach.sees("decides")


def test_step_and_step_back_without_the_server(teach):
    show(teach, "view=Step&rows=150")
    caption = teach.page.locator(".st-key-steps .annotation-text").first
    for title, _ in WALKS.values():
        teach.page.get_by_role("radio", name=title, exact=True).click()
        teach.page.wait_for_timeout(300)
        teach.settle()
        teach.page.wait_for_function(f"({ACTIVE})() === 0")
        runs = len(teach.sent)
        teach.page.get_by_role("button", name="Step", exact=True).focus()
        for _ in range(2):
            teach.page.keyboard.press("Enter")
            teach.page.wait_for_timeout(250)
        assert teach.page.evaluate(ACTIVE) == 2, title
        assert caption.text_content().startswith("Step 2:")
        teach.page.keyboard.press("ArrowLeft")
        teach.page.wait_for_timeout(250)
        assert teach.page.evaluate(ACTIVE) == 1
        teach.page.get_by_role("button", name="Last").click()
        teach.page.wait_for_timeout(400)
        last = teach.page.evaluate(ACTIVE)
        assert caption.text_content().startswith(f"Step {last}:")
        assert len(teach.sent) == runs


def test_play_runs_to_the_end_of_the_frames(teach):
    show(teach, "view=Step&rows=150&walk=K-means")
    teach.page.get_by_label("Speed").select_option("fast")
    teach.page.get_by_role("button", name="Play").click()
    teach.page.wait_for_timeout(1500)
    assert teach.page.evaluate(ACTIVE) >= 2


def test_a_click_on_a_strip_sets_the_slider(teach):
    show(teach, "view=Strips&rows=150")
    assert teach.sees("BIC is highest at", seconds=60)
    teach.settle()
    x, y, value = teach.page.evaluate(
        """() => { const plot = document.querySelector('.js-plotly-plot');
            plot.scrollIntoView({block: 'center'});
            const {xaxis, yaxis} = plot._fullLayout, trace = plot._fullData[0], k = 9;
            const box = plot.getBoundingClientRect();
            return [box.left + xaxis._offset + xaxis.d2p(trace.x[k]),
                    box.top + yaxis._offset + yaxis.d2p(trace.y[k]), trace.x[k]]; }"""
    )
    teach.page.mouse.move(x, y)
    teach.page.wait_for_timeout(300)
    teach.page.mouse.click(x, y)
    teach.page.wait_for_timeout(600)
    teach.settle()
    assert f"count={value:g}" in teach.page.url


def test_a_lesson_is_taken_with_the_keyboard_and_its_link_restores_the_picture(teach, browser):
    show(teach, "scenario=Unequal+populations")
    teach.page.keyboard.press("Alt+l")
    assert teach.sees("Three clusters of the same size and width")
    for said in ("The shares are now 69", "Row 65 belongs to the 2 %"):
        teach.page.keyboard.press("Alt+ArrowRight")
        assert teach.sees(said)
        teach.page.wait_for_timeout(300)
        teach.settle()
    assert teach.sees("against the count term (2.7)")
    here = teach.page.evaluate(READ_PANELS)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    fresh = type(teach)(context.new_page(), teach.address)
    fresh.open(teach.page.url.removeprefix(f"{teach.address}/"))
    assert fresh.sees("against the count term (2.7)", seconds=30)
    fresh.settle()
    assert [len(labels) for labels in here] == [2000] * 6
    assert len({tuple(labels) for labels in here}) > 2
    assert fresh.page.evaluate(READ_PANELS) == here
    assert fresh.page.url == teach.page.url
    context.close()
    for _ in range(2):
        teach.page.keyboard.press("Alt+ArrowRight")
        teach.page.wait_for_timeout(500)
        teach.settle()
    teach.page.get_by_text("The answer").click()
    assert teach.sees("grows only with the logarithm")


def test_lambda_is_in_the_link(teach):
    show(teach, "rows=600&penalty=0.5")
    slider = teach.page.get_by_role("slider", name="Penalty λ")
    slider.focus()
    teach.page.keyboard.press("ArrowRight")
    teach.page.wait_for_timeout(500)
    teach.settle()
    assert "penalty=0.52" in teach.page.url


def test_pictures_and_scripts_can_be_saved(teach, tmp_path):
    show(teach, "rows=600")
    teach.page.get_by_role("button", name="Save the picture").click()
    teach.page.wait_for_selector(".st-key-picture .js-plotly-plot")
    teach.page.wait_for_timeout(800)
    for ending in ("PNG", "SVG"):
        with teach.page.expect_download(timeout=15_000) as waiting:
            teach.page.get_by_role("button", name=f"Save {ending}").click()
        path = tmp_path / ending
        waiting.value.save_as(path)
        assert waiting.value.suggested_filename.endswith(ending.lower())
        assert path.stat().st_size > 10_000
    teach.page.keyboard.press("Escape")


def test_the_tables_are_measured_beside_the_papers(teach):
    show(teach, "view=Tables&experiment=KJ12")
    assert teach.sees("mean NMI of DP-means", seconds=60)
    show(teach, "view=Tables")
    assert teach.sees("Table 1: NMI with the truth", seconds=60)
    teach.open("teach?view=Tables&effort=The+paper%27s+own")
    assert teach.sees("K-means with 100 restarts, K = 1 to 20")
    teach.page.get_by_role("button", name="Measure with the paper's settings").click()
    teach.page.get_by_role("button", name="Stop", exact=True).click(timeout=20_000)
    assert teach.sees("Stopped before the end", seconds=30)
