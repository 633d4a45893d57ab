"""Start: what this is, one picture of why, and three doors into the app."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.panels import labels_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.wording import CAVEAT
from mapdp_studio.demo_datasets import SCENARIOS, load_scenario
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.data.source import take_table
from mapdp_studio.pages.parts.shared.chart import BARE
from mapdp_studio.pages.parts.shared.kit import colours
from mapdp_studio.pages.parts.shared.loading import load_example

SCENARIO, ROWS, COHORT = "5.1", 1000, "parkinsonism"
#: Labels of K-means and MAP-DP, a digit a row: the engine need not be ready.
ANSWERS = Path(__file__).parent / "parts" / "shared" / "start.json"


def picture() -> None:
    points, truth = load_scenario(SCENARIO, n=ROWS, seed=0)
    stored = json.loads(ANSWERS.read_text(encoding="utf-8"))
    answers = [np.array([*map(int, stored[name])]) for name in ("kmeans", "mapdp")]
    k = len(np.unique(answers[1]))
    titles = f"K-means, told that K = {k}", "MAP-DP, not told K"
    encoded = Encoded.from_array(points.to_numpy(), "normal")
    view = replace(choose_view(encoded), has_one_unit=False)
    panels = []
    for title, labels in zip(titles, answers, strict=True):
        matched, groups = np.unique(labels, return_inverse=True)
        panels.append(labels_panel(view, title, groups, matched))
    st.plotly_chart(
        panels_figure(view, panels, 2, has_axes=False, **colours()),
        config=BARE,
        alt="The same points twice, coloured by the groups that K-means and MAP-DP find",
    )
    kmeans, mapdp = (nmi(np.asarray(truth), labels) for labels in answers)
    st.caption(
        f"{SCENARIOS[SCENARIO].text} MAP-DP learns each width and finds K = {k}. "
        f"NMI: {kmeans:.2f} and {mapdp:.2f}."
    )


def to_scenario() -> None:
    st.switch_page("pages/teach.py", query_params={"scenario": SCENARIO, "rows": str(ROWS)})


def to_data() -> None:
    st.session_state["place"] = "My file"
    st.switch_page("pages/data.py")


def to_cohort() -> None:
    """Load the cohort, let Data show it as chosen, and go on with it."""
    take_table(load_example, COHORT)
    st.session_state["place"], st.session_state["example"] = "Examples", COHORT
    st.switch_page("pages/data.py" if session().failure else "pages/clinical.py")


#: Title, text, button and icon of every door, and where it leads.
DOORS = [
    (
        "See K-means fail",
        "Six small data sets, each built to break one thing that K-means takes for granted.",
        ("Open the first one", ":material/school:"),
        to_scenario,
    ),
    (
        "Explore my table",
        "Load a CSV, Parquet, JSON or Excel file. It stays on this computer.",
        ("Bring a table", ":material/upload_file:"),
        to_data,
    ),
    (
        "Find patient subgroups",
        "A simulated cohort: 527 patients with parkinsonism, 225 columns of every kind.",
        ("Open the cohort", ":material/clinical_notes:"),
        to_cohort,
    ),
]

session()
words, figure = st.columns([2, 3], gap="large", vertical_alignment="center")
with words:
    st.title("MAP-DP Studio", anchor=False)
    st.markdown(
        "Find groups in a real table: measurements, ratings, counts, categories and yes/no "
        "answers side by side, with cells missing.\n\n"
        "Each column keeps a likelihood that suits it, missing cells stay missing, and the number "
        "of groups is found rather than given. K-means and three other methods run beside it, so "
        "you see what changes."
    )
with figure:
    picture()
for place, (title, text, (label, icon), go) in zip(st.columns(3, gap="medium"), DOORS, strict=True):
    with place.container(border=True, height="stretch", vertical_alignment="distribute"):
        with st.container():
            st.subheader(title, anchor=False)
            st.write(text)
        if st.button(label, icon=icon, key=title, width="stretch"):
            go()
st.caption(CAVEAT)
