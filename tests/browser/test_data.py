"""The data page in a real browser: what is loaded, refused, changed and kept."""

from __future__ import annotations

import pytest

ROWS = range(40)
GOOD = "\n".join(["height,visits", *(f"{150 + i * 0.75},{i % 7}" for i in ROWS)]).encode()


def table(header: str, *lines: str) -> bytes:
    return "\n".join([header, *lines]).encode()


@pytest.fixture(scope="module", autouse=True)
def data_page(studio):
    studio.open("data")


@pytest.fixture
def good(studio):
    if studio.page.locator("summary").filter(has_text="good.csv").count() == 0:
        studio.upload("good.csv", GOOD)
    assert studio.has_table("good.csv")


def test_a_file_over_the_cap_is_refused_and_the_table_before_stays(studio, good, tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(301 * 1024**2)
    studio.page.locator('input[type="file"]').first.set_input_files(path)
    assert studio.sees("300.0MB")
    assert studio.has_table("good.csv")


def test_names_with_markdown_and_html_fetch_nothing(studio):
    asked = []
    studio.page.on("request", lambda request: asked.append(request.url))
    header = '![x](http://127.0.0.1:9/a.png),<img src="http://127.0.0.1:9/b.png">,**c** $d$,id'
    lines = (f"{i * 1.5},{i * 2.5},{i % 4},{i}" for i in ROWS)
    studio.upload("![x](http://127.0.0.1:9/c.png) www.e.example.csv", table(header, *lines))
    for tab in ("Prepare", "Rows", "Columns"):
        studio.page.get_by_role("tab", name=tab).click()
        studio.settle()
    assert [url for url in asked if ":9/" in url] == []
    assert studio.page.locator('a[href*="e.example"], a[href*=":9/"]').count() == 0


def choose(studio, row: int, likelihood: str) -> None:
    """Pick a likelihood in the column table: a click selects the cell, Enter opens its list."""
    editor = studio.page.locator('[data-testid="stDataFrame"]').first
    editor.scroll_into_view_if_needed()
    box = editor.bounding_box()
    studio.page.mouse.click(box["x"] + 500, box["y"] + 38 + 35 * row + 17)
    studio.settle()
    studio.page.keyboard.press("Enter")
    option = studio.page.get_by_role("option", name=likelihood, exact=True)
    option.click()
    studio.settle()
    if option.count():  # a list that has just opened may lose a click
        option.click()
        studio.settle()


def test_a_likelihood_that_does_not_fit_is_refused_with_its_reason(studio):
    studio.upload("below 0.csv", table("a,b", *(f"{i * 2},{i * 1.5}" for i in ROWS), "-3,2"))
    assert studio.has_table("below 0.csv")
    choose(studio, 0, "count (Poisson)")
    assert studio.sees("Not changed.")
    assert studio.sees("negative")
    assert studio.sees("measurement (normal)")


def test_a_changed_likelihood_stays_across_pages(studio, good):
    choose(studio, 1, "category")
    assert studio.sees("Set by hand.")
    studio.page.get_by_role("link", name="Start").click()
    studio.page.wait_for_selector("text=Find patient subgroups")
    studio.page.get_by_role("link", name="Data").click()
    studio.page.wait_for_selector("text=Clustered on")
    studio.settle()
    assert studio.sees("Set by hand.")


def test_read_again_keeps_what_was_decided_and_undo_leads_back(studio, good):
    assert studio.sees("Set by hand. Suggested:")
    studio.page.locator(".st-key-source summary").click()
    studio.settle()
    boxes = studio.page.get_by_test_id("stSelectbox")
    boxes.filter(has=studio.page.get_by_text("Encoding", exact=True)).get_by_role(
        "button"
    ).last.click()
    studio.page.get_by_role("option", name="cp1252", exact=True).click()
    studio.settle()
    studio.page.get_by_role("button", name="Read again").click()
    studio.settle()
    assert studio.sees("As you decided before: 1 column.")
    assert studio.sees("Set by hand. Suggested:")
    for _ in range(2):  # reading again, the likelihood
        studio.page.locator(".st-key-undo button").first.click()
        studio.settle()
    assert "Set by hand" not in studio.page.text_content("body")


def test_an_import_option_reads_the_file_again(studio):
    studio.upload("codes.csv", table("a,b", *(f"{i * 1.5},x{i % 3}" for i in ROWS)))
    studio.page.locator(".st-key-source summary").click()
    studio.settle()
    studio.page.get_by_label("Names in line (0: none)").fill("0")
    studio.page.get_by_label("Values from line").fill("1")
    studio.page.get_by_label("Values from line").press("Enter")
    studio.settle()
    studio.page.get_by_role("button", name="Read again").click()
    studio.settle()
    assert studio.sees("column 1")


def test_the_page_fits_both_widths_in_all_its_tabs(studio, good, pictures):
    for width in (1440, 800):
        studio.resize(width)
        for tab in ("Prepare", "Rows", "Columns"):
            studio.page.get_by_role("tab", name=tab).click()
            studio.settle()
            assert studio.screenshot(f"data-{tab.lower().replace(' ', '-')}", pictures) == 0
    studio.resize(1440)


ASKING = table(
    "a,b,c,kind",
    *(f"{i * 1.37},{i * i % 17},{-1 if i % 9 == 0 else i % 5},{'xy'[i % 2]}" for i in ROWS),
)


def test_a_question_is_answered_by_one_click_and_undone(studio):
    studio.upload("asking.csv", ASKING)
    assert studio.sees("Does -1 in")
    line = studio.page.locator(".st-key-questions")
    line.get_by_text("A plain value").click()
    studio.settle()
    assert studio.sees("as you said")
    assert line.get_by_text("Does -1 in").count() == 0
    studio.page.locator(".st-key-undo button").first.click()
    studio.settle()
    assert studio.sees("Does -1 in")


def test_fifteen_columns_are_in_sight_below_three_questions(studio):
    names = [f"m{j}" for j in range(14)]
    rows = (
        ",".join([*(f"{(i * (j + 3)) % 41 + 0.5 * j}" for j in range(14)), "xy"[i % 2]])
        for i in range(60)
    )
    studio.upload("many.csv", table(",".join([*names, "diagnosis"]), *rows))
    assert studio.has_table("many.csv")
    studio.page.get_by_role("tab", name="Columns").click()
    studio.settle()
    box = studio.page.locator('[data-testid="stDataFrame"]').first.bounding_box()
    assert box["height"] >= 15 * 32
    assert box["y"] + box["height"] + 2 * 48 <= 900  # with room for two more lines
