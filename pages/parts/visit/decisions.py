"""Everything a visitor decides about the current table, as one value: to undo, keep and reload."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import streamlit as st

from mapdp_studio.core import Schema
from mapdp_studio.core.comparing.comparison import Task, clustered_part, tasks
from mapdp_studio.core.exports.settings_file import Saved, settings_to_dict
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.session.table import Table
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import show_settings


@dataclass(frozen=True)
class Decisions:
    """Where things stand."""

    #: As it was read and as its columns were named then.
    table: Table
    suggested: Schema
    schema: Schema
    settings: Settings
    #: Key of ``METHODS``.
    algorithm: str
    naming: Mapping[Task, Naming]
    #: The table and schema that the penalty was suggested for, or set for.
    penalty_about: Hashable
    #: Suggested steps that are not needed. No part of ``plain``: they tell of cells.
    declined: frozenset[str] = frozenset()

    @classmethod
    def of(cls, studio: Session) -> Decisions:
        """The visitor's decisions as they stand."""
        return cls(
            studio.table,
            studio.suggested,
            studio.schema,
            studio.settings,
            studio.algorithm,
            dict(studio.naming),
            st.session_state.get("lambda_about"),
            studio.declined,
        )

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The same in plain values, without a cell; each column and each prior as one text.

        Reasons of guesses are left out, which tell of values in the table.
        """
        table, schema, settings = self.table, self.schema, self.settings
        names = [task.algorithm for task in self.naming]
        wanted = tasks(table.digest, schema, settings, len(table.frame), names)
        named = {name: self.naming[task] for name, task in wanted.items() if task in self.naming}
        told = schema, settings, self.algorithm, named, table.recipe
        data = settings_to_dict(Saved(table.name, table.frame.shape, table.options, *told))
        columns = [json.dumps(c | {"reason": ""}) for c in data["schema"]["columns"]]
        data["schema"] |= {"columns": columns}
        if schema.priors:
            data["schema"] |= {"priors": [json.dumps(p) for p in data["schema"]["priors"]]}
        return data | {"penalty fits": self.penalty_about == (table.digest, clustered_part(schema))}

    def only_suggests(self, latter: Decisions) -> bool:
        """Whether the latter differs in nothing but a penalty suggested for another schema."""
        settings = replace(
            latter.settings,
            penalty=self.settings.penalty,
            penalty_hint=self.settings.penalty_hint,
        )
        about = self.penalty_about
        return about != latter.penalty_about and self == replace(
            latter, settings=settings, penalty_about=about
        )

    def restore(self, studio: Session) -> None:
        """Let everything stand like this again: to be called before the page is drawn."""
        studio.turn_to(self.table, self.suggested, self.schema)
        studio.settings, studio.algorithm = self.settings, self.algorithm
        studio.naming, studio.declined = dict(self.naming), self.declined
        st.session_state["result_of"] = self.algorithm
        show_settings(self.settings, self.penalty_about)
