"""Whole pipelines on hostile tables: from a file to groups, their files, a project and new rows.

Each reads a file, takes random steps, decides about columns, fits one method of the registry
(under sliders that stand anywhere), describes the groups, writes every file, saves the
project, opens it again, and places new rows. The labels are made again by the estimator's public
``fit``, now and then in two threads at once. A result, or one sentence of the library's own, is
right; anything else is not.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from mapdp_studio.core import (
    SchemaError,
    describe,
    infer_schema,
    load_model,
    read_table,
    save_model,
)
from mapdp_studio.core.comparing.comparison import FitError, Results
from mapdp_studio.core.exports.analysis_report import Analysis, analysis_report
from mapdp_studio.core.exports.script import from_file, prepared, rules_in_python, script_of
from mapdp_studio.core.exports.settings_file import load_settings, save_settings
from mapdp_studio.core.exports.tables import as_csv, labelled, summary_table, with_labels, writers
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition, row_assignments
from mapdp_studio.core.profiling.rules import rules_of_table
from mapdp_studio.core.schema.rows import aligned, match_columns
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from tests.hostile_inputs import steps_for
from tests.hostile_tables import decide, settings_for, table_of


class Wrong(Exception):
    """Something that must not be: labels that differ, an E that is no number."""


def run_pipeline(number: int, kind: str, name: str) -> None:
    """Go through all of it, on one kind of table with one method."""
    method = METHODS[name]
    random = np.random.default_rng([number, 33])
    content = table_of(kind, random)
    frame = read_table(content, name="pipeline.csv")
    work = Work(Table.of_file(frame, "pipeline.csv", content), infer_schema(frame))
    work.prepare(steps_for(frame, random))
    decide(work, method, random)
    work.settings = settings_for(method, random)
    work.algorithm, work.compared = method.name, (method.name,)
    model, judge = _fitted(work)
    _same_again(work, model, None if method.name == JUDGE else judge, 1 if number % 4 else 2)
    groups = Naming().apply(model.labels_)
    judged = JudgedPartition.of(judge, groups.labels)
    _finite("E of the groups", judged.objective_)
    _files(number, work, model, groups, judged)
    back = _project(work)
    if number % 3 == 0:
        _same_again(back, model)
    _new_rows(work, judged, read_table(table_of(kind, random), name="new.csv"))


def _fitted(work: Work, judge: Any = None) -> tuple[Any, Any]:
    """The model of the method, and MAP-DP's that judges it."""
    results, wanted, frame, schema = Results(), work.tasks(), work.table.frame, work.schema
    schema.encode(frame)
    judge = judge or results.fit(wanted[JUDGE], frame, schema)
    results.keep(wanted[JUDGE], judge)
    task = wanted[work.algorithm]
    model = judge if work.algorithm == JUDGE else results.fit(task, frame, schema)
    for model_or_why in (judge, model):
        if isinstance(model_or_why, FitError):
            raise SchemaError(model_or_why.reason)  # a sentence, which the page shows
        _finite("E", model_or_why.objective_, *model_or_why.objective_trace_)
    return model, judge


def _same_again(work: Work, model: Any, judge: Any = None, n_threads: int = 1) -> None:
    """Fit the same anew, alone or in two threads at once."""
    with ThreadPoolExecutor(n_threads) as threads:
        again = list(threads.map(lambda _: _fitted(work, judge)[0], range(n_threads)))
    for other in again:
        if (other.labels_ != model.labels_).any() or other.objective_ != model.objective_:
            raise Wrong("The labels of two runs differ.")


def _files(number: int, work: Work, model: Any, groups: Any, judged: Any) -> None:
    frame, encoded, name = work.table.frame, judged.columns_.encoded, work.algorithm
    stand = row_assignments(judged, _silent)
    _finite("a probability", *stand.probability, *stand.log_density)
    table = labelled(frame, groups, (), stand)
    ways = [write for _, write in writers(table).values()]
    ways[number % len(ways)](table)
    as_csv(summary_table(encoded, groups.labels, groups.titles))
    rules = rules_of_table(frame, encoded, groups.labels)
    if rules is not None and rules.found.whole.rules:
        compile(rules_in_python(rules, groups.titles, "t.csv", False), "rules", "exec")
    origin = prepared(from_file(work.table.name, work.table.options), work.table.recipe)
    script = script_of(origin, work.tasks()[name], work.schema, "fuzz")
    compile(script, "script", "exec")
    if METHODS[name].shares_clusters:
        return  # describe and the report are of one data set's clusters
    model.encoded_ = encoded
    found = describe(model, frame)
    _ = found.sentence, found.sentences, found.cards, found.contributions, found.table
    if number % 10 == 0:
        found.to_html()
        given = work.table.name, frame, work.schema, work.settings, name
        analysis_report(Analysis(*given, model, groups, judged, script))


def _project(work: Work) -> Work:
    """Save and open it: the same table and decisions."""
    load_settings(save_settings(work.saved()))
    back = load_project(save_project(work)).work()
    if back.schema != work.schema or back.settings != work.settings:
        raise Wrong("A project came back with other decisions.")
    if back.table.frame.shape != work.table.frame.shape:
        raise Wrong("A project came back with another table.")
    return back


def _new_rows(work: Work, judged: Any, frame: Any) -> None:
    """Place rows of another file of the same kind, also by the model read back."""
    frame = work.table.recipe.apply(frame).frame
    again = load_model(save_model(judged))
    match = match_columns(frame, judged.schema_)
    if not match.found:
        return
    try:
        stand = row_assignments(judged, _silent, aligned(frame, match))
    except ValueError as error:
        raise SchemaError(str(error)) from None  # a sentence, which the page shows
    _finite("a new row's probability", *stand.probability, *stand.log_density)
    as_csv(with_labels(frame, {"group": stand.labels}))
    other = row_assignments(again, _silent, aligned(frame, match))
    if not np.array_equal(other.labels, stand.labels):
        raise Wrong("A model read back places rows elsewhere.")


def _finite(what: str, *values: float) -> None:
    if not np.isfinite(values).all():
        raise Wrong(f"{what} is not finite")


def _silent(progress: Any) -> None:
    pass
