"""Changes of a schema: what to try for a column, and what a table chose, each with its nats."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ..families import FAMILIES
from ..wording import counted, listed
from .spec import Block, ColumnSpec
from .transforms import rescaled_in_words

#: Fields of a column, as for ``Schema.with_column``.
Change = Mapping[str, Any]
LEFT_OUT: Change = {"role": "ignore"}
LIKELIHOODS: Mapping[str, tuple[Change, ...]] = {
    "normal": ({"transform": "log"}, {"family": "exponential"}, {"family": "negative_binomial"}),
    "normal_known_variance": ({"family": "normal"},),
    "exponential": ({"family": "normal", "transform": "log"}, {"family": "normal"}),
    "poisson": ({"family": "negative_binomial"}, {"family": "geometric"}),
    "geometric": ({"family": "poisson"}, {"family": "negative_binomial"}),
    "negative_binomial": ({"family": "poisson"}, {"family": "geometric"}),
    "binomial": ({"family": "categorical"},),
}
MOST_NAMED = 6


@dataclass(frozen=True)
class Chosen:
    """One change of a schema, made because E is lower with it."""

    columns: tuple[str, ...]
    change: Mapping[str, Any] = field(default_factory=dict)
    gain: float | None = None
    before: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.change.get("family", "normal") not in FAMILIES:
            raise ValueError(f"'{self.change['family']}' is no family")

    @property
    def is_block(self) -> bool:
        """Whether columns were joined."""
        return len(self.columns) > 1

    def made(self, block: Block) -> bool:
        """Whether it joined the columns of a block."""
        return self.is_block and {*self.columns} == {*block.columns}

    @property
    def words(self) -> str:
        """What was done, for a list: "as category", "in logarithms", "together"."""
        return "together" if self.is_block else change_in_words(self.change)

    @property
    def worth(self) -> str:
        """Its gain, for the end of a sentence."""
        return "" if self.gain is None else f" (E falls by {counted(round(self.gain), 'log unit')})"

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The same of columns that have other names."""
        return replace(self, columns=tuple(names.get(name, name) for name in self.columns))


def likelihoods(schema: Any, name: str) -> tuple[Change, ...]:
    """Other likelihoods to try for a column of a ``Schema``; none for one of a block."""
    spec = schema[name]
    if any(name in block.columns for block in schema.blocks.values()):
        return ()
    if spec.transform is not None:
        return ({"transform": None},) if spec.transform == "log" else ()
    changes = LIKELIHOODS.get(spec.family, ())
    return tuple(change for change in changes if change.get("family", spec.family) in FAMILIES)


def change_in_words(change: Change) -> str:
    """Name of a change: "as count, long tail (geometric)", "in logarithms", "left out"."""
    if change.get("role") == "ignore":
        return "left out"
    transform = change.get("transform")
    if "family" not in change:
        return rescaled_in_words(transform)
    rescaled = "" if transform is None else f" {rescaled_in_words(transform)}"
    return f"as {FAMILIES[change['family']].label}{rescaled}"


def why(spec: ColumnSpec, chosen: Iterable[Chosen]) -> str:
    """Why a column is what it is: what was found in it, and what its model was chosen for."""
    texts = []
    for change in chosen:
        if spec.name in change.columns:
            others = [other for other in change.columns if other != spec.name]
            joined = f"together with {listed(others, MOST_NAMED)}"
            texts.append(f"{joined if change.is_block else change.words}{change.worth}")
    with_groups = f"Chosen with the groups: {', '.join(texts)}. " if texts else ""
    return f"{with_groups}{spec.reason}"


def joined_by_choice(chosen: Iterable[Chosen], name: str) -> bool:
    """Whether a column is in a block that E chose."""
    return any(change.is_block and name in change.columns for change in chosen)


def in_words(changes: Sequence[Chosen]) -> str:
    """One sentence about all changes."""
    if not changes:
        return "The table keeps the suggested likelihoods."
    by_words: dict[str, list[str]] = {}
    parts = []
    for change in changes:
        if change.is_block:
            parts.append(f"{listed(change.columns, MOST_NAMED)} together")
        else:
            by_words.setdefault(change.words, []).append(change.columns[0])
    parts += [f"{listed(names, MOST_NAMED)} {words}" for words, names in by_words.items()]
    return f"The table chose: {'; '.join(parts)}."
