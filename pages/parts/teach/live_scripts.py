"""The live board's scripts as one text: a browser loads a component's script by itself."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "live"
#: From the ground up: each uses those before it.
FILES = (
    "places",
    "centroids",
    "kmeans",
    "dpmeans",
    "clusters",
    "mapdp",
)


def live_scripts() -> str:
    """All of them."""
    return "\n".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in FILES)
