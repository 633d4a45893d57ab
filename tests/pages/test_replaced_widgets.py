"""A widget in whose place another one stands changes nothing."""

from __future__ import annotations

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState, WStates

from mapdp_studio.pages.parts.visit.replaced_widgets import overlook_replaced_widgets

BEFORE, NOW, WITHOUT_KEY = "$$ID-0a-result_of", "$$ID-1b-result_of", "$$ID-2c-None"


def same(value):
    """What a widget's value is turned into."""
    return value


@pytest.mark.parametrize(("widget", "is_answered"), [(BEFORE, 0), (NOW, 1), (WITHOUT_KEY, 1)])
def test_only_what_stands_there_is_answered(monkeypatch, widget, is_answered):
    answered: list[str] = []
    monkeypatch.setattr(SessionState, "_widget_changed", SessionState._widget_changed)
    monkeypatch.setattr(WStates, "call_callback", lambda _, widget: answered.append(widget))
    overlook_replaced_widgets()
    state = SessionState()
    for drawn in (BEFORE, NOW, WITHOUT_KEY):
        state._new_widget_state.set_widget_metadata(
            WidgetMetadata(drawn, same, same, "string_value", callback=answered.clear)
        )
        if drawn != WITHOUT_KEY:
            state._set_key_widget_mapping(drawn, "result_of")
    told = WidgetStates()
    told.widgets.add(id=widget, string_value="E-M")
    state.on_script_will_rerun(told)
    assert answered == is_answered * [widget]
