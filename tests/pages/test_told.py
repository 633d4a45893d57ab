"""What a component tells reaches whoever asked, and nobody once the component is gone."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_a_click_on_a_chart_that_has_left_with_its_page_does_nothing():
    def page() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.shared.told import when_told

        st.session_state["there"] = {"rows": [3, 4]}
        when_told("there", "rows", lambda rows: st.text(f"there {rows}"))()
        when_told("there", "rows", None)()
        when_told("gone", "rows", lambda rows: st.text(f"gone {rows}"))()

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert [one.value for one in at.text] == ["there [3, 4]"]
