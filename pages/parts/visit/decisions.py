"""Everything a visitor decides about the current table, as one value that is undone and redone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from mapdp_studio.core import Schema
from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.session.table import Table
from mapdp_studio.pages import Session


@dataclass(frozen=True)
class Decisions:
    """Where things stand. Sliders are no decisions: they belong to the page's address."""

    #: As it was read and as its columns were named then.
    table: Table
    suggested: Schema
    schema: Schema
    #: Key of ``METHODS``.
    algorithm: str
    naming: Mapping[Task, Naming]
    #: Suggested steps that are not needed.
    declined: frozenset[str] = frozenset()

    @classmethod
    def of(cls, studio: Session) -> Decisions:
        """The visitor's decisions as they stand."""
        return cls(
            studio.table,
            studio.suggested,
            studio.schema,
            studio.algorithm,
            dict(studio.naming),
            studio.declined,
        )

    def restore(self, studio: Session) -> None:
        """Let everything stand like this again: to be called before the page is drawn."""
        studio.turn_to(self.table, self.suggested, self.schema)
        studio.algorithm = self.algorithm
        studio.naming, studio.declined = dict(self.naming), self.declined
        st.session_state["result_of"] = self.algorithm
