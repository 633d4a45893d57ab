"""Compare: clusterings of the table side by side, and the sliders that drive them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import SchemaError
from mapdp_studio.core.comparing.belief import which_to_take
from mapdp_studio.core.comparing.comparison import (
    FitError,
    Results,
    Suggestion,
    Task,
    Truth,
    clustered_part,
    known_truth,
    matched,
    scoreboard,
    suggestion,
)
from mapdp_studio.core.comparing.first_look import FirstLook, is_long
from mapdp_studio.core.comparing.panels import MOST_MARKED
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.dpmeans import DP_MEANS
from mapdp_studio.core.methods.mapdp import MAP_DP
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.work import CHANCE
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.compare.choose_methods import (
    choose_methods,
    say_methods,
    take_asked_methods,
)
from mapdp_studio.pages.parts.compare.consensus import consensus
from mapdp_studio.pages.parts.compare.marking import drag_mode, marked_rows
from mapdp_studio.pages.parts.compare.panels import PARTS, ComparedPanels
from mapdp_studio.pages.parts.compare.scoreboard import draw_scores
from mapdp_studio.pages.parts.compare.settings import (
    ALL,
    AXES,
    NO_TABLE,
    PENALTIES,
    comparison_settings,
)
from mapdp_studio.pages.parts.compare.shared_clusters import shared_clusters
from mapdp_studio.pages.parts.compare.strips import table_strips
from mapdp_studio.pages.parts.compare.tolerance import STRIP_HEIGHT, draw_tolerance
from mapdp_studio.pages.parts.compare.trees import trees
from mapdp_studio.pages.parts.compare.two_methods import two_methods
from mapdp_studio.pages.parts.shared.compute import fits
from mapdp_studio.pages.parts.shared.how_many import stop_stale_path
from mapdp_studio.pages.parts.shared.kit import choose_one, draw_tabs, has_engine, has_table
from mapdp_studio.pages.parts.shared.model_choice import (
    WHY_CHOSEN,
    choice_line,
    running_choice,
)
from mapdp_studio.pages.parts.visit.asked_example import open_asked, say_example

FIGURE = "panels"
NOT_YET = "Which answer to take is said when all are there."
HIDDEN = f"[class*='st-key-{PARTS}'] {{ position: absolute; height: 0; overflow: hidden; }}"
# Up beside the page's invisible parts: the panels begin as high as they can.
HEAD = ".st-key-compare_head { margin-top: -2.75rem; }"


def choose_look(
    studio: Session, names: tuple[str, ...], row: DeltaGenerator
) -> tuple[tuple[str, str] | None, str, bool]:
    """A pair of columns, or None for what suits the table; what dragging does; what is lit.

    Which methods have panels is chosen in the same place. Rows on which a panel parts with the
    known groups, or with MAP-DP, are lit if asked for.
    """
    with row:
        drag = drag_mode()
    with row.popover("Panels", icon=":material/grid_view:", type="tertiary"):
        choose_methods(studio)
        is_lit = st.toggle(
            "Light up disagreement",
            key="light",
            persist_state="session",
            help="In every panel the rows stand out that it places otherwise than the known groups "
            "do; without known groups, otherwise than MAP-DP.",
        )
        kind = choose_one(
            "Axes of all panels",
            list(AXES),
            "axes",
            help="All columns: the plane in which the encoded table varies most (its first two "
            "principal components). Two columns: you choose which.",
        )
        if kind == ALL:
            return None, drag, is_lit
        # Keyed by the table: another one has other columns.
        across, up = (
            st.selectbox(
                label,
                names,
                index=min(place, len(names) - 1),
                key=f"{label}-{studio.table.digest}",
                persist_state="session",
                width=200,
                filter_mode="contains",
            )
            for place, label in enumerate(("Across", "Up"))
        )
    return (across, up), drag, is_lit


def explanations(studio: Session, wanted: dict[str, Task], truth: Truth | None) -> None:
    """What every panel ran on, side by side as far as there is room."""
    said = {}
    for name, task in wanted.items():
        method, model = METHODS[name], studio.results.get(task)
        if isinstance(model, FitError):
            said[method.title] = escaped(model.reason)
        elif model is not None:
            said[method.title] = escaped(method.explanation(model))
    if truth is not None:
        unknown = int((truth.classes < 0).sum())
        said["Known groups"] = "For colours and scores only; no part of any clustering." + (
            f" {unknown:,} rows have none." if unknown else ""
        )
    grid = st.grid(max(len(said), 1), min_column_width=180)
    for title, text in said.items():
        grid.caption(f"**{title}.** {text}")


def introduce(studio: Session, n_used: int, places: list[DeltaGenerator]) -> DeltaGenerator:
    """Which table this is, beside the title; the place for the progress and its stop."""
    table = studio.table
    counted = "".join(
        f"weighed by “{escaped(name)}” (scaled to mean 1), "
        for name in studio.schema.names("weight")
    )
    places[0].caption(
        f"**{escaped(table.name)}**: {len(table.frame):,} rows, {counted}clustered on "
        f"{n_used:,} of {table.frame.shape[1]:,} columns",
    )
    # Of one height, whatever it says: the panels below stay where they are.
    return places[1].container(height=56, border=False, vertical_alignment="center")


def main(studio: Session, beside_title: list[DeltaGenerator]) -> None:
    """Everything below the title, once there is a table."""
    choice = running_choice(studio)
    table, schema, results = studio.table, studio.schema, studio.results
    about = table.digest, clustered_part(schema)
    try:
        with st.spinner("Reading the table as numbers"):
            encoded = results.latest("encoded", about, lambda: schema.encode(table.frame))
    except SchemaError as error:
        st.error(escaped(error), icon=":material/error:")
        return
    truth_about = table.digest, schema.label_column and schema[schema.label_column]
    truth = results.latest("truth", truth_about, lambda: known_truth(table.frame, schema))
    line = introduce(studio, len(encoded.columns), beside_title)
    say_example(studio)

    def suggest(k: int) -> Suggestion:
        return results.latest("penalty", (about, k), lambda: suggestion(encoded, k, PENALTIES))

    take_asked_methods(studio)
    sliders = (suggest, about) if choice is None else (None, NO_TABLE)
    studio.settings, row = comparison_settings(*sliders, studio.settings.own)
    say_methods(studio)
    pair, drag, is_lit = choose_look(studio, encoded.columns, row)
    with st.spinner("Looking for the plane to draw"):
        view = results.latest("view", (about, pair), lambda: choose_view(encoded, pair))
    wanted = studio.work.tasks(studio.compared)
    n_rows = len(table.frame)
    chart = ComparedPanels((results, n_rows), wanted, view, truth, (about, pair))
    with st.container(key=FIGURE):
        chart.open(studio.marked, drag, is_lit)
    if choice is not None:
        draw_choice(studio, choice, chart, line, pair is None)
        return
    belief = st.empty()
    belief.markdown(which_to_take(results, wanted) or NOT_YET)
    st.caption(
        "Numbers and colours name the same groups in every panel. Ellipses hold 95 % of a cluster "
        f"under its model; of more than {MOST_MARKED} groups the largest {MOST_MARKED} have number "
        "and ellipse. Grey rings are clusters too small or too many for a colour. "
        + _agreement_with(wanted, truth)
        + escaped(view.note)
    )
    tolerance_place = st.container(height=STRIP_HEIGHT, border=False)
    completed = results.latest("completed", about, lambda: schema.completed(table.frame))
    first, is_slow = None, is_long(*encoded.values.shape)
    if is_slow or chart.sampled:
        first = results.latest(
            "first look",
            (about, pair, truth_about),
            lambda: FirstLook.of(table.frame, completed, encoded, view, truth),
        )
    stop_stale_path(studio)

    def look_first(name: str, job: Job) -> bool:
        """Fit a sample of the rows, to be shown meanwhile."""
        first.fit(name, wanted, job)
        return True

    found = fits(
        studio,
        results,
        (table.frame, schema),
        wanted,
        line,
        look_first if is_slow else None,
        lambda fits: chart.send(fits, first),
    )
    answer = f"{which_answer(studio, wanted)} {put_together(studio, wanted)}".strip()
    none = NOT_YET if found.running else "One answer alone: nothing to compare."
    belief.markdown(answer or none)
    if not found.running:  # the path begins at MAP-DP's fit, and takes no time from the others
        draw_tolerance(studio, encoded, completed, tolerance_place)
    explanations(studio, wanted, truth)
    draw_details(studio, encoded, wanted, truth, view, suggest)


def draw_choice(
    studio: Session, choice: Job, chart: ComparedPanels, line: DeltaGenerator, is_whole: bool
) -> None:
    """How far the choice of the model is; a first look where the panels show all columns."""
    with line:
        choice_line(studio, choice)
    st.caption(WHY_CHOSEN)
    if is_whole and choice.partial is not None:
        _, look, _ = choice.partial
        chart.send_first(JUDGE, look)


def draw_details(
    studio: Session,
    encoded: Encoded,
    wanted: dict[str, Task],
    truth: Truth | None,
    view: View,
    suggest: Callable[[int], Suggestion],
) -> None:
    """Below the panels: one thing at a time about their answers."""
    results = studio.results
    looks = {
        "Scores": partial(show_scores, studio, wanted, truth),
        "Marked rows": lambda: marked_rows(studio, partitions(results, wanted, truth)),
        "Two methods": partial(show_pair, studio, wanted, truth),
        "Tree": partial(trees, studio, wanted, view, truth),
        "Consensus": partial(show_consensus, studio, wanted, truth, view),
        "K against N₀ and λ": partial(show_strips, studio, encoded, wanted, truth, suggest),
    }
    for name in studio.schema.names("group"):
        looks[f"Groups by {name}"] = partial(show_sharing, studio, wanted, truth, name)
    draw_tabs("compare_tab", looks)


def which_answer(studio: Session, wanted: dict[str, Task]) -> str:
    """Which answer to take, beside what Clusters says of chance; none where that makes as many."""
    found = studio.results.known(CHANCE, wanted.get(JUDGE))
    if found is not None and found.is_chance:
        return f"**Take none of them for real.** {found.sentence}"
    told = [] if found is None or not found.draws else [found.headline]
    return which_to_take(studio.results, wanted, *told)


def put_together(studio: Session, wanted: dict[str, Task]) -> str:
    """How many groups the other pages show of those in MAP-DP's panel, where they are fewer."""
    model = studio.results.get(wanted.get(JUDGE))
    if not isinstance(model, ClusterEstimator):
        return ""
    groups = studio.work.naming_of(wanted[JUDGE]).apply(model.labels_)
    if groups.n_groups == model.n_clusters_:
        return ""
    n = counted(groups.n_groups, "group")
    return f"The other pages show its {model.n_clusters_:,} groups put together to {n}."


def _agreement_with(wanted: dict[str, Task], truth: Truth | None) -> str:
    """What the NMI in the titles of the panels compares with, where there is one."""
    if truth is None and (JUDGE not in wanted or len(wanted) == 1):
        return ""
    reference = "MAP-DP's groups" if truth is None else f"the groups in “{escaped(truth.title)}”"
    return f"NMI: agreement with {reference}, 1 if both are the same. "


def partitions(
    results: Results, wanted: dict[str, Task], truth: Truth | None
) -> dict[str, np.ndarray]:
    """Labels of every method that has a result, by its title, numbered as in the panels."""
    models = {METHODS[name].title: results.get(task) for name, task in wanted.items()}
    fitted = {t: model.labels_ for t, model in models.items() if hasattr(model, "labels_")}
    reference = next(iter(fitted.values()), None) if truth is None else truth.classes
    return {title: matched(reference, labels) for title, labels in fitted.items()}


def show_scores(studio: Session, wanted: dict[str, Task], truth: Truth | None) -> None:
    """The methods under one yardstick."""
    title = None if truth is None else truth.title
    scores = scoreboard(studio.results, wanted, truth)
    draw_scores(scores, studio.settings.concentration, title)


def show_pair(studio: Session, wanted: dict[str, Task], truth: Truth | None) -> None:
    """Any two partitions, the known groups among them."""
    labels, names = partitions(studio.results, wanted, truth), {}
    if truth is not None:
        title = f"Known: {truth.title}"
        labels[title], names[title] = truth.classes, truth.names
    two_methods(studio, labels, names)


def show_sharing(studio: Session, wanted: dict[str, Task], truth: Truth | None, name: str) -> None:
    """Which data set uses which clusters."""
    shared_clusters(studio, name, partitions(studio.results, wanted, truth))


def show_consensus(
    studio: Session, wanted: dict[str, Task], truth: Truth | None, view: View
) -> None:
    """What the methods agree on."""
    labels = partitions(studio.results, wanted, truth)
    about = tuple(task for task in wanted.values() if studio.results.get(task) is not None)
    if len(labels) > 1:
        consensus(studio, view, labels, about)
    else:
        st.info("A consensus needs at least two results.")


def show_strips(
    studio: Session,
    encoded: Encoded,
    wanted: dict[str, Task],
    truth: Truth | None,
    suggest: Callable[[int], Suggestion],
) -> None:
    """How K depends on what is told, for this table."""
    models = [studio.results.get(wanted.get(name)) for name in (MAP_DP.name, DP_MEANS.name)]
    # A finished model that was opened has no fit behind it whose time is known.
    seconds = tuple((m.result_.seconds or None) if hasattr(m, "result_") else None for m in models)
    table_strips(studio, encoded, truth, suggest(studio.settings.penalty_hint).penalty, seconds)


def keep_linked_settings() -> None:
    """Without a table yet: settings that came with a link wait in their sliders."""
    if st.query_params:
        st.caption("These settings stand in the address. They apply as soon as there is a table.")
        take_asked_methods(studio)
        comparison_settings(None, NO_TABLE)


studio = session()
open_asked(studio)
is_below = bool(studio.parents)  # the way back stands above the title
st.html(f"<style>{HIDDEN} {'' if is_below else HEAD}</style>")
with st.container(key="compare_head"):
    first, *beside_title = st.columns([4, 6, 7], vertical_alignment="center")
first.title("Compare", anchor=False)
if not has_table(studio):
    keep_linked_settings()
elif has_engine("The clusterings appear here"):
    main(studio, beside_title)
