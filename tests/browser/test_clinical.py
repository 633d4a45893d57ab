"""The Clinical page in a real browser, from upload to a report that opens offline."""

from functools import partial

from mapdp_studio.core.wording import CAVEAT
from tests.studio import COUNT
from tests.tables.patients import COHORT

#: Words and controls that a clinician meets first: half of what there were.
MOST_WORDS, MOST_CONTROLS = 208, 27
#: Names that no clinician should have to know.
JARGON = ("N₀", "Jaccard", "rank-1", "copula")
#: What is printed is taken at the end of this event, so every figure must have its width then.
PRINTED = """() => {
    window.dispatchEvent(new Event("beforeprint"));
    return [...document.querySelectorAll(".picture .main-svg")].map((f) => f.clientWidth);
}"""


def test_the_event_is_named_the_plan_is_locked_and_a_clinician_reads_every_step(studio):
    studio.open("data")
    studio.upload("Patients of a cohort, 2019 to 2024.csv", COHORT.to_csv(index=False).encode())
    studio.go("Clinical")
    assert studio.sees("which of its values mean that the event happened")
    studio.choose("Survival: 1 = it happened")
    studio.page.get_by_text("which of its values mean").first.wait_for(state="hidden")
    lock = studio.button("Lock and find groups")
    lock.and_(studio.page.locator(":enabled")).wait_for(timeout=120_000)
    studio.until(lock.bounding_box, lambda box: box["y"] < 250 and box["x"] > 900)
    words, controls = studio.page.evaluate(COUNT)
    assert words <= MOST_WORDS
    assert controls <= MOST_CONTROLS
    assert studio.has_room(1440, 800)
    lock.click()
    assert studio.sees("3 atypical patients (rows 76", seconds=180)
    studio.go("Data")
    studio.go("Clinical")  # which has kept what was found
    for step, answer in {
        "2 Groups": "3 atypical patients",
        "3 t-tests": "the paper's p is no evidence",
        "4 Outcomes": "Kaplan-Meier curves",
        "5 Report": "Hide counts of patients below",
    }.items():
        studio.choose(step)
        # Tests of outcomes may wait for the columns that are left out one by one.
        assert studio.sees(answer, seconds=90)
        assert studio.sees(CAVEAT)
        studio.settle()
        text = studio.page.get_by_role("main").inner_text()
        assert not [word for word in JARGON if word in text], step
        if step == "3 t-tests":  # all of a test stands side by side
            studio.resize(1440)
            frame = studio.page.get_by_test_id("stDataFrame").first.locator(".dvn-scroller")
            studio.until(partial(frame.evaluate, "(e) => e.scrollWidth <= e.clientWidth"), bool)
        assert studio.has_room(1440, 800), step


def test_the_report_opens_offline_and_holds_its_caveats(studio, browser, tmp_path):
    studio.choose("5 Report")
    studio.press("Write the report")
    assert studio.sees("Report (one HTML file)", seconds=120)
    path = tmp_path / "report.html"
    path.write_bytes(studio.download("Report (one HTML file)"))
    context = browser.new_context(offline=True, viewport={"width": 1100, "height": 900})
    page, wrong = context.new_page(), []
    page.set_default_timeout(90_000)
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path.as_uri())
    # A figure is drawn when it comes into view.
    page.locator(".picture").first.scroll_into_view_if_needed()
    page.wait_for_selector(".picture .main-svg")
    text = page.inner_text("body")
    for words in (CAVEAT, "by construction", "hidden"):
        assert words in text
    assert set(page.evaluate(PRINTED)) == {round(180 / 25.4 * 96)}
    assert page.pdf(format="A4").startswith(b"%PDF")
    context.close()
    assert wrong == []
