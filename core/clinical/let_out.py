"""The record of what a study let out; a report that tells of few beside an earlier is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from .disclosure import shown
from .releases import Earlier, Refused, release_of, why_refused
from .study import Study
from .subgroups import Subgroups
from .t_test_lines import TTests


def let_out(
    study: Study,
    groups: Subgroups,
    told: pd.DataFrame,
    tables: dict[str, pd.DataFrame],
    tests: TTests,
    least: int,
    earlier: Sequence[Earlier] = (),
) -> None:
    """Put on a study's record whom its next report tells of.

    Parameters
    ----------
    study : Study
    groups : Subgroups
    told : DataFrame of bool
        ``disclosure.told_columns``.
    tables : dict of str to DataFrame
        Of the report; of "adjusted" it is read which complete cases are told of.
    tests : TTests
    least : int
        Counts below it are hidden.
    earlier : sequence of Earlier
        Reports of other tables, such as those seen before in a visit.

    Raises
    ------
    Refused
        Beside an earlier report this one would tell of few patients.
    """
    lock, adjusted = study.lock, {}
    lines = tables.get("adjusted", pd.DataFrame(columns=["Column", "Groups"]))
    for name in tests.columns:
        named = lines.loc[lines["Column"] == tests.title(name), "Groups"]
        told_of = {tests.titles.index(title) for pair in named for title in pair.split(" and ")}
        if told_of:
            adjusted[name] = tuple(sorted(told_of))
    sizes = shown(groups, least)
    about = lock.data_hash, least, groups.labels, sizes, told, tests.columns
    new = release_of(*about, lock.plan.covariates, adjusted)
    own = [Earlier.of_same_table(one) for one in study.let_out if one.data_hash == lock.data_hash]
    if refusal := why_refused(new, [*own, *earlier], tests.columns):
        raise Refused(refusal)
    study.note_release(new)
