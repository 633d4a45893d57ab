"""What a study leaves behind: a report whose first two pages suffice, tables and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..exports.report import table as printed_table
from ..exports.report import written
from ..families import FAMILIES
from ..models.estimator import Callback
from ..plots import clinical as pictures
from ..plots.heat_maps import differences_figure
from ..statistics import bootstraps, chance, hazards
from ..statistics.compare import Associations
from ..statistics.correct import LEVEL
from ..statistics.survival import Curve, Survival
from ..version import __version__
from ..wording import counted, listed, p_text, percent
from . import groups, outcomes, t_tests, tables, verdict
from .checks import Checks
from .groups import Distinctions
from .lock import PARTS
from .placing import SecondCohort
from .small_counts import ALL, HIDDEN, OFF, THRESHOLDS, Hidden, shown

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from .study import Study

CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
NOTHING_HIDDEN = (
    "Small counts are not hidden: this is for who may see every patient, or public data."
)
THREE_LIMITS = (
    "The groups describe the patients in whom they were found, by the columns that made them: "
    "whether they are found elsewhere needs other patients.",
    outcomes.CAUTION,
    "Adjustment removes only what was measured, and no p-value here says what would help a "
    "patient.",
)
#: Columns of Table 1 on the first two pages and in each figure of the supplement; t-tests' lines.
FIRST, LEADING, MOST_LINES = 8, 25, 60
T_TEST_COLUMNS = {
    **{"title": "Column", "groups": "Groups", "differs": "Differs"},
    **{"n_1": "n 1st", "n_2": "n 2nd", "mean_1": "mean 1st", "mean_2": "mean 2nd"},
    **{"difference_left_out": "Difference", "low_left_out": "95 % from", "high_left_out": "to"},
    **{"p_left_out": "p, column left out", "judged": "corrected", "overlap": "Overlap"},
    **{"p": "p, as the paper"},
}
#: Modules whose words and functions the template reads where they are kept, and other words of it.
_ROOMS = (bootstraps, chance, groups, hazards, outcomes, t_tests, tables, verdict)
_READ = {room.__name__.rpartition(".")[2]: room for room in _ROOMS} | {"pictures": pictures}
_WORDS = {"caveat": CAVEAT, "three_limits": THREE_LIMITS, "level": LEVEL, "parts": PARTS}
_FOLDER = Path(__file__).parent
_METHODS = Environment(
    loader=FileSystemLoader(_FOLDER),
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
).get_template("methods.txt.j2")


@dataclass(frozen=True, eq=False)
class Package:
    """What may leave the room."""

    #: By file name, without its ending; small counts hidden.
    tables: dict[str, pd.DataFrame]
    sentence: str
    write: Callable[[], str]

    @cached_property
    def html(self) -> str:
        """The report as one file that needs no network."""
        return self.write()


def package(
    study: Study,
    checks: Checks,
    validation: outcomes.Validation,
    table_name: str,
    least: int = THRESHOLDS[0],
    callback: Callback | None = None,
    second: SecondCohort | None = None,
) -> Package:
    """Write the report, the tables and the settings of a locked study."""
    lock = study.lock
    least, seen = lock.least(least), Distinctions(checks.groups)
    hidden = tables.hidden_in(checks.tests, validation, checks.groups, least)
    made = tables.exported_tables(seen, checks, validation, lock, hidden, callback)
    sentence = (
        f"Counts of patients below {least} are hidden, and so is the next smallest where one would "
        "follow from a printed total. This guards no combination of several tables or reports: a "
        "person should look before it is passed on."
    )
    sentence = NOTHING_HIDDEN if least == OFF else sentence
    page = Page(study, checks, seen, validation, made, hidden, second)
    return Package(
        {name: lock.table(table) for name, table in made.items()},
        sentence,
        lambda: page.written(table_name, sentence),
    )


@dataclass(frozen=True, eq=False)
class Page:
    """What the template of a report shows: tables and figures, their small counts hidden."""

    study: Study
    checks: Checks
    seen: Distinctions
    validation: outcomes.Validation
    made: dict[str, pd.DataFrame]
    hidden: Hidden
    second: SecondCohort | None

    def written(self, table_name: str, sentence: str) -> str:
        """The report as HTML."""
        study, checks, lock = self.study, self.checks, self.study.lock
        return written(
            _FOLDER / "report.html.j2",
            f"Patient subgroups in {table_name}",
            f"MAP-DP Studio {__version__}; roles locked {lock.time}, before the search.",
            page=self,
            **_READ,
            **_WORDS,
            **vars(self),
            listed=listed,
            white=_white,
            sentence=sentence,
            lock=lock,
            least=self.hidden.least,
            found=checks.groups,
            light=checks.light,
            draws=None if checks.stability is None else checks.stability.bootstraps,
            methods=methods_paragraph(study, checks, self.validation, table_name),
        )

    @cached_property
    def first_table(self) -> pd.DataFrame:
        """Of Table 1 the columns that drove the grouping most, without numbers of patients."""
        table = tables.table_one(self.checks.tests, self.seen, self.hidden, is_counted=False)
        return table[table.index.isin(self.seen.contributions.index[:FIRST])]

    @property
    def table_one(self) -> pd.DataFrame:
        """Of Table 1 the columns kept out and those that drove the grouping most."""
        table, ranked = self.made["table-1"], self.seen.contributions.index
        return table[~table.index.isin(ranked[LEADING:])]

    def by_group(self, table: pd.DataFrame, caption: str) -> Markup:
        """A table without the lines of which every cell is hidden: the caption names them."""
        across = [name for name in (*self.hidden.titles, ALL) if name in table]
        away = (table[across] == HIDDEN).all(axis=1)
        if away.any():
            caption += f" Hidden in every group: {listed(table.loc[away, 'Column'], LEADING)}."
        return printed_table(table[~away], caption)

    def at_once(self, found: Associations) -> pd.DataFrame:
        """Tests of all groups at once with what each group is like."""
        labels, titles = self.checks.groups.labels, self.hidden.titles
        table, bare = (outcomes.overall(found, labels, titles, counts) for counts in (True, False))
        return self.hidden.over(table, [c.variable.name for c in found.columns], bare)

    @cached_property
    def clearest(self) -> pd.DataFrame:
        """The clearest lines of t-tests."""
        told = self.made["t-tests"]
        told = told[told["t"].notna()].head(MOST_LINES)
        is_opposed = told["remark"] == t_tests.OPPOSED
        differs, other, opposed, testable = verdict.VERDICTS
        cases = [told["differs"].astype(bool), told["judged"].isna(), is_opposed]
        told = told.assign(differs=np.select(cases, [differs, testable, opposed], other))
        for name in ("p", "p_left_out", "judged"):
            told[name] = [p_text(p) if pd.notna(p) else "" for p in told[name]]
        return told[list(T_TEST_COLUMNS)].rename(columns=T_TEST_COLUMNS)

    def pairs_shown(self, found: Associations) -> pd.DataFrame:
        """Every two groups that are large enough to test."""
        table = outcomes.printed(found, self.hidden)
        return table if table.empty else table[table["p"] != "none"]

    def forest(self, found: Associations) -> go.Figure | None:
        """Effects between every two groups; None where there is none."""
        kept = []
        for column in found.columns:
            name = column.variable.name
            pairs = (one for one in column.pairs if not self.hidden.of_pair(name, one.groups)[0])
            kept.append(replace(column, pairs=tuple(pairs)))
        return pictures.forest_figure(kept)

    def times(self) -> Iterator[dict[str, Any]]:
        """Every time to an event, with its curves as far as enough patients are at risk."""
        found, titles, least = self.validation.validators, self.hidden.titles, self.hidden.least
        labels = self.checks.groups.labels
        drawn = {one.name: one for one in outcomes.survival_curves(found, labels)}
        for column in outcomes.times_to_events(found):
            name, title = column.variable.name, column.variable.title
            away = self.hidden.figures.loc[name] | self.hidden.counts.loc[name]
            follow_up = outcomes.follow_up_table(column, labels, titles)
            few = follow_up["Group"].map(away).astype(bool)
            follow_up.loc[few, follow_up.columns.drop("Group")] = HIDDEN
            kept = {
                group: _watched(curve, least)
                for group, curve in (drawn[title].curves if title in drawn else {}).items()
                if not away[titles[group]] and curve.durations.size >= least
            }
            yield {
                "title": title,
                "follow_up": follow_up,
                "hazards": column.hazards.sentence if column.hazards is not None else "",
                "survival": replace(drawn[title], curves=kept) if kept else None,
            }

    def curves(self, survival: Survival) -> go.Figure:
        """Survival, or cumulative incidence, with patients at risk."""
        groups, least = self.checks.groups, self.hidden.least
        colours = groups.named.colours
        return pictures.survival_figure(survival, groups.titles, colours, lambda n: shown(n, least))

    @property
    def second_outcomes(self) -> pd.DataFrame:
        """Outcomes of the second cohort that were tested."""
        found = self.second
        table = outcomes.overall(found.validators, found.placed, self.hidden.titles)
        names = ["Column", "p", "p, corrected", "Test"]
        return table if table.empty else table.loc[table["p"] != "none", names]

    def differences(self) -> go.Figure:
        """Means in standard deviations from all patients."""
        titles, leading = self.hidden.titles, self.seen.leading(2 * FIRST)
        named = [titles[k] for k in leading]
        away = self.hidden.figures.loc[leading.index.get_level_values("column"), named]
        figure = differences_figure(leading.mask(away.to_numpy()), named)
        return figure.update_traces(showscale=False).update_layout(margin_b=8)


def _white(figure: go.Figure) -> go.Figure:
    return figure.update_layout(template="plotly_white")


def _watched(curve: Curve, least: int) -> Curve:
    if not least:
        return curve
    end = np.sort(curve.durations)[-least]
    kept = curve.times <= end
    parts = {name: getattr(curve, name)[kept] for name in ("times", "share", "low", "high")}
    return replace(curve, **parts, durations=np.minimum(curve.durations, end))


def methods_paragraph(
    study: Study, checks: Checks, validation: outcomes.Validation | None, table_name: str
) -> str:
    """A paragraph on a locked study for the methods section of a paper."""
    encoded = checks.groups.model.columns_.encoded
    units = (unit for unit in encoded.units if not unit.is_outcome)
    tally = Counter(unit.family for unit in units for _ in unit.columns)
    paragraph = _METHODS.render(
        study=study,
        lock=study.lock,
        plan=study.lock.plan,
        checks=checks,
        groups=checks.groups,
        encoded=encoded,
        validation=validation,
        table_name=table_name,
        types=", ".join(f"{n:,} {FAMILIES[f].label.lower()}" for f, n in tally.most_common()),
        # In how many columns, and no share of the cells, which would tell of hidden groups.
        n_incomplete=int(encoded.is_missing.any(axis=0).sum()),
        smallest=groups.SMALLEST,
        in_parts=[n for n in study.lock.columns("validator") if study.lock.schema[n].special],
        software=", ".join(f"{name} {version}" for name, version in tables.versions().items()),
        counted=counted,
        percent=percent,
    )
    return " ".join(paragraph.split())
