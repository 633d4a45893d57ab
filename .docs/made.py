"""What the documentation's pages take from the code, and what lies beside them (mkdocs' hook)."""

import os
import re
import sys
import tempfile
from pathlib import Path

import pandas as pd
import plotly.express as px
from mkdocs.structure.files import File
from plotly.offline import get_plotlyjs

from mapdp_studio.core import MAPDP, KMeansBIC
from mapdp_studio.demo_datasets import load_scenario

ROOT = Path(__file__).parents[1]
#: A place in a paper, as docstrings name it; to be told which paper.
PLACE = r"\b{},? (\(\d+\)|(?:Algorithm|Appendix|[Ss]ection|Figure|Table|equation) [A-Z0-9][\w.]*)"


def on_files(files, config):
    """Add Plotly and the icon, and let examples write their files to a folder of their own."""
    sys.path.append(str(ROOT / ".docs"))  # where pages find this file
    os.chdir(tempfile.mkdtemp())
    icon = (ROOT / ".streamlit" / "icon.svg").read_text(encoding="utf-8")
    for name, content in (("plotly.min.js", get_plotlyjs()), ("icon.svg", icon)):
        files.append(File.generated(config, name, content=content))


def places(paper: str) -> str:
    """Table of the files that name a place of a paper."""
    found: dict[str, list[str]] = {}
    for path in sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("tests/reproductions/*.py")]):
        told = re.findall(PLACE.format(paper), path.read_text(encoding="utf-8"))
        for place in dict.fromkeys(name.rstrip(".").replace("Section", "section") for name in told):
            found.setdefault(place, []).append(f"`{path.relative_to(ROOT)}`")
    lines = [f"| {place} | {', '.join(found[place])} |" for place in sorted(found)]
    return "\n".join(["| In the paper | In the code |", "| --- | --- |", *lines])


def drawn(figure) -> str:
    """A figure as HTML, for the copy of Plotly beside the pages."""
    return figure.to_html(full_html=False, include_plotlyjs="plotly.min.js")


def compared(key: str) -> str:
    """The truth of a scenario, and what K-means told K and MAP-DP not told make of it, as HTML."""
    frame, truth = load_scenario(key, n=400, seed=0)
    k = len(set(truth))
    k_means, found = KMeansBIC(k, k, random_state=0).fit(frame), MAPDP(random_state=0).fit(frame)
    labels = {"the truth": truth, f"K-means, told {k}": k_means.labels_, "MAP-DP": found.labels_}
    panels = [frame.assign(panel=name, group=each.astype(str)) for name, each in labels.items()]
    x, y = frame.columns[:2]
    figure = px.scatter(pd.concat(panels), x, y, color="group", facet_col="panel", height=300)
    return drawn(figure.update_layout(showlegend=False))
