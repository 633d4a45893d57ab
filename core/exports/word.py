"""A report as a Word document: headings, text and every table; python-docx writes it."""

from __future__ import annotations

import importlib.util
import re
from io import BytesIO
from typing import TYPE_CHECKING

from .blocks import Block, Code, Figure, Heading, Paragraph, Points, Table
from .report import Report

if TYPE_CHECKING:
    from docx.document import Document
    from docx.section import Section

MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
#: Where a figure would stand.
NO_PICTURE = "The picture is in the report as HTML, where it can be saved as SVG or PNG."
#: Columns beyond which a table gets a page across; points of the letters in tables.
ACROSS, SMALL = 8, 8
#: What XML cannot hold: control characters and halves of a character.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def has_docx() -> bool:
    """Whether python-docx is installed, which is an extra named docx."""
    return importlib.util.find_spec("docx") is not None


def as_docx(report: Report) -> bytes:
    """Write a report as a .docx file.

    Raises
    ------
    ImportError
        python-docx is not installed.
    """
    from docx import Document

    document = Document()
    document.core_properties.title = _text(report.title)
    document.core_properties.author = ""
    document.add_heading(_text(report.title), 0)
    if report.about:
        document.add_paragraph(_text(report.about))
    for block in report.blocks:
        _add(document, block)
    content = BytesIO()
    document.save(content)
    return content.getvalue()


def _add(document: Document, block: Block) -> None:
    match block:
        case Heading(text, level):
            document.add_heading(_text(text), level - 1)
        case Paragraph(text, is_note):
            document.add_paragraph(_text(text), "Intense Quote" if is_note else None)
        case Points(texts):
            for text in texts:
                document.add_paragraph(_text(text), "List Bullet")
        case Code(text):
            document.add_paragraph(_text(text), "No Spacing")
        case Table():
            _add_table(document, block)
        case Figure(number, _, caption, _):
            document.add_paragraph(f"Figure {number}. {_text(caption)} {NO_PICTURE}", "Caption")


def _add_table(document: Document, table: Table) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt

    across = len(table.names) > ACROSS
    if across:
        _turn(document)
    if table.caption:
        document.add_paragraph(
            _text(table.caption), "Caption"
        ).paragraph_format.keep_with_next = True
    rows = [table.names, *table.cells]
    written = document.add_table(len(rows), len(table.names), "Table Grid")
    for place, (row, cells) in enumerate(zip(written.rows, rows, strict=True)):
        for cell, text, is_number in zip(row.cells, cells, table.is_number, strict=True):
            paragraph = cell.paragraphs[0]
            run = paragraph.add_run(_text(text))
            run.font.size, run.bold = Pt(SMALL), place == 0
            if is_number:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    _repeat(written.rows[0])
    if across:
        _turn(document)
    else:
        document.add_paragraph()


def _turn(document: Document) -> Section:
    """Begin a page with the long side where the short one was."""
    from docx.enum.section import WD_ORIENT, WD_SECTION

    before = document.sections[-1]
    section = document.add_section(WD_SECTION.NEW_PAGE)
    section.page_width, section.page_height = before.page_height, before.page_width
    lies = section.page_width > section.page_height
    section.orientation = WD_ORIENT.LANDSCAPE if lies else WD_ORIENT.PORTRAIT
    return section


def _repeat(row) -> None:
    """Print a row again on every page that its table goes over."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _text(text: str) -> str:
    return _UNWRITABLE.sub("", text)
