"""Below which number counts are hidden in files, asked beside the button that saves them."""

from __future__ import annotations

from mapdp_studio.core.clinical.small_counts import OFF, THRESHOLDS
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.kit import choose_one


def ask_least(studio: Session) -> int:
    """The threshold for this table: an example is public, so that nothing is hidden of it."""
    is_own = studio.table.example is None
    return choose_one(
        "Hide counts of patients below",
        [OFF, *THRESHOLDS],
        "clinical_least" if is_own else "clinical_least_example",
        default=THRESHOLDS[0] if is_own else OFF,
        format_func=lambda least: "Off" if least == OFF else f"{least}",
        help="And the next smallest where one would follow from a printed total. Many registries "
        "ask for 10. Off is for a ward's own records and for public data. A person should look "
        "before a file is passed on.",
    )
