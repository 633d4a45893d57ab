"""Saved settings taken up for the table at hand."""

from __future__ import annotations

from ..comparing.comparison import tasks
from ..exports.settings_file import Saved, SettingsFileError, fitting_schema
from ..methods.settings import Settings
from ..schema.infer import infer_schema
from .work import LOCKED, Work


def take_up(work: Work, saved: Saved, settings: Settings) -> list[str]:
    """Decide everything about a table as saved, but for how its file is read.

    Parameters
    ----------
    work : Work
    saved : Saved
    settings : Settings
        Those saved, or the nearest that whoever asks can show.

    Returns
    -------
    list of str
        A sentence on each thing that does not fit.

    Raises
    ------
    SettingsFileError, PrepareError
        They belong to another table, or the roles are locked.
    """
    if saved.recipe != work.table.recipe:
        work.prepare(saved.recipe.with_tables(work.table.recipe.tables))
    table = work.table
    schema, remarks = fitting_schema(saved.schema, infer_schema(table.frame).by_default())
    remarks += saved.notices
    if not schema.names("cluster"):
        raise SettingsFileError("These settings belong to another table: no column fits.")
    if work.study.lock is not None and schema != work.schema:
        raise SettingsFileError(LOCKED)
    work.take_choice(schema)  # or what was decided without one
    work.settings, work.algorithm, work.compared = settings, saved.algorithm, saved.compared
    n_rows = len(table.frame)
    if saved.shape[0] != n_rows:
        remarks.append(
            f"The settings were saved with {saved.shape[0]:,} rows and this table has "
            f"{n_rows:,}: names and merges of groups are left out."
        )
        return remarks
    wanted = tasks(table.digest, schema, settings, n_rows, saved.namings)
    work.naming |= {wanted[algorithm]: naming for algorithm, naming in saved.namings.items()}
    return remarks
