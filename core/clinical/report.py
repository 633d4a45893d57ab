"""What a study leaves behind: a report whose first two pages suffice, tables and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jinja2 import StrictUndefined, Template

from ..exports.report import written
from ..families import FAMILIES
from ..plots import clinical as pictures
from ..plots.heat_maps import differences_figure
from ..statistics import chance, regression, resampling
from ..statistics.compare import Associations
from ..statistics.correct import LEVEL
from ..statistics.survival import Curve
from ..version import __version__
from ..wording import counted, in_digits, listed, p_text, percent
from . import groups, outcomes, t_tests, tables, verdict
from .lock import PARTS
from .placing import SecondCohort
from .small_counts import OFF, THRESHOLDS, Hidden, shown
from .verdict import Checks

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from .study import Study

NOTHING_HIDDEN = (
    "Small counts are not hidden: this is for who may see every patient, or public data."
)
SMALL_HIDDEN = (
    "Counts of patients below {} are hidden, and so is the next smallest where one would follow "
    "from a printed total. This guards no combination of several tables or reports: a person "
    "should look before it is passed on."
)
#: Columns of Table 1 on the first two pages and in each figure of the supplement; t-tests' lines.
FIRST, LEADING, MOST_LINES = 8, 25, 60
#: What the template reads where it is kept, and other words of it.
_ROOMS = (chance, groups, outcomes, regression, resampling, t_tests, tables, verdict)
_READ = {room.__name__.rpartition(".")[2]: room for room in _ROOMS} | {
    **{"pictures": pictures, "listed": listed, "level": LEVEL, "parts": PARTS},
}
_FOLDER = Path(__file__).parent
_METHODS = Template(
    (_FOLDER / "methods.txt.j2").read_text(encoding="utf-8"),
    **{"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined},
)


def package(
    study: Study,
    checks: Checks,
    validation: outcomes.Validation,
    table_name: str,
    least: int = THRESHOLDS[0],
    second: SecondCohort | None = None,
) -> Package:
    """Make the tables of a locked study, and what its report is written from."""
    least = study.lock.least(least)
    hidden = tables.hidden_in(checks.tests, validation, checks.groups, least)
    made = tables.exported_tables(checks, validation, study.lock, hidden)
    kept_out = outcomes.hide(validation.validators, hidden)
    return Package(study, checks, validation, kept_out, made, hidden, second, table_name)


@dataclass(frozen=True, eq=False)
class Package:
    """What may leave the room: tables and the report, their small counts hidden."""

    study: Study
    checks: Checks
    validation: outcomes.Validation
    kept_out: Associations
    made: dict[str, pd.DataFrame]
    hidden: Hidden
    second: SecondCohort | None
    table_name: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """By file name, without its ending."""
        return {name: self.study.lock.table(table) for name, table in self.made.items()}

    @property
    def sentence(self) -> str:
        """What is hidden."""
        least = self.hidden.least
        return NOTHING_HIDDEN if least == OFF else SMALL_HIDDEN.format(least)

    @cached_property
    def html(self) -> str:
        """The report as one file that needs no network."""
        lock = self.study.lock
        about = self.study, self.checks, self.validation, self.table_name
        return written(
            _FOLDER / "report.html.j2",
            f"Patient subgroups in {self.table_name}",
            f"MAP-DP Studio {__version__}; roles locked {lock.time}, before the search.",
            page=self,
            **_READ,
            **vars(self),
            white=lambda figure: figure.update_layout(template="plotly_white"),
            lock=lock,
            least=self.hidden.least,
            found=self.checks.groups,
            light=self.checks.light,
            methods=methods_paragraph(*about),
        )

    def first_table(self) -> pd.DataFrame:
        """Of Table 1 the columns that drove the grouping most, without numbers of patients."""
        tests, found = self.checks.tests, self.checks.groups
        names = found.contributions.index[:FIRST]
        return tables.table_one(tests, found, self.hidden, names, is_counted=False)

    def table_one(self) -> pd.DataFrame:
        """Of Table 1 the columns kept out and those that drove the grouping most."""
        table, ranked = self.made["table-1"], self.checks.groups.contributions.index
        return table[~table.index.isin(ranked[LEADING:])]

    def differences(self) -> go.Figure:
        """Means in standard deviations from all patients."""
        titles, leading = self.hidden.titles, self.checks.groups.leading(2 * FIRST)
        named = [titles[k] for k in leading]
        away = self.hidden.figures.loc[leading.index.get_level_values("column"), named]
        figure = differences_figure(leading.mask(away.to_numpy()), named)
        return figure.update_traces(showscale=False).update_layout(margin_b=8)

    def clearest(self) -> pd.DataFrame:
        """The clearest lines of t-tests."""
        lines = self.made["t-tests"]
        lines = lines[lines["t"].notna()].head(MOST_LINES)
        differs, other, opposed, testable = verdict.VERDICTS
        differs, other, opposed, testable = verdict.VERDICTS
        is_opposed = lines["remark"] == t_tests.OPPOSED
        lines = lines.assign(differs=np.select(cases, [differs, testable, opposed], other))
        words = {"Column": lines["title"], "Groups": lines["groups"], "Differs": lines["differs"]}
        for title, name in (("n", "n"), ("Means", "mean")):
            first, second = (lines[f"{name}_{side}"].map(in_digits) for side in (1, 2))
            words[title] = first + " and " + second
        parts = ("difference_left_out", "low_left_out", "high_left_out")
        middle, low, high = (lines[name].map(in_digits) for name in parts)
        difference = middle + " (" + low + " to " + high + ")"
        words["Difference (95 % interval)"] = difference.where(lines[parts[0]].notna(), "none")
        words["p, column left out"] = lines["p_left_out"].map(p_text)
        words |= {"corrected": lines["judged"].map(p_text), "Overlap": lines["overlap"]}
        return pd.DataFrame(words | {"p, as the paper": lines["p"].map(p_text)})

    def pairs_shown(self) -> pd.DataFrame:
        """Every two groups that are large enough to test."""
        table = outcomes.printed(self.kept_out)
        return table if table.empty else table[table["p"] != "none"]

    def times(self) -> Iterator[dict[str, Any]]:
        """Every time to an event, with its curves as far as enough patients are at risk."""
        titles, least, found = self.hidden.titles, self.hidden.least, self.checks.groups
        drawn = {one.name: one for one in outcomes.survival_curves(self.kept_out, found.labels)}
        for one in outcomes.times_to_events(self.kept_out):
            figure, survival = None, drawn.get(one.variable.title)
            if survival is not None:
                kept = {k: _watched(curve, least) for k, curve in survival.curves.items()}
                survival = replace(survival, curves=kept)
                of = titles, found.colours, lambda n: shown(n, least)
                figure = pictures.survival_figure(survival, *of)
            table = outcomes.follow_up_table(one, found.labels, titles)
            yield {"one": one, "follow_up": table, "survival": survival, "figure": figure}


def _watched(curve: Curve, least: int) -> Curve:
    """A curve until so few are at risk."""
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
