"""Deaths coded 1 = died, 2 = lived: every screen of the Clinical page names the level it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core.clinical import checks
from mapdp_studio.core.statistics.resampling import Protocol
from tests.pages.test_clinical_page import finish, locked, page_on, press, visit
from tests.tables.deaths import deaths_frame

BARE = re.compile(r"(?:deaths|tremor)(?! = 1)")
VIEWS = {
    "roles": ("", [""]),
    "groups": (
        "groups_view",
        ["At a glance", "Profiles", "Two groups", "Yes/no and scores", "Profile cards"],
    ),
    "hold": (
        "hold_view",
        [
            "Chance or severity",
            "Other patients",
            "Other starts",
            "How many groups",
            "Pairs",
            "Other settings",
            "Sites",
        ],
    ),
    "t_tests": ("t_test_mode", ["Two groups", "One against all others", "All pairs"]),
    "outcomes": ("validators_view", ["Effects", "Negative controls", "Missing cells"]),
    "patient": ("", ["In the table"]),
    "report": ("report_view", ["Methods", "Checklist", "Files"]),
    "more": ("more_view", ["The 2016 paper's analysis"]),
}
#: Where a bare name may stand, and what beside it says all: no level is counted there, or every
#: one is named.
NEED_NONE = {
    ("groups", "Profiles", "plotly_chart"): "contribution",  # of a column, whatever its level
    ("groups", "Yes/no and scores", "dataframe"): "Yes is",
    ("more", "The 2016 paper's analysis", "dataframe"): "Yes is",
    ("t_tests", "Two groups", "plotly_chart"): r"\"ticktext\":[\"2\",\"1\"]",
    ("t_tests", "One against all others", "plotly_chart"): r"\"ticktext\":[\"2\",\"1\"]",
    ("t_tests", "All pairs", "plotly_chart"): r"\"ticktext\":[\"2\",\"1\"]",
    ("outcomes", "Missing cells", "dataframe"): "",
    ("patient", "In the table", "plotly_chart"): " = 2",  # that patient's own answer
}

#: What is read in sections that need not name a column; a patient may have
#: neither.
READ = {
    "hold": "were drawn anew",
    "patient": "spoke for",
    "more": "Expected by chance",
}


@pytest.fixture(scope="module")
def deaths(ready) -> AppTest:
    frame = deaths_frame(missing=0.05)
    of_codes = {"family": "bernoulli", "levels": (2, 1)}
    changes = {"tremor": of_codes, "age": {"role": "validator"}}
    page = locked(page_on(frame, changes | {"deaths": of_codes | {"role": "validator"}}))
    with pytest.MonkeyPatch.context() as patch:  # few draws name the same levels
        patch.setattr(Protocol, "preview", classmethod(lambda kind, seed=0: kind(2, 2, 1, seed)))
        patch.setattr(checks, "QUICK", 1)
        press(visit(page, "groups"), "Preview: 20 draws")
        finish(page)
    return page


def elements(block) -> Iterator[tuple[str, str]]:
    """Kind and content of everything on a screen: words, tables and figures."""
    for child in getattr(block, "children", {}).values():
        yield from elements(child)
    kind = getattr(block, "type", "")
    if kind in ("dataframe", "table", "arrow_table", "arrow_data_frame"):
        yield "dataframe", block.value.to_csv()
    elif getattr(block, "proto", None) is not None and not getattr(block, "children", None):
        yield kind, str(block.proto).replace("\\\\", "\\")


@pytest.mark.parametrize("section", list(VIEWS))
def test_every_screen_names_the_level(deaths, section):
    key, views = VIEWS[section]
    read = ""
    for view in views:
        if key:
            deaths.session_state[key] = view
        for kind, content in elements(visit(deaths, section).main):
            read += content
            for mention in BARE.finditer(content):
                around = content[max(0, mention.start() - 60) : mention.end() + 40]
                assert (section, view, kind) in NEED_NONE, around
                assert NEED_NONE[section, view, kind] in content, around
    assert re.search(READ.get(section, "(?:deaths|tremor) = 1"), read)
