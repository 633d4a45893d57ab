"""Start: what this is, one picture of why, and three doors into the app."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from mapdp_studio.core import MAPDP, KMeansBIC
from mapdp_studio.core.partitions.scores import match_labels, nmi
from mapdp_studio.core.plots.profiles import side_by_side
from mapdp_studio.demo_datasets import DEMOS, SCENARIOS, load_scenario
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.data.locked_study import take_or_ask, waits
from mapdp_studio.pages.parts.shared.engine import engine
from mapdp_studio.pages.parts.shared.loading import load_example

SCENARIO, ROWS, SEED = "5.1", 1000, 0

session()


@st.cache_data(show_spinner=False)
def points_and_truth() -> tuple[np.ndarray, np.ndarray]:
    points, truth = load_scenario(SCENARIO, n=ROWS, seed=SEED)
    return points.to_numpy(), np.asarray(truth)


@st.cache_data(show_spinner=False)
def answers() -> tuple[np.ndarray, np.ndarray]:
    """What K-means, told K, and MAP-DP, not told, make of the picture's points."""
    points, truth = points_and_truth()
    k = len(np.unique(truth))
    kmeans = KMeansBIC(k_min=k, k_max=k, n_init=10, random_state=SEED).fit(points)
    mapdp = MAPDP(likelihood="gaussian", random_state=SEED).fit(points)
    return match_labels(truth, kmeans.labels_), match_labels(truth, mapdp.labels_)


@st.fragment(run_every=None if engine().ready else 1.0)
def picture() -> None:
    """The points in grey until the engine is ready, then both answers in the same places."""
    points, truth = points_and_truth()
    k = len(np.unique(truth))
    titles = f"K-means, told that K = {k}", "MAP-DP, not told K"
    ready = engine().ready
    labels = answers() if ready else (None, None)
    st.plotly_chart(
        side_by_side(points, dict(zip(titles, labels, strict=True)), height=320),
        config={"displayModeBar": False},
        alt="The same points twice, coloured by the groups that K-means and MAP-DP find",
    )
    story = SCENARIOS[SCENARIO].text
    if not ready:
        st.caption(f"{story} The two answers appear when the engine is ready.")
        return
    kmeans, mapdp = (nmi(truth, given) for given in labels)
    st.caption(
        f"{story} MAP-DP learns each width and finds K = {len(np.unique(labels[1]))}. "
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
st.caption("Exploratory research use; not for diagnosis or treatment decisions.")
