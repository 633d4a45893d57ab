"""A report in one file: no network, and no text that runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from plotly.offline import get_plotlyjs

from mapdp_studio.core.exports.report import Report


def test_a_report_needs_no_network_and_runs_no_text():
    import plotly.graph_objects as go

    bad = "</script><script>alert(1)</script><img src=x>"
    report = Report(bad, bad)
    for say in (report.heading, report.paragraph, report.note, report.code):
        say(bad)
    report.points([bad])
    report.table(pd.DataFrame({bad: [bad, None], "n": [1234.5678, np.inf]}), bad)
    report.figure(go.Figure(go.Scatter(x=[1], y=[2], name=bad)), bad, bad)
    report.figure(go.Figure())
    page = report.html()
    own = page.replace(get_plotlyjs(), "")
    assert page.count(get_plotlyjs()) == 1
    assert "<script>alert" not in own
    assert "<img" not in own
    assert "http" not in own.replace("http-equiv", "")
    assert "1,235" in own
    assert "default-src 'none'" in own
    assert own.count('data-format="svg"') == own.count('data-format="png"') == 2
