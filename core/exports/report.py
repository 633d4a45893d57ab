"""A report in one HTML file: headings, text, tables and figures; it needs no network."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The browser itself is told to fetch nothing; WebGL charts compile their drawing in the page.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:; worker-src blob:"
)
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif;
       color: #1c2629; background: #fff; max-width: 1060px; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.9rem; margin: 0 0 .2rem; } h2 { font-size: 1.35rem; margin: 2.2rem 0 .5rem; }
h3 { font-size: 1.1rem; margin: 1.5rem 0 .4rem; } h4 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
h1, h2, h3, h4, p, li, figcaption, caption { overflow-wrap: anywhere; }
.about, figcaption, caption { color: #56666b; }
.note { border-left: 4px solid #0f6b75; background: #f3f6f7; padding: .6rem 1rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
caption, figcaption { text-align: left; font-size: .92rem; margin: .3rem 0; }
th, td { padding: .28rem .7rem; border-bottom: 1px solid #d8e0e2; text-align: left;
         vertical-align: top; }
td, th { overflow-wrap: break-word; } td:first-child { overflow-wrap: anywhere; min-width: 5em; }
th { border-bottom: 2px solid #b8c4c7; } .number { text-align: right; white-space: nowrap; }
figure { margin: 1.2rem 0; } .picture { width: 100%; }
pre { background: #f3f6f7; padding: .8rem 1rem; overflow-x: auto; font-size: .85rem; }
button { font: inherit; font-size: .85rem; color: #0f6b75; background: none; cursor: pointer;
         border: 1px solid #b8c4c7; border-radius: .35rem; margin-right: .4rem; }
@page { margin: 15mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; }
  figure, tr, .note { break-inside: avoid; } h2, h3, h4 { break-after: avoid; }
  button, .modebar { display: none !important; } .wide { overflow: visible; }
  pre { white-space: pre-wrap; } table { font-size: .8rem; } th, td { padding: .2rem .4rem; }
}
"""
# Drawn when it comes into view; on paper every figure is as wide as a page of A4.
_SCRIPT = """
const drawings = [...document.querySelectorAll(".picture")];
const options = { responsive: true, displaylogo: false, displayModeBar: false };
const draw = (place) => {
  if (place.drawn) return;
  place.drawn = true;
  const figure = JSON.parse(place.nextElementSibling.textContent);
  Plotly.newPlot(place, figure.data, figure.layout, options);
  if (figure.frames) Plotly.addFrames(place, figure.frames);
};
const seen = new IntersectionObserver((entries) => entries.forEach((entry) => {
  if (entry.isIntersecting) draw(entry.target);
}), { rootMargin: "600px" });
drawings.forEach((place) => seen.observe(place));
document.querySelectorAll("button[data-format]").forEach((button) =>
  button.addEventListener("click", () => {
    const place = button.closest("figure").querySelector(".picture");
    draw(place);
    const { width, height } = place.getBoundingClientRect();
    Plotly.downloadImage(place, { format: button.dataset.format, filename: button.dataset.name,
      width, height, scale: button.dataset.format === "png" ? 2 : 1 });
  }));
// The browser takes the page to print as it stands when this returns: nothing may be put off.
window.addEventListener("beforeprint", () => drawings.forEach((place) => {
  place.style.width = "180mm";
  draw(place);
  Plotly.relayout(place, { width: place.clientWidth });
}));
window.addEventListener("afterprint", () => drawings.forEach((place) => {
  place.style.width = "";
  Plotly.relayout(place, { width: null, autosize: true });
}));
"""


class Report:
    """Collects what is said and shown, in order, and writes it as one HTML page.

    Every text is plain: what looks like HTML in a column's name stays text.

    Parameters
    ----------
    about : str
        One line below the title, such as what was analysed and when.
    """

    def __init__(self, title: str, about: str = "") -> None:
        self.title = title
        self._parts = [f"<h1>{_text(title)}</h1>"]
        if about:
            self._parts.append(f'<p class="about">{_text(about)}</p>')
        self._n_figures = 0

    def heading(self, text: str, level: int = 2) -> None:
        """Begin a section; levels 2 to 4."""
        self._parts.append(f"<h{level}>{_text(text)}</h{level}>")

    def paragraph(self, text: str) -> None:
        """Say something."""
        self._parts.append(f"<p>{_text(text)}</p>")

    def note(self, text: str) -> None:
        """Say something that must not be overlooked, set off from the rest."""
        self._parts.append(f'<p class="note">{_text(text)}</p>')

    def points(self, texts: Iterable[str]) -> None:
        """List things, one a bullet."""
        items = "".join(f"<li>{_text(text)}</li>" for text in texts)
        self._parts.append(f"<ul>{items}</ul>")

    def code(self, text: str) -> None:
        """Show a program or settings as they are."""
        self._parts.append(f"<pre>{_text(text)}</pre>")

    def table(self, frame: pd.DataFrame, caption: str = "") -> None:
        """Show a table without its index; missing cells as a dash.

        Numbers stand on the right: whole ones with thousands separated, others with four
        significant digits. Give text where another number of digits is due.
        """
        numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
        marks = [' class="number"' if number else "" for number in numeric]
        head = "".join(
            f"<th{mark}>{_text(name)}</th>" for name, mark in zip(frame, marks, strict=True)
        )
        rows = [
            "".join(f"<td{mark}>{_cell(cell)}</td>" for cell, mark in zip(row, marks, strict=True))
            for row in frame.itertuples(index=False, name=None)
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        title = f"<caption>{_text(caption)}</caption>" if caption else ""
        self._parts.append(
            f'<div class="wide"><table>{title}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )

    def figure(self, figure: go.Figure, caption: str = "", alt: str = "") -> None:
        """Show a Plotly figure, to be saved as SVG or PNG by whoever reads the report.

        Names in it must have gone through ``plots.template.plain``; ``alt`` says what it shows, for
        those who do not see it.
        """
        self._n_figures += 1
        name = f"figure-{self._n_figures}"
        height = figure.layout.height or 450
        # Inside a script element only "<" could end the data.
        data = figure.to_json().replace("<", "\\u003c")
        said = f"<b>Figure {self._n_figures}.</b> {_text(caption)}"
        buttons = "".join(
            f'<button data-format="{kind}" data-name="{name}">{kind.upper()}</button>'
            for kind in ("svg", "png")
        )
        self._parts.append(
            f'<figure><div class="picture" role="img" aria-label="{_text(alt or caption)}" '
            f'style="height:{height}px"></div>'
            f'<script type="application/json">{data}</script>'
            f"<figcaption>{said}</figcaption>{buttons}</figure>"
        )

    def html(self) -> str:
        """Return the whole page."""
        scripts = ""
        if self._n_figures:
            from plotly.offline import get_plotlyjs

            scripts = f"<script>{get_plotlyjs()}</script><script>{_SCRIPT}</script>"
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{_text(self.title)}</title><style>{_STYLE}</style></head>\n<body>\n"
            + "\n".join(self._parts)
            + f"\n{scripts}</body></html>\n"
        )


def _text(text: object) -> str:
    return html.escape(str(text))


def _cell(value: object) -> str:
    """A number with the digits it deserves, text as it is."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "\u2013"
    if isinstance(value, bool) or not pd.api.types.is_number(value):
        return _text(value)
    if value == int(value) if abs(value) < 1e15 else False:
        return f"{int(value):,}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
