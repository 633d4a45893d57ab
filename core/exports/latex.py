"""A report as a LaTeX document: headings, text and every table, over as many pages as it takes."""

from __future__ import annotations

from collections.abc import Sequence

from .blocks import Block, Code, Figure, Heading, Paragraph, Points, Table
from .report import Report
from .word import NO_PICTURE

_PREAMBLE = r"""% Compile with LuaLaTeX or XeLaTeX, which know every letter; pdfLaTeX knows most.
\documentclass[10pt]{article}
\usepackage[a4paper, margin=2cm]{geometry}
\usepackage{array, booktabs, caption, longtable, pdflscape}
\setlength{\tabcolsep}{3pt}
"""
_SECTIONS = {1: "section", 2: "section", 3: "subsection", 4: "paragraph"}
#: Columns beyond which a table gets a page across, and the share of a line that columns fill.
_ACROSS, _FILLED = 8, 0.93
#: Letters by which the width of a column is shared out, at least and at most.
_NARROWEST, _WIDEST = 5, 45
_LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "{}$&#_%"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {'"': "''", "\u2013": "--", "\u201c": "``", "\u201d": "''"}
    | {"\u2080": "$_0$", "\u00b2": "$^2$", "\u2265": r"$\geq$", "\u2264": r"$\leq$"}
    | {"\u00b1": r"$\pm$", "\u00d7": r"$\times$", "\u2026": r"\ldots{}", "\u2019": "'"}
    | dict.fromkeys("\r\n\t", " ")
    | dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
)


def latex(text: str) -> str:
    """Plain text with every mark that LaTeX reads otherwise written so that it is printed."""
    return text.translate(_LATEX)


def latex_line(cells: Sequence[str]) -> str:
    """A line of a table; "[" or "*" at its beginning would belong to the end of the line before."""
    line = " & ".join(map(latex, cells)) + r" \\"
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def as_latex(report: Report) -> bytes:
    """Write a report as one .tex file in UTF-8."""
    parts = [
        _PREAMBLE,
        rf"\title{{{latex(report.title)}}}",
        rf"\author{{}}\date{{{latex(report.about)}}}",
        r"\begin{document}",
        r"\maketitle",
        *map(_block, report.blocks),
        r"\end{document}",
    ]
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def _block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return rf"\{_SECTIONS[level]}*{{{latex(text)}}}"
        case Paragraph(text, is_note):
            said = latex(text)
            return f"\\begin{{quote}}\n{said}\n\\end{{quote}}" if is_note else said
        case Points(texts):
            items = [rf"\item {{}}{latex(text)}" for text in texts]
            return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"]) if items else ""
        case Code(text):
            lines = [rf"\texttt{{{latex(line)}}}" for line in text.splitlines() if line.strip()]
            return "\\\\\n".join(lines)
        case Table():
            return _table(block)
        case Figure(number, _, caption, _):
            return rf"\paragraph{{Figure {number}.}} {latex(caption)} {NO_PICTURE}"


def _table(table: Table) -> str:
    head, *body = map(latex_line, (table.names, *table.cells))
    columns = [
        rf">{{\{'raggedleft' if is_number else 'raggedright'}\arraybackslash}}"
        rf"p{{{width:.3f}\linewidth}}"
        for width, is_number in zip(_widths(table), table.is_number, strict=True)
    ]
    caption = [rf"\caption*{{{latex(table.caption)}}} \\"] if table.caption else []
    lines = [
        r"\begingroup\footnotesize",
        rf"\begin{{longtable}}{{{''.join(columns)}}}",
        *caption,
        *(r"\toprule", head, r"\midrule", r"\endhead", *body, r"\bottomrule"),
        r"\end{longtable}",
        r"\endgroup",
    ]
    if len(columns) > _ACROSS:
        lines = [r"\begin{landscape}", *lines, r"\end{landscape}"]
    return "\n".join(lines)


def _widths(table: Table) -> Sequence[float]:
    """Shares of a line, by the longest cell of each column."""
    columns = zip(table.names, *table.cells, strict=True)
    letters = [min(max(_NARROWEST, *map(len, column)), _WIDEST) for column in columns]
    return [_FILLED * one / sum(letters) for one in letters]
