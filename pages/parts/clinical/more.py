"""Under More: a second cohort, and the page as the 2016 paper would have had it."""

from __future__ import annotations

from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.paper import paper
from mapdp_studio.pages.parts.clinical.second import second
from mapdp_studio.pages.parts.shared.kit import choose_one

VIEWS = {"A second cohort": second, "The 2016 paper's analysis": paper}


def more(studio: Session) -> None:
    """One of both."""
    view = choose_one("View", list(VIEWS), "more_view", label_visibility="collapsed")
    VIEWS[view](studio)
