"""A visit in a real browser: reload, other tabs, what is taken away, forgetting."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd

from mapdp_studio.core import load_model, read_table
from tests.browser.conftest import Studio

RANDOM = np.random.default_rng(4)
GROUP = np.repeat([0, 1], 30)
FRAME = pd.DataFrame(
    {
        "=height": RANDOM.normal(160.0, 3.0, 60) + 15.0 * GROUP,
        "kind": np.array(["-a", "b"])[GROUP],
        "größe 😀": RANDOM.normal(60.0, 3.0, 60) + 12.0 * GROUP,
    }
)
CSV = FRAME.to_csv(index=False).encode()


def _to(studio: Studio, title: str) -> None:
    """Go to a page by the top bar, which keeps the visit."""
    link = studio.page.locator('[data-testid="stTopNavLink"]').filter(has_text=title)
    if not link.count():
        studio.page.get_by_text("More", exact=True).first.click()
        link = studio.page.locator('[data-testid="stTopNavDropdownLink"]').filter(has_text=title)
    link.first.click()
    studio.page.get_by_role("heading", name=title, exact=True).wait_for()
    studio.settle()


def _more_concentration(studio: Studio) -> None:
    slider = studio.page.locator('[data-testid="stSlider"]').filter(has_text="Concentration")
    slider.get_by_role("slider").focus()
    studio.page.keyboard.press("ArrowRight")
    studio.settle()


def _address(studio: Studio, setting: str) -> None:
    """Wait until the address holds a setting."""
    studio.page.wait_for_url(lambda address: setting in address)


def _bytes(studio: Studio, name: str) -> bytes:
    studio.settle()  # what is drawn anew under a click saves nothing
    with studio.page.expect_download() as download:
        studio.page.get_by_role("button", name=name, exact=True).first.click()
    return download.value.path().read_bytes()


def test_a_reload_loses_nothing_and_a_link_holds_no_table(studio):
    studio.open("data")
    studio.upload("mine.csv", CSV)
    assert studio.has_table("mine.csv")
    _to(studio, "Compare")
    assert studio.sees("All results belong", 60)
    _more_concentration(studio)
    _address(studio, "n0=5")
    studio.page.reload()
    assert studio.sees("mine.csv")
    assert studio.sees("All results belong", 60)
    _address(studio, "n0=5")
    assert "mine" not in studio.page.url
    studio.settle()  # what is drawn anew under a click loses it
    studio.page.locator(".st-key-undo button").first.click()  # the model that the table chose
    assert studio.sees("All results belong", 60)
    _address(studio, "n0=5")


def test_another_tab_sees_nothing_of_it(studio, browser, server):
    other = Studio(browser.new_context().new_page(), server)
    other.open("compare")
    assert other.page.get_by_text("mine.csv").count() == 0
    assert other.sees("Load a table of your own")
    # A copied tab brings the key of the first along, and shares its visit.
    key = studio.page.evaluate("sessionStorage.getItem('mapdp_studio_tab')")
    copy = Studio(studio.page.context.new_page(), server)
    copy.page.add_init_script(f"sessionStorage.setItem('mapdp_studio_tab', '{key}');")
    copy.open("compare")
    assert copy.sees("mine.csv")
    copy.open("compare?example=iris")  # which asks, and takes nothing from the first
    copy.page.get_by_role("button", name="Keep my table").click()
    assert copy.sees("mine.csv")
    assert copy.errors == other.errors == []
    copy.page.close()
    other.page.context.close()


def test_a_reload_in_the_middle_of_a_fit_and_five_moves_of_a_slider_end_in_one_answer(
    browser, server
):
    rows = np.random.default_rng(3).normal(size=(8_000, 12)) + 3 * (np.arange(8_000) % 5)[:, None]
    content = pd.DataFrame(rows).add_prefix("c").to_csv(index=False).encode()
    other = Studio(browser.new_context().new_page(), server)
    other.open("data")
    other.upload("long.csv", content)
    assert other.has_table("long.csv")
    _to(other, "Compare")
    other.page.get_by_role("button", name="Stop").first.click()  # the model, as suggested
    slider = other.page.locator('[data-testid="stSlider"]').filter(has_text="Concentration")
    other.page.wait_for_selector(".st-key-panels .js-plotly-plot")
    slider.get_by_role("slider").focus()
    for _ in range(5):
        other.page.keyboard.press("ArrowRight")
        other.page.wait_for_timeout(350)
    _address(other, "n0=30")
    other.page.reload()
    assert other.sees("long.csv")
    assert other.sees("All results belong", 240)
    _address(other, "n0=30")
    assert other.errors == []
    other.page.context.close()


def test_what_is_taken_away_is_whole(studio, pictures, tmp_path, browser):
    _to(studio, "Take away")
    assert studio.sees("Every row with its group", 60)
    table = pd.read_csv(io.BytesIO(_bytes(studio, "CSV")))
    assert list(table) == ["'=height", "kind", "größe 😀", "cluster", "cluster number"]
    assert set(table["kind"]) == {"'-a", "b"}
    parquet = pd.read_parquet(io.BytesIO(_bytes(studio, "Parquet")))
    np.testing.assert_array_equal(parquet["=height"], FRAME["=height"])
    model = load_model(_bytes(studio, "JSON"))
    again = read_table(CSV, name="mine.csv")
    np.testing.assert_array_equal(model.predict(again), table["cluster number"])
    assert json.loads(_bytes(studio, "Settings"))["table"] == "mine.csv"
    assert b"read_table('mine.csv'" in _bytes(studio, "Python script")
    studio.page.get_by_role("button", name="Write the report").click()
    studio.page.get_by_role("button", name="HTML", exact=True).wait_for(timeout=90_000)
    assert max(studio.screenshots("take-away", pictures).values()) <= 0
    (tmp_path / "report.html").write_bytes(_bytes(studio, "HTML"))
    _opens_offline(browser, tmp_path / "report.html")


def _opens_offline(browser, report) -> None:
    page = browser.new_page()
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(report.as_uri())
    page.locator(".picture .main-svg").first.wait_for()
    page.pdf(format="A4")
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    page.close()


def test_the_other_pages_have_room(studio, pictures):
    for title in ("Stability", "Snapshots", "About"):
        _to(studio, title)
        assert max(studio.screenshots(title.lower(), pictures).values()) <= 0


def test_what_is_forgotten_stays_forgotten(studio):
    studio.page.locator('.st-key-session_bar [data-testid="stPopover"] button').first.click()
    studio.page.get_by_role("button", name="Forget my data").click()
    assert studio.sees("What the words mean")
    for _ in range(2):
        studio.open("compare")
        assert studio.sees("Load a table of your own")
        assert studio.page.get_by_text("mine.csv").count() == 0
