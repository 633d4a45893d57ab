"""A lesson on one sheet of paper: where to look, what to predict, room to write."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_STYLE = """
@page { size: A4; margin: 16mm; }
body { font: 11pt/1.4 system-ui, sans-serif; color: #1c2629; max-width: 178mm; margin: auto; }
h1 { font-size: 16pt; margin: 0 0 2mm; }
ol { padding-left: 6mm; }
li { margin-bottom: 3mm; break-inside: avoid; }
a { color: #0f6b75; font-size: 8.5pt; word-break: break-all; }
.line { border-bottom: 0.3mm solid #b7c3c6; height: 8mm; }
.choices { list-style: none; padding: 0; }
.choices li::before { content: "\\2610\\00a0\\00a0"; }
"""


def assignment_sheet(
    title: str,
    introduction: str,
    stops: Sequence[tuple[str, str]],
    question: str,
    choices: Sequence[str],
    link: str,
) -> str:
    """Write a lesson as one page of HTML that prints; the answer is not on it.

    Parameters
    ----------
    stops : sequence of (text, address)
        What to look at, and where.
    choices : sequence of str
        To be ticked before the address of the question, ``link``, is opened.
    """
    items = "".join(
        f"<li>{escape(text)}<br>{_address(address)}<div class='line'></div></li>"
        for text, address in stops
    )
    boxes = "".join(f"<li>{escape(choice)}</li>" for choice in choices)
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{escape(introduction)}</p>"
        "<p>Name: ________________________________&emsp;Date: ______________</p>"
        f"<p>Open each address, look, and write down what you see.</p><ol>{items}</ol>"
        f"<p><strong>Predict first, then look.</strong> {escape(question)}</p>"
        f"<ul class='choices'>{boxes}</ul><p>{_address(link)}</p>"
        "<p>Was it so, and why?</p><div class='line'></div><div class='line'></div>"
        "<div class='line'></div></body></html>"
    )


def _address(address: str) -> str:
    return f"<a href='{escape(address)}'>{escape(address)}</a>"
