"""The report of one analysis: what was clustered, what came out, and how to get it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
from ..plots.trees import dendrogram_figure
from ..profiling.cards import BORNE_OUT, NOTHING, Trait, profile_cards
from ..profiling.how_many import EXPLAINED, HowMany
from ..profiling.judged import JudgedPartition
from ..profiling.missing import missingness
from ..profiling.profiles import standardised_differences, strongest
from ..profiling.trees import Dendrogram, is_cut
from ..schema.chosen import why
from ..schema.schema import Schema
from ..schema.transforms import of_what
from ..statistics.chance import Chance
from ..wording import counted, listed, percent
from .report import Report

CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
CITATION = (
    "MAP-DP: Raykov, Boukouvalas, Baig and Little (2016), PLoS ONE 11(9): e0162259, "
    "doi:10.1371/journal.pone.0162259."
)
MOST_GROUPS, MOST_FEATURES, MOST_BARS = 60, 40, 30
PICTURE_WIDTH, PANEL_HEIGHT = 1, 460


@dataclass(frozen=True, eq=False)
class Analysis:
    """One result and what it came from."""

    #: The table's name.
    table: str
    #: Shape (N, M).
    frame: pd.DataFrame
    schema: Schema
    settings: Settings
    #: Key of ``METHODS``.
    algorithm: str
    #: What the pages call it.
    method: str
    #: As it was fitted.
    model: object
    #: As they were arranged.
    groups: Groups
    #: Those groups under MAP-DP's model.
    partition: JudgedPartition
    #: Python that gives the labels again.
    script: str
    #: Date of the report.
    when: str
    #: Of MAP-DP's groups: how they come back, and what chance makes; None where not looked at.
    many: HowMany | None = None
    chance: Chance | None = None


def analysis_report(analysis: Analysis, callback: Callback) -> str:
    """Write the report as one HTML page.

    What the callback, told before every section, raises ends the work.
    """
    report = Report(
        f"Groups in {analysis.table}",
        f"MAP-DP Studio, {analysis.when}. {len(analysis.frame):,} rows, clustered on "
        f"{len(analysis.schema.names('cluster')):,} of {analysis.frame.shape[1]:,} columns.",
    )
    sections: list[Callable[[Report, Analysis], None]] = [
        _in_short,
        _groups,
        _how_many,
        _picture,
        _differences,
        _contributions,
        _merges,
        _missing,
        _columns,
        _again,
    ]
    for done, section in enumerate(sections):
        k = analysis.groups.n_groups
        callback(Progress(done, len(sections), 0.0, k, f"part {done + 1} of {len(sections)}"))
        section(report, analysis)
    return report.html()


def _in_short(report: Report, analysis: Analysis) -> None:
    groups, partition = analysis.groups, analysis.partition
    fitted = int(analysis.model.n_clusters_)
    merged = f", put together to {groups.n_groups:,}" if fitted != groups.n_groups else ""
    report.note(CAVEAT)
    report.heading("In short")
    report.paragraph(
        f"{analysis.method} found K = {fitted:,} groups{merged} among N = "
        f"{groups.labels.size:,} rows. E, the exact cost of the partition under MAP-DP's model, "
        f"is {partition.objective_:,.1f} log units (lower is better; comparable only between "
        "partitions of the same columns under the same settings)."
    )
    said = METHODS[analysis.algorithm].explanation(analysis.model)
    report.paragraph(f"{analysis.method}: {said}")
    for name in analysis.schema.names("weight"):
        report.paragraph(
            f"Rows count by the column '{name}', its weights scaled to mean 1: in the groups, and "
            "in every mean, share and n below but the sizes of the groups."
        )


def _how_many(report: Report, analysis: Analysis) -> None:
    many, found = analysis.many, analysis.chance
    if many is None:
        return
    report.heading("How many groups")
    n_groups = analysis.groups.n_groups
    if is_cut(many.path, analysis.groups):
        encoded = analysis.partition.columns_.encoded
        said = many.sentence(n_groups), many.gradient(encoded, n_groups, found)
        report.paragraph(" ".join(filter(None, said)).replace("**", ""))
    if found is not None:
        caution = found.caution if n_groups > 1 else ""
        report.paragraph(f"{found.sentence} {caution}".strip())
    numbers = many.as_frame(found).rename(columns=str.capitalize)
    shares = {name: numbers[name].map(_share) for name in ("Kept", "Chance")}
    report.table(numbers.assign(**shares), EXPLAINED)


def _share(value: float | None) -> str:
    return "-" if value is None or np.isnan(value) else percent(value)


def _groups(report: Report, analysis: Analysis) -> None:
    groups = analysis.groups
    cards = profile_cards(analysis.partition.columns_.encoded, groups.labels)
    shown = cards[:MOST_GROUPS]
    report.heading("The groups")
    report.table(
        pd.DataFrame(
            {
                "Group": groups.titles[: len(shown)],
                "Rows": [card.size for card in shown],
                "Share": [f"{100 * card.share:.3g} %" for card in shown],
                "What stands out": [
                    "; ".join(map(_line, card.traits)) or NOTHING for card in shown
                ],
            }
        ),
        "Medians of measurements, means of ratings and counts, shares of levels, over the rows "
        f"that have a value (n). {BORNE_OUT}" + _left_out(len(cards) - len(shown), "smaller group"),
    )
    report.paragraph(
        "The groups were made from these columns, so they differ on them by construction: no "
        "p-value would be valid here."
    )


def _line(trait: Trait) -> str:
    return (
        f"{trait.word} {trait.what}: {trait.here} (all {trait.overall}, n = {trait.n_observed:,})"
    )


def _picture(report: Report, analysis: Analysis) -> None:
    view = choose_view(analysis.partition.columns_.encoded)
    panel = groups_panel(view, plain(analysis.method), analysis.groups)
    report.heading("A picture of them")
    report.figure(
        panels_figure(view, [panel], PICTURE_WIDTH, PANEL_HEIGHT),
        f"{view.x.title} across, {view.y.title or 'nothing'} up. {view.note}",
        f"{len(view.rows):,} rows as points, coloured by group",
    )


def _differences(report: Report, analysis: Analysis) -> None:
    encoded, groups = analysis.partition.columns_.encoded, analysis.groups
    differences = standardised_differences(encoded, groups.labels)
    shown = strongest(differences, MOST_FEATURES)
    report.heading("Where they differ")
    report.figure(
        differences_figure(shown, groups.titles),
        "Mean of the group minus mean of all rows, in standard deviations of all rows; on the log "
        "scale where the model takes logarithms."
        + _left_out(len(differences) - len(shown), "smaller difference"),
        "Standardised differences of every group in the columns that differ most",
    )


def _contributions(report: Report, analysis: Analysis) -> None:
    ranked = column_contributions(analysis.partition.partition_).sort_values(
        "nats", ascending=False, kind="stable"
    )
    shown = ranked.head(MOST_BARS)
    report.heading("What drove the grouping")
    report.figure(
        bars_figure(shown.index, shown["nats"], "log units"),
        "How much better each column is described group by group than by one group for all, on "
        "log scale. It tells what drove the grouping, not what is significant."
        + _left_out(len(ranked) - len(shown), "column"),
        "Contribution of each column to the grouping, the largest first",
    )


def _merges(report: Report, analysis: Analysis) -> None:
    groups = analysis.groups
    if not 1 < groups.n_groups <= MOST_GROUPS:
        return
    report.heading("From fine to coarse")
    report.figure(
        dendrogram_figure(
            Dendrogram.of_path(analysis.partition.merge_path_),
            groups.titles,
            groups.colours,
            groups.n_groups,
        ),
        "Which groups would be merged next, and the rise of E. High joins part groups that "
        "differ much.",
        "Tree of the merges of all groups",
    )


def _missing(report: Report, analysis: Analysis) -> None:
    used = list(analysis.schema.names("cluster"))
    missing = missingness(analysis.frame[used].isna())
    report.heading("Missing cells")
    if not missing.shares:
        report.paragraph("No cell of the clustered columns is missing.")
        return
    report.figure(
        missing_cells(missing),
        f"{missing.n_complete:,} of {len(analysis.frame):,} rows are complete in the clustered "
        "columns. Missing cells are left out of the model's sums; no row is dropped.",
        "Share of missing cells of each column, and which rows they are missing in",
    )


def _columns(report: Report, analysis: Analysis) -> None:
    schema, frame = analysis.schema, analysis.frame
    of = {name: block.name for block in schema.blocks.values() for name in block.columns}
    report.heading("The columns")
    report.points(frame.attrs.get("prepared", ()))
    report.table(
        pd.DataFrame(
            {
                "Column": list(schema),
                "Role": [spec.role for spec in schema.values()],
                "Likelihood": [_likelihood(spec, of) for spec in schema.values()],
                "Missing": [f"{100 * np.mean(frame[name].isna()):.1f} %" for name in schema],
                "Why": [why(schema[name], schema.chosen) for name in schema],
            }
        )
    )


def _likelihood(spec, of: dict[str, str]) -> str:
    if spec.family is None:
        return "none"
    label = FAMILIES[spec.family].label if spec.family in FAMILIES else "time to an event"
    label += of_what(spec.transform)
    label += f", beside {listed(spec.special, len(spec.special))}" if spec.special else ""
    return f"{label}, in block {of[spec.name]}" if spec.name in of else label


def _again(report: Report, analysis: Analysis) -> None:
    settings = analysis.settings
    report.heading("How to get this again")
    report.paragraph(
        f"N\u2080 = {settings.concentration:g}, \u03bb = "
        f"{'as suggested' if settings.penalty is None else f'{settings.penalty:g}'}, K = "
        f"{settings.n_clusters} ({'BIC chooses for K-means' if settings.bic else 'given'}), "
        f"restarts {settings.effort}, seed {settings.seed}, tolerance for misfit "
        f"{settings.likelihood_power:g} (1: every deviation from the model counts). The same table "
        "with this script gives the same labels."
    )
    report.code(analysis.script)
    report.paragraph(CITATION)


def _left_out(count: int, noun: str) -> str:
    return f" {counted(count, noun)} not shown." if count > 0 else ""
