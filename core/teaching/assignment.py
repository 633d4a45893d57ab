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
    title: str, introduction: str, stops: Sequence[tuple[str, Sequence[str], str]]
) -> str:
    """Write a lesson as one page of HTML that prints; no answer is on it.

    Parameters
    ----------
    stops : sequence of (question, choices, address)
        What to predict, the choices to be ticked, and where the answer is.
    """
    items = "".join(_stop(*stop) for stop in stops)
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{escape(introduction)}</p>"
        "<p>Name: ________________________________&emsp;Date: ______________</p>"
        "<p><strong>Predict first:</strong> tick one, open the address, choose, and write down why "
        f"it is so.</p><ol>{items}</ol></body></html>"
    )


def _stop(question: str, choices: Sequence[str], address: str) -> str:
    boxes = "".join(f"<li>{escape(choice)}</li>" for choice in choices)
    link = f"<a href='{escape(address)}'>{escape(address)}</a>"
    return (
        f"<li>{escape(question)}<ul class='choices'>{boxes}</ul>{link}<div class='line'></div></li>"
    )
