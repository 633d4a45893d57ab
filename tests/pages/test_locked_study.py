"""Another table over a locked study is asked about first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.session.table import Table
from mapdp_studio.pages import Session

FRAME = pd.DataFrame({"height": np.arange(160.0, 180.0), "weight": np.arange(60.0, 100.0, 2.0)})


def data_page() -> None:
    from functools import partial

    import streamlit as st

    from mapdp_studio.pages import session
    from mapdp_studio.pages.parts.data.locked_study import take_or_ask
    from mapdp_studio.pages.parts.data.source import _open, choose_table

    content = b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(30))
    take = partial(_open, "other.csv", content)
    st.button("Drop a file", on_click=take_or_ask, args=("other.csv", take))
    choose_table(session())


@pytest.fixture
def dropped() -> AppTest:
    studio = Session()
    schema = Schema([ColumnSpec(name, "normal") for name in FRAME])
    studio.take(Table(FRAME, "mine.csv", "1234"), schema)
    studio.settings = Settings(concentration=50.0)
    studio.study.lock_in(FRAME, schema, Plan())
    at = AppTest.from_function(data_page, default_timeout=30)
    at.session_state["studio"] = studio
    return press(at.run(), "Drop a file")


def press(at: AppTest, label: str) -> AppTest:
    next(button for button in at.button if button.label.replace("\\", "") == label).click().run()
    assert not at.exception
    return at


def test_a_dropped_file_waits_for_the_answer(dropped):
    studio = dropped.session_state["studio"]
    assert studio.study.lock is not None
    assert "are locked" in dropped.warning[0].value
    press(dropped, "Keep the locked study")
    assert not dropped.warning
    assert studio.table.name == "mine.csv"


def test_only_then_it_takes_the_place_of_the_study(dropped):
    press(dropped, "Go on with other.csv")
    studio = dropped.session_state["studio"]
    assert studio.table.name == "other.csv"
    assert studio.study.lock is None
    assert (studio.settings, dropped.session_state["n0"]) == (Settings(), 3.0)
    press(dropped, "Drop a file")  # of nothing locked nobody is asked
    assert not dropped.warning
