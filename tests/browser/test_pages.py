"""Every page in a real browser: room at both widths, a frame, doors that bring their data."""

import numpy as np

#: Titles of pages, and their tabs that are wide.
PAGES = {
    "Data": ("Prepare", "Rows", "Columns"),
    "Compare": ("Two methods", "Consensus"),
    "Clusters": ("Columns", "Rows", "Merge and name"),
    "Take away": (),
    "Stability": (),
    "Views": (),
    "Missing values": ("Missing together", "Filled in"),
    "New rows": (),
    "Snapshots": (),
    "About": (),
}


def table() -> bytes:
    """A mixed table in three groups, which a column names, with holes."""
    random, lines = np.random.default_rng(6), ["patient,height,mass,visits,sex,species"]
    for i, group in enumerate(np.repeat([0, 1, 2], 40)):
        height = f"{random.normal(150 + 15 * group, 3):.1f}" if i % 7 else ""
        mass, visits = random.normal(50 + 12 * group, 3), random.poisson(1 + 4 * group)
        lines.append(
            f"P{i:03d},{height},{mass:.2f},{visits},{'fm'[random.integers(2)]},kind {'abc'[group]}"
        )
    return "\n".join(lines).encode()


def test_start_draws_both_answers_at_once_and_its_doors_bring_their_data(studio):
    doors = {"Open the first one": "halfway between", "Open the cohort": "parkinsonism"}
    for button, heading in doors.items():
        studio.open()
        assert studio.sees("MAP-DP learns each width", seconds=5)  # stored: no engine is needed
        studio.page.locator(".scatterlayer").nth(1).wait_for()  # drawn after the words below it
        assert studio.overflow(1440, 800) == {}
        studio.page.get_by_role("button", name=button).click()
        assert studio.sees(heading, seconds=120)


def test_a_page_reached_first_has_its_frame_and_a_part_of_the_pages_is_no_page(studio, browser):
    page = browser.new_page()
    page.goto(f"{studio.address}/compute")
    page.get_by_role("heading", name="MAP-DP Studio").wait_for(timeout=90_000)
    page.close()
    studio.open("data")
    assert studio.page.title() == "Data"
    assert studio.page.get_by_role("link", name="Start").count() == 1


def test_every_page_has_room_at_both_widths(studio):
    studio.upload("mixed.csv", table())
    for title, tabs in PAGES.items():
        studio.go(title)
        if title == "Compare":
            assert studio.sees("All results belong to these settings.", seconds=120)
        for tab in tabs or ("",):
            if tab:
                studio.tab(tab)
            assert studio.overflow(1440, 800) == {}, f"{title} {tab}"
