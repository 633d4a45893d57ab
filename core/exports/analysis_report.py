"""The report of one analysis: what was clustered, what came out, and how to get it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..comparing.panels import groups_panel
from ..comparing.projection import choose_view
from ..families import FAMILIES
from ..inference.contributions import column_contributions
from ..methods import METHODS
from ..methods.settings import Settings
from ..models.estimator import Callback
from ..models.progress import Progress
from ..partitions.naming import Groups
from ..plots.heat_maps import differences_figure
from ..plots.panels import panels_figure
from ..plots.profiles import bars_figure, missing_cells
from ..plots.template import plain
from ..plots.trees import tree_figure
from ..profiling.cards import BORNE_OUT, NOTHING, Trait, profile_cards
from ..profiling.how_many import EXPLAINED, GroupNumber
from ..profiling.judged import JudgedPartition
from ..profiling.missing import missingness
from ..profiling.profiles import standardised_differences, strongest
from ..profiling.trees import RowTree, is_cut
from ..schema.chosen import why
from ..schema.schema import Schema
from ..schema.spec import ColumnSpec
from ..schema.transforms import of_what
from ..statistics.chance import Chance
from ..wording import counted, listed, percent
from .report import written

if TYPE_CHECKING:
    import plotly.graph_objects as go

CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
MOST_GROUPS, MOST_FEATURES, MOST_BARS = 60, 40, 30
PICTURE_WIDTH, PANEL_HEIGHT = 1, 460


@dataclass(frozen=True, eq=False)
class Analysis:
    """One result and what it came from."""

    table: str
    frame: pd.DataFrame
    schema: Schema
    settings: Settings
    #: Key of ``METHODS``.
    algorithm: str
    method: str
    model: object
    groups: Groups
    partition: JudgedPartition
    #: Python that gives the labels again.
    script: str
    when: str
    #: Of MAP-DP's groups: how they come back, and what chance makes; None where not looked at.
    many: GroupNumber | None = None
    chance: Chance | None = None


def analysis_report(analysis: Analysis, callback: Callback) -> str:
    """Write the report as one HTML page."""
    frame, schema, groups = analysis.frame, analysis.schema, analysis.groups
    many, found, encoded = analysis.many, analysis.chance, analysis.partition.columns_.encoded
    view = choose_view(encoded)
    differences = standardised_differences(encoded, groups.labels)
    contributions = column_contributions(analysis.partition.partition_).sort_values(
        "nats", ascending=False, kind="stable"
    )
    missing = missingness(frame[list(schema.names("cluster"))].isna())
    panel = groups_panel(view, plain(analysis.method), groups)
    bars = contributions["nats"].head(MOST_BARS)
    makers: dict[str, Callable[[], go.Figure]] = {
        "picture": lambda: panels_figure(view, [panel], PICTURE_WIDTH, PANEL_HEIGHT),
        "differences": lambda: differences_figure(
            strongest(differences, MOST_FEATURES), groups.titles
        ),
        "contributions": lambda: bars_figure(bars.index, bars, "log units"),
    }
    if 1 < groups.n_groups <= MOST_GROUPS:
        tree = RowTree.of_path(analysis.partition.merge_path_)
        leaves = tree.shown.leaves
        makers["merges"] = lambda: tree_figure(
            tree,
            [groups.titles[k] for k in leaves],
            [groups.colours[k] for k in leaves],
            tree.height_for(groups.n_groups),
        )
    if missing.shares:
        makers["missing"] = lambda: missing_cells(missing)
    figures = {}
    for done, (name, make) in enumerate(makers.items()):
        callback(Progress(done, len(makers), 0.0, groups.n_groups, f"figure “{name}”"))
        figures[name] = make()
    return written(
        Path(__file__).parent / "analysis.html.j2",
        f"Groups in {analysis.table}",
        f"MAP-DP Studio, {analysis.when}. {len(frame):,} rows, clustered on "
        f"{len(schema.names('cluster')):,} of {frame.shape[1]:,} columns.",
        result=analysis,
        groups=groups,
        many=many,
        chance=found,
        caveat=CAVEAT,
        n_fitted=int(analysis.model.n_clusters_),
        explanation=METHODS[analysis.algorithm].explanation(analysis.model),
        cards=_cards(analysis),
        borne_out=BORNE_OUT,
        on_number=_on_number(analysis),
        numbers=None if many is None else _numbers(many, found),
        explained=EXPLAINED,
        view=view,
        figures=figures,
        n_differences=len(differences),
        n_columns=len(contributions),
        most_features=MOST_FEATURES,
        most_bars=MOST_BARS,
        missing=missing,
        columns=_columns(analysis),
        not_shown=lambda n, noun: f" {counted(n, noun)} not shown." if n > 0 else "",
    )


def _on_number(analysis: Analysis) -> str:
    """What speaks for the number of groups; nothing of groups put together by hand."""
    many, n_groups = analysis.many, analysis.groups.n_groups
    if many is None or not is_cut(many.path, analysis.groups):
        return ""
    encoded = analysis.partition.columns_.encoded
    said = many.said(n_groups), many.gradient(encoded, n_groups, analysis.chance)
    return " ".join(filter(None, said)).replace("**", "")


def _numbers(many: GroupNumber, found: Chance | None) -> pd.DataFrame:
    numbers = many.as_frame(found).rename(columns=str.capitalize)
    for name in ("Kept", "Chance"):
        numbers[name] = [percent(one) if pd.notna(one) else "-" for one in numbers[name]]
    return numbers


def _cards(analysis: Analysis) -> pd.DataFrame:
    groups = analysis.groups
    cards = profile_cards(analysis.partition.columns_.encoded, groups.labels)[:MOST_GROUPS]
    return pd.DataFrame(
        {
            "Group": groups.titles[: len(cards)],
            "Rows": [card.size for card in cards],
            "Share": [f"{100 * card.share:.3g} %" for card in cards],
            "What stands out": ["; ".join(map(_line, card.traits)) or NOTHING for card in cards],
        }
    )


def _line(trait: Trait) -> str:
    return (
        f"{trait.word} {trait.what}: {trait.here} (all {trait.overall}, n = {trait.n_observed:,})"
    )


def _columns(analysis: Analysis) -> pd.DataFrame:
    schema, frame = analysis.schema, analysis.frame
    of = {name: block.name for block in schema.blocks.values() for name in block.columns}
    return pd.DataFrame(
        {
            "Column": list(schema),
            "Role": [spec.role for spec in schema.values()],
            "Likelihood": [_likelihood(spec, of) for spec in schema.values()],
            "Missing": [f"{100 * np.mean(frame[name].isna()):.1f} %" for name in schema],
            "Why": [why(schema[name], schema.chosen) for name in schema],
        }
    )


def _likelihood(spec: ColumnSpec, of: dict[str, str]) -> str:
    if spec.family is None:
        return "none"
    label = FAMILIES[spec.family].label if spec.family in FAMILIES else "time to an event"
    label += of_what(spec.transform)
    label += f", beside {listed(spec.special, len(spec.special))}" if spec.special else ""
    return f"{label}, in block {of[spec.name]}" if spec.name in of else label
