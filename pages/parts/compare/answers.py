"""What the methods' answers are and how they differ: one thing at a time, below the panels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.comparing.comparison import FitError, Task, Truth, matched, scoreboard
from mapdp_studio.core.comparing.panels import groups_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.partitions.agreement import Agreement, agreement
from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.partitions.scores import Contingency, ari
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.marking import mark_button
from mapdp_studio.pages.parts.compare.scoreboard import draw_scores
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import crossed, picture
from mapdp_studio.pages.parts.shared.theme import colours


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
        results = studio.results
        models = {name: results.get(task) for name, task in wanted.items()}
        models = {n: model for n, model in models.items() if isinstance(model, ClusterEstimator)}
        labels = {METHODS[name].title: model.labels_ for name, model in models.items()}
        names, key = {}, tuple(wanted[name] for name in models)
        if JUDGE in models:
            groups = studio.work.naming_of(wanted[JUDGE]).apply(models[JUDGE].labels_)
            title = METHODS[JUDGE].title
            labels[title], names[title] = groups.labels, groups.titles
            key = (*key, groups.parts, groups.titles)
        reference = next(iter(labels.values()), None)
        found = {title: matched(reference, one) for title, one in labels.items()}
        return cls(found, names, key)

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


def scores(
    studio: Session, wanted: Mapping[str, Task], truth: Truth | None, answers: Answers
) -> None:
    """The methods under one yardstick, and what each ran on."""
    title = None if truth is None else truth.title
    draw_scores(scoreboard(studio.results, wanted, truth), studio.settings.concentration, title)
    judge = METHODS[JUDGE].title
    model = studio.results.get(wanted[JUDGE])
    if judge in answers.labels and len(answers.names[judge]) < model.n_clusters_:
        st.caption(f"{judge}'s line is of its clusters as fitted, not of the groups put together.")
    told = []
    for name, task in wanted.items():
        method, model = METHODS[name], studio.results.get(task)
        if model is not None:
            text = model.reason if isinstance(model, FitError) else method.explanation(model)
            told.append(f"**{method.title}.** {escaped(text)}")
    if truth is not None:
        unknown = int((truth.classes < 0).sum())
        more = f" {unknown:,} rows have none." if unknown else ""
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
        groups = _as_groups(result, next(iter(labels.values())))
        picture(
            panels_figure(view, [groups_panel(view, "Consensus", groups)], 1, 320, **colours()),
            "consensus",
            f"The rows in the view above, coloured by {groups.n_groups} groups of the consensus",
            "consensus",
        )
    with right:
        st.markdown("**How near each method is to the consensus**")
        st.table(
            {
                "Method": list(labels),
                "K": [f"{np.unique(one).size:,}" for one in labels.values()],
                "ARI with the consensus": [
                    f"{ari(result.labels, one):.2f}" for one in labels.values()
                ],
            },
            border="horizontal",
            hide_index=True,
        )
        n_all = int((result.support == result.n_methods).sum())
        few = np.flatnonzero(2 * result.support <= result.n_methods)
        st.caption(
            f"Two rows are together where most methods have them together. All "
            f"{result.n_methods} methods stand behind the place of {n_all:,} rows of "
            f"{result.labels.size:,}; for {few.size:,} rows at most half of them do."
        )
        if few.size:
            mark_button(f"Mark the {few.size:,} rows without a majority", few)


def _as_groups(result: Agreement, reference: np.ndarray) -> Groups:
    """The consensus in the numbers of the panels above."""
    n_groups = int(result.labels.max()) + 1
    numbers = np.empty(n_groups, dtype=np.int64)
    numbers[result.labels] = matched(reference, result.labels)
    titles = tuple(f"cluster {number + 1}" for number in numbers.tolist())
    parts = tuple((k,) for k in range(n_groups))
    return Groups(result.labels, titles, tuple(numbers.tolist()), parts)
