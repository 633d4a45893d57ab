"""Columns that steps made of others: no file's, so that neither their place nor name says much."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd


def made_of(frame: pd.DataFrame) -> Mapping[str, tuple[str, ...]]:
    """Columns that steps computed, each with those that it was computed from, perhaps gone now."""
    return {name: of for name, of in frame.attrs.get("made", {}).items() if name in frame.columns}
