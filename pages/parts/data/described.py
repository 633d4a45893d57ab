"""The values of every column in a few words, looked at once a table."""

from __future__ import annotations

from mapdp_studio.core.profiling.profiles import in_words
from mapdp_studio.pages import Session


def described(studio: Session) -> dict[str, tuple[str, float]]:
    """Of each column: its values in words, and the share of its missing cells."""
    frame = studio.table.frame
    return studio.results.latest(
        "described",
        studio.table.digest,
        lambda: {name: (in_words(frame[name]), float(frame[name].isna().mean())) for name in frame},
    )
