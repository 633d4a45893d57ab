"""Step "Do they hold up?": chance and severity, other patients, other starts, other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.checks import check_line, checks_of
from mapdp_studio.pages.parts.clinical.sensitivity import sensitivity
from mapdp_studio.pages.parts.clinical.severity import severity
from mapdp_studio.pages.parts.clinical.sites import sites
from mapdp_studio.pages.parts.clinical.stability import number, pairs, patients, starts
from mapdp_studio.pages.parts.clinical.work import groups_to_compare
from mapdp_studio.pages.parts.shared.kit import choose_one

VIEWS: Mapping[str, Callable[[Session, Checks], None]] = MappingProxyType(
    {
        "Chance or severity": severity,
        "Other patients": patients,
        "Other starts": starts,
        "How many groups": number,
        "Pairs": pairs,
        "Other settings": sensitivity,
        "Sites": sites,
    }
)


def hold(studio: Session) -> None:
    """One sort of evidence at a time, under the line that makes the checks."""
    found = groups_to_compare(studio)
    if found is None:
        return
    check_line(studio, found)
    view = choose_one("View", list(VIEWS), "hold_view", label_visibility="collapsed")
    VIEWS[view](studio, checks_of(studio, found))
