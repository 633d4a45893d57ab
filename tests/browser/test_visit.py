"""A visit in a real browser: reload, other tabs, what is taken away, forgetting."""

import io

import numpy as np
import pandas as pd

from mapdp_studio.core import load_model, read_table
from tests.studio import Studio
from tests.tables.awkward_names import FRAME

CSV = FRAME.to_csv(index=False).encode()


def test_a_reload_loses_nothing_and_a_link_holds_no_table(studio):
    studio.open("data")
    studio.upload("mine.csv", CSV)
    studio.go("Compare")
    assert studio.sees("All results belong")
    studio.move("Concentration", "ArrowRight")
    assert studio.in_address("n0=5")
    studio.page.reload()
    assert studio.sees("mine.csv")
    assert studio.sees("All results belong")
    assert studio.in_address("n0=5")
    assert "mine" not in studio.page.url
    studio.settle()  # what is drawn anew under a click loses it
    studio.page.locator(".st-key-undo button").first.click()  # the model that the table chose
    studio.page.locator(".st-key-redo button:enabled").first.wait_for()
    assert studio.sees("All results belong")
    assert studio.in_address("n0=5")


def test_a_reload_in_a_fit_and_five_moves_of_a_slider_end_in_one_answer(browser, server):
    rows = np.random.default_rng(3).normal(size=(5_000, 12)) + 3 * (np.arange(5_000) % 5)[:, None]
    other = Studio(browser.new_context().new_page(), server)
    other.open("compare?methods=MAPDP,CollapsedGibbs")  # which read what is moved
    assert other.sees("Load a table of your own")  # and nothing of what another tab holds
    assert other.page.get_by_text("mine.csv").count() == 0
    other.go("Data")
    other.upload("long.csv", pd.DataFrame(rows).add_prefix("c").to_csv(index=False).encode())
    other.go("Compare")
    # The model, as suggested; where it is chosen already, Stop would be that of the fits.
    other.page.evaluate("""document.querySelector('[class*="st-key-stop-"] button')?.click()""")
    other.page.wait_for_selector(".st-key-panels .js-plotly-plot")
    other.page.get_by_role("slider", name="Concentration").focus()
    for _ in range(5):
        other.page.keyboard.press("ArrowRight")
        other.page.wait_for_timeout(350)
    assert other.in_address("n0=30")
    assert other.page.get_by_text("All results belong").count() == 0  # a fit goes on
    other.page.reload()
    assert other.sees("long.csv")
    assert other.sees("All results belong", 240)
    assert other.in_address("n0=30")
    assert other.errors == []
    other.page.context.close()


def test_what_is_taken_away_is_whole_and_what_is_forgotten_stays_forgotten(studio):
    studio.go("Take away")
    assert studio.sees("Every row with its group")
    table = pd.read_csv(io.BytesIO(studio.download("CSV")))
    names = ["größe 😀", "'=weight", "visits", 'kind "of"', "cluster", "cluster label from 0"]
    assert list(table) == names
    assert {*table['kind "of"'].dropna()} == {"a", "'-b", "c"}
    model = load_model(studio.download("JSON"))
    again = read_table(CSV, name="mine.csv")
    assert model.predict(again).tolist() == table["cluster label from 0"].tolist()
    assert b'"mine.csv"' in studio.download("Settings")
    assert b"read_table('mine.csv'" in studio.download("Python script")
    studio.press("Write the report")
    studio.button("HTML").wait_for()
    assert b"</html>" in studio.download("HTML")
    studio.go("About")
    studio.page.locator('.st-key-session_bar [data-testid="stPopover"] button').first.click()
    studio.page.get_by_role("button", name="Forget my data").click()
    studio.page.get_by_text("Your table, settings and results are gone.").wait_for()
    assert studio.sees("What the words mean")
    for _ in range(2):
        studio.open("compare")
        assert studio.sees("Load a table of your own")
        assert studio.page.get_by_text("mine.csv").count() == 0
