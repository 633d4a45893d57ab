"""The Clinical page in a real browser, from upload to a report that opens offline."""

from __future__ import annotations

import numpy as np
import pytest

RANDOM = np.random.default_rng(4)
GROUP = np.repeat([0, 1, 2], [45, 40, 3])
CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
# Each section with words that say it is there, and the views of a section with theirs.
SECTIONS = {
    "3 t-tests": "These columns formed the groups",
    "5 Outcomes": "All groups at once",
    "6 A patient": "What spoke for",
}
VIEWS = {
    "2 Groups": {"Profiles": "by construction", "Two groups": "by construction"},
    "4 Do they hold up?": {
        "Chance or severity": "The references know shuffled columns and three kinds of continuum",
        "Other patients": "were drawn anew",
        "Other settings": "Every column is one set of groups",
        "Sites": "Without each site of",
    },
    "More": {
        "A second cohort": "Nothing is fitted to it.",
        "The 2016 paper's analysis": "Expected by chance",
    },
}


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


def test_the_event_is_named_and_the_roles_are_locked(clinical, pictures):
    assert clinical.sees("nobody said which of them mean")
    choose(clinical, "Its values that mean the event happened", "2")
    for code in ("0", "1"):
        choose(clinical, "mean “not yet, when last seen”?", code)
    press(clinical, "Use as a validator")
    assert clinical.sees("every event is named")
    assert clinical.screenshots("clinical-roles", pictures) == {1440: 0, 800: 0}
    press(clinical, "Lock the roles and find groups")
    assert clinical.sees("Groups (5 or more)", seconds=180)


def test_the_groups_are_checked_and_the_atypical_named(clinical, pictures):
    assert clinical.sees("atypical patients are in no group")
    press(clinical, "Preview: 20 draws")
    assert clinical.sees("rests on the preview of 20 draws", seconds=240)
    clinical.settle()
    assert clinical.screenshots("clinical-groups", pictures) == {1440: 0, 800: 0}


def test_every_section_answers_its_question_and_is_not_cut_off(clinical, pictures):
    clinical.resize(800)
    for section, answer in SECTIONS.items():
        clinical.choose(section)
        # Tests of outcomes may wait for the columns that are left out one by one.
        assert clinical.sees(answer, seconds=90)
        assert clinical.sees(CAVEAT)
        clinical.settle()
        name = "clinical-" + "".join(filter(str.isalpha, section)).lower()
        assert clinical.screenshot(name, pictures) == 0, section
    for section, views in VIEWS.items():
        clinical.choose(section)
        for view, answer in views.items():
            clinical.page.get_by_text(view, exact=True).first.click()
            assert clinical.sees(answer, seconds=90)
            clinical.settle()
            name = "clinical-" + "".join(filter(str.isalpha, view)).lower()
            assert clinical.screenshot(name, pictures) == 0, view
    clinical.resize(1440)
    clinical.choose("2 Groups")
    clinical.page.get_by_text("At a glance", exact=True).first.click()
    clinical.settle()


def test_two_clicks_from_the_roles_to_t_tests_and_the_paper_one_more(clinical):
    clinical.choose("3 t-tests")
    assert clinical.sees("the groups differ on them by construction")
    press(clinical, "As in the 2016 paper")
    assert clinical.sees("as Table 3", seconds=120)


def test_results_survive_a_visit_to_another_page(clinical):
    clinical.page.get_by_role("link", name="Data").click()
    assert clinical.has_table("cohort.csv")
    clinical.page.get_by_role("link", name="Clinical").click()
    clinical.page.get_by_role("heading", name="Clinical").wait_for()
    clinical.settle()
    clinical.choose("2 Groups")
    assert clinical.sees("rests on the preview of 20 draws")


def test_the_report_opens_offline_and_holds_its_caveats(clinical, browser, pictures, tmp_path):
    clinical.choose("7 Report")
    assert clinical.sees("were grouped on")
    clinical.page.get_by_text("Files", exact=True).click()
    clinical.settle()
    press(clinical, "Write the report")
    assert clinical.sees("Report (one HTML file)", seconds=120)
    assert clinical.screenshots("clinical-report", pictures) == {1440: 0, 800: 0}
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
    for words in (CAVEAT, "by construction", "log-rank", "hidden"):
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
