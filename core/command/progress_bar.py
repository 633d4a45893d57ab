"""How far a long fit is, on a line of the terminal that is written anew."""

from __future__ import annotations

import math
import sys

from ..models.progress import Progress

WIDTH = 24


def show_progress(progress: Progress) -> None:
    """Draw it, where somebody looks: a log would keep every one of them."""
    if not sys.stderr.isatty():
        return
    share = min(progress.done / max(progress.total, 1), 1.0)
    filled = "#" * round(share * WIDTH)
    known = f"  K = {progress.n_clusters}" if progress.n_clusters else ""
    if known and math.isfinite(progress.objective):
        known += f"  E = {progress.objective:,.1f}"
    print(
        f"\r[{filled:<{WIDTH}}] {progress.phase}{known}\x1b[K", end="", file=sys.stderr, flush=True
    )


def clear_progress() -> None:
    """Leave the line empty."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
