"""The start page in a real browser."""

from __future__ import annotations

import pytest


def test_it_says_what_it_is_and_draws_both_answers(studio, pictures):
    studio.open()
    assert studio.sees("MAP-DP learns each width", seconds=180)
    studio.page.locator(".scatterlayer").nth(1).wait_for()  # drawn after the words below it
    assert studio.screenshots("start", pictures) == {1440: 0, 800: 0}


@pytest.mark.parametrize(
    ("button", "heading"),
    [("Open the first one", "halfway between two centres"), ("Open the cohort", "parkinsonism")],
)
def test_a_door_brings_its_data_at_once(studio, button, heading):
    studio.open()
    studio.page.get_by_role("button", name=button).click()
    assert studio.sees(heading, seconds=120)


def test_a_page_reached_first_has_its_frame(studio):
    studio.open("data")
    assert studio.page.title() == "Data"
    assert studio.page.get_by_role("link", name="Start").count() == 1


def test_a_part_of_the_pages_is_no_page(browser, server):
    page = browser.new_page()
    page.goto(f"{server}/compute")
    page.get_by_role("heading", name="MAP-DP Studio").wait_for(timeout=90_000)
    page.close()
