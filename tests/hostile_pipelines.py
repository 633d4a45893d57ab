"""Whole pipelines on hostile tables: from a file to groups, their files, a project and new rows.

Each reads a file, takes random steps, decides about columns, fits one method of the registry (they
take turns, under sliders that stand anywhere), describes the groups, writes every file, saves the
project, opens it again, and places new rows. The labels are made again by the estimator's public
``fit``, now and then in two threads at once. A result, or one sentence of the library's own, is
right; anything else is not.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
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
from mapdp_studio.core.comparing.comparison import FitError, Results, Task
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
from tests.hostile_tables import TABLES, decide, settings_for, table_of


class Wrong(Exception):
    """Something that must not be: labels that differ, an E that is no number."""


@dataclass
class Pipeline:
    """One of them: what was drawn, and what stands for its outcome."""

    number: int
    kind: str = field(init=False)
    method: str = field(init=False)

    def __post_init__(self) -> None:
        self.kind = list(TABLES)[self.number % len(TABLES)]
        self.method = list(METHODS)[self.number // len(TABLES) % len(METHODS)]
        self.random = np.random.default_rng([self.number, 33])

    def run(self) -> None:
        """Go through all of it."""
        content, method = table_of(self.kind, self.random), METHODS[self.method]
        work = self._work(content)
        decide(work, method, self.random)
        work.settings = settings_for(method, self.random)
        work.algorithm, work.compared = self.method, (self.method,)
        wanted = work.tasks()
        model, judge = self._fitted(work, wanted)
        self._same_again(work, wanted, model, judge)
        groups = Naming().apply(model.labels_)
        judged = JudgedPartition.of(judge, groups.labels)
        _finite("E of the groups", judged.objective_)
        self._files(work, wanted[self.method], model, groups, judged)
        self._project(work, wanted[self.method], model)
        self._new_rows(work, judged)

    def _work(self, content: bytes) -> Work:
        frame = read_table(content, name="pipeline.csv")
        table = Table.of_file(frame, "pipeline.csv", content)
        work = Work(table, infer_schema(frame))
        work.prepare(steps_for(frame, self.random))
        return work

    def _fitted(self, work: Work, wanted: dict[str, Task], judge: Any = None) -> tuple[Any, Any]:
        results = Results()
        schema, frame = work.schema, work.table.frame
        schema.encode(frame)
        judge = judge or results.fit(wanted[JUDGE], frame, schema)
        results.keep(wanted[JUDGE], judge)
        model = judge
        if self.method != JUDGE:
            model = results.fit(wanted[self.method], frame, schema)
        for model_or_why in (judge, model):
            if isinstance(model_or_why, FitError):
                raise SchemaError(model_or_why.reason)  # a sentence, which the page shows
            _finite("E", model_or_why.objective_, *model_or_why.objective_trace_)
        return model, judge

    def _same_again(self, work: Work, wanted: dict[str, Task], model: Any, judge: Any) -> None:
        """Fit the same anew, alone or in two threads at once."""

        def once(_: int = 0) -> Any:
            return self._fitted(work, wanted, None if self.method == JUDGE else judge)[0]

        if self.number % 4:
            again = [once()]
        else:
            with ThreadPoolExecutor(2) as threads:
                again = list(threads.map(once, range(2)))
        if any(_digest(other) != _digest(model) for other in again):
            raise Wrong("The labels of two runs differ.")

    def _files(self, work: Work, task: Task, model: Any, groups: Any, judged: Any) -> None:
        frame, encoded = work.table.frame, judged.columns_.encoded
        stand = row_assignments(judged, _silent)
        _finite("a probability", *stand.probability, *stand.log_density)
        table = labelled(frame, groups, (), stand)
        ways = [write for _, write in writers(table).values()]
        ways[self.number % len(ways)](table)
        as_csv(summary_table(encoded, groups.labels, groups.titles))
        rules = rules_of_table(frame, encoded, groups.labels)
        if rules is not None and rules.found.whole.rules:
            compile(rules_in_python(rules, groups.titles, "t.csv", False), "rules", "exec")
        origin = prepared(from_file(work.table.name, work.table.options), work.table.recipe)
        script = script_of(origin, task, work.schema, "fuzz")
        compile(script, "script", "exec")
        if METHODS[self.method].shares_clusters:
            return  # describe and the report are of one data set's clusters
        self._described(work, model, groups, judged, script)

    def _described(self, work: Work, model: Any, groups: Any, judged: Any, script: str) -> None:
        frame = work.table.frame
        model.encoded_ = judged.columns_.encoded
        found = describe(model, frame)
        _ = found.sentence, found.sentences, found.cards, found.contributions, found.table
        if self.number % 10 == 0:
            found.to_html()
            given = work.table.name, frame, work.schema, work.settings, self.method
            analysis_report(Analysis(*given, model, groups, judged, script))

    def _project(self, work: Work, task: Task, model: Any) -> None:
        """Save and open it: the same table and decisions, so the same labels."""
        load_settings(save_settings(work.saved()))
        back = load_project(save_project(work)).work()
        if back.schema != work.schema or back.settings != work.settings:
            raise Wrong("A project came back with other decisions.")
        if back.table.frame.shape != work.table.frame.shape:
            raise Wrong("A project came back with another table.")
        if self.number % 3 == 0:
            again, _ = self._fitted(back, back.tasks())
            if _digest(again) != _digest(model):
                raise Wrong("The labels of an opened project differ.")

    def _new_rows(self, work: Work, judged: Any) -> None:
        """Place rows of another file of the same kind."""
        frame = read_table(table_of(self.kind, self.random), name="new.csv")
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


def _digest(model: Any) -> str:
    labels = np.ascontiguousarray(model.labels_, dtype=np.int64).tobytes()
    return hashlib.sha256(labels + repr(float(model.objective_)).encode()).hexdigest()[:16]


def _finite(what: str, *values: float) -> None:
    if not np.isfinite(values).all():
        raise Wrong(f"{what} is not finite")


def _silent(progress: Any) -> None:
    pass
