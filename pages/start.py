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


def draw_picture() -> None:
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


def door(title: str, text: str, label: str, icon: str) -> bool:
    """A box with a button; whether it was pressed."""
    with st.container(border=True, height="stretch", vertical_alignment="distribute"):
        with st.container():
            st.subheader(title, anchor=False)
            st.write(text)
        return st.button(label, icon=f":material/{icon}:", key=title, width="stretch")


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
    draw_picture()
left, middle, right = st.columns(3, gap="medium")
with left:
    text = "Six small data sets, each built to break one thing that K-means takes for granted."
    to_scenario = door("See K-means fail", text, "Open the first one", "school")
with middle:
    text = "Load a CSV, Parquet, JSON or Excel file. It stays on this computer."
    to_data = door("Explore my table", text, "Bring a table", "upload_file")
with right:
    text = "A simulated cohort: 527 patients with parkinsonism, 225 columns of every kind."
    to_cohort = door("Find patient subgroups", text, "Open the cohort", "clinical_notes")
st.caption(CAVEAT)
if to_scenario:
    st.switch_page("pages/teach.py", query_params={"scenario": SCENARIO, "rows": str(ROWS)})
if to_data:
    st.session_state["place"] = "My file"
    st.switch_page("pages/data.py")
if to_cohort:
    take_table(load_example, COHORT)
    st.session_state["place"], st.session_state["example"] = "Examples", COHORT
    st.switch_page("pages/data.py" if session().failure else "pages/clinical.py")
