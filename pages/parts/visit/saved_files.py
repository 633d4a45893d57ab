"""A file that was asked for waits a minute for its browser, and is then let go.

Streamlit forgets it once anybody's pages have run twice: on a busy server before its browser has
come for it, so that nothing was saved, and on an idle one never.
"""

from __future__ import annotations

import time

from streamlit.runtime.media_file_manager import MediaFileMetadata

#: Seconds that a file is kept after it was made, or after no page offers it any more.
KEPT = 60.0


def keep_saved_files() -> None:
    """Let files go by the clock, not by runs; ``serving`` tidies where there are none."""

    def mark(file: MediaFileMetadata) -> None:
        vars(file).setdefault("unused_since", time.monotonic())

    def is_over(file: MediaFileMetadata) -> bool:
        return time.monotonic() - vars(file).get("unused_since", float("inf")) > KEPT

    MediaFileMetadata.mark_for_delete = mark  # type: ignore[method-assign]
    MediaFileMetadata.is_marked_for_delete = property(is_over)  # type: ignore[assignment]
