"""What a browser has kept is not sent again; what it may have let go of is.

Streamlit's browser keeps large messages, says with each request which it has, and is then told
their names alone. It lets go of those that the last runs did not use. While the server is busy
other runs end between a request and its own, and a name that the browser did not know any more
ended its connection for good ("Cached ForwardMsg MISS").
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner


@dataclass
class Used:
    """Names of the messages that a visitor's last run used, and the page as it stands since.

    A browser has those still: it lets go of a message as a run ends of the page, or of the part
    that it first came with, but not as the first run of any kind does that did not use it.
    """

    last: set[str] = field(default_factory=set)
    #: Used by the last run of the whole page, or by a part's since then.
    whole: set[str] = field(default_factory=set)
    #: The parts that each of them came whole with; "" is the page around them.
    parts: dict[str, set[str]] = field(default_factory=dict)

    def end(self, parts: Collection[str]) -> None:
        """A run has ended: of these parts, or of the page, which has all."""
        used = {*self.last}  # copied: two runs of a visitor may overlap
        if parts:
            kept = {*self.whole} - used
            used |= {n for n in kept if self.parts.get(n, {*parts}).isdisjoint(parts)}
        self.whole = used
        self.parts = {name: of for name, of in dict(self.parts).items() if name in used}


def send_what_is_gone() -> None:
    """Let no run name a message that its browser may have let go of since it asked."""
    run, send = ScriptRunner._run_script, ScriptRunner._enqueue_forward_msg
    # Of the one thing that all runs of a visitor have in common.
    visitors: WeakKeyDictionary[PagesManager, Used] = WeakKeyDictionary()

    def run_on_what_is_there(runner: ScriptRunner, asked: RerunData) -> None:
        used = visitors.setdefault(runner._pages_manager, Used())
        kept = asked.cached_message_hashes & (used.last | used.whole)
        used.last = set()
        run(runner, replace(asked, cached_message_hashes=kept))
        used.end(asked.fragment_id_queue)

    def send_and_note(runner: ScriptRunner, message: ForwardMsg) -> None:
        send(runner, message)
        if message.ref_hash or message.metadata.cacheable:
            used = visitors.setdefault(runner._pages_manager, Used())
            name = message.ref_hash or message.hash
            used.last.add(name)
            used.parts.setdefault(name, set()).add(message.delta.fragment_id)

    ScriptRunner._run_script = run_on_what_is_there  # type: ignore[method-assign]
    ScriptRunner._enqueue_forward_msg = send_and_note  # type: ignore[method-assign]
