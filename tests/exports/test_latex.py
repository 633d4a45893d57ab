"""A report in LaTeX: balanced, every mark printed, rows as long as their table is wide."""

from __future__ import annotations

import re

import pytest

from core.exports.latex import as_latex
from core.exports.word import NO_PICTURE
from tests.exports.awkward_report import awkward_report


def check_latex(text: str) -> int:
    """Assert that LaTeX could read it; how many tables there are."""
    begun = re.findall(r"\\(begin|end)\{(\w+)\}", text)
    open_, depth = [], 0
    for what, name in begun:
        if what == "begin":
            open_.append(name)
        else:
            assert open_.pop() == name
    assert open_ == []
    plain = text.replace(r"\\", "").replace(r"\{", "").replace(r"\}", "")
    for mark in plain:
        depth += (mark == "{") - (mark == "}")
        assert depth >= 0
    assert depth == 0
    body = text.partition(r"\begin{document}")[2]
    assert not re.search(r"(?<!\\)[#^~]", body)
    assert len(re.findall(r"(?<!\\)\$", body)) % 2 == 0
    assert not re.search(r"(?<!\\)_(?![0-9]\$)", body)
    assert not re.search(r"(?<!\\)%", body)
    for table in re.findall(r"\\begin\{longtable\}(.*?)\\end\{longtable\}", body, re.DOTALL):
        columns = len(re.findall(r"p\{0\.\d+\\linewidth\}", table.partition("\n")[0]))
        rows = table.partition(r"\toprule")[2].splitlines()
        rows = [row for row in rows if row.endswith(r" \\")]
        assert rows
        assert not [row for row in rows if row.startswith(("[", "*"))]
        assert {1 + len(re.findall(r"(?<!\\)&", row)) for row in rows} == {columns}
    return body.count(r"\begin{longtable}")


def test_latex_is_balanced_and_prints_every_mark():
    text = as_latex(awkward_report()).decode()
    assert check_latex(text) == 2
    assert NO_PICTURE in text
    assert r"50 \% of \$n\textasciicircum{}2\$" in text
    for wrong in (text.replace(r"\%", "%"), text.replace("{}*star", "*star"), text + "}"):
        with pytest.raises(AssertionError):
            check_latex(wrong)
