"""Questions about a table that its cells cannot answer, each with the answers to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

from .spec import BY_HAND, ColumnSpec, SchemaError

ABOUT = (
    *("label", "outcome", "weight", "repeat", "background"),
    *("missing", "identifier", "headers", "order"),
)
#: Roles in which a column still has its say in the groups.
_HEARD = ("cluster", "weight")

# The fields of a column that settle a question when somebody sets one of them.
_SETTLED_BY = {
    "label": {"role"},
    "outcome": {"role"},
    "weight": {"role"},
    "repeat": {"role"},
    "background": {"role"},
    "identifier": {"role"},
    "missing": {"missing_codes", "special", "special_codes", "taken_as"},
    "order": {"levels", "reading", "family"},
    "headers": frozenset(),
}


class Answerable(Protocol):
    """All that an answer needs of a schema: its class holds questions, so it is unknown here."""

    def __getitem__(self, name: str) -> ColumnSpec: ...

    def with_column(self, name: str, **changes: Any) -> Self:
        """Return the same with some fields of one column changed."""

    def settled(self, about: str, columns: Sequence[str]) -> Self:
        """Return the same without the question about those columns."""


Asked = TypeVar("Asked", bound=Answerable)


@dataclass(frozen=True)
class Answer:
    """One answer: called with a schema, it returns the schema that follows from it.

    Parameters
    ----------
    text : str
        What stands on its button.
    changes : mapping of str to mapping
        What becomes of each column, as for ``Schema.with_column``; empty to leave all as it is.
    about : str
        Of the question.
    columns : tuple of str
        Of the question.
    """

    text: str
    changes: Mapping[str, Mapping[str, Any]]
    about: str = ""
    columns: tuple[str, ...] = ()

    def __call__(self, schema: Asked) -> Asked:
        """Return the schema with the answer carried out and the question settled.

        Raises
        ------
        SchemaError
            A column is not there any more, or cannot be changed so.
        """
        for name, changes in self.changes.items():
            said = {k: v for k, v in changes.items() if k != "role" or v != schema[name].role}
            if self.about == "order" and "reason" in said:  # no likelihood is chosen against it
                said["reason"] = f"{BY_HAND} {said['reason']}"
            schema = schema.with_column(name, **said)
        return schema.settled(self.about, self.columns)

    @property
    def discards(self) -> bool:
        """Whether it throws information away: cells become missing, or a column is kept out."""
        return any(
            changes.get("role", "cluster") not in _HEARD or changes.get("missing_codes")
            for changes in self.changes.values()
        )

    def __hash__(self) -> int:
        return hash((self.text, self.about, self.columns))


@dataclass(frozen=True)
class Question:
    """What a person is asked about some columns.

    Parameters
    ----------
    about : str
        One of ``ABOUT``.
    columns : tuple of str
    text : str
        The question.
    answers : tuple of Answer
        The best guess first.
    is_taken : bool
        Whether the best guess is carried out before the first fit unless somebody said otherwise.
    """

    about: str
    columns: tuple[str, ...]
    text: str
    answers: tuple[Answer, ...]
    is_taken: bool = False

    def __post_init__(self) -> None:
        if self.about not in ABOUT:
            raise SchemaError(f"'{self.about}' is nothing to ask about; choose one of {ABOUT}.")
        columns = tuple(self.columns)
        object.__setattr__(self, "columns", columns)
        answers = (replace(a, about=self.about, columns=columns) for a in self.answers)
        object.__setattr__(self, "answers", tuple(answers))

    @property
    def primary(self) -> Answer | None:
        """The answer to offer in colour: the best guess, unless that throws information away."""
        first = next(iter(self.answers), None)
        return None if first is None or (first.discards and not self.is_taken) else first

    def is_settled_by(self, name: str, changes: Mapping[str, Any]) -> bool:
        """Whether setting those fields of a column by hand answers it."""
        return name in self.columns and not _SETTLED_BY[self.about].isdisjoint(changes)

    def renamed(self, names: Mapping[str, str]) -> Question:
        """The same question about columns that have other names now."""
        answers = (
            Answer(a.text, {names.get(name, name): c for name, c in a.changes.items()})
            for a in self.answers
        )
        columns = tuple(names.get(name, name) for name in self.columns)
        return Question(self.about, columns, self.text, tuple(answers), self.is_taken)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON."""
        answers = [
            {"text": a.text, "changes": {name: dict(c) for name, c in a.changes.items()}}
            for a in self.answers
        ]
        return {
            "about": self.about,
            "columns": list(self.columns),
            "text": self.text,
            "answers": answers,
            "is_taken": self.is_taken,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Question:
        """Rebuild from ``to_dict``; a TypeError or ValueError says that it cannot be."""
        answers = tuple(
            Answer(str(entry["text"]), {str(n): dict(c) for n, c in dict(entry["changes"]).items()})
            for entry in data["answers"]
        )
        columns = tuple(map(str, data["columns"]))
        taken = bool(data.get("is_taken", False))
        return cls(data["about"], columns, str(data["text"]), answers, taken)
