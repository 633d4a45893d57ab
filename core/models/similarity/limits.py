"""How many rows a method that prices every pair takes, said before it starts."""

from __future__ import annotations

#: Numbers of a square matrix that are kept: beyond it half a gigabyte is not enough.
MOST_PAIRS = 2**26


def check_pairs(n_rows: int, method: str) -> None:
    """Refuse a table with too many pairs of rows.

    Raises
    ------
    ValueError
        Names the memory that it would take, and a sample that fits.
    """
    most = int(MOST_PAIRS**0.5)
    if n_rows > most:
        gigabytes = 8 * n_rows**2 / 1e9
        raise ValueError(
            f"{method} compares every pair of rows: {n_rows:,} rows would take {gigabytes:,.1f} GB "
            f"of memory. Give it a sample of at most {most:,} rows."
        )
