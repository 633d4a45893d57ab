"""Tables for papers: the same cells in every format, whatever marks are in them."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.exports.paper_tables import as_html, as_markdown, group_table
from tests.tables.four_groups import FRAME, GROUP, SCHEMA

#: Marks that mean something in at least one of the formats.
AWKWARD = pd.DataFrame(
    {
        "Column": ["a_b & c%", "<b>|x|</b>", r"\input{#1}^~$", "[l](http://x)\n`*"],
        "1 & 2 <0.5": ["1,000 (5.0 %)", "< 0.001", None, "µ"],
    }
)
CELLS = [["" if pd.isna(cell) else cell for cell in row] for row in AWKWARD.to_numpy(object)]

TAGS = "DOCTYPE html head meta title style body table caption thead tbody tr th td"


def test_html_holds_every_cell_and_no_mark_of_theirs():
    text = as_html({"A <caption>": AWKWARD}).decode()
    assert set(re.findall(r"<[/!]?(\w+)", text)) == set(TAGS.split())
    rows = re.findall("<tr>(.*?)</tr>", text, re.DOTALL)
    head, *rows = [
        [html.unescape(cell) for cell in re.findall("<t[hd]>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]
    assert head == list(AWKWARD)
    assert rows == CELLS


def test_markdown_holds_every_cell_on_its_line():
    text = as_markdown({"Table 1": AWKWARD}).decode()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    assert [len(line) for line in cells] == [2] * 6
    plain = [
        [html.unescape(re.sub(r"\\(.)", r"\1", cell.strip())) for cell in line]
        for line in cells[2:]
    ]
    assert plain == [[cell.replace("\n", " ") for cell in row] for row in CELLS]
    assert not re.search(r"(?<!\\)[*`\[]", "".join(map("".join, cells)))


def test_markdown_keeps_no_html_of_the_table_whoever_reads_it():
    # Readers that keep to Markdown's first rules take no backslash before "<" for an escape.
    table = pd.DataFrame({"<img src=x>": ["<script>a</script>", "&lt;b&gt;"]})
    text = as_markdown({"<h1>": table}).decode()
    assert "<" not in text
    assert html.unescape(text).count("<") == 4
    assert "&amp;lt;b" in text


@pytest.fixture(scope="module")
def table():
    return group_table(SCHEMA.encode(FRAME), GROUP, tuple("ABCD")[: GROUP.max() + 1])


def test_the_group_table_says_what_the_rows_say(table):
    assert list(table)[:3] == ["Column", "All rows", "A"]
    lines = table.set_index("Column")
    assert lines.loc["Rows, n (%)", "All rows"] == f"{len(FRAME):,}"
    assert lines.loc["Rows, n (%)", "A"].startswith(f"{np.sum(GROUP == 0):,} (")
    own = FRAME["height"][GROUP == 1]
    mean, sd = re.fullmatch(r"(.+) \((.+)\)", lines.loc["height, mean (SD)", "B"]).groups()
    assert float(mean) == pytest.approx(own.mean(), rel=0.01)
    assert float(sd) == pytest.approx(own.std(), rel=0.01)
    assert table.map(lambda cell: isinstance(cell, str)).all(axis=None)
    assert {line.partition(",")[0].partition(" =")[0] for line in lines.index[1:]} == {
        *SCHEMA.names("cluster")
    }
