"""A schema as a table to read, and several of its columns changed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from .spec import ROLES, ColumnSpec

if TYPE_CHECKING:
    from .schema import Schema

#: What has a column of its own in the table, or is told in none.
_APART = ("name", "family", "role", "reason", "special_codes")
#: Of one column: a family, a role, or some of the fields of ``Schema.with_column``.
Change = str | Mapping[str, Any]


class ShownSchema(Mapping[str, ColumnSpec]):
    """What a schema looks like in a notebook, and changes to many of its columns."""

    def __repr__(self) -> str:
        schema = cast("Schema", self)
        lines = [f"  {spec.name}: {spec.family}, {spec.role}" for spec in self.values()]
        for block in schema.blocks.values():
            lines.append(f"  block {block.name}: {block.family} of {', '.join(block.columns)}")
        for question in schema.questions:
            choices = " / ".join(answer.text for answer in question.answers)
            lines.append(f"  question ({question.about}): {question.text} [{choices}]")
        return "Schema(\n" + "\n".join(lines) + "\n)"

    def to_frame(self) -> pd.DataFrame:
        """One row a column: ``column``, ``role``, ``family``, ``options``, ``block``, ``reason``.

        All cells are text; options are those that are not as they are by default.
        """
        blocks = {name: b.name for b in cast("Schema", self).blocks.values() for name in b.columns}
        lines = [
            {
                "column": spec.name,
                "role": spec.role,
                "family": spec.family or "",
                "options": ", ".join(_options(spec)),
                "block": blocks.get(spec.name, ""),
                "reason": spec.reason,
            }
            for spec in self.values()
        ]
        return pd.DataFrame(
            lines, columns=["column", "role", "family", "options", "block", "reason"]
        )

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, border=0)

    def with_columns(self, changes: Mapping[str, Change]) -> Schema:
        """Return a schema with several columns changed.

        Parameters
        ----------
        changes : mapping of str to str or mapping
            By column: a family ("poisson"), a role ("validator"), or fields as for
            ``with_column`` ({"family": "normal", "transform": "log"}).

        Raises
        ------
        SchemaError
            As ``with_column``.

        Examples
        --------
        >>> import pandas as pd
        >>> from mapdp_studio import infer_schema
        >>> frame = pd.DataFrame({"visits": [0, 3, 1] * 9, "died": ["no", "yes", "no"] * 9})
        >>> schema = infer_schema(frame).with_columns({"visits": "poisson", "died": "control"})
        >>> schema["visits"].family, schema["died"].role
        ('poisson', 'control')
        """
        schema = cast("Schema", self)
        for name, change in changes.items():
            if isinstance(change, str):
                change = {"role" if change in ROLES else "family": change}
            schema = schema.with_column(name, **change)
        return schema


def _options(spec: ColumnSpec) -> Iterable[str]:
    for field in fields(spec):
        value = getattr(spec, field.name)
        if field.name not in _APART and value not in (field.default, None, ()):
            listed = isinstance(value, tuple)
            yield f"{field.name}: {' < '.join(map(str, value)) if listed else value}"
