"""Reports: no network, no text that runs, and one for every method's groups."""

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs

from mapdp_studio.core.comparing.comparison import tasks
from mapdp_studio.core.exports.analysis_report import Analysis, analysis_report
from mapdp_studio.core.exports.report import written
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import SHUFFLED


def test_a_report_needs_no_network_and_runs_no_text(tmp_path):
    bad = "</script><script>alert(1)</script><img src=x>"
    template = tmp_path / "page.html.j2"
    template.write_text(
        "<h2>{{ bad }}</h2>{{ table(frame, bad) }}{{ figure(chart, bad) }}{{ figure(empty) }}"
    )
    frame = pd.DataFrame({bad: [bad, None], "n": [1234.5678, np.inf]})
    charts = {"chart": go.Figure(go.Scatter(x=[1], y=[2], name=bad)), "empty": go.Figure()}
    page = written(template, bad, bad, bad=bad, frame=frame, **charts)
    own = page.replace(get_plotlyjs(), "")
    assert page.count(get_plotlyjs()) == 1
    for text in ("<script>alert", "<img", "http:", "https:"):
        assert text not in own
    for text in ("1,235", "Figure 2.", "default-src 'none'", "\u2013"):
        assert text in own
    template.write_text("<p>{{ bad }}</p>")
    assert get_plotlyjs() not in written(template, bad, bad=bad)


def analysed(fitted, algorithm: str) -> Analysis:
    frame, schema, results, wanted = fitted
    model, judge = results.get(wanted[algorithm]), results.get(wanted["MAPDP"])
    groups = Naming(names={0: "<b>first</b>"}).apply(model.labels_)
    partition = JudgedPartition.of(judge, groups.labels)
    return Analysis("t.csv", frame, schema, Settings(), algorithm, model, groups, partition, "x")


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("algorithm", [*METHODS.first, "Halves"])
def test_every_result_has_a_report(fitted, algorithm):
    frame, schema, results, _ = fitted
    wanted = tasks("digest", schema, Settings(penalty=5.0, n_clusters=4), len(frame), (algorithm,))
    if algorithm == "Halves":
        results.fit(wanted["Halves"], frame, schema)
    page = analysis_report(analysed((frame, schema, results, wanted), algorithm))
    own = page.replace(get_plotlyjs(), "")
    for words in ("&lt;b&gt;first&lt;/b&gt;", "not for diagnosis", "größe 😀", "rows are complete"):
        assert words in own
    assert ("Looks at one column only." in own) == (algorithm == "Halves")
    assert own.count("<figure>") == 3


def test_a_report_says_how_many_groups_come_back_and_by_what_rows_count(fitted):
    analysis = analysed(fitted, "MAPDP")
    many = how_many(analysis.model)
    found = Chance(np.array([0.0, 50.0]), {SHUFFLED: (np.array([0.0, 10.0]),)})
    weighed = analysis.schema.with_column("visits", role="weight")
    page = analysis_report(replace(analysis, many=many, chance=found, schema=weighed))
    plain = analysis_report(analysis)
    for words in (
        f"<p>{many.said(many.n_fitted).replace('**', '')}</p>",
        "So far: as much is gained on 0 of 1 table with every column shuffled",
        "Rows count by the column",
    ):
        assert words in page
        assert words not in plain
