"""The Data page in a real browser: what is refused, fetched, changed in a cell, and in sight."""

import numpy as np
import pandas as pd

ROWS = range(40)


def pick(studio, row: int, likelihood: str) -> None:
    """Pick a likelihood in the column table: a click selects the cell, Enter opens its list."""
    editor = studio.page.locator('[data-testid="stDataFrame"]').first
    editor.scroll_into_view_if_needed()
    box = editor.bounding_box()
    studio.page.mouse.click(box["x"] + 500, box["y"] + 38 + 35 * row + 17)
    studio.settle()
    studio.page.keyboard.press("Enter")
    studio.click(studio.page.get_by_role("option", name=likelihood, exact=True))


def test_the_limit_is_said_and_names_with_markdown_and_html_fetch_nothing(studio):
    studio.open("data")
    assert studio.sees("300MB per file")
    asked = []
    studio.page.on("request", lambda request: asked.append(request.url))
    header = '![x](http://127.0.0.1:9/a.png),<img src="http://127.0.0.1:9/b.png">,**c** $d$,id'
    lines = [header, *(f"{i * 1.5},{i * 2.5},{i % 4},{i}" for i in ROWS)]
    name = "![x](http://127.0.0.1:9/c.png) www.e.example.csv"
    studio.upload(name, "\n".join(lines).encode(), seen_as="![x](")
    for tab in ("Prepare", "Rows", "Columns"):
        studio.tab(tab)
    assert [url for url in asked if ":9/" in url] == []
    assert studio.page.locator('a[href*="e.example"], a[href*=":9/"]').count() == 0


def test_a_likelihood_is_changed_in_its_cell_and_stays_or_is_refused_and_why(studio, tmp_path):
    lines = ["a,b", *(f"{i * 2},{i % 7}" for i in ROWS), "-3,2"]
    studio.upload("below 0.csv", "\n".join(lines).encode())
    pick(studio, 0, "count (Poisson)")
    assert studio.sees("Not changed.")
    assert studio.sees("negative")
    pick(studio, 1, "category")
    assert studio.sees("Set by hand.")
    studio.go("Compare")
    studio.go("Data")
    assert studio.sees("Set by hand.")
    with (tmp_path / "huge.csv").open("wb") as file:
        file.truncate(301 * 1024**2)
    studio.page.locator('input[type="file"]').first.set_input_files(tmp_path / "huge.csv")
    assert studio.sees("300.0MB")
    assert studio.has_table("below 0.csv")


def test_fifteen_columns_are_in_sight_below_three_questions(studio):
    frame = pd.DataFrame({f"m{j}": np.arange(60) * (j + 3) % 41 + 0.5 * j for j in range(14)})
    frame["diagnosis"] = ["x", "y"] * 30
    studio.upload("many.csv", frame.to_csv(index=False).encode())
    studio.tab("Columns")
    columns = studio.page.get_by_test_id("stDataFrame").first
    box = studio.until(columns.bounding_box, lambda box: box["height"] >= 15 * 32)
    assert box["y"] + box["height"] + 2 * 48 <= 900  # with room for two more lines
