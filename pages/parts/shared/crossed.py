"""Two partitions of the same rows against each other, as every page draws them."""

from __future__ import annotations

from collections.abc import Sequence

from mapdp_studio.core.partitions.contingency import Contingency
from mapdp_studio.core.plots.heat_maps import contingency_figure
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours


def crossed(
    table: Contingency,
    down: tuple[str, Sequence[str]],
    across: tuple[str, Sequence[str]],
    key: str,
    name: str,
) -> None:
    """Draw how many rows every two groups share; each side is a title and its groups' names."""
    picture(
        contingency_figure(table, down, across, colours()["paper"]),
        key,
        f"Rows by their group under {down[0]}, down, and {across[0]}, across",
        name,
    )
