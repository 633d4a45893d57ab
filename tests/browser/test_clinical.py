"""The Clinical page in a real browser, from upload to a report that opens offline."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.wording import CAVEAT
from tests.browser.test_visit import opens_offline

RANDOM = np.random.default_rng(4)
GROUP = np.repeat([0, 1, 2], [45, 40, 3])
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
#: What is printed is taken at the end of this event, so every figure must have its width then.
PRINTED = """() => {
    window.dispatchEvent(new Event("beforeprint"));
    return [...document.querySelectorAll(".picture .main-svg")].map((f) => f.clientWidth);
}"""


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
    studio.go("Clinical")
    return studio


def choose(studio, question: str, value: str) -> None:
    boxes = studio.page.locator('[data-testid="stMultiSelect"]')
    boxes.filter(has_text=question).locator("input").click()
    studio.page.get_by_role("option", name=value, exact=True).click()
    studio.page.keyboard.press("Escape")
    studio.settle()


def test_the_event_is_named_the_table_chooses_its_model_and_the_plan_is_locked(clinical, pictures):
    assert clinical.sees("which of its values mean that the event happened")
    choose(clinical, "Its values that mean the event happened", "2")
    for code in ("0", "1"):
        choose(clinical, "mean “not yet, when last seen”?", code)
    clinical.press("Use as an outcome")
    lock = clinical.page.get_by_role("button", name="Lock and find groups")
    lock.and_(clinical.page.locator(":enabled")).wait_for(timeout=120_000)
    place = lock.bounding_box()
    assert place["y"] < 250
    assert place["x"] > 900
    words, controls = clinical.page.evaluate(COUNT)
    assert words <= MOST_WORDS
    assert controls <= MOST_CONTROLS
    assert clinical.overflow(1440, 800, name="clinical-plan", folder=pictures) == {}
    lock.click()
    assert clinical.sees("6 atypical patients (rows 23", seconds=180)


def test_a_clinician_reads_every_step_and_none_is_cut_off(clinical, pictures):
    clinical.go("Data")
    clinical.go("Clinical")  # which has kept what was found
    for step, answer in {
        "2 Groups": "6 atypical patients",
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
        assert clinical.overflow(1440, 800, name=name, folder=pictures) == {}, step
        if step == "3 t-tests":  # all of a test stands side by side
            frame = clinical.page.get_by_test_id("stDataFrame").first.locator(".dvn-scroller")
            assert frame.evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_the_report_opens_offline_and_holds_its_caveats(clinical, browser, tmp_path):
    clinical.choose("5 Report")
    clinical.press("Write the report")
    assert clinical.sees("Report (one HTML file)", seconds=120)
    with clinical.page.expect_download() as waiting:
        clinical.page.get_by_role("button", name="Report (one HTML file)").click()
    waiting.value.save_as(path := tmp_path / "report.html")
    with opens_offline(browser, path) as page:
        text = page.inner_text("body")
        for words in (CAVEAT, "by construction", "hidden"):
            assert words in text
        assert set(page.evaluate(PRINTED)) == {round(180 / 25.4 * 96)}
