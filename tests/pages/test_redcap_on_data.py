"""A REDCap dictionary on Data: before its export, or beside it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from mapdp_studio.pages import Session
from tests.pages.conftest import PAGES
from tests.reading.redcap_project import classic, dictionary


def uploaded(*files: tuple[str, bytes]) -> AppTest:
    at = AppTest.from_file(str(PAGES / "data.py"), default_timeout=60)
    at.session_state["studio"] = Session()
    at.run()
    for place, (name, content) in enumerate(files):
        beside = bool(place) and name == "dictionary.csv"
        at.file_uploader(key="dictionary" if beside else "upload").upload(name, content, "text/csv")
        at.run()
        assert not at.exception
    return at


def test_a_dictionary_alone_is_said_to_be_one_and_waits_for_its_export():
    first = "dictionary.csv", dictionary()
    (said,) = uploaded(first).error
    assert "is the data dictionary of a REDCap project" in said.value
    both = uploaded(first, ("export.csv", classic()))
    assert not both.error
    assert set(both.session_state["studio"].schema["sex"].levels) == {"Female", "Male"}


def test_beside_an_export_there_is_a_place_for_its_dictionary():
    at = uploaded(("export.csv", classic()), ("dictionary.csv", dictionary()))
    assert not at.error
    studio = at.session_state["studio"]
    assert studio.table.name == "export.csv"
    assert set(studio.schema["sex"].levels) == {"Female", "Male"}
    assert any("Read with the REDCap dictionary" in caption.value for caption in at.caption)
