"""A report for Word: every table and every word of the HTML, whatever is in them."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO

import pandas as pd
import pytest

from core.exports.report import Report
from core.exports.word import NO_PICTURE, as_docx
from tests.exports.awkward_report import awkward_report

docx = pytest.importorskip("docx")


def tables_of_html(page: str) -> list[list[list[str]]]:
    own = page.partition("<script>")[0]
    return [
        [
            [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
            for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        ]
        for table in re.findall(r"<table>(.*?)</table>", own, re.DOTALL)
    ]


def tables_of_docx(content: bytes) -> list[list[list[str]]]:
    document = docx.Document(BytesIO(content))
    return [[[cell.text for cell in row.cells] for row in t.rows] for t in document.tables]


def test_word_has_every_table_of_the_html_cell_by_cell():
    report = awkward_report()
    assert tables_of_docx(as_docx(report)) == tables_of_html(report.html())


def test_word_has_headings_captions_and_says_where_the_figures_are():
    document = docx.Document(BytesIO(as_docx(awkward_report())))
    styles = {p.text: p.style.name for p in document.paragraphs}
    assert styles["Methods"] == "Heading 1"
    assert styles["Deep"] == "Heading 3"
    assert styles["A caption_1"] == "Caption"
    assert f"Figure 1. A figure. {NO_PICTURE}" in styles
    assert document.core_properties.author == ""
    # A wide table lies across a page of its own.
    wide = [s.page_width > s.page_height for s in document.sections]
    assert wide == [False, True, False]


def test_word_takes_what_xml_cannot_hold():
    made = Report("x\x00y")
    made.table(pd.DataFrame({"\x1b": ["a\x0b", "\ud800"]}, dtype=object))
    assert tables_of_docx(as_docx(made)) == [[[""], ["a"], [""]]]
