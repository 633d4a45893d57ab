"""Deaths coded 1 = died, 2 = lived: every screen of the Clinical page names the level it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_clinical_page import (
    STEPS,
    VIEWS,
    few_draws,  # noqa: F401  a fixture
    locked,
    page_on,
    visit,
)
from tests.tables.deaths import deaths_frame

BARE = re.compile(r"(?:deaths|tremor)(?! = 1)")
#: Where a bare name may stand, and what beside it says all: no level is counted there, or every
#: one is named.
NEED_NONE = {
    ("groups", "What drove the groups", "plotly_chart"): "contribution",
    ("groups", "Missing cells", "dataframe"): "",
    ("t_tests", "", "plotly_chart"): r"\"ticktext\":[\"2\",\"1\"]",
    ("groups", "A patient", "plotly_chart"): " = 2",  # that patient's own answer
}


@pytest.fixture(scope="module")
def deaths(ready, few_draws) -> AppTest:  # noqa: F811
    of_codes = {"family": "bernoulli", "levels": (2, 1)}
    changes = {"tremor": of_codes, "age": {"role": "validator"}}
    changes["deaths"] = of_codes | {"role": "validator"}
    return locked(page_on(deaths_frame(missing=0.05), changes))


def elements(block) -> Iterator[tuple[str, str]]:
    """Kind and content of everything on a screen: words, tables and figures."""
    for child in getattr(block, "children", {}).values():
        yield from elements(child)
    kind = getattr(block, "type", "")
    if kind in ("dataframe", "table", "arrow_table", "arrow_data_frame"):
        yield "dataframe", block.value.to_csv()
    elif getattr(block, "proto", None) is not None and not getattr(block, "children", None):
        yield kind, str(block.proto).replace("\\\\", "\\")


@pytest.mark.parametrize(
    ("step", "view"), [*((step, "") for step in STEPS), *(("groups", view) for view in VIEWS)]
)
def test_every_screen_names_the_level(deaths, step, view):
    read = ""
    for kind, content in elements(visit(deaths, step, view).main):
        read += content
        for mention in BARE.finditer(content):
            around = content[max(0, mention.start() - 60) : mention.end() + 40]
            assert (step, view, kind) in NEED_NONE, around
            assert NEED_NONE[step, view, kind] in content, around
    assert view or step == "report" or re.search("(?:deaths|tremor) = 1", read)
