"""The cells of a table without what its file says of them."""

from __future__ import annotations

import pandas as pd


def cells_alone(frame: pd.DataFrame) -> pd.DataFrame:
    """The table without its ``attrs``, which pandas copies in full with every column it takes."""
    cells = frame.copy(deep=False)
    cells.attrs = {}
    return cells
