"""What is saved can be fetched whatever others do meanwhile, and is not kept for longer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager, MediaFileMetadata
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from mapdp_studio.pages.parts.visit import saved_files


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """Files are kept by this clock."""
    for owner, name in (
        (MediaFileMetadata, "mark_for_delete"),
        (MediaFileMetadata, "is_marked_for_delete"),
        (MediaFileManager, "_remove_orphaned_deferred_callables"),
    ):
        monkeypatch.setattr(owner, name, vars(owner)[name])
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(saved_files, "time", SimpleNamespace(monotonic=lambda: clock.now))
    saved_files.keep_saved_files()
    return clock


def test_a_saved_file_waits_for_its_browser_however_many_pages_are_drawn_and_then_goes(clock):
    storage = MemoryMediaFileStorage("/media")
    manager = MediaFileManager(storage)
    asked = manager.add_deferred(lambda: b"a table", "text/csv", "here", "table.csv")
    saved = manager.execute_deferred(asked).removeprefix("/media/")
    for _ in range(5):
        manager.remove_orphaned_files()  # as after every run of anybody's page
    assert storage.get_file(saved).content == b"a table"
    clock.now = saved_files.KEPT + 1.0
    manager.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(saved)


def test_what_a_page_offered_can_be_had_while_it_is_drawn_anew_and_not_once_it_is_forgotten(
    clock, monkeypatch
):
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=files))
    saved = files.add_deferred(lambda: b"a", None, "here", "t.csv")
    files.clear_session_refs()  # a run begins, and the browser still shows the last one's buttons
    files.remove_orphaned_files()
    assert files.execute_deferred(saved)
    clock.now = saved_files.KEPT + 1.0
    files.remove_orphaned_files()
    offered = files.add_deferred(lambda: b"a", None, "here", "t.csv")
    saved_files.offer_no_more("dontcare")  # the session of what runs without one
    for gone in (saved, offered):
        with pytest.raises(MediaFileStorageError):
            files.execute_deferred(gone)
