"""The steps that can be undone, as plain values: kept where the table itself is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core import Schema
from core.comparing.comparison import clustered_part, tasks
from core.exports.settings_file import Saved, settings_from_dict
from core.session.history import History
from core.session.work import Table, Work, digest_of
from pages.parts.compare.settings import nearest_settings
from pages.parts.visit.decisions import Decisions

#: Parts of a schema that many states have alike.
_TOLD_ONCE = ("columns", "priors")


def steps_to_dict(history: History[Decisions]) -> dict[str, Any]:
    """All states; columns and priors that stand in several of them alike are written once."""
    places: dict[str, int] = {}
    states = []
    for state in history.states:
        schema = state.plain["schema"]
        told = {
            part: [places.setdefault(text, len(places)) for text in schema[part]]
            for part in _TOLD_ONCE
            if part in schema
        }
        states.append(state.plain | {"schema": schema | told})
    return {"columns": list(places), "states": states, "forward": history.steps_forward}


def without_reasons(schema: Schema) -> Schema:
    """A schema without the reasons of its guesses, which tell of values in the table."""
    return _saying(schema, dict.fromkeys(schema, ""))


def reasons_by_first_name(schema: Schema, renamed: Mapping[str, str]) -> dict[str, str]:
    """Why each column was taken for what it is, by the name that it came with."""
    came = {now: first for first, now in renamed.items()}
    return {came.get(name, name): schema[name].reason for name in schema}


def with_reasons(schema: Schema, reasons: Mapping[str, str], renamed: Mapping[str, str]) -> Schema:
    """The schema with ``reasons_by_first_name`` of the same table."""
    return _saying(schema, {renamed.get(first, first): why for first, why in reasons.items()})


def _saying(schema: Schema, reasons: Mapping[str, str]) -> Schema:
    specs = [replace(spec, reason=reasons.get(spec.name, "")) for spec in schema.values()]
    return schema.of_specs(specs)


def steps_from_dict(
    data: Mapping[str, Any], work: Work, reasons: Mapping[str, str]
) -> History[Decisions]:
    """The states that are about the table as it is read now, to be undone and done again.

    ``reasons`` are those of its columns, ``reasons_by_first_name``.

    Raises
    ------
    ValueError, TypeError, LookupError
        These are no steps, or another table's.
    """
    known = [json.loads(text) for text in data["columns"]]
    tables = {tuple(work.table.renamed.items()): work.table}
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
        renamed = tuple(saved.renamed.items())
        table = tables.setdefault(renamed, _renamed(work.table, saved.renamed))
        saved = replace(saved, schema=with_reasons(saved.schema, reasons, saved.renamed))
        history.note(_state(saved, table, work, bool(entries["penalty fits"])))
    for _ in range(min(int(data["forward"]), history.steps_back)):
        history.undo()
    return history


def _renamed(table: Table, renamed: Mapping[str, str]) -> Table:
    """The table with its columns called otherwise than now."""
    frame = table.frame.rename(columns=_new_names(table, renamed))
    frame.attrs = table.frame.attrs
    digest = digest_of(table.digest, renamed)
    return replace(table, frame=frame, digest=digest, renamed=dict(renamed))


def _new_names(table: Table, renamed: Mapping[str, str]) -> dict[str, str]:
    """Names as they were given, by those that the columns have now."""
    came = {now: first for first, now in table.renamed.items()}
    firsts = {name: came.get(name, name) for name in table.frame}
    return {name: renamed.get(first, first) for name, first in firsts.items()}


def _state(saved: Saved, table: Table, work: Work, penalty_fits: bool) -> Decisions:
    settings, schema = nearest_settings(saved.settings), saved.schema
    wanted = tasks(table.digest, schema, settings, len(table.frame), saved.namings)
    return Decisions(
        table,
        work.suggested.renamed(_new_names(work.table, saved.renamed)),
        schema,
        settings,
        saved.algorithm,
        {wanted[name]: naming for name, naming in saved.namings.items()},
        (table.digest, clustered_part(schema)) if penalty_fits else None,
    )
