"""What runs after a part of a page has run by itself, and where such a part runs.

With ``runner.fastReruns = false`` a page that is asked for while a part of one (a fragment, such as
one that runs every second) is being drawn follows it in the same thread. Streamlit then drew the
page into the part's own box, and the browser, which had no such box, took everything away. And a
part asks under the page that the browser shows: while the server is busy with the one that the
visitor has gone to, that is the one before, to which Streamlit turned back.
"""

from __future__ import annotations

from dataclasses import replace

from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType


def keep_runs_apart() -> None:
    """Let every run begin at the top of its page, and a part never say which page that is."""
    add, run = ScriptRequests._request_rerun_locked, ScriptRunner._run_script

    def add_to_what_waits(requests: ScriptRequests, asked: RerunData) -> bool:
        waiting = requests._rerun_data
        page_waits = requests._state is ScriptRequestType.RERUN and not waiting.fragment_id_queue
        if asked.fragment_id and page_waits:
            asked = replace(
                asked,
                page_script_hash=waiting.page_script_hash,
                page_name=waiting.page_name,
                query_string=waiting.query_string,
            )
        return add(requests, asked)

    def run_at_the_top(runner: ScriptRunner, asked: RerunData) -> None:
        if asked.fragment_id_queue:
            here = runner._pages_manager.current_page_script_hash
            asked = replace(asked, page_script_hash=here)
        context_dg_stack.set(get_default_dg_stack_value())
        run(runner, asked)

    ScriptRequests._request_rerun_locked = add_to_what_waits  # type: ignore[method-assign]
    ScriptRunner._run_script = run_at_the_top  # type: ignore[method-assign]
