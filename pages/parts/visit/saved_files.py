"""A file is offered, and kept for its browser, a minute longer than Streamlit would.

Streamlit forgets what a button saves while the page is drawn anew, though the browser still shows
the old button: whoever pressed it then got nothing. The file that was made it forgets once
anybody's pages have run twice: on a busy server before its browser has come for it, so that nothing
was saved, and on an idle one never.
"""

from __future__ import annotations

import time
from collections.abc import MutableMapping
from typing import Any

from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager, MediaFileMetadata

#: Seconds that a file is kept after it was made, or after no page offers it any more.
KEPT = 60.0
_UNUSED = "unused_since"


def keep_saved_files() -> None:
    """Let files go by the clock, not by runs; ``serving`` tidies where there are none."""

    def mark(file: MediaFileMetadata) -> None:
        _is_over(vars(file))

    def is_over(file: MediaFileMetadata) -> bool:
        return _UNUSED in vars(file) and _is_over(vars(file))

    def let_go_of_offers(files: MediaFileManager) -> None:
        pages = files._files_by_session_and_coord.values()
        offered = {file_id for page in pages for file_id in page.values()}
        for file_id in files._deferred_callables.keys() - offered:
            if _is_over(files._deferred_callables[file_id]):
                files._drop_deferred_id(file_id)

    MediaFileMetadata.mark_for_delete = mark  # type: ignore[method-assign]
    MediaFileMetadata.is_marked_for_delete = property(is_over)  # type: ignore[assignment]
    MediaFileManager._remove_orphaned_deferred_callables = let_go_of_offers  # type: ignore


def _is_over(about: MutableMapping[str, Any]) -> bool:
    """Whether what nobody uses has waited long enough, since this was asked for the first time."""
    return time.monotonic() - about.setdefault(_UNUSED, time.monotonic()) > KEPT


def offer_no_more(session_id: str) -> None:
    """Forget at once what a session's buttons would save, and the table that this holds."""
    files = runtime.get_instance().media_file_mgr
    with files._lock:
        for file_id in list(files._deferred_ids_by_session.get(session_id, ())):
            files._drop_deferred_id(file_id)
