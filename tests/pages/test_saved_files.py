"""What is saved can be fetched whatever others do meanwhile, and is not kept for longer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager, MediaFileMetadata
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages.parts.visit import saved_files


def test_a_saved_file_waits_for_its_browser_however_many_pages_are_drawn_and_then_goes(monkeypatch):
    for name in ("mark_for_delete", "is_marked_for_delete"):
        monkeypatch.setattr(MediaFileMetadata, name, vars(MediaFileMetadata)[name])
    now = 0.0
    monkeypatch.setattr(saved_files, "time", SimpleNamespace(monotonic=lambda: now))
    saved_files.keep_saved_files()
    storage = MemoryMediaFileStorage("/media")
    manager = MediaFileManager(storage)
    asked = manager.add_deferred(lambda: b"a table", "text/csv", "here", "table.csv")
    saved = manager.execute_deferred(asked).removeprefix("/media/")
    for _ in range(5):
        manager.remove_orphaned_files()  # as after every run of anybody's page
    assert storage.get_file(saved).content == b"a table"
    now = saved_files.KEPT + 1.0
    manager.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(saved)
