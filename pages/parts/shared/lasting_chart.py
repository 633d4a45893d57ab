"""A Plotly chart that stays in the page while its data change.

Streamlit throws its own chart away and makes a new one at every change, which costs half a second
for the new WebGL contexts where there is no graphics card. This one hands the new figure to
``Plotly.react``: four charts of 24,000 points are redrawn in .15 s instead of 2 s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import plotly
from streamlit.components.v2 import component

from mapdp_studio.pages.parts.shared.scripts import script_beside
from mapdp_studio.pages.parts.shared.told import when_told

#: Name of Plotly's script on the server, beside the pages: every version has its own.
PLOTLY = f"plotly-{plotly.__version__}.min.js"
# Brings it into the window, and says so. It is fetched again where it does not arrive, as the line
# is cut.
_LOAD = """
const load = () => {
    const script = document.createElement("script");
    script.id = "plotly-script";
    script.src = new URL("SCRIPT", location.href);
    script.onload = () => window.dispatchEvent(new Event("mapdp-plotly"));
    script.onerror = () => setTimeout(() => { script.remove(); load(); }, 2000);
    document.head.append(script);
};
export default () => { if (!window.Plotly && !document.getElementById("plotly-script")) load(); };
"""
_plotly = component("mapdp_studio_plotly", js=_LOAD.replace("SCRIPT", PLOTLY))
_chart = component(
    "mapdp_studio_lasting_chart",
    html="<div role='figure'></div>",
    js=script_beside(__file__),
    isolate_styles=False,
)


def load_plotly() -> None:
    """Bring Plotly's script into a page with lasting charts; call it once, before them.

    The browser fetches its five megabytes once (``pages.parts.visit.serving``): as a part of the
    page they were packed anew at every press, which cost more than all the rest.
    """
    _plotly(key="plotly", height=1)


def lasting_chart(
    figure: str,
    key: str,
    alt: str,
    config: Mapping[str, Any],
    on_row: Callable[[int], None] | None = None,
    on_line: Callable[[float], None] | None = None,
    share: float | None = None,
    rows_of: str = "",
) -> None:
    """Draw a figure, and in the same place whatever follows it under the same key.

    The figure, as JSON, has a height, and frames if it has steps; it is as wide as its place and
    has the page's colours and letters. ``alt`` says what it shows, ``config`` is Plotly's, and
    ``on_row`` is told the ``customdata`` of a point that was clicked, a whole number; ``on_line``,
    where on the y axis the figure's line, its first shape, was dragged to. With a ``share`` the
    figure is as high as that share of the window instead. ``rows_of`` names a table whose rows are
    the figure's points: drawn otherwise under the same name, they glide to where they are now.
    """
    told = {"config": config, "alt": alt, "asks": on_row is not None, "share": share}
    about = json.dumps(told | {"rows_of": rows_of})
    _chart(
        key=key,
        data=f"{about[:-1]}, {figure[1:]}".encode(),
        on_row_change=when_told(key, "row", on_row),
        on_line_change=when_told(key, "line", on_line),
    )
