"""The Clinical page in a real browser, from upload to a report that opens offline."""

from __future__ import annotations

import numpy as np
import pytest

RANDOM = np.random.default_rng(4)
GROUP = np.repeat([0, 1, 2], [45, 40, 3])
CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
#: Words and controls that a clinician meets first: half of what there were.
MOST_WORDS, MOST_CONTROLS = 208, 27
#: Words on the page, and controls: what is removed from a choice is one with it.
COUNT = """() => {
    const main = document.querySelector('[data-testid="stMainBlockContainer"]');
    const seen = (e) => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true});
    const controls = [...main.querySelectorAll('button, input, textarea, summary')].filter(seen);
    const parts = /^(Remove |Clear all|Open$|Help for )/;
    return [
        main.innerText.split(/\\s+/).filter((word) => /[a-z0-9]/i.test(word)).length,
        controls.filter((e) => !parts.test(e.ariaLabel ?? "")).length,
    ];
}"""
#: Names that no clinician should have to know.
JARGON = ("N₀", "Jaccard", "rank-1", "copula")


def table() -> bytes:
    """A cohort with an outcome, a time to an event whose code nobody named, and a site."""
    lines = ["patient,stiffness,walk,tremor,falls,age at onset,site,time,status"]
    for i, group in enumerate(GROUP):
        stiffness = f"{RANDOM.normal(20 + 15 * group, 2):.1f}" if RANDOM.random() > 0.1 else ""
        walk, falls = RANDOM.normal(60 - 16 * group, 3), RANDOM.poisson(1 + 6 * group)
        tremor = "yes" if RANDOM.random() < 0.1 + 0.8 * (group == 1) else "no"
        time, status = RANDOM.exponential(40 / (1 + group)), RANDOM.integers(0, 3)
        site, onset = RANDOM.choice(["north", "south"]), RANDOM.normal(60, 8)
        lines.append(
            f"P{i:03d},{stiffness},{walk:.1f},{tremor},{falls},{onset:.1f},{site},{time:.1f},{status}"
        )
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def clinical(studio):
    studio.open("data")
    studio.upload("cohort.csv", table())
    assert studio.has_table("cohort.csv")
    studio.page.get_by_role("link", name="Clinical").click()
    studio.settle()
    return studio


def press(studio, name: str) -> None:
    studio.page.get_by_role("button", name=name).first.click()
    studio.settle()


def choose(studio, question: str, value: str) -> None:
    boxes = studio.page.locator('[data-testid="stMultiSelect"]')
    boxes.filter(has_text=question).locator("input").click()
    studio.page.get_by_role("option", name=value, exact=True).click()
    studio.page.keyboard.press("Escape")
    studio.settle()


def test_the_event_is_named_the_table_chooses_its_model_and_the_plan_is_locked(clinical, pictures):
    assert clinical.sees("nobody said which of them mean")
    choose(clinical, "Its values that mean the event happened", "2")
    for code in ("0", "1"):
        choose(clinical, "mean “not yet, when last seen”?", code)
    press(clinical, "Use as an outcome")
    lock = clinical.page.get_by_role("button", name="Lock and find groups")
    lock.and_(clinical.page.locator(":enabled")).wait_for(timeout=120_000)
    place = lock.bounding_box()
    assert place["y"] < 250
    assert place["x"] > 900
    assert "as suggested" not in clinical.page.get_by_role("main").inner_text()
    words, controls = clinical.page.evaluate(COUNT)
    assert words <= MOST_WORDS
    assert controls <= MOST_CONTROLS
    assert clinical.screenshots("clinical-plan", pictures) == {1440: 0, 800: 0}
    lock.click()
    assert clinical.sees("6 atypical patients (rows 23", seconds=180)


def test_a_clinician_reads_every_step_and_none_is_cut_off(clinical, pictures):
    assert clinical.sees("43 patients")
    for step, answer in {
        "2 Groups": "Like Group 2, but",
        "3 t-tests": "the paper's p is no evidence",
        "4 Outcomes": "Kaplan-Meier curves",
        "5 Report": "Hide counts of patients below",
    }.items():
        clinical.choose(step)
        # Tests of outcomes may wait for the columns that are left out one by one.
        assert clinical.sees(answer, seconds=90)
        assert clinical.sees(CAVEAT)
        clinical.settle()
        text = clinical.page.get_by_role("main").inner_text()
        assert not [word for word in JARGON if word in text], step
        name = "clinical-" + "".join(filter(str.isalpha, step)).lower()
        assert clinical.screenshots(name, pictures) == {1440: 0, 800: 0}, step


def test_all_of_a_t_test_stands_side_by_side_and_the_paper_s_one_click_away(clinical):
    clinical.choose("3 t-tests")
    table = clinical.page.get_by_test_id("stDataFrame").first
    width = "(frame) => { const e = frame.querySelector('.dvn-scroller'); "
    width += "return [e.scrollWidth, e.clientWidth]; }"
    whole, seen = table.evaluate(width)
    assert whole <= seen
    press(clinical, "As in the 2016 paper")
    assert clinical.sees("R16 reports 61 of 215", seconds=120)


def test_results_survive_a_visit_to_another_page(clinical):
    clinical.page.get_by_role("link", name="Data").click()
    assert clinical.has_table("cohort.csv")
    clinical.page.get_by_role("link", name="Clinical").click()
    clinical.page.get_by_role("heading", name="Clinical").wait_for()
    clinical.settle()
    clinical.choose("2 Groups")
    assert clinical.sees("6 atypical patients")
    fold = clinical.page.locator("summary").filter(has_text="For the statistician")
    fold.click()
    assert clinical.sees("What spoke for")


def test_the_report_opens_offline_and_holds_its_caveats(clinical, browser, pictures, tmp_path):
    clinical.choose("5 Report")
    press(clinical, "Write the report")
    assert clinical.sees("Report (one HTML file)", seconds=120)
    with clinical.page.expect_download() as waiting:
        clinical.page.get_by_role("button", name="Report (one HTML file)").click()
    path = tmp_path / "report.html"
    waiting.value.save_as(path)
    context = browser.new_context(offline=True, viewport={"width": 1100, "height": 900})
    page, failed = context.new_page(), []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto(path.as_uri())
    # A figure is drawn when it comes into view.
    page.locator(".picture").first.scroll_into_view_if_needed()
    page.wait_for_selector(".picture .main-svg")
    text = page.inner_text("body")
    for words in (CAVEAT, "by construction", "hidden"):
        assert words in text
    # What is printed is taken at the end of this event, so every figure must have its width then.
    widths = page.evaluate(
        """() => {
            window.dispatchEvent(new Event("beforeprint"));
            return [...document.querySelectorAll(".picture .main-svg")].map((f) => f.clientWidth);
        }"""
    )
    assert set(widths) == {round(180 / 25.4 * 96)}
    assert page.pdf(format="A4").startswith(b"%PDF")
    context.close()
    assert failed == []
