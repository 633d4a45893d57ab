"""What the methods' answers are, which to take, and how they differ: one thing at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import (
    UNKNOWN,
    FitError,
    Task,
    Truth,
    matched,
    scoreboard,
    which_to_take,
)
from mapdp_studio.core.comparing.panels import labels_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.partitions.scores import Agreement, Contingency, agreement, ari
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.session.work import CHANCE
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.marking import mark_button
from mapdp_studio.pages.parts.compare.scoreboard import draw_scores
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.how_many import has_first_number
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import crossed, picture
from mapdp_studio.pages.parts.shared.theme import colours

_TITLE = METHODS[JUDGE].title


@dataclass(frozen=True)
class Answers:
    """The partitions in the panels, numbered as there, by the method's title."""

    labels: dict[str, np.ndarray]
    #: Of the groups of a partition that have names.
    names: dict[str, tuple[str, ...]]
    #: What they depend on.
    key: tuple

    @classmethod
    def of(cls, studio: Session, wanted: Mapping[str, Task]) -> Answers:
        """Those that there are; MAP-DP's are the groups that the other pages show."""
        models = {name: studio.results.get(task) for name, task in wanted.items()}
        models = {n: model for n, model in models.items() if isinstance(model, ClusterEstimator)}
        labels = {METHODS[name].title: model.labels_ for name, model in models.items()}
        names, key = {}, tuple(wanted[name] for name in models)
        if JUDGE in models:
            groups = studio.work.naming_of(wanted[JUDGE]).apply(models[JUDGE].labels_)
            labels[_TITLE], names[_TITLE] = groups.labels, groups.titles
            key = (*key, groups.parts, groups.titles)
        reference = next(iter(labels.values()), None)
        return cls({n: matched(reference, one) for n, one in labels.items()}, names, key)

    @property
    def reference(self) -> np.ndarray | None:
        """The partition whose numbers all others have."""
        return next(iter(self.labels.values()), None)

    def names_of(self, title: str) -> tuple[str, ...]:
        """Of the groups of a partition, by label."""
        numbers = range(int(self.labels[title].max()) + 1)
        return self.names.get(title) or tuple(f"{k + 1}" for k in numbers)

    def beside(self, studio: Session, truth: Truth | None) -> Answers:
        """With the known groups among them, and data sets that a column names, as sites."""
        labels, names = dict(self.labels), dict(self.names)
        if truth is not None:
            title = f"Known: {truth.title}"
            labels[title], names[title] = truth.classes, truth.names
        for name in studio.schema.names("group"):
            codes, sets = pd.factorize(studio.table.frame[name].astype("string"), sort=True)
            title = f"Data set: {name}"
            labels[title], names[title] = codes, tuple(map(str, sets))
        return Answers(labels, names, self.key)


def partition_figure(
    view: View, title: str, labels: np.ndarray, answers: Answers
) -> tuple[np.ndarray, go.Figure]:
    """Number of each group, as in the panels above, and the rows in those colours."""
    numbers = np.empty(int(labels.max()) + 1, dtype=np.int64)
    numbers[labels] = matched(answers.reference, labels)
    panel = labels_panel(view, title, labels, numbers)
    return numbers, panels_figure(view, [panel], 1, **colours())


def has_groups(studio: Session, wanted: Mapping[str, Task], place: DeltaGenerator) -> None:
    """Seek the number of groups that all pages show; the panels are drawn anew once it is known."""
    task = wanted[JUDGE]
    model = studio.results.get(task)
    if isinstance(model, ClusterEstimator) and studio.work.seeks_number(task, model):
        with place:
            is_known = has_first_number(studio, task, model)
        if is_known:
            st.rerun()


def which_answer(studio: Session, wanted: Mapping[str, Task], is_running: bool) -> str:
    """Which answer to take, beside what Clusters says of chance; none where that makes as many."""
    results, task = studio.results, wanted[JUDGE]
    found, model = results.known(CHANCE, task), results.get(task)
    if found is not None and found.is_chance:
        return f"**Take none of them for real.** {found.sentence}"
    is_fitted = isinstance(model, ClusterEstimator)
    groups = studio.work.naming_of(task).apply(model.labels_) if is_fitted else None
    on_chance = UNKNOWN if found is None or not found.draws else found.headline
    said = which_to_take(results, wanted, on_chance, groups)
    waits = "Which answer to take is said when all are there."
    return said or (waits if is_running else "One answer alone: nothing to compare.")


def scores(
    studio: Session, wanted: Mapping[str, Task], truth: Truth | None, answers: Answers
) -> None:
    """The methods under one yardstick, and what each ran on."""
    title = None if truth is None else truth.title
    draw_scores(scoreboard(studio.results, wanted, truth), studio.settings.concentration, title)
    model = studio.results.get(wanted[JUDGE])
    if _TITLE in answers.labels and len(answers.names[_TITLE]) < model.n_clusters_:
        st.caption(f"{_TITLE}'s line is of its clusters as fitted, not of the groups put together.")
    told = []
    for name, task in wanted.items():
        method, model = METHODS[name], studio.results.get(task)
        if model is not None:
            text = model.reason if isinstance(model, FitError) else method.explanation(model)
            told.append(f"**{method.title}.** {escaped(text)}")
    if truth is not None:
        unknown = int((truth.classes < 0).sum())
        more = f" {counted(unknown, 'row')} without." * bool(unknown)
        told.append(f"**Known groups.** For scores only; no part of any clustering.{more}")
    grid = st.grid(max(len(told), 1), min_column_width=180)
    for text in told:
        grid.caption(text)


def two_methods(answers: Answers) -> None:
    """Choose two partitions and draw the table of one against the other."""
    titles = list(answers.labels)
    if len(titles) < 2:
        st.info("Two results are needed for this.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        down = st.selectbox("Down", titles, 0, key="pair_down", width=220)
        others = [title for title in titles if title != down]
        place = min(1, len(others) - 1)
        across = st.selectbox("Across", others, place, key=f"pair_across_{down}", width=220)
    first, second = answers.labels[down], answers.labels[across]
    known = (first >= 0) & (second >= 0)
    table = Contingency.of(first[known], second[known])
    sides = [(title, answers.names_of(title)) for title in (down, across)]
    crossed(table, *sides, "contingency", "two-methods")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"**{table.n_apart:,} of {int(known.sum()):,} rows** lie off the matched pairs of "
            f"groups. ARI {table.ari:.2f}, AMI {table.ami:.2f}: 1 the same groups, about 0 by "
            "chance. Colour: share of the group on the left.",
        )
        if table.n_apart:
            mark_button("Mark these rows", np.flatnonzero(known)[table.apart])


def consensus(studio: Session, view: View, answers: Answers) -> None:
    """The partition that the methods disagree with least, and who stands behind it."""
    labels = answers.labels
    if len(labels) < 2:
        st.info("A consensus needs at least two results.")
        return
    result: Agreement | None = get_result(
        studio,
        "consensus",
        answers.key,
        "Looking for what the methods agree on",
        lambda job: agreement(list(labels.values())),
    )
    if result is None:
        return
    left, right = halves()
    with left:
        numbers, figure = partition_figure(view, "Consensus", result.labels, answers)
        said = f"The rows in the view above, coloured by {numbers.size} groups of the consensus"
        picture(figure, "consensus", said, "consensus")
    with right:
        st.markdown("**How near each method is to the consensus**")
        near = [f"{ari(result.labels, one):.2f}" for one in labels.values()]
        k = [f"{np.unique(one).size:,}" for one in labels.values()]
        table = {"Method": list(labels), "K": k, "ARI with the consensus": near}
        st.table(table, border="horizontal", hide_index=True)
        few = np.flatnonzero(2 * result.support <= result.n_methods)
        st.caption(
            f"Two rows are together where most methods have them together. At most half of the "
            f"methods stand behind the place of {few.size:,} of {result.labels.size:,} rows."
        )
        if few.size:
            mark_button(f"Mark the {few.size:,} rows without a majority", few)
