"""The result that the pages after Compare are about, and the model that its table chooses."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import SchemaError, choose_model
from mapdp_studio.core.comparing.comparison import FitError, Task, clustered_part
from mapdp_studio.core.comparing.panels import FirstLook
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.inference.merge_path import MergePath, merge_path
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.partitions.naming import Groups, Naming
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.profiling.cards import Card, profile_cards
from mapdp_studio.core.profiling.how_many import GroupNumber, how_many
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.profiles import LEAST_ROWS, standardised_differences
from mapdp_studio.core.profiling.rules import TableRules, rules_of_table
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.project import HOW_MANY
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import NotYet, Session, in_visit, session
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import be_patient, fits, get_result, job_state, pool_of
from mapdp_studio.pages.parts.shared.kit import colours, follows, need_engine, need_table

DESCRIBING, FOLLOWING = "Describing the groups", "Following the merges"
CHOOSING = "The table chooses its model"
WHY_CHOSEN = (
    "Likelihoods, logarithms and which measurements vary together, chosen with the groups and once "
    "for all pages: several times as long as one clustering. **Stop** goes on at once, with what "
    "was suggested. What came of it is on **Data**, each change with its way back."
)


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
    def key(self) -> tuple:
        """Everything that the groups depend on, for what is computed from them."""
        return self.task, self.judge_task, self.groups.parts


def choose_result(visit: Session, row: DeltaGenerator) -> Chosen:
    """Draw the choice of a result in a row and fit it; NotYet where the page has said why not."""
    need_model(visit)
    tasks = visit.project.tasks()
    offered = list(tasks)
    # An undone step moves the choice, too.
    kwargs = follows("result_of", visit.algorithm, partial(setattr, visit, "algorithm"))
    kwargs |= {"format_func": lambda name: METHODS[name].title, "label_visibility": "collapsed"}
    with row:
        place = offered.index(visit.algorithm)
        algorithm = st.selectbox("Result of", offered, place, width=160, **kwargs)
        facts = st.container(width="content").empty()
    chosen = _fitted(visit, algorithm, {name: tasks[name] for name in (JUDGE, algorithm)})
    n_groups, fitted = chosen.groups.n_groups, chosen.model.n_clusters_
    more = f" (of {fitted:,} fitted)" * (fitted != n_groups)
    facts.markdown(
        f"**K = {n_groups:,}{more}** &nbsp; N = {len(visit.table.frame):,}",
        help=f"K: groups. N: rows. E is {chosen.partition.objective_:,.1f} here: the exact cost of "
        "this partition under MAP-DP's model in natural log units; lower is better. Groups of "
        "every method are described by MAP-DP's model, so that they can be told apart in the same "
        "words.",
    )
    if visit.study.lock is not None:
        st.caption(
            ":material/lock: A study of this table is locked. Its groups, on **Clinical**, are "
            "those of the settings as they stood then, put together as suggested."
        )
    return chosen


def need_model(visit: Session) -> None:
    """Go on with a table that can be clustered, and its model; else say what is wanting."""
    need_table(visit)
    need_engine("The groups appear here")
    need_encoded(visit)
    if not is_chosen(visit):
        st.caption(WHY_CHOSEN)
        first_look(visit)
        raise NotYet


def need_encoded(visit: Session) -> Encoded:
    """The table as numbers; NotYet, and a sentence, where it cannot be clustered."""
    table, schema = visit.table, visit.schema
    key = table.digest, clustered_part(schema)
    try:
        with st.spinner("Reading the table as numbers"):
            return visit.results.cached("encoded", key, lambda: schema.encode(table.frame))
    except SchemaError as error:
        st.error(escaped(error), icon=":material/error:")
        raise NotYet from None


def _fitted(visit: Session, algorithm: str, needed: dict[str, Task]) -> Chosen:
    """The chosen fit and the judge's, put together as its user did."""
    results, table = visit.results, (visit.table.frame, visit.schema)
    place = st.empty()
    fitting = fits(visit, results, table, needed, place.container())
    if not fitting.jobs:
        place.empty()
    judge, model = (results.get(needed[name]) for name in (JUDGE, algorithm))
    for one in (judge, model):
        if isinstance(one, FitError):
            st.error(escaped(one.reason), icon=":material/error:")
        if not isinstance(one, ClusterEstimator):
            if fitting.running:
                first_look(visit)
            raise NotYet
    task, judge_task = needed[algorithm], needed[JUDGE]
    if algorithm == JUDGE:
        try:
            need_number(visit, task, judge)
        except NotYet:
            first_look(visit)
            raise
    groups = visit.project.naming_of(task).apply(model.labels_)
    key = task, judge_task, groups.parts
    partition = visit.results.cached(
        "judged", key, lambda: JudgedPartition.of(judge, groups.labels)
    )
    return Chosen(algorithm, task, model, judge, groups, partition, judge_task)


def need_number(visit: Session, task: Task, model: MAPDP) -> None:
    """Go on once it is known how many groups of a fit to show."""
    if visit.project.seeks_number(task, model):
        as_fitted = partial(GroupNumber, merge_path(model.partition_), None)
        get_result(visit, HOW_MANY, task, seek_number(model), otherwise=as_fitted)


def begin_number(visit: Session, task: Task, model: MAPDP) -> None:
    """Begin to seek how many groups of a fit to show, and go on at once."""
    if visit.project.seeks_number(task, model):
        pool = pool_of(visit.table.frame, "results")
        visit.jobs.find(HOW_MANY, task, seek_number(model), pool)


def seek_number(model: MAPDP) -> Callable[[Job], GroupNumber]:
    return lambda job: how_many(model, callback=job)


def followed_merges(
    visit: Session, key: tuple[Task, Task], judge: MAPDP, labels: np.ndarray
) -> MergePath:
    """The merges of a fit's labels down to one group, by the fit and its judge's."""
    work = partial(JudgedPartition.of, judge, labels)
    return get_result(visit, FOLLOWING, key, lambda job: work().merge_path_)


@in_visit
def change_naming(chosen: Chosen, naming: Naming) -> None:
    session().naming[chosen.task] = naming


def naming_of(chosen: Chosen) -> Naming:
    return session().project.naming_of(chosen.task)


class DescribedGroups(NamedTuple):
    """The groups as their columns tell them apart."""

    #: One for each group.
    cards: list[Card]
    #: None where no short rule tells any group.
    rules: TableRules | None
    #: One row a column or level, one column a group: in standard deviations of all rows.
    differences: pd.DataFrame


def described_groups(visit: Session, chosen: Chosen) -> DescribedGroups:
    frame, labels = visit.table.frame, chosen.groups.labels
    encoded = chosen.partition.columns_.encoded

    def describe(job: Job) -> DescribedGroups:
        return DescribedGroups(
            profile_cards(encoded, labels),
            rules_of_table(frame, encoded, labels),
            standardised_differences(encoded, labels, LEAST_ROWS),
        )

    return get_result(visit, DESCRIBING, chosen.key, describe)


def _choice_key(visit: Session) -> Hashable:
    return visit.table.digest, clustered_part(visit.schema.as_suggested())


def begin_look(visit: Session) -> Job:
    """Cluster some of the rows as suggested, to be shown while the table chooses its model."""
    table, schema, results = visit.table, visit.schema.as_suggested(), visit.results
    tasks, key = visit.project.tasks((JUDGE,)), _choice_key(visit)

    def fit_some(job: Job) -> tuple[View, FirstLook, Mapping[str, Task]]:
        encoded = results.cached("encoded", key, lambda: schema.encode(table.frame))
        view = results.cached("view", (key, None), lambda: choose_view(encoded))
        look = FirstLook.of(table.frame, schema.completed(table.frame), view)
        look.fit_quickly(tasks[JUDGE], job)
        return view, look, tasks

    return visit.jobs.find("first look", (key, tasks[JUDGE]), fit_some, "short")


@in_visit
def begin_choice(visit: Session) -> Job:
    """Let the table choose; what MAP-DP makes of some rows as suggested is shown first."""
    table, schema, look = visit.table, visit.schema.as_suggested(), begin_look(visit)

    def choose(job: Job) -> object:
        # Beside the choice, which begins on one core.
        look.future.add_done_callback(lambda _: job.share(look.result))
        return choose_model(table.frame, schema, callback=job).schema

    visit.asks_table = True
    be_patient(look)
    return visit.jobs.start(CHOOSING, _choice_key(visit), choose)


def choice_begun(visit: Session) -> Job | None:
    """The choice for this table, if it was begun; one for other columns, or cells, ends."""
    job = visit.jobs.get(CHOOSING, _choice_key(visit))
    if job is None:
        visit.jobs.stop(CHOOSING)
    elif not visit.project.is_undecided:
        job.stop()
        return None
    return job


def is_chosen(visit: Session) -> bool:
    """Whether it is decided what to fit; while the table chooses, how far it is, with a Stop."""
    job = running_choice(visit)
    job_state(job, CHOOSING)
    return job is None


def running_choice(visit: Session) -> Job | None:
    """The choice of the model, begun if need be; one that ended is taken over."""
    job = choice_begun(visit)
    if job is None and visit.project.is_undecided:
        job = begin_choice(visit)
        if pool_of(visit.table.frame) == "short":
            be_patient(job)
    if job is None or job.running:
        return job
    if job.result is not None:
        # Of other columns something may have been said meanwhile.
        visit.take_choice(visit.schema.with_chosen(job.result))
        return None
    visit.asks_table = False
    if job.failure:
        st.warning(f"As suggested: {escaped(job.failure)}", icon=":material/warning:")
    else:
        st.caption(":material/pause: Stopped: likelihoods and blocks are as suggested.")
    return None


def look_while_choosing(visit: Session) -> tuple[View, FirstLook, Mapping[str, Task]] | None:
    """Some of the rows, as they were clustered while the table chose its model."""
    job = visit.jobs.get(CHOOSING, _choice_key(visit))
    return None if job is None else job.partial


def first_look(visit: Session) -> None:
    """Show some of the rows until there is more; nothing without them."""
    if (seen := look_while_choosing(visit)) is None:
        return
    view, look, tasks = seen
    panel = look.panel(JUDGE, view, tasks)
    st.caption(
        f"Meanwhile a first look: {len(look.frame):,} rows, the columns as suggested. What is "
        "chosen, and the answer for all rows, may differ."
    )
    figure = panels_figure(view, [panel], 1, 380, **colours()).to_json()
    alt = f"{METHODS[JUDGE].title}: {panel.remark}, coloured by cluster"
    chart(figure, "first-look", alt, saving("first look"))
