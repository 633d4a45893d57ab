"""A widget that stands there no more changes nothing.

Streamlit numbers a widget by its key and by what can be chosen. While the server is about to draw
one with other choices, a visitor may still turn the one before, whose callback would then ask its
key for a value that the new one does not have yet.
"""

from __future__ import annotations

from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.state.session_state import SessionState


def overlook_replaced_widgets() -> None:
    """Let no callback run of a widget in whose place another one stands."""
    is_changed = SessionState._widget_changed

    def is_changed_where_it_stands(state: SessionState, widget: str) -> bool:
        key = user_key_from_element_id(widget)
        stands = widget if key is None else state._key_id_mapper.get_id_from_key(key, widget)
        return stands == widget and is_changed(state, widget)

    SessionState._widget_changed = is_changed_where_it_stands  # type: ignore[method-assign]
