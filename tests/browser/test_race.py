"""The race in the browser: nothing before a prediction, keys, what glides, equal scales."""

from __future__ import annotations

import pytest

from mapdp_studio.pages.parts.teach.live.scripts import RACE, live_scripts, live_text

#: Two runs on two rows, of three steps and of two.
BEGIN = """() => {
    const step = (k, colours, x) => ({
        words: "pass", k, colours, centres: [[x, 0]], badges: {0: [x, 0]},
        ellipses: [[x, 0, 1, 0, 4]], row: null});
    const runner = (title, steps, scores) => ({
        title, measure: "squared error", points: [[0, 0], [4, 2]], steps, scores,
        objective: steps.map((_, k) => 9 - k)});
    const sheet = {
        question: "Which?", choices: ["Left: a", "Right: b", "Alike"], right: 1, x: [0, 4],
        y: [0, 2], oneUnit: true, palette: ["#ff0000", "#0000ff"], runners: [
            runner("a", [step(1, "00", 0), step(2, "01", 2), step(2, "01", 4)], [0, 0.5, 0.5]),
            runner("b", [step(1, "00", 0), step(2, "01", 3)], [0, 1])]};
    window.race = new Race(document.querySelector(".race"));
    document.addEventListener("keydown", (event) => race.key(event));
    race.take({id: "one", sheet, isProjected: true});
}"""
STAND = "() => [race.isOpen, race.at]"


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1024, "height": 768}, reduced_motion="reduce")
    page.set_content(f"<style>{live_text('race.css')}</style>{live_text('race.html')}")
    page.add_script_tag(content=live_scripts(RACE[:-1]))
    page.evaluate(BEGIN)
    yield page
    page.close()


def test_a_race_waits_for_a_prediction_and_says_the_answer_at_its_end(page):
    page.keyboard.press("Space")
    assert page.evaluate(STAND) == [False, 0]
    assert page.locator("[name=play]").is_disabled()
    assert page.locator("h3 small").all_inner_texts() == ["", ""]
    page.get_by_role("button", name="Left").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("race.at === 1")
    assert page.evaluate(STAND) == [True, 1]
    assert page.inner_text(".said") == "Which?"
    assert "NMI 1.00" in page.locator("h3 small").all_inner_texts()[1]
    page.keyboard.press("End")
    page.wait_for_function("race.at === 2")
    said = "Right: b (NMI 0.50 against NMI 1.00). You said: Left: a."
    page.wait_for_function(
        "words => document.querySelector('.said').textContent === words", arg=said
    )
    page.keyboard.press("Home")
    page.wait_for_function("race.at === 0")


def test_everything_glides_and_a_step_across_is_as_long_as_one_up(page):
    found = page.evaluate("""() => {
        const moment = momentOf(race.sheet.runners[0].steps, 0.5);
        const rest = momentOf(race.sheet.runners[1].steps, 2);
        const { a, b } = placing(race.sheet, 900, 300);
        return [moment.badges[0].place, moment.ellipses[0].ellipse, moment.centres[0],
            rest.centres[0], a / b];
    }""")
    assert found == [[1, 0], [1, 0, 1, 0, 4], [1, 0], [3, 0], 1]
