"""Which visits a server keeps, and for how long: a page that is left says so, a cut line does not.

Where a tab was closed its table leaves memory soon. Where only the line was cut, or the computer
sleeps, somebody will come back: what they had is kept for hours, as far as there is room.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

#: Seconds that a visit is kept after its tab was closed, and after its line was cut.
KEPT, KEPT_CUT = 60.0, 12 * 3600.0
#: Seconds after a tab was closed in which its work goes on: a reloaded page takes it up again.
WORKED = 10.0
#: Of visits whose line was cut: how many are kept, and how many bytes their tables have together.
#: With results and files, the server needs some four times as much.
MOST_CUT, MOST_BYTES = 100, 2**29
#: Seconds after which a session that is open again, or still, has not said goodbye for good.
LEAVING = 15.0
#: Tabs of which is remembered why their visit ended.
MOST_ENDED = 1000


class Studio(Protocol):
    """What a visitor has done."""

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""

    def stop_work(self) -> None:
        """End what is worked out for the visitor in the background."""


@dataclass(eq=False)
class Visit:
    """A session of the server, and who has it open."""

    session_id: str
    #: When it was open last.
    seen: float
    #: Of its tab, once the tab has told it.
    key: str = ""
    #: What the tab's visitor has done; None until the key is known.
    studio: Studio | None = None
    #: What the server knows about who is there, of a visitor that had to log in.
    user: Mapping[str, Any] | None = None
    #: When its page was left: closed, reloaded, or for another address.
    goodbye: float | None = None

    @property
    def is_closed(self) -> bool:
        """Of one that is not open: whether its page was left, rather than its line cut.

        Without a key nobody could find it again.
        """
        return self.goodbye is not None or not self.key


@dataclass(frozen=True)
class Ended:
    """Why a visit was not kept any longer, and since when its tab had not been heard of."""

    #: "closed", "hours" for a line that was cut too long, "room", or "forgotten" as was asked for.
    why: str
    seen: datetime


class Visits:
    """All visits of a server.

    Parameters
    ----------
    is_open : callable
        Whether a session has a browser at its other end.
    clock : callable
        Seconds since any time.
    """

    def __init__(
        self, is_open: Callable[[str], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._is_open, self._clock = is_open, clock
        self._visits: dict[str, Visit] = {}
        self._ended: dict[str, Ended] = {}
        self._lock = threading.RLock()
        #: When this server began.
        self.began = datetime.now(UTC)

    def note_session(self, session_id: str) -> Visit:
        """Remember that the server has a session, which holds a table and files of its own."""
        with self._lock:
            return self._visits.setdefault(session_id, Visit(session_id, self._clock()))

    def note(
        self, key: str, studio: Studio, session_id: str, user: Mapping[str, Any] | None = None
    ) -> None:
        """Keep what a visitor has done under the key of the tab, for this session alone."""
        with self._lock:
            for other in self._visits.values():
                if other.key == key and other.session_id != session_id:
                    other.key, other.studio = "", None
            visit = self.note_session(session_id)
            visit.key, visit.studio, visit.user = key, studio, user

    def get(self, key: str) -> Visit | None:
        """The visit of a tab, if it is kept."""
        with self._lock:
            return next((visit for visit in self._visits.values() if visit.key == key), None)

    def ended(self, key: str) -> Ended | None:
        """What became of the visit of a tab that is not kept any more."""
        return self._ended.get(key)

    def forget(self, key: str) -> None:
        """Let what the visitor of a tab has done go now."""
        visit = self.get(key)
        if visit is not None:
            self._remember(key, Ended("forgotten", datetime.now(UTC)))
            visit.key, visit.studio = "", None

    def goodbye(self, session_id: str) -> None:
        """The page of a session was left."""
        self.note_session(session_id).goodbye = self._clock()

    @property
    def sessions(self) -> list[str]:
        """All that the server has."""
        with self._lock:
            return list(self._visits)

    def let_go(self) -> list[str]:
        """Let go of visits whose time is over or for which there is no room; their sessions."""
        now = self._clock()
        with self._lock:
            for visit in self._visits.values():
                if self._is_open(visit.session_id):
                    visit.seen = now
                    if visit.goodbye is not None and now - visit.goodbye > LEAVING:
                        visit.goodbye = None
            over = {
                visit.session_id: "closed" if visit.is_closed else "hours"
                for visit in self._visits.values()
                if now - visit.seen > (KEPT if visit.is_closed else KEPT_CUT)
            }
            over |= dict.fromkeys(self._without_room(now, over), "room")
            for session_id, why in over.items():
                self._end(self._visits.pop(session_id), why, now)
        return list(over)

    def stop_work(self) -> None:
        """End what is still worked out for visitors whose tabs were closed."""
        now = self._clock()
        with self._lock:
            for visit in self._visits.values():
                if visit.is_closed and visit.studio is not None and now - visit.seen > WORKED:
                    visit.studio.stop_work()

    def _without_room(self, now: float, over: Mapping[str, str]) -> list[str]:
        """Of those whose line was cut, the ones cut longest ago beyond the room for all.

        The one cut last stays however large it is: on somebody's own computer it is the only one.
        """
        cut = [
            visit
            for visit in self._visits.values()
            if visit.seen < now and not visit.is_closed and visit.session_id not in over
        ]
        n_bytes, beyond = 0, []
        for place, visit in enumerate(sorted(cut, key=lambda visit: -visit.seen)):
            n_bytes += visit.studio.n_bytes
            if place and (place >= MOST_CUT or n_bytes > MOST_BYTES):
                beyond.append(visit.session_id)
        return beyond

    def _end(self, visit: Visit, why: str, now: float) -> None:
        if visit.key:
            seen = datetime.now(UTC) - timedelta(seconds=now - visit.seen)
            self._remember(visit.key, Ended(why, seen))

    def _remember(self, key: str, ended: Ended) -> None:
        self._ended.pop(key, None)
        self._ended[key] = ended
        for oldest in list(self._ended)[:-MOST_ENDED]:
            del self._ended[oldest]
