"""All tables that a study may hand out, small counts hidden; the slow part of its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from ..models.estimator import Callback
from ..models.progress import Progress
from ..release.allowed import ALLOWED
from ..release.door import only_named
from .checks import Checks
from .disclosure import told_columns, told_lines
from .distinctions import Distinctions
from .report_tables import adjusted_table, missing_table, table_one
from .subgroups import SMALLEST
from .t_test_lines import Choice, TTests
from .tables import pairs_table, score_table, size_table, yes_table
from .validation import Validation

#: Tables by file name, without its ending.
Tables = dict[str, pd.DataFrame]


def exported_tables(
    seen: Distinctions,
    checks: Checks,
    validation: Validation,
    tests: TTests | None,
    covariates: Sequence[str],
    least: int,
    callback: Callback | None = None,
) -> tuple[Tables, pd.DataFrame]:
    """Make the tables that are not empty, and which columns and groups they may tell all of.

    ``callback`` is told before each; what it raises ends the work.

    Returns
    -------
    tables : dict of str to DataFrame
    told : DataFrame of bool
        ``disclosure.told_columns``; empty without ``tests``.
    """
    groups, told = checks.groups, pd.DataFrame()
    makers: dict[str, Callable[[], pd.DataFrame]] = {"groups": lambda: size_table(checks, least)}
    if groups.found_any:
        makers |= {
            "yes-no": lambda: yes_table(seen, least),
            "scores": lambda: score_table(seen, least),
            "validators": lambda: pairs_table(validation.validators, groups, least),
            "controls": lambda: pairs_table(validation.controls, groups, least),
        }
    tables = _made(makers, 0, 2 * len(makers), callback)
    if groups.found_any and tests is not None:
        told = told_columns(tests, seen, least)
        kept_out, pairs = validation.validators, tests.pairs(SMALLEST)
        more = {
            "table-1": lambda: table_one(tests, seen, least),
            "missing": lambda: missing_table(tests, seen, least),
            "adjusted": lambda: adjusted_table(tests, seen, kept_out, covariates, told, least),
            "t-tests": lambda: told_lines(tests, tests.lines(pairs, Choice()), seen, least),
        }
        tables |= _made(more, len(makers), 2 * len(makers), callback)
    return {
        name: only_named(table, ALLOWED[name], groups.titles)
        for name, table in tables.items()
        if name in ALLOWED and not table.empty
    }, told


def _made(
    makers: dict[str, Callable[[], pd.DataFrame]], done: int, total: int, callback: Callback | None
) -> Tables:
    tables = {}
    for step, (name, make) in enumerate(makers.items(), done):
        if callback is not None:
            callback(Progress(step, total, 0.0, 0, f"table “{name}”"))
        tables[name] = make()
    return tables
