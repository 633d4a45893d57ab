"""How many rows a method that prices every pair takes, said before it starts."""

from __future__ import annotations

#: Rows whose square matrix is kept: beyond them half a gigabyte is not enough.
MOST_ROWS = 2**13


def check_pairs(n_rows: int, method: str) -> None:
    """Refuse a table with too many pairs of rows.

    Raises
    ------
    ValueError
        Names the memory that it would take, and a sample that fits.
    """
    if n_rows > MOST_ROWS:
        gigabytes = 8 * n_rows**2 / 1e9
        raise ValueError(
            f"{method} compares every pair of rows: {n_rows:,} rows would take {gigabytes:,.1f} GB "
            f"of memory. Give it a sample of at most {MOST_ROWS:,} rows."
        )
