"""Start: what this is, one picture of why, and three doors into the app."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.panels import labels_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.wording import CAVEAT
from mapdp_studio.demo_datasets import DEMOS, SCENARIOS, load_scenario
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.data.locked_study import take_or_ask, waits
from mapdp_studio.pages.parts.shared.loading import load_example
from mapdp_studio.pages.parts.shared.theme import colours

SCENARIO, ROWS, SEED = "5.1", 1000, 0
ANSWERS = Path(__file__).parent / "parts" / "shared" / "start.json"

session()


@st.cache_data(show_spinner=False)
def points_and_answers() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The picture's points, their truth, and the stored answers of K-means and MAP-DP."""
    points, truth = load_scenario(SCENARIO, n=ROWS, seed=SEED)
    stored = json.loads(ANSWERS.read_text(encoding="utf-8"))
    answers = {name: np.array([*map(int, labels)]) for name, labels in stored.items()}
    return points.to_numpy(), np.asarray(truth), answers


def picture() -> None:
    """The points twice, coloured by both answers."""
    points, truth, answers = points_and_answers()
    k = len(np.unique(answers["mapdp"]))
    titles = f"K-means, told that K = {k}", "MAP-DP, not told K"
    view = replace(choose_view(Encoded.from_array(points, "normal")), has_one_unit=False)
    panels = []
    for title, labels in zip(titles, answers.values(), strict=True):
        matched, groups = np.unique(labels, return_inverse=True)
        panels.append(labels_panel(view, title, groups, matched))
    st.plotly_chart(
        panels_figure(view, panels, 2, has_axes=False, **colours()),
        config={"displayModeBar": False},
        alt="The same points twice, coloured by the groups that K-means and MAP-DP find",
    )
    kmeans, mapdp = (nmi(truth, labels) for labels in answers.values())
    st.caption(
        f"{SCENARIOS[SCENARIO].text} MAP-DP learns each width and finds K = {k}. "
        f"NMI: {kmeans:.2f} and {mapdp:.2f}."
    )


def bring(example: str, page: str) -> None:
    """Load an example, let the data page show it as chosen, and go on."""
    take_or_ask(DEMOS[example].title, partial(load_example, example))
    st.session_state["place"], st.session_state["example"] = "Examples", example
    st.switch_page("pages/data.py" if waits() else page)


def door(title: str, text: str, label: str, icon: str) -> bool:
    """One way into the app; true when it is taken."""
    with st.container(border=True, height="stretch", vertical_alignment="distribute"):
        with st.container():
            st.subheader(title, anchor=False)
            st.write(text)
        return st.button(label, icon=icon, key=title, width="stretch")


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
    if st.button(
        "Drag points about and watch the answers follow", icon=":material/draw:", type="tertiary"
    ):
        st.switch_page("pages/teach.py", query_params={"view": "Draw"})

doors = st.columns(3, gap="medium")
with doors[0]:
    if door(
        "See K-means fail",
        "Six small data sets, each built to break one thing that K-means takes for granted.",
        "Open the first one",
        ":material/school:",
    ):
        st.switch_page("pages/teach.py", query_params={"scenario": SCENARIO, "rows": str(ROWS)})
with doors[1]:
    if door(
        "Explore my table",
        "Load a CSV, Parquet, JSON or Excel file. It stays on this computer.",
        "Bring a table",
        ":material/upload_file:",
    ):
        st.session_state["place"] = "My file"
        st.switch_page("pages/data.py")
with doors[2]:
    if door(
        "Find patient subgroups",
        "A simulated cohort: 527 patients with parkinsonism, 215 columns of every kind.",
        "Open the cohort",
        ":material/clinical_notes:",
    ):
        bring("parkinsonism", "pages/clinical.py")
st.caption(CAVEAT)
