"""The analyst's way in a real browser: mark, cluster again, explain, merge, fill, score."""

from __future__ import annotations

import csv

import numpy as np
import pytest

RANDOM = np.random.default_rng(6)
GROUP = np.repeat([0, 1, 2], 40)


def table(rows: np.ndarray, ids: str = "P") -> bytes:
    """A mixed table with holes as a CSV file; one row a group that is asked for."""
    lines = ["patient,height,mass,visits,sex"]
    for i, group in enumerate(rows):
        height = f"{RANDOM.normal(150 + 15 * group, 3):.1f}" if i % 7 else ""
        mass, visits = RANDOM.normal(50 + 12 * group, 3), RANDOM.poisson(1 + 4 * group)
        lines.append(f"{ids}{i:03d},{height},{mass:.2f},{visits},{'fm'[RANDOM.integers(2)]}")
    return "\n".join(lines).encode()


def go(studio, page: str) -> None:
    """Follow the link to a page, which may stand behind "More"."""
    link = studio.page.get_by_role("link", name=page, exact=True)
    if link.count() == 0:
        studio.page.get_by_text("More", exact=True).first.click()
        link = studio.page.get_by_text(page, exact=True)
    link.first.click()
    studio.page.get_by_role("heading", name=page, level=1).wait_for()
    studio.settle()


def tab(studio, name: str) -> None:
    studio.page.get_by_role("tab", name=name, exact=True).click()
    studio.settle()


def mark(studio, panel: int, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag over a panel, in shares of its width and height, until rows are marked."""
    for _ in range(3):  # a drag over a figure that is drawn anew at that moment is lost
        drag(studio, panel, start, end)
        for _ in range(50):
            if studio.marked()[0] is not None:
                studio.settle()
                return
            studio.page.wait_for_timeout(100)
    raise AssertionError("Dragging marked nothing.")


def drag(studio, panel: int, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag over a panel, in shares of its width and height."""
    box = studio.page.locator(".js-plotly-plot .nsewdrag").nth(panel).bounding_box()
    at = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)]
    studio.page.mouse.move(*at[0])
    studio.page.mouse.down()
    studio.page.mouse.move(*np.mean(at, axis=0).tolist())
    studio.page.mouse.move(*at[1])
    studio.page.mouse.up()


@pytest.fixture(scope="module")
def analyst(studio):
    studio.open()
    go(studio, "Data")
    studio.upload("cohort.csv", table(GROUP))
    assert studio.has_table("cohort.csv")
    go(studio, "Compare")
    assert studio.sees("All results belong to these settings.", seconds=180)
    studio.settle()
    return studio


def test_rows_marked_in_one_panel_stand_out_in_all_and_are_listed(analyst):
    mark(analyst, 1, (0.55, 0.02), (0.99, 0.98))
    first, *others = analyst.marked()
    assert 5 < len(first) < 115
    assert len(others) == 4
    assert all(other == first for other in others)
    tab(analyst, "Marked rows")
    assert analyst.sees(f"Marked: {len(first)} of 120 rows")


def test_marked_rows_are_clustered_again_and_left_again(analyst):
    count = len(analyst.marked()[0])
    analyst.page.get_by_role("button", name="Cluster these rows again").click()
    assert analyst.sees(f"You are looking at a part, {count} of 120 rows")
    assert analyst.sees("All results belong to these settings.", seconds=120)
    analyst.page.get_by_role("button", name="Back to all of them").click()
    analyst.settle()
    assert analyst.sees("120 rows, clustered on")
    assert analyst.page.get_by_text("You are looking at a part").count() == 0


def test_two_methods_and_the_consensus_are_drawn(analyst, pictures):
    tab(analyst, "Two methods")
    assert analyst.sees("lie off the matched pairs of groups")
    tab(analyst, "Consensus")
    assert analyst.sees("How near each method is to the consensus")
    assert analyst.screenshots("consensus", pictures) == {1440: 0, 800: 0}


def test_groups_are_profiled_merged_and_named(analyst, pictures):
    go(analyst, "Clusters")
    assert analyst.sees("All groups side by side")
    assert analyst.screenshots("clusters", pictures) == {1440: 0, 800: 0}
    tab(analyst, "Merge and name")
    name = analyst.page.get_by_label("Cluster 1, 40 rows")
    name.fill("tall")
    analyst.page.get_by_role("button", name="Use these names").click()
    analyst.settle()
    analyst.page.locator(".st-key-merge button").click()
    assert analyst.sees("K = 2 (of 3 fitted)")
    analyst.settle()
    assert analyst.sees("tall")
    assert analyst.sees("80 rows")


def test_a_row_is_explained(analyst, pictures):
    tab(analyst, "Rows")
    analyst.page.get_by_role("textbox", name="Find a row").fill("P007")
    analyst.page.keyboard.press("Enter")
    assert analyst.sees("placed using 3 of 4 columns")
    assert analyst.sees("Missing, so silent: height.")
    assert analyst.screenshots("why", pictures) == {1440: 0, 800: 0}


def test_holes_are_filled_on_request_and_dropping_is_judged(analyst, pictures):
    go(analyst, "Missing values")
    assert analyst.sees("Commonest combinations")
    assert analyst.screenshots("missing", pictures) == {1440: 0, 800: 0}
    tab(analyst, "Filled in")
    analyst.page.get_by_role("button", name="Fill the missing cells").click()
    assert analyst.sees("Cell by cell")
    analyst.settle()
    with analyst.page.expect_download() as download:
        analyst.page.get_by_role("button", name="Filled table (CSV)").click()
    with open(download.value.path(), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 120
    assert all(row["height"] for row in rows)
    tab(analyst, "If incomplete rows were dropped")
    analyst.page.get_by_role("button", name="Fit the complete rows alone").click()
    assert analyst.sees("18 of 120")


def test_a_second_file_is_scored_and_what_does_not_match_is_named(analyst, pictures):
    go(analyst, "New rows")
    lines = table(np.array([0, 1, 2, 2]), ids="N").decode().replace("height", "Height").split("\n")
    lines.append("N999,900,-500,3,x")
    file = {"name": "second.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    analyst.page.locator('input[type="file"]').first.set_input_files(files=[file])
    assert analyst.sees("Row by row")
    assert analyst.sees("is taken for")
    assert analyst.sees("values the model never met")
    assert analyst.sees("Most probably in none of these groups: 1 of 5 rows")
    assert analyst.screenshots("new-rows", pictures) == {1440: 0, 800: 0}
