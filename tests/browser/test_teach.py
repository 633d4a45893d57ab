"""The Teach page in a real browser: watch, click, step, strips, tables, lessons, links."""

from __future__ import annotations

import re

import pytest

from mapdp_studio.core import MAPDP
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.plots.panels import HEIGHT
from mapdp_studio.core.teaching.lessons import LESSONS
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.core.wording import unbroken
from mapdp_studio.demo_datasets import GENERATED, load_scenario_table
from tests.browser.conftest import HIGH
from tests.browser.faults import faults
from tests.browser.lesson_walk import differences, press_until

#: Colours of the rows in each panel, in order; traces of rows carry their numbers.
READ_PANELS = """() => [...document.querySelectorAll('.st-key-panels .js-plotly-plot')].flatMap(
    (plot) => {
        const panels = {};
        plot._fullData.filter((trace) => trace.customdata !== undefined).forEach((trace) => {
            const colours = panels[trace.xaxis] ??= [];
            trace.customdata.forEach((row) => { colours[row - 1] = trace.marker.color; });
        });
        return Object.values(panels);
    })"""
ACTIVE = """() => document.querySelector('.st-key-steps .js-plotly-plot')
    ?.layout?.sliders[0].active ?? 0"""
CAPTION = ".st-key-steps .annotation-text"
#: There while the figure is the one before: it stays, faint, until the next has been walked.
WALKING = "[role=progressbar]:has-text('Walking')"
#: Pixels a unit across by those a unit up, of every panel; of a walk, of its rows alone. Bars that
#: tell how sure K is have no unit across.
SCALES = """() => [...document.querySelectorAll('.js-plotly-plot')].filter(
    (plot) => !plot.closest('.st-key-how-many')).flatMap(({_fullLayout}) =>
    Object.keys(_fullLayout).filter((name) => /^xaxis[0-9]*$/.test(name))
        .slice(0, _fullLayout.sliders.length ? _fullLayout.xaxis4 ? 2 : 1 : undefined)
        .map((name) => [_fullLayout[name], _fullLayout[name.replace('x', 'y')]])
        .map(([x, y]) => Math.abs(x.c2p(1) - x.c2p(0)) / Math.abs(y.c2p(1) - y.c2p(0))))"""
#: Share of the rows that lie within each panel.
INSIDE = """() => [...document.querySelectorAll('.st-key-panels .js-plotly-plot')].flatMap(
    ({_fullData, _fullLayout}) => {
        const panels = {};
        _fullData.filter((trace) => trace.customdata !== undefined).forEach((trace) => {
            const ranges = ['x', 'y'].map((name) =>
                _fullLayout[`${name}axis${trace.xaxis.slice(1)}`].range);
            Array.from(trace.x, (x, i) => [x, trace.y[i]]).forEach((place) =>
                (panels[trace.xaxis] ??= []).push(ranges.every(([low, high], j) =>
                    low <= place[j] && place[j] <= high)));
        });
        return Object.values(panels).map((rows) => rows.filter(Boolean).length / rows.length);
    })"""
#: From where to where the charts of the picture reach, and by how much the page is too wide.
PICTURE = """() => {
    const boxes = [...document.querySelectorAll('.js-plotly-plot')]
        .filter((plot) => plot.closest('.st-key-panels-data, .st-key-panels, .st-key-steps'))
        .map((plot) => plot.getBoundingClientRect());
    return [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom)),
        document.documentElement.scrollWidth - window.innerWidth];
}"""
#: What a lesson says or asks, where it is cut or outside the window.
CUT = """() => [...document.querySelectorAll('.st-key-lesson-said p')]
    .filter((text) => text.scrollWidth > text.clientWidth + 1
        || text.getBoundingClientRect().bottom > innerHeight).map((text) => text.textContent)"""
#: Rows of choices of which some stand outside.
BEYOND = """() => [...document.querySelectorAll('[role=radiogroup]')]
    .filter((row) => row.scrollWidth > row.clientWidth).map((row) => row.textContent)"""
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


@pytest.fixture(scope="module")
def teach(studio):
    show(studio, "rows=300")
    return studio


def show(studio, query: str) -> None:
    studio.open(f"teach?{query}")
    studio.page.wait_for_selector(".js-plotly-plot .main-svg, table", timeout=180_000)
    studio.settle()


def measured(studio) -> None:
    """Wait until the strip is complete."""
    assert studio.sees(" at the right.", seconds=120)
    studio.page.wait_for_function("() => !document.querySelector('[role=progressbar]')")
    studio.settle()


def click_point(studio, selector: str, k: int):
    """Click the k-th point of a figure from the left; what it stands for."""
    studio.page.wait_for_selector(f"{selector} .main-svg")
    x, y, value = studio.page.evaluate(PLACE_OF_POINT, [selector, k])
    studio.page.mouse.move(x, y)
    studio.page.wait_for_selector(".hoverlayer .hovertext", state="attached")
    studio.page.mouse.click(x, y)
    return value


def scoreboard(studio) -> dict[str, list[str]]:
    lines = studio.page.locator("table tr").all()[1:]
    cells = [line.locator("th, td").all_inner_texts() for line in lines]
    return {first: rest for first, *rest in cells}


def test_page_values_are_the_librarys(teach):
    frame, schema, _ = load_scenario_table("5.1", 300, 0)
    model = MAPDP(concentration=3.0, n_init=1, random_state=0).fit(frame, schema)
    k, energy, *_ = scoreboard(teach)["MAP-DP"]
    assert int(k) == model.n_clusters_
    assert float(energy.replace(",", "")) == pytest.approx(model.objective_, abs=0.051)


def test_pictures_can_be_saved(teach, tmp_path):
    figure = teach.page.locator(".st-key-how-many .js-plotly-plot")
    figure.hover()
    with teach.page.expect_download(timeout=90_000) as waiting:
        figure.locator(".modebar-btn").first.click()
    waiting.value.save_as(tmp_path / "picture")
    assert waiting.value.suggested_filename == "posterior-of-k.png"
    assert (tmp_path / "picture").stat().st_size > 10_000


def test_a_click_on_a_point_explains_it(teach):
    row = click_point(teach, ".st-key-panels .js-plotly-plot", 0)
    assert teach.sees(f"What do they weigh for row {row}?")
    assert f"row={row}" in teach.page.url
    assert teach.sees("decides")


def test_scenarios_draw_their_panels_in_the_chart_that_is_there(teach):
    chart = teach.page.locator(".st-key-panels .js-plotly-plot")
    chart.evaluate("(chart) => { chart.dataset.kept = ''; }")
    assert teach.page.evaluate(BEYOND) == []
    lone, more = ([one for one in GENERATED.values() if bool(one.beside) == has] for has in (0, 1))
    for scenario in (lone[-1], *more, lone[0]):
        teach.choose(scenario.title)
        assert teach.sees(scenario.knob.label)
        titles = teach.page.locator(".st-key-panels .annotation-text").all_text_contents()
        names = [re.split("[,:]|still to come", title)[0] for title in titles]
        beside = [METHODS[name].title for name in scenario.beside]
        assert names == ["Known", "MAP-DP", "DP-means", "K-means", "E-M", "Gibbs", *beside]
        # A chart made anew costs half a second of WebGL.
        assert teach.page.locator(".st-key-panels [data-kept]").count() == chart.count() == 1


def test_a_click_on_a_strip_sets_the_slider_and_a_slider_the_link(teach):
    show(teach, "rows=150&view=Strips&lambda=0.5")
    measured(teach)
    value = click_point(teach, ".js-plotly-plot", 9)
    teach.page.wait_for_function("value => location.href.includes(value)", arg=f"n0={value:g}")
    teach.settle()
    teach.page.get_by_role("slider", name="Penalty λ").focus()
    teach.page.keyboard.press("ArrowRight")
    teach.page.wait_for_function("() => location.href.includes('lambda=0.52')")
    teach.settle()


@pytest.mark.parametrize(
    "choices",
    [["Strips"], ["From K-means"], ["Restaurant"], ["Step"], ["Watch"]],
    ids="-".join,
)
def test_nothing_overlaps_or_is_cut_off(teach, pictures, choices):
    for choice in choices:
        teach.choose(choice)
    if choices == ["Strips"]:
        measured(teach)
    if choices == ["Watch"]:
        teach.page.get_by_text("Cells of K-means").click()
        teach.page.get_by_role("spinbutton", name="Row to explain").fill("12")
        teach.page.keyboard.press("Enter")
        assert teach.sees("What do they weigh for row 12?")
    now = teach.page.viewport_size["width"]
    for width in sorted((1440, 800), key=lambda width: width != now):
        teach.resize(width, 1600)
        assert faults(teach.page, patience=20) == []
        assert teach.screenshot(f"teach-{'-'.join(choices)}", pictures) == 0


def walk(studio, title: str, which: str = "Algorithm") -> None:
    """Choose what Step shows."""
    studio.page.get_by_role("combobox", name=which).click()
    studio.page.get_by_role("option", name=title, exact=True).click()
    studio.settle()
    studio.page.locator(WALKING).wait_for(state="detached")


def test_step_and_step_back_without_the_server(teach):
    teach.resize(1440)
    teach.choose("Step")

    def is_at(step: int) -> None:
        teach.page.wait_for_function(f"({ACTIVE})() === {step}")
        caption = teach.page.locator(CAPTION).filter(has_text=f"Step {step}:")
        caption.wait_for(state="attached")

    for procedure in procedures().values():
        walk(teach, procedure.title)
        is_at(0)
        runs = len(teach.sent)
        teach.page.get_by_role("button", name="Step", exact=True).focus()
        for step in (1, 2):
            teach.page.keyboard.press("Enter")
            is_at(step)
        teach.page.keyboard.press("ArrowLeft")
        is_at(1)
        teach.page.get_by_role("button", name="To the end").click()
        last = len(teach.page.evaluate(ACTIVE.replace("active ?? 0", "steps")))
        is_at(last - 1)
        assert len(teach.sent) == runs


def test_play_runs_through_the_frames(teach):
    teach.choose("Step")
    walk(teach, "K-means")
    teach.page.get_by_label("Speed").select_option("fast")
    teach.page.get_by_role("button", name="Play").click()
    teach.page.wait_for_function(f"({ACTIVE})() >= 2")


def test_two_runs_go_under_one_clock_and_keys(teach):
    walk(teach, "beside: MAP-DP, sweep by sweep", "Beside it")
    titles = teach.page.locator(CAPTION)
    titles.filter(has_text="Which ends nearer").wait_for(state="attached")
    teach.page.evaluate("document.activeElement.blur()")
    runs = len(teach.sent)
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
        teach.page.keyboard.press(key)
        teach.page.wait_for_function(f"({ACTIVE})() === {step}")
    teach.page.keyboard.press("End")
    titles.filter(has_text=" against NMI").wait_for(state="attached")  # the answer, at the end
    assert len(teach.sent) == runs
    assert teach.page.evaluate(SCALES) == pytest.approx([1.0, 1.0], abs=0.02)
    walk(teach, "nothing beside it", "Beside it")


def test_a_lesson_is_walked_with_the_keyboard_and_its_link_opens_the_same_screen(teach, browser):
    teach.resize(1440)
    teach.choose("Watch")
    teach.choose("Real wines")
    for number, stop in enumerate(LESSONS["wine"][:3]):
        teach.page.keyboard.press("Alt+n" if number else "Alt+l")
        assert teach.sees(unbroken(stop.question))
        assert unbroken(stop.answer) not in teach.page.text_content("body")
        wrong = unbroken(stop.choices[stop.right - 1])
        press_until(teach, wrong)
        teach.page.keyboard.press("Enter")
        assert teach.sees(unbroken(f"Not “{wrong}” but “{stop.rightly}”"))
        assert teach.sees(unbroken(stop.answer))
        teach.settle()
        if "Row 131" in stop.answer:
            assert len({tuple(labels) for labels in teach.page.evaluate(READ_PANELS)}) > 3
            assert differences(browser, teach) == []


def test_a_step_across_is_as_long_as_one_up(teach):
    show(teach, "rows=150&scenario=5.6&walk=KMeansBIC")
    for view, width in (("Watch", 1024), ("Watch", 1440), ("Step", 1440)):
        teach.resize(width)
        teach.choose(view)
        scales = teach.page.evaluate(SCALES)
        assert scales == pytest.approx([1.0] * len(scales), abs=0.02)
        assert len(scales) >= (1 if view == "Step" else 5)


def test_panels_follow_from_one_shape_to_another(teach):
    show(teach, "rows=150&scenario=shapes")
    for scenario in ("Rotated ellipses", "Overlapping ellipses"):  # wide, then high
        teach.choose(scenario)
        inside = teach.page.evaluate(INSIDE)
        assert len(inside) == 6
        assert min(inside) == 1.0
        assert teach.page.evaluate(SCALES) == pytest.approx([1.0] * 6, abs=0.02)
    teach.choose("Real wines")  # of two units
    teach.page.wait_for_function(
        f"() => new Set(({HIGH})()).size === 1 && ({HIGH})()[0] === {HEIGHT}"
    )


#: A visitor's projector may have any of these.
PROJECTORS = ((1024, 768), (1920, 1080), (1280, 720))


def fills(teach, *sizes: tuple[int, int]) -> None:
    """The picture has most of the window at some sizes, and nothing of it or of the text is cut."""
    for width, height in sizes:
        teach.resize(width, height)
        low, high, beyond = teach.page.evaluate(PICTURE)
        assert 0 <= low < high <= height
        assert high - low >= 0.6 * height
        assert beyond == 0
        assert teach.page.evaluate(CUT) == []


def test_on_a_projector_the_picture_has_most_of_the_window(teach):
    large, _, low = PROJECTORS
    stop = LESSONS["5.1"][3]
    assert stop.sets["view"] == "Step"
    teach.resize(*low)
    show(teach, "scenario=5.1&projector=true&rows=300&lesson=4")
    fills(teach, low)
    teach.choose(unbroken(stop.choices[0]))
    assert teach.sees(unbroken(stop.answer))
    fills(teach, low)
    show(teach, "scenario=5.1&projector=true&rows=300&lesson=Question&prediction=1")
    fills(teach, *PROJECTORS)
    teach.resize(*large)
    show(teach, "scenario=5.1&projector=true&rows=300")
    fills(teach, large)
    assert teach.page.get_by_test_id("stHeader").is_hidden()
    teach.page.get_by_text("Projector", exact=True).click()
    teach.page.wait_for_function("() => !location.href.includes('projector')")
    teach.page.get_by_test_id("stHeader").wait_for()
    teach.resize(1440)


def test_the_picture_is_on_the_first_screen(teach):
    teach.resize(1024, 768)
    show(teach, "rows=150&lesson=2&prediction=2")  # below what the lesson says
    places = teach.page.locator(".st-key-panels .js-plotly-plot").evaluate_all(
        "plots => plots.map((plot) => plot.getBoundingClientRect().toJSON())"
    )
    # All panels stand in one row, and most of it is above the fold.
    assert len(places) == 1
    assert len(set(teach.page.evaluate(HIGH))) == 1
    assert 768 - places[0]["top"] > 0.5 * places[0]["height"]
    assert teach.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") == 0
    teach.resize(1440)


def test_an_embedded_view_shows_the_picture_alone(teach):
    teach.resize(960, 540)
    # It has no heading to wait for.
    teach.page.goto(f"{teach.address}/teach?rows=150&scenario=5.3&embed=1")
    teach.page.wait_for_selector(".js-plotly-plot .main-svg")
    teach.settle()
    picture = teach.page.locator(".st-key-panels").bounding_box()
    assert 0 <= picture["y"] < picture["y"] + picture["height"] <= 540
    assert teach.page.get_by_role("heading", name="Teach").count() == 0
    assert "embed=1" in teach.page.url
    teach.resize(1440)
