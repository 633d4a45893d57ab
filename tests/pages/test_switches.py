"""Whatever switch is turned on whatever page, whatever the table: no traceback."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TESTING_KEY, Block

from mapdp_studio.core import ReadOptions, infer_schema
from mapdp_studio.core.exports.settings_file import load_settings, save_settings
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.plan import LOCK
from tests.odd_tables import ODD_TABLES
from tests.pages.conftest import page, press, run, settle, shown, visit_of
from tests.tables import holed

#: Switches as AppTest names them.
KINDS = ("toggle", "checkbox", "radio", "selectbox", "button_group")
#: Of a longer list, such as one of rows, so many choices; and turns of one page, at most.
MOST, MOST_TURNS = 6, 400
FRAME = holed.FRAME.assign(site=np.resize(["north", "south"], 75), known=holed.GROUP)
#: All but Teach, on a table that was read from a file.
ON_A_TABLE = (
    *("start", "data", "compare", "clusters", "clinical", "take_away", "stability", "views"),
    *("snapshots", "missing", "new_rows", "about"),
)


@pytest.fixture
def visit() -> Session:
    schema = infer_schema(FRAME).with_column("known", role="label")
    schema = schema.with_column("site", role="group")
    read = {"source": FRAME.to_csv(index=False).encode(), "options": ReadOptions()}
    return visit_of(FRAME, schema=schema, **read)


@pytest.mark.parametrize("name", ON_A_TABLE)
def test_every_switch_of_a_page_can_be_turned(name, visit):
    Visit(name, visit).turn_all()


@pytest.mark.usefixtures("few_draws")
def test_every_switch_of_a_locked_study_can_be_turned(visit):
    clicked = Visit("clinical", visit)
    press(clicked.at, LOCK)
    clicked.run("locked")
    assert clicked.visit.study.lock
    assert len(clicked.turn_all()) > 20


@pytest.mark.usefixtures("small_room")
def test_every_switch_of_teach_can_be_turned():
    # What is measured in the background has tests of its own, and takes minutes.
    turned = Visit("teach", Session(), waits=False).turn_all()
    some = {"teach_bic": "True", "teach_views": "Drag it", "teach_six": "Far outliers"}
    assert {*turned} > {*some.items()}


#: Tabs of pages, each of which is opened on odd tables.
TABBED = {
    "clusters": ["Columns", "Rows", "Merge and name", "What if"],
    "missing": ["Missing together", "Filled in"],
    "compare": ["Marked rows", "Two methods", "Consensus"],
}


@pytest.mark.parametrize("table", ODD_TABLES)
def test_an_odd_table_goes_through_every_page_and_tab(table):
    visit = visit_of(ODD_TABLES[table])
    for name in (*TABBED, "new_rows", "clinical", "stability", "snapshots"):
        for tab in TABBED.get(name, [None]):
            assert not page(name, visit, tab).error
    assert set(visit.results.fitted.values()) == {1}
    at, schema = page("data", visit), visit.schema
    asked = [one for one in at.pills if (one.key or "").startswith("digest-")]
    assert len({one.key for one in asked}) == len(schema.questions)
    for question, choice in zip(schema.questions, asked, strict=True):
        if choice.value is not None:  # what is shown is what holds
            held = question.answers[choice.value]
            assert held.step is None
            assert held(schema) == schema
    run(page("take_away", visit).button(key="write_report").click())
    job = visit.jobs._newest["Writing the report"]
    assert job.wait(60)
    assert job.failure == ""
    assert len(job.result) > 1e6
    assert load_settings(save_settings(visit.project.saved())).schema == schema


class Visit:
    """One page, on which everything is turned; tabs, which are no switch to AppTest, by a key."""

    def __init__(self, name: str, visit: Session, waits: bool = True, **asked: str) -> None:
        self.visit, self.waits, self.tab, self.tabs = visit, waits, None, f"{name}_tab"
        self.at = shown(name, visit, **asked)
        self.run("opened")

    def run(self, switch: Any) -> None:
        """Run the page, and again when what that began in the background is there."""
        if self.tab is not None:
            self.at.session_state[self.tabs] = self.tab
        self.at.run()
        assert not self.at.exception, switch
        if self.waits:
            settle(self.at, ())
            jobs = self.visit.jobs._newest.values()
            assert not [job.failure for job in jobs if job.failure], switch
        else:
            self.visit.jobs.clear()

    def turn_all(self) -> list[tuple[str, str]]:
        """Turn every switch to every choice, those of each tab before the page's; what was."""
        turned: list[tuple[str, str]] = []
        for place, tab in enumerate([tab.label for tab in self.at.tabs]):
            self.tab = tab
            self.run(tab)
            while self._turn_another(self.at.tabs[place], turned):
                pass
        while self._turn_another(self.at, turned):
            pass
        return turned

    def _turn_another(self, place: AppTest | Block, turned: list[tuple[str, str]]) -> bool:
        """Turn a switch to a choice that is left; those that lead elsewhere, at its top, last."""
        for kind in KINDS:
            for switch in reversed(getattr(place, kind)):
                choices = getattr(switch, "options", (True, False))[:MOST]
                for choice in () if switch.disabled else choices:
                    name = switch.key or switch.label, str(choice)
                    if name not in turned:
                        turned.append(name)
                        assert len(turned) < MOST_TURNS
                        self._set(switch, choice)
                        self.run(name)
                        return True
        return False

    def _set(self, switch: Any, choice: Any) -> None:
        """Turn a switch; a choice is given as the page writes it, as a browser does."""
        if hasattr(switch, "options"):
            formats, options = self.at.session_state[TESTING_KEY], switch.options
            written = formats[switch.id]
            formats[switch.id] = lambda one: one if one in options else written(one)
        takes_several = switch.type == "button_group" and not switch._is_single_select
        switch.set_value([choice] if takes_several else choice)
