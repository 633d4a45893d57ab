"""The start page in a real browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mapdp_studio.core import MAPDP, KMeansBIC
from mapdp_studio.core.partitions.scores import match_labels
from mapdp_studio.demo_datasets import load_scenario

ANSWERS = Path(__file__).parents[2] / "pages" / "parts" / "shared" / "start.json"


def test_it_says_what_it_is_and_draws_both_answers_at_once(studio, pictures):
    studio.open()
    assert studio.sees("MAP-DP learns each width", seconds=5)  # stored: the engine is not needed
    studio.page.locator(".scatterlayer").nth(1).wait_for()  # drawn after the words below it
    assert studio.screenshots("start", pictures) == {1440: 0, 800: 0}


def test_the_stored_answers_are_those_of_the_library():
    points, truth = load_scenario("5.1", n=1000, seed=0)
    stored = json.loads(ANSWERS.read_text())
    kmeans = KMeansBIC(k_min=3, k_max=3, n_init=10, random_state=0).fit(points.to_numpy())
    mapdp = MAPDP(likelihood="gaussian", random_state=0).fit(points.to_numpy())
    for name, model in (("kmeans", kmeans), ("mapdp", mapdp)):
        labels = match_labels(truth, model.labels_)
        assert "".join(map(str, labels)) == stored[name]


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
