"""What else a column could be: other likelihoods to try, and what such a change is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..families import FAMILIES
from .schema import Schema
from .transforms import rescaled_in_words

#: Fields of a column, as for ``Schema.with_column``.
Change = Mapping[str, Any]
LEFT_OUT: Change = {"role": "ignore"}
#: What to try in place of a likelihood.
LIKELIHOODS: Mapping[str, tuple[Change, ...]] = {
    "normal": ({"transform": "log"}, {"family": "exponential"}, {"family": "negative_binomial"}),
    "normal_known_variance": ({"family": "normal"},),
    "exponential": ({"family": "normal", "transform": "log"}, {"family": "normal"}),
    "poisson": ({"family": "negative_binomial"}, {"family": "geometric"}),
    "geometric": ({"family": "poisson"}, {"family": "negative_binomial"}),
    "negative_binomial": ({"family": "poisson"}, {"family": "geometric"}),
    "binomial": ({"family": "categorical"},),
}


def likelihoods(schema: Schema, name: str) -> tuple[Change, ...]:
    """Other likelihoods to try for a column; none for one of a block."""
    spec = schema[name]
    if any(name in block.columns for block in schema.blocks.values()):
        return ()
    if spec.transform is not None:
        return ({"transform": None},) if spec.transform == "log" else ()
    known = LIKELIHOODS.get(spec.family, ())
    return tuple(change for change in known if change.get("family", spec.family) in FAMILIES)


def in_words(change: Change) -> str:
    """Name of a change: "as count, long tail (geometric)", "in logarithms", "left out"."""
    if change.get("role") == "ignore":
        return "left out"
    if "transform" in change:
        return rescaled_in_words(change["transform"])
    return f"as {FAMILIES[change['family']].label}"
