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
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.compare.marking import mark_button
from mapdp_studio.pages.parts.compare.options import MOST
from mapdp_studio.pages.parts.compare.scoreboard import draw_scores
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list, halves
from mapdp_studio.pages.parts.shared.picture import crossed, picture
from mapdp_studio.pages.parts.shared.theme import colours

MOST_NAMED = 8


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

    def beside(self, truth: Truth | None) -> Answers:
        """With the known groups among them."""
        if truth is None:
            return self
        title = f"Known: {truth.title}"
        labels = self.labels | {title: truth.classes}
        return Answers(labels, self.names | {title: truth.names}, self.key)


def scores(studio: Session, wanted: Mapping[str, Task], truth: Truth | None) -> None:
    """The methods under one yardstick, and what each ran on."""
    title = None if truth is None else truth.title
    draw_scores(scoreboard(studio.results, wanted, truth), studio.settings.concentration, title)
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


def data_sets(studio: Session, name: str, answers: Answers) -> None:
    """How many clusters each data set has, named by a column such as sites, and who uses which."""
    titles = list(answers.labels)
    if not titles:
        st.info("There is no result yet.")
        return
    sharing = {key: method for key, method in METHODS.items() if method.shares_clusters}
    first = next((m.title for m in sharing.values() if m.title in titles), titles[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = titles.index(first)
        title = choose_from_list("Clusters of", titles, "sharing_of", index=place, width=220)
        absent = [key for key in sharing if key not in studio.compared]
        if absent and len(studio.compared) + len(absent) <= MOST:
            st.button(
                f"Add {' and '.join(sharing[key].title for key in absent)}",
                icon=":material/add:",
                type="tertiary",
                on_click=_add,
                args=(studio, absent),
                help="Methods that let every data set have clusters of its own and share them.",
            )
    codes, sets = pd.factorize(studio.table.frame[name].astype("string"), sort=True)
    codes = np.where(codes < 0, len(sets), codes)
    sets, numbers = [*map(str, sets), "missing"], answers.names_of(title)
    table = Contingency.of(codes, answers.labels[title])
    used = [
        [numbers[k] for k, n in sorted(zip(table.second, row, strict=True)) if n]
        for row in table.counts
    ]
    left, right = halves()
    with left:
        crossed(table, (name, sets), (title, numbers), "sharing", "clusters-by-data-set")
    right.dataframe(
        {
            name: [sets[code] for code in table.first],
            "Rows": table.counts.sum(axis=1),
            "K": [len(own) for own in used],
            "Clusters": [listed(own, MOST_NAMED) for own in used],
        },
        hide_index=True,
        alt="Clusters that each data set uses",
    )
    st.caption(
        f"Rows of every {escaped(name)} in every cluster of {title}; colour is the share of its "
        "rows. A cluster that one of them has for itself may be its way of measuring."
    )


@in_visit
def _add(studio: Session, names: list[str]) -> None:
    studio.compared = (*studio.compared, *names)
