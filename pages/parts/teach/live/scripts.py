"""The live board's scripts as one text: a browser loads a component's script by itself."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
#: From the ground up: each uses those before it, and the last makes the component.
FILES = (
    "words",
    "places",
    "centroids",
    "kmeans",
    "dpmeans",
    "clusters",
    "mapdp",
    "answers",
    "colouring",
    "regions",
    "picture",
    "marks",
    "sketch",
    "clouds",
    "presets",
    "hand",
    "clock",
    "sliders",
    "cards",
    "board",
    "component",
)
#: Of a race, which shares the clock.
RACE = ("words", "clock", "glide", "lane", "falling", "race", "race_component")


def live_scripts(files: tuple[str, ...] = FILES) -> str:
    """All of the board, or of another picture, as one text."""
    return "\n".join(live_text(f"{name}.js") for name in files)


def live_text(name: str) -> str:
    """One file of the board's."""
    return (FOLDER / name).read_text(encoding="utf-8")
