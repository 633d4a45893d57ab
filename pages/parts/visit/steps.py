"""The steps that can be undone, as plain values: kept where the table itself is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mapdp_studio.core import Schema, infer_schema
from mapdp_studio.core.comparing.comparison import clustered_part, tasks
from mapdp_studio.core.exports.settings_file import Saved, settings_from_dict
from mapdp_studio.core.prepare.names import RenameColumns
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.step import Step
from mapdp_studio.core.session.history import History
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from mapdp_studio.pages.parts.compare.settings import nearest_settings
from mapdp_studio.pages.parts.visit.decisions import Decisions

#: Parts of a schema that many states have alike.
_TOLD_ONCE = ("columns", "priors")


def steps_to_dict(history: History[Decisions]) -> dict[str, Any]:
    """All states; columns and priors that stand in several of them alike are written once.

    Of those that differ in nothing that is written the first stands for all.
    """
    all_states, now = history.states, len(history.states) - 1 - history.steps_forward
    told_apart = [
        place
        for place, state in enumerate(all_states)
        if place == 0 or state.plain != all_states[place - 1].plain
    ]
    places: dict[str, int] = {}
    states = []
    for state in (all_states[place] for place in told_apart):
        schema = state.plain["schema"]
        told = {
            part: [places.setdefault(text, len(places)) for text in schema[part]]
            for part in _TOLD_ONCE
            if part in schema
        }
        states.append(state.plain | {"schema": schema | told})
    forward = sum(place > now for place in told_apart)
    return {"columns": list(places), "states": states, "forward": forward}


def without_reasons(schema: Schema) -> Schema:
    """A schema without the reasons of its guesses, which tell of values in the table."""
    return _saying(schema, dict.fromkeys(schema, ""))


def with_reasons(schema: Schema, guessed: Schema) -> Schema:
    """The schema with the reasons that its columns were guessed for."""
    return _saying(schema, {name: spec.reason for name, spec in guessed.items()})


def _saying(schema: Schema, reasons: Mapping[str, str]) -> Schema:
    specs = [replace(spec, reason=reasons.get(spec.name, "")) for spec in schema.values()]
    return schema.of_specs(specs)


def steps_from_dict(data: Mapping[str, Any], work: Work) -> History[Decisions]:
    """The states that are about the table as it is read now, to be undone and done again.

    Raises
    ------
    ValueError, TypeError, LookupError
        These are no steps, or another table's.
    """
    known = [json.loads(text) for text in data["columns"]]
    tables = {work.table.recipe: (work.table, work.suggested)}
    history: History[Decisions] = History()
    for entries in data["states"]:
        schema = entries["schema"]
        told = {
            part: [known[place] for place in schema[part]] for part in _TOLD_ONCE if part in schema
        }
        saved = settings_from_dict(dict(entries) | {"schema": schema | told})
        if saved.options != work.table.options:
            history = History()  # what was decided before the file was read like this
            continue
        if saved.recipe not in tables:
            recipe = saved.recipe.with_tables(work.table.recipe.tables)
            tables[saved.recipe] = _prepared(work, recipe)
        table, suggested = tables[saved.recipe]
        saved = replace(saved, schema=with_reasons(saved.schema, suggested))
        history.note(_state(saved, table, suggested, bool(entries["penalty fits"])))
    for _ in range(min(int(data["forward"]), history.steps_back)):
        history.undo()
    return history


def _prepared(work: Work, recipe: Recipe) -> tuple[Table, Schema]:
    """The table after other steps than now, and what its columns are guessed to be."""
    table = work.table.prepared(recipe)
    if _but_names(recipe) != _but_names(work.table.recipe):
        return table, infer_schema(table.frame).by_default()
    return table, work.suggested.renamed(work.table.done.names_in(table.done, work.suggested))


def _but_names(recipe: Recipe) -> tuple[Step, ...]:
    return tuple(step for step in recipe.steps if not isinstance(step, RenameColumns))


def _state(saved: Saved, table: Table, suggested: Schema, penalty_fits: bool) -> Decisions:
    settings, schema = nearest_settings(saved.settings), saved.schema
    wanted = tasks(table.digest, schema, settings, len(table.frame), saved.namings)
    return Decisions(
        table,
        suggested,
        schema,
        settings,
        saved.algorithm,
        {wanted[name]: naming for name, naming in saved.namings.items()},
        (table.digest, clustered_part(schema)) if penalty_fits else None,
    )
