"""The step that is being made on Prepare, and the controls that its forms are built of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema
from mapdp_studio.core.prepare.step import Step

#: Levels offered in a list; others can be typed.
_MOST_LEVELS = 200


@dataclass(frozen=True)
class Draft:
    """The step that is being made."""

    #: The table that it is applied to.
    frame: pd.DataFrame
    #: What the form begins with; None for an empty one.
    step: Step | None
    #: Of the form's controls.
    key: str
    #: What the columns are taken for.
    schema: Schema = field(default_factory=lambda: Schema([]))
    #: The table before all steps.
    as_read: pd.DataFrame = field(default_factory=pd.DataFrame)
    #: Decimal sign of the file, and the one between thousands.
    signs: tuple[str, str] = (".", "")

    def told(self, field: str, otherwise: Any) -> Any:
        """What the form begins with in a field."""
        return otherwise if self.step is None else getattr(self.step, field)

    def names(self, kind: str = "any") -> list[str]:
        """Columns that suit: "number", "text" or "any"."""
        is_number = pd.api.types.is_numeric_dtype
        return [
            name
            for name in self.frame.columns
            if kind == "any" or is_number(self.frame[name]) == (kind == "number")
        ]

    def column(self, label: str, field: str, kind: str = "any", **looks: Any) -> str | None:
        """Choose a column."""
        names, told = self.names(kind), self.told(field, None)
        if told in self.frame.columns and told not in names:
            names = [told, *names]
        place = names.index(told) if told in names else None
        return st.selectbox(
            label,
            names,
            index=place,
            key=f"{self.key}-{field}",
            placeholder="Choose a column",
            filter_mode="contains",
            **looks,
        )

    def columns(self, label: str, field: str, kind: str = "any") -> tuple[str, ...]:
        """Choose several columns."""
        names = self.names(kind)
        told = [name for name in self.told(field, ()) if name in self.frame.columns]
        names += [name for name in told if name not in names]
        return tuple(
            st.multiselect(
                label, names, told, key=f"{self.key}-{field}", placeholder="Choose columns"
            )
        )

    def one_of(
        self, label: str, field: str, options: Sequence[str], otherwise: str = "", **looks: Any
    ) -> str:
        """Choose one of a few words, the first unless another is likelier."""
        told = self.told(field, otherwise)
        place = list(options).index(told) if told in options else 0
        key = f"{self.key}-{field}-{otherwise}"
        return st.selectbox(label, options, index=place, key=key, **looks)

    def text(self, label: str, field: str, otherwise: str, **looks: Any) -> str:
        """Type a text."""
        key = f"{self.key}-{field}-{otherwise}"
        return st.text_input(label, self.told(field, otherwise), key=key, **looks).strip()

    def levels(self, name: str) -> list[Any]:
        """Values of a column as plain Python values: numbers in their order, whole ones as such,
        of others the most frequent first.
        """
        counts = self.frame[name].value_counts().head(_MOST_LEVELS)
        values = [value.item() if hasattr(value, "item") else value for value in counts.index]
        if not all(isinstance(value, int | float) for value in values):
            return values
        return [int(v) if isinstance(v, float) and v.is_integer() else v for v in sorted(values)]
