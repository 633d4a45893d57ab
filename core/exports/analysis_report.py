"""The report of one analysis: what was clustered, what came out, and how to get it again."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pandas as pd

from ..comparing.panels import groups_panel
from ..comparing.projection import choose_view
from ..families import FAMILIES
from ..inference.contributions import column_contributions
from ..methods import METHODS
from ..methods.settings import Settings
from ..partitions.naming import Groups
from ..plots.heat_maps import differences_figure
from ..plots.panels import panels_figure
from ..plots.profiles import bars_figure
from ..plots.template import plain
from ..profiling.cards import BORNE_OUT, NOTHING, profile_cards
from ..profiling.how_many import GroupNumber
from ..profiling.judged import JudgedPartition
from ..profiling.profiles import LEAST_ROWS, standardised_differences, strongest
from ..profiling.trees import is_cut
from ..schema.cells import missing_shares
from ..schema.chosen import why
from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..schema.spec import TIME_TO_EVENT
from ..schema.transforms import of_what
from ..statistics.chance import Chance
from ..wording import counted, percent
from .report import written

MOST_GROUPS, MOST_FEATURES, MOST_BARS = 60, 40, 30


@dataclass(frozen=True, eq=False)
class Analysis:
    """One result and what it came from."""

    table: str
    frame: pd.DataFrame
    schema: Schema
    settings: Settings
    #: Key of ``METHODS``.
    algorithm: str
    model: object
    groups: Groups
    partition: JudgedPartition
    #: Python that gives the labels again.
    script: str
    #: Of MAP-DP's groups: how they come back, and what chance makes; None where not looked at.
    many: GroupNumber | None = None
    chance: Chance | None = None


def analysis_report(analysis: Analysis) -> str:
    """Write the report as one HTML page."""
    frame, schema, groups = analysis.frame, analysis.schema, analysis.groups
    partition, many = analysis.partition, analysis.many
    method = METHODS[analysis.algorithm]
    encoded = partition.columns_.encoded
    view = choose_view(encoded)
    differences = standardised_differences(encoded, groups.labels, LEAST_ROWS)
    panel = groups_panel(view, plain(method.title), groups)
    nats = column_contributions(partition.partition_)["nats"]
    bars = nats.sort_values(ascending=False, kind="stable").head(MOST_BARS)
    return written(
        Path(__file__).parent / "analysis.html.j2",
        f"Groups in {analysis.table}",
        f"MAP-DP Studio, {date.today()}. {len(frame):,} rows, clustered on "
        f"{len(schema.names('cluster')):,} of {frame.shape[1]:,} columns.",
        result=analysis,
        method=method.title,
        groups=groups,
        explanation=method.explanation(analysis.model),
        cards=_cards(encoded, groups),
        borne_out=BORNE_OUT,
        is_cut=many is not None and is_cut(many.path, groups),
        view=view,
        picture=panels_figure(view, [panel], 1, 460),
        differences=differences_figure(strongest(differences, MOST_FEATURES), groups.titles),
        contributions=bars_figure(bars.index, bars, "log units"),
        n_differences=len(differences) - MOST_FEATURES,
        n_columns=len(nats) - MOST_BARS,
        n_complete=int((~encoded.is_missing.any(axis=1)).sum()),
        columns=_columns(analysis),
        not_shown=lambda n, noun: f" {counted(n, noun)} not shown." if n > 0 else "",
    )


def _cards(encoded: Encoded, groups: Groups) -> pd.DataFrame:
    cards = profile_cards(encoded, groups.labels)[:MOST_GROUPS]
    lines = [
        "; ".join(
            f"{one.word} {one.what}: {one.here} (all {one.overall}, n = {one.n_observed:,})"
            for one in card.traits
        )
        for card in cards
    ]
    return pd.DataFrame(
        {
            "Group": groups.titles[: len(cards)],
            "Rows": [card.size for card in cards],
            "Share": [percent(card.share) for card in cards],
            "What stands out": [line or NOTHING for line in lines],
        }
    )


def _columns(analysis: Analysis) -> pd.DataFrame:
    schema, frame = analysis.schema, analysis.frame
    labels = {name: family.label for name, family in FAMILIES.items()}
    labels |= {None: "none", TIME_TO_EVENT: "time to an event"}
    return pd.DataFrame(
        {
            "Column": list(schema),
            "Role": [spec.role for spec in schema.values()],
            "Likelihood": [labels[s.family] + of_what(s.transform) for s in schema.values()],
            "Missing": [*map(percent, missing_shares(frame, schema))],
            "Why": [why(spec, schema.chosen) for spec in schema.values()],
        }
    )
