"""What was decided stays in the browser's tab as well: it outlives the server, without a cell.

A project without its table and without anything of single rows. Where the server has let a visit
go, the page says what was lost and when; what was decided is taken up with the same table.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from mapdp_studio.core import TableError, infer_schema
from mapdp_studio.core.methods.settings import ADDRESSES
from mapdp_studio.core.session.project_file import (
    Project,
    ProjectFileError,
    load_project,
    save_project,
)
from mapdp_studio.core.session.visits import KEPT_CUT, Ended, Visits
from mapdp_studio.core.session.work import Work
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.data.project import screen_of, stand_like, work_of
from mapdp_studio.pages.parts.shared.kit import to_data
from mapdp_studio.pages.parts.shared.loading import load_example
from mapdp_studio.pages.parts.shared.scripts import script_beside
from mapdp_studio.pages.parts.visit.decisions import Decisions
from mapdp_studio.pages.parts.visit.steps import (
    steps_from_dict,
    steps_to_dict,
    with_reasons,
    without_reasons,
)

#: In the session: what was lost, what was written last, whether to delete it, what to say once.
LOST, WRITTEN, DELETE, SAID = "lost_visit", "tab_written", "tab_delete", "taken_up"
#: Key of what is said above a page.
NOTICE = "said_of_a_loss"
#: Settings whose sliders write themselves into the address; lambda's is written by the server.
_BOUND = ADDRESSES.keys() - {"penalty"}
_storage = component("mapdp_studio_decided", js=script_beside(__file__))


@dataclass(frozen=True)
class Lost:
    """What a visitor had whose table this server does not have any more."""

    project: Project
    #: What happened, and when.
    why: str
    #: Settings that stood in the page's address: they may be newer than what the server was told.
    addressed: tuple[str, ...] = ()

    @property
    def example(self) -> str | None:
        """Key of the example that the table was."""
        return self.project.example if self.project.example in DEMOS else None


def keep_decided(studio: Session) -> None:
    """Write what is decided by now into the tab; called once the page is drawn."""
    work = (*studio.parents, studio.work)[0]  # of a part the whole: it can be loaded again
    state = st.session_state
    decided = work.history.present, work.study.to_dict(), work.compared, len(work.snapshots)
    about, text = state.get(WRITTEN, (None, ""))
    if about != decided:
        text = written(work)
        state[WRITTEN] = decided, text
    _storage(key="storage", data={"decided": text}, height=1)


def written(work: Work) -> str:
    """What the tab keeps of a table: all that was decided, as one text.

    Reasons of guesses are left out, which tell of values in the table.
    """
    more = {
        "when": datetime.now(UTC).isoformat(),
        "snapshots": len(work.snapshots),
        "steps": steps_to_dict(work.history),
    }
    screen = screen_of(work.table.digest) | more
    bare = copy(work)
    bare.schema, bare.suggested = without_reasons(work.schema), without_reasons(work.suggested)
    if work.study.lock is not None:
        lock = replace(work.study.lock, schema=without_reasons(work.study.lock.schema))
        bare.study = replace(work.study, lock=lock)
    content = save_project(bare, screen, with_table=False, with_snapshots=False)
    return base64.b64encode(content).decode("ascii")


def note_decided(studio: Session, text: str, key: str, visits: Visits) -> None:
    """Take note of what the tab has kept, if the server has lost what it was about."""
    state = st.session_state
    if text == state.get("tab_decided", ""):
        return
    state["tab_decided"] = text
    if studio.table is not None:
        return
    try:
        project = load_project(base64.b64decode(text, validate=True))
        when = datetime.fromisoformat(project.screen["when"])
    except (ProjectFileError, binascii.Error, KeyError, TypeError, ValueError):
        return
    ended = visits.ended(key)
    if ended is not None and ended.why == "forgotten" and when < ended.seen:
        state[DELETE] = True  # the page was left before the tab had forgotten it, too
        return
    addressed = [name for name in _BOUND if ADDRESSES[name] in st.query_params]
    state[LOST] = Lost(project, _why(ended, visits, when), tuple(addressed))


def _why(ended: Ended | None, visits: Visits, when: datetime) -> str:
    """What became of a visit whose last decision is known."""
    if ended is None or ended.why == "forgotten":
        if when < visits.began:
            return f"The server was started anew at {_time(visits.began)}"
        return f"The server has not had it since {_time(when)}"
    hours = f"{KEPT_CUT / 3600:.0f} hours"
    return {
        "closed": f"This tab was closed at {_time(ended.seen)}, for more than a minute",
        "hours": f"The connection was lost at {_time(ended.seen)}, for more than {hours}",
        "room": f"The connection was lost at {_time(ended.seen)}, and others needed the memory",
    }[ended.why]


def _time(when: datetime) -> str:
    """A time as the visitor's clock shows it, with the day where it was not today."""
    behind = st.context.timezone_offset
    zone = None if behind is None else timezone(-timedelta(minutes=behind))
    local = when.astimezone(zone)
    is_today = local.date() == datetime.now(zone).date()
    return f"{local:%H:%M}" if is_today else f"{local:%H:%M} on {local.day} {local:%B}"


def take_up_decided() -> None:
    """Once the table that was lost is loaded again, go on as it was decided."""
    state, lost = st.session_state, st.session_state.get(LOST)
    if lost is None:
        return
    studio = session()
    if studio.table is None or state.get("lost_tried") == studio.table.digest:
        return
    state["lost_tried"] = studio.table.digest
    try:
        work = work_of(lost.project, studio.table)
    except (ProjectFileError, TableError):
        return  # another table: what was decided goes on waiting
    asked = {name: state.get(ADDRESSES[name]) for name in lost.addressed}
    newer = {name: value for name, value in asked.items() if value is not None}
    work.settings = replace(work.settings, **newer)
    guessed = infer_schema(work.table.frame).by_default()
    work.suggested = with_reasons(work.suggested, guessed)
    work.schema = with_reasons(work.schema, guessed)
    studio.take_work(work)
    stand_like(_without_page(lost.project.screen), work)
    with suppress(ValueError, TypeError, LookupError):  # then there is nothing to undo
        work.history = steps_from_dict(lost.project.screen["steps"], work)
    work.history.note(Decisions.of(studio), completes=work.history.present is not None)
    state[SAID] = f"As decided before: {_decided(lost.project)}."
    del state[LOST]


def _without_page(screen: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in screen.items() if name != "page"}


def say_lost(studio: Session) -> None:
    """On every page: what was lost, and when, and how to go on."""
    state = st.session_state
    if state.pop(DELETE, False):
        _storage(key="emptied", data={"decided": ""}, height=1)
    said, lost = state.pop(SAID, ""), state.get(LOST)
    if not said and lost is None:
        return
    with st.container(key=NOTICE):
        if said:
            st.success(said, icon=":material/check:")
        if lost is not None and studio.table is None:
            _say_all(lost)
        elif lost is not None:
            _say_waiting(lost)


def _say_all(lost: Lost) -> None:
    project = lost.project
    rows, columns = project.saved.shape
    sets = project.screen.get("snapshots", 0)
    also = f", {counted(sets, 'snapshot')}" if isinstance(sets, int) and sets else ""
    st.warning(
        f"**{lost.why}: your table is not there any more.** Lost: the cells of "
        f"**{escaped(project.saved.table)}** ({counted(rows, 'row')}, "
        f"{counted(columns, 'column')}), its results{also}. Kept in this tab: "
        f"{_decided(project)}. Load the same table, and all that is taken up.",
        icon=":material/link_off:",
    )
    with st.container(horizontal=True):
        if lost.example is not None:
            again = lost.example, project.n_read
            st.button("Load it again", type="primary", on_click=load_example, args=again)
        elif st.button("Load it again", type="primary", icon=":material/upload_file:"):
            st.session_state["place"] = "My file"
            to_data()
        _drop_button()


def _say_waiting(lost: Lost) -> None:
    name = escaped(lost.project.saved.table)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"What was decided about **{name}** waits for that table.", width="content")
        _drop_button()


def _drop_button() -> None:
    st.button("Drop what was decided", key="drop_lost", type="tertiary", on_click=_drop)


def _decided(project: Project) -> str:
    """What of a visit is kept, in a few words."""
    saved, told = project.saved, ["roles and likelihoods of its columns"]
    if saved.recipe:
        told.append(counted(len(saved.recipe.entries), "step") + " that prepared the table")
    if saved.namings:
        told.append("names and merges of groups")
    if project.study.lock is not None:
        told.append(f"the lock of {project.study.lock.time}")
    elif project.study.log:
        told.append("the study's log")
    return f"{', '.join(told)}, the sliders and the steps to undo"


def _drop() -> None:
    del st.session_state[LOST]
    st.session_state[DELETE] = True
