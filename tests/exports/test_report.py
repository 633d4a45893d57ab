"""A report in one file: no network, and no text that runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from plotly.offline import get_plotlyjs

from mapdp_studio.core.exports.report import written


def test_a_report_needs_no_network_and_runs_no_text(tmp_path):
    import plotly.graph_objects as go

    bad = "</script><script>alert(1)</script><img src=x>"
    template = tmp_path / "page.html.j2"
    template.write_text(
        "<h2>{{ bad }}</h2>{{ points([bad]) }}{{ table(frame, bad) }}"
        "{{ figure(chart, bad, bad) }}{{ figure(empty) }}"
    )
    frame = pd.DataFrame({bad: [bad, None], "n": [1234.5678, np.inf]})
    charts = {"chart": go.Figure(go.Scatter(x=[1], y=[2], name=bad)), "empty": go.Figure()}
    page = written(template, bad, bad, bad=bad, frame=frame, **charts)
    own = page.replace(get_plotlyjs(), "")
    assert page.count(get_plotlyjs()) == 1
    assert "<script>alert" not in own
    assert "<img" not in own
    assert "http" not in own.replace("http-equiv", "")
    assert "1,235" in own
    assert "Figure 2." in own
    assert "default-src 'none'" in own
    template.write_text("<p>{{ bad }}</p>")
    assert get_plotlyjs() not in written(template, bad, bad=bad)
