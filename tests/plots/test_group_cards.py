"""The picture of the groups: a card each, as much as there is room for, and safe text."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.plots.group_cards import MOST, group_cards_figure
from mapdp_studio.core.plots.template import colour_of
from mapdp_studio.core.profiling.cards import profile_cards

N = 12
LABELS = np.repeat(np.arange(N), np.arange(40, 40 - N, -1))
FRAME = pd.DataFrame(
    {
        "<b>kind": np.array([f"level {k} & more" for k in range(N)])[LABELS],
        "size": LABELS * 3.0 + np.random.default_rng(0).normal(size=LABELS.size),
    }
)


def test_the_largest_groups_have_a_card_each_with_their_figures():
    cards = profile_cards(infer_schema(FRAME).encode(FRAME), LABELS)
    titles = [f"Group <{k}>" for k in range(N)]
    sizes = np.bincount(LABELS).tolist()
    figure = group_cards_figure("a <i>table", titles, sizes, list(range(N)), cards, "#123456")
    head, *texts = (note.text for note in figure.layout.annotations)
    assert head == f"<b>a &lt;i&gt;table: 12 groups, {LABELS.size} rows; the 9 largest</b>"
    assert len(texts) == MOST
    for k, text in enumerate(texts):
        assert text.startswith(f"<b>Group &lt;{k}&gt;</b>  {sizes[k]} rows, ")
        assert "&lt;b&gt;kind" in text
        assert "<b>kind" not in text
        for trait in cards[k].traits[:2]:
            assert f"<b>{trait.here}</b> (all {trait.overall})" in text
    fills = [shape.fillcolor for shape in figure.layout.shapes if shape.fillcolor]
    assert fills == [colour_of(k) for k in range(MOST)]
