"""The result that the pages after Compare are about: which algorithm's, with what merges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import SchemaError
from mapdp_studio.core.comparing.comparison import FitError, Task, clustered_part
from mapdp_studio.core.inference.merge_path import merge_path
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.partitions.naming import Groups, Naming
from mapdp_studio.core.profiling.cards import Card, profile_cards
from mapdp_studio.core.profiling.how_many import GroupNumber, how_many
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.profiles import LEAST_ROWS, standardised_differences
from mapdp_studio.core.profiling.rules import TableRules, rules_of_table
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.work import HOW_MANY
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import NotYet, Session, in_visit, session
from mapdp_studio.pages.parts.shared.compute import fits, get_result
from mapdp_studio.pages.parts.shared.kit import follows, need_engine, need_table
from mapdp_studio.pages.parts.shared.model_choice import WHY_CHOSEN, first_look, is_chosen


@dataclass(frozen=True)
class Chosen:
    """One partition of the current table, as its user arranged it."""

    #: Key of ``METHODS``.
    algorithm: str
    #: Of the fit; key of ``Session.naming``.
    task: Task
    #: As it was fitted; and the fit whose model and prior everything is judged by, MAP-DP's.
    model: ClusterEstimator
    judge: MAPDP
    #: Labels, titles and colours after merges and names; and those groups under the judge's model.
    groups: Groups
    partition: JudgedPartition
    #: Of the judge's fit.
    judge_task: Task

    @property
    def title(self) -> str:
        return METHODS[self.algorithm].title

    @property
    def sizes(self) -> np.ndarray:
        return self.groups.sizes

    @property
    def about(self) -> tuple:
        """Everything that the groups depend on, for what is computed from them."""
        return self.task, self.judge_task, self.groups.parts


def choose_result(studio: Session, row: DeltaGenerator) -> Chosen:
    """Draw the choice of a result in a row and fit it; NotYet where the page has said why not."""
    need_model(studio)
    wanted = studio.work.tasks()
    offered = list(wanted)
    # An undone step moves the choice, too.
    looks = follows("result_of", studio.algorithm, partial(setattr, studio, "algorithm"))
    looks |= {"format_func": lambda name: METHODS[name].title, "label_visibility": "collapsed"}
    with row:
        place = offered.index(studio.algorithm)
        algorithm = st.selectbox("Result of", offered, place, width=160, **looks)
        facts = st.container(width="content").empty()
    chosen = _fitted(studio, algorithm, {name: wanted[name] for name in (JUDGE, algorithm)})
    with facts:
        _facts(chosen, len(studio.table.frame))
    if studio.study.lock is not None:
        st.caption(
            ":material/lock: A study of this table is locked. Its groups, on **Clinical**, are "
            "those of the settings as they stood then, put together as suggested."
        )
    return chosen


def need_model(studio: Session) -> None:
    """Go on with a table that can be clustered, and its model; else say what is wanting."""
    need_table(studio)
    need_engine("The groups appear here")
    table, schema = studio.table, studio.schema
    about = table.digest, clustered_part(schema)
    try:
        studio.results.latest("encoded", about, lambda: schema.encode(table.frame))
    except SchemaError as error:
        st.error(escaped(error), icon=":material/error:")
        raise NotYet from None
    if not is_chosen(studio):
        st.caption(WHY_CHOSEN)
        first_look(studio)
        raise NotYet


def _fitted(studio: Session, algorithm: str, needed: dict[str, Task]) -> Chosen:
    """The chosen fit and the judge's, put together as its user did."""
    results, table = studio.results, (studio.table.frame, studio.schema)
    place = st.empty()
    found = fits(studio, results, table, needed, place.container())
    if not found.jobs:
        place.empty()
    judge, model = (results.get(needed[name]) for name in (JUDGE, algorithm))
    for one in (judge, model):
        if isinstance(one, FitError):
            st.error(escaped(one.reason), icon=":material/error:")
        elif one is None and not found.running:
            st.info("This result was stopped before it was there: press Run to fetch it.")
        if not isinstance(one, ClusterEstimator):
            if found.running:
                first_look(studio)
            raise NotYet
    task, judge_task = needed[algorithm], needed[JUDGE]
    if algorithm == JUDGE:
        try:
            need_number(studio, task, judge)
        except NotYet:
            first_look(studio)
            raise
    groups = studio.work.naming_of(task).apply(model.labels_)
    about = task, judge_task, groups.parts
    partition = studio.results.latest(
        "judged", about, lambda: JudgedPartition.of(judge, groups.labels)
    )
    return Chosen(algorithm, task, model, judge, groups, partition, judge_task)


def _facts(chosen: Chosen, n_rows: int) -> None:
    """K and N, and E behind the question mark, in the same place on every page."""
    fitted = chosen.model.n_clusters_
    k = f"K = {chosen.groups.n_groups:,}"
    if fitted != chosen.groups.n_groups:
        k += f" (of {fitted:,} fitted)"
    st.markdown(
        f"**{k}** &nbsp; N = {n_rows:,}",
        help=f"K: groups. N: rows. E is {chosen.partition.objective_:,.1f} here: the exact cost of "
        "this partition under MAP-DP's model in natural log units; lower is better. Groups of "
        "every method are described by MAP-DP's model, so that they can be told apart in the same "
        "words.",
    )


def need_number(studio: Session, task: Task, model: MAPDP) -> None:
    """Go on once it is known how many groups of a fit to show."""
    if studio.work.seeks_number(task, model):
        get_result(
            studio,
            HOW_MANY,
            task,
            "How many groups",
            lambda job: how_many(model, callback=job),
            otherwise=lambda: GroupNumber(merge_path(model.partition_), None),
        )


@in_visit
def change_naming(chosen: Chosen, naming: Naming) -> None:
    session().naming[chosen.task] = naming


def naming_of(chosen: Chosen) -> Naming:
    return session().work.naming_of(chosen.task)


class DescribedGroups(NamedTuple):
    """The groups as their columns tell them apart."""

    #: One for each group.
    cards: list[Card]
    #: None where no short rule tells any group.
    rules: TableRules | None
    #: One row a column or level, one column a group: in standard deviations of all rows.
    differences: pd.DataFrame


def described_groups(studio: Session, chosen: Chosen) -> DescribedGroups:
    frame, labels = studio.table.frame, chosen.groups.labels
    encoded = chosen.partition.columns_.encoded

    def describe(job: Job) -> DescribedGroups:
        return DescribedGroups(
            profile_cards(encoded, labels),
            rules_of_table(frame, encoded, labels),
            standardised_differences(encoded, labels, LEAST_ROWS),
        )

    return get_result(studio, "profiles", chosen.about, "Describing the groups", describe)
