"""The report of any method's groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from plotly.offline import get_plotlyjs

from mapdp_studio.core.comparing.comparison import tasks
from mapdp_studio.core.exports.analysis_report import Analysis, analysis_report
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import SHUFFLED


def analysed(fitted, algorithm: str) -> Analysis:
    frame, schema, results, wanted = fitted
    model, judge = results.get(wanted[algorithm]), results.get(wanted["MAPDP"])
    groups = Naming(names={0: "<b>first</b>"}).apply(model.labels_)
    partition = JudgedPartition.of(judge, groups.labels)
    title = METHODS[algorithm].title
    return Analysis(
        "t.csv", frame, schema, Settings(), algorithm, title, model, groups, partition, "x", "now"
    )


@pytest.mark.usefixtures("planted")
def test_a_planted_method_has_a_report(fitted):
    frame, schema, results, _ = fitted
    wanted = tasks("digest", schema, Settings(), len(frame), ("Halves",))
    results.fit(wanted["Halves"], frame, schema)
    page = analysis_report(analysed((frame, schema, results, wanted), "Halves"), lambda told: None)
    assert "Looks at one column only." in page


@pytest.mark.parametrize("algorithm", METHODS.first)
def test_every_result_has_a_report(fitted, algorithm):
    steps = []
    page = analysis_report(analysed(fitted, algorithm), steps.append).replace(get_plotlyjs(), "")
    assert "&lt;b&gt;first&lt;/b&gt;" in page
    assert "not for diagnosis" in page
    assert "größe 😀" in page
    assert [step.done for step in steps] == [0, 1, 2]  # a figure each


def test_a_report_says_how_many_groups_come_back(fitted):
    analysis = analysed(fitted, "MAPDP")
    assert "How many groups" not in analysis_report(analysis, lambda told: None)
    many = how_many(analysis.model)
    found = Chance(np.array([0.0, 50.0]), {SHUFFLED: (np.array([0.0, 10.0]),)})
    page = analysis_report(replace(analysis, many=many, chance=found), lambda told: None)
    assert f"<p>{many.said(many.n_fitted).replace('**', '')}</p>" in page
    assert "So far: as much is gained on 0 of 1 table with every column shuffled" in page


def test_a_report_says_by_what_its_rows_count(fitted):
    analysis = analysed(fitted, "MAPDP")
    weighed = replace(analysis, schema=analysis.schema.with_column("visits", role="weight"))
    said = "Rows count by the column"
    assert said not in analysis_report(analysis, lambda told: None)
    assert said in analysis_report(weighed, lambda told: None)
