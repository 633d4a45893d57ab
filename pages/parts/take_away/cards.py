"""The chosen result as files, and everything needed to get it again, a card each."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st

from mapdp_studio.core import ReadOptions, save_model
from mapdp_studio.core.exports import script
from mapdp_studio.core.exports.analysis_report import Analysis, analysis_report
from mapdp_studio.core.exports.settings_file import save_settings
from mapdp_studio.core.exports.tables import file_stem, labelled, writers
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.prepare.tables import Join
from mapdp_studio.core.session.project import CHANCE, HOW_MANY
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import escaped
from mapdp_studio.demo_datasets import GENERATED
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.data.source import save_button
from mapdp_studio.pages.parts.groups.rows import assigned_rows
from mapdp_studio.pages.parts.shared.chosen import Chosen, described_groups, naming_of
from mapdp_studio.pages.parts.shared.compute import get_result, wait_until_asked
from mapdp_studio.pages.parts.shared.kit import download


@contextmanager
def _card(title: str, line: str, details: str) -> Iterator[None]:
    """A box that says in one line what its buttons save; the rest stands behind "?"."""
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{title}.** {line}", help=details)
        with st.container(horizontal=True, vertical_alignment="center"):
            yield


def table_card(visit: Session, chosen: Chosen) -> None:
    """The table with the group of every row."""
    frame, groups, stem = visit.table.frame, chosen.groups, file_stem(visit.table.name)
    rows = "Rows and cells after the steps of Prepare"
    with _card(
        "Table",
        "Every row with its group.",
        f"{rows if visit.table.recipe.steps else 'Every row in its place, as it was written'}, "
        "with two columns more: “cluster”, the group's name, and its label, which Python counts "
        "from 0. In the "
        "CSV, text that a spreadsheet would take for a formula is guarded by an apostrophe.",
    ):
        formats = visit.results.cached("writers", visit.table.digest, lambda: writers(frame))
        place = st.container(horizontal=True, width="content")
        with st.popover("Options", icon=":material/tune:", type="tertiary"):
            without, is_sure = _options(visit)
        assigned = assigned_rows(visit, chosen) if is_sure else None
        table = partial(labelled, frame, groups, without, assigned)
        with place:
            for label, (ending, write) in formats.items():
                name, key = f"{stem}-groups.{ending}", f"{label} file"
                download(label, lambda write=write: write(table()), name, key=key)


def _options(visit: Session) -> tuple[tuple[str, ...], bool]:
    """Columns to leave out, of a locked study always those that identify; and how sure rows are."""
    ids, is_out = visit.schema.names("id"), visit.study.lock is not None
    named = ", ".join(map(escaped, ids))
    if ids and is_out:
        st.caption(f"Without what identifies rows, since a study is locked: {named}.")
    elif ids:
        is_out = st.toggle(
            f"Leave out what identifies rows: {named}", key="without_ids", persist_state="session"
        )
    is_sure = st.toggle(
        "Add how sure each row is",
        key="with_standings",
        persist_state="session",
        help="Under MAP-DP's model: the probability of its group, the most probable other group "
        "(of another method's groups it may be the likelier), and the log density: low for "
        "atypical rows.",
    )
    return ids if is_out else (), is_sure


def report_card(visit: Session, chosen: Chosen) -> None:
    key = chosen.key, chosen.groups.titles, visit.schema, visit.settings
    with _card(
        "Report",
        "One HTML file, to read and to print.",
        "It opens without a network: the groups, the figures, the columns, the settings and the "
        "script.",
    ):
        icon = ":material/article:"
        wait_until_asked(key, "Write the report", key="write_report", icon=icon)
        table, peek = visit.table, visit.results.peek
        result = chosen.algorithm, chosen.model, chosen.groups, chosen.partition
        text, number = _script_text(visit, chosen), peek(HOW_MANY, chosen.task)
        args = table.name, table.frame, visit.schema, visit.settings, *result, text, number
        analysis = Analysis(*args, peek(CHANCE, chosen.task))
        written = get_result(
            visit, "Writing the report", key, lambda job: analysis_report(analysis)
        )
        download("HTML", written, f"{file_stem(table.name)}-report.html", key="report file")


def project_card(visit: Session, chosen: Chosen) -> None:
    with _card(
        "Project",
        "Everything in one file, to go on with elsewhere.",
        "The table as it was read, the steps of Prepare, columns, sliders, names, merges, "
        "snapshots and the lock of a study. It is opened on Data; “My data”, on top of every page, "
        "saves it, too.",
    ):
        save_button(visit, "save_project")


def script_card(visit: Session, chosen: Chosen) -> None:
    steps = (entry.step for entry in visit.table.done.entries)
    files = [] if visit.table.example else [_file(visit.table)]
    files += [step.other_name for step in steps if isinstance(step, Join)]
    with _card(
        "Script",
        f"Gives the same labels; it reads {' and '.join(map(escaped, files)) or 'no file'}.",
        "Python with the library alone, `mapdp_studio.core`. **Settings**: how the file is read, "
        "the role and likelihood of every column, the sliders, names and merges of groups; Data "
        "takes them up again.",
    ):
        text, stem = _script_text(visit, chosen), file_stem(visit.table.name)
        download("Python script", text, f"{stem}-{chosen.algorithm.lower()}.py")
        download("Settings", save_settings(visit.project.saved()), f"{stem}-settings.json")


def _script_text(visit: Session, chosen: Chosen) -> str:
    title = f"{chosen.title} on {visit.table.name}, as MAP-DP Studio shows it"
    merged = naming_of(chosen).merged
    return script.script_of(_origin(visit.table), chosen.task, visit.schema, title, merged)


def _origin(table: Table) -> script.Origin:
    if table.example is None and table.options is None:
        # A part of a table is in no file but the one that this page offers.
        return script.from_file(_file(table), ReadOptions(kind="parquet"))
    if table.example in GENERATED:
        origin = script.from_scenario(table.example, n=len(table.as_read))
    elif table.example is not None:
        origin = script.from_demo(table.example)
    else:
        origin = script.from_file(_file(table), table.options)
    return script.prepared(origin, table.recipe)


def _file(table: Table) -> str:
    return table.name if table.options else f"{file_stem(table.name)}-groups.parquet"


def model_card(visit: Session, chosen: Chosen) -> None:
    """The model, to score new rows with, and the rules that do so in a line each."""
    groups, name = chosen.groups, visit.table.name
    own = groups.n_groups == chosen.model.n_clusters_ and METHODS[chosen.algorithm].is_saved
    described = described_groups(visit, chosen) if groups.n_groups > 1 else None
    rules, stem = described and described.rules, file_stem(name)
    with _card(
        "Model",
        "To give new rows a group.",
        "Readable text that loads back to the same predictions, on New rows or with `load_model` "
        "in Python. It holds sums over each group's rows, and no row."
        + ("" if own else " These groups are described by MAP-DP's model, and saved so.")
        + " **Rules**: a Python function of short conditions.",
    ):
        content = partial(save_model, chosen.model if own else chosen.partition)
        download("JSON", content, f"{stem}-model.json", key="model file")
        if rules is None or not rules.in_order:
            return
        text = script.rules_in_python(rules, groups.titles, name, bool(visit.table.recipe.steps))
        tip = "Beside each rule stands how often it is right on rows that it was not made from."
        download("Rules", text, f"{stem}-rules.py", key="rules file", help=tip)
