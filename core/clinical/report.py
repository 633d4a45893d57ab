"""The tables and the report of a study; the report's first two pages suffice."""

import platform
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jinja2 import StrictUndefined, Template

from ..exports.report import written
from ..families import FAMILIES
from ..plots import clinical as pictures
from ..plots.heat_maps import differences_figure
from ..profiling.profiles import ALL as EVERYBODY
from ..profiling.profiles import SKEWED
from ..statistics import chance, regression, resampling
from ..statistics.compare import Associations
from ..statistics.correct import LEVEL
from ..statistics.survival import Curve
from ..version import __version__
from ..wording import counted, in_digits, listed, p_text, percent
from . import groups, outcomes, t_tests, verdict
from .groups import Subgroups
from .lock import PARTS
from .placing import SecondCohort
from .small_counts import ALL, HIDDEN, OFF, THRESHOLDS, TOTAL, Hidden, shown
from .t_tests import LEFT_OUT, TTests
from .verdict import Checks

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from .study import Study

NOTHING_HIDDEN = "Small counts are not hidden: for who may see every patient, or public data."
SMALL_HIDDEN = (
    "Counts of patients below {} are hidden, and so is the next smallest where one would follow "
    "from a total. This guards no combination of tables: a person should look before it leaves."
)
#: Columns of Table 1 on the first two pages and in the supplement; lines of t-tests there.
FIRST, LEADING, MOST_LINES = 6, 25, 60
ATYPICAL, EFFECT = "Atypical", "Clearest pair (95 % interval)"
CAPTION = (
    "Table 1. Columns kept out of the search, then those that drove the grouping most, of the "
    "patients observed (n). Measurements by mean (SD), or by median [quartiles] where their "
    f"skewness among all patients is beyond {SKEWED:g} or they are read in logarithms; ratings by "
    "mean score; of yes/no the level counted with its 95 % interval."
)
#: Not in the files: figures of groups that are described nowhere.
NOT_WRITTEN = ("pair", *(name for name in LEFT_OUT if name[:2] in ("n_", "me", "sd")))
#: Figures of both groups.
OF_BOTH = (
    *("difference", "t", "g", "overlap"),
    *("difference_left_out", "low_left_out", "high_left_out", "t_left_out"),
)
_PACKAGES = ("numpy", "scipy", "pandas", "numba", "scikit-learn", "statsmodels", "plotly")
#: Modules whose constants the template reads, and other names that it uses.
_MODULES = (chance, groups, outcomes, regression, resampling, t_tests, verdict)
_TEMPLATE_NAMES = {room.__name__.rpartition(".")[2]: room for room in _MODULES}
_TEMPLATE_NAMES |= {"pictures": pictures, "listed": listed, "level": LEVEL, "parts": PARTS}
_FOLDER = Path(__file__).parent
_METHODS = Template(
    (_FOLDER / "methods.txt.j2").read_text(encoding="utf-8"),
    **{"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined},
)


def make_package(
    study: "Study",
    checks: Checks,
    validation: outcomes.Validation,
    table_name: str,
    least: int = THRESHOLDS[0],
    second: SecondCohort | None = None,
) -> "Package":
    """Make the tables of a locked study, and the package that writes its report."""
    least = study.lock.least_count(least)
    tests, found = checks.tests, checks.groups
    others = (*validation.validators.columns, *validation.controls.columns)
    columns = [*tests.columns.values(), *(one.variable for one in others)]
    hidden = Hidden.of(columns, found, least)
    kept_out = outcomes.hide_effects(validation.validators, hidden)
    unmarked = {"groups": size_table(checks, hidden)}
    if found.found_any:
        adjusting = tests.columns, study.lock.plan.covariates, found.labels, hidden
        names = [name for name in tests.columns if name not in tests.clustered]
        names = [*names, *found.contributions.index]
        unmarked |= {
            "validators": kept_out.as_frame(),
            "controls": outcomes.hide_effects(validation.controls, hidden).as_frame(),
            "table-1": table_one(tests, found, hidden, names),
            "adjusted": outcomes.adjusted_table(validation.validators, *adjusting),
            "t-tests": _lines(tests.lines(), hidden),
        }
    unmarked = {name: table for name, table in unmarked.items() if not table.empty}
    return Package(study, checks, validation, kept_out, unmarked, hidden, second, table_name)


@dataclass(frozen=True, eq=False)
class Package:
    """Tables and report of a study, small counts hidden."""

    study: "Study"
    checks: Checks
    validation: outcomes.Validation
    kept_out: Associations
    unmarked: dict[str, pd.DataFrame]
    hidden: Hidden
    second: SecondCohort | None
    table_name: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """By file name, without its ending."""
        return {name: self.study.lock.marked(table) for name, table in self.unmarked.items()}

    @property
    def sentence(self) -> str:
        """What is hidden."""
        least = self.hidden.least
        return NOTHING_HIDDEN if least == OFF else SMALL_HIDDEN.format(least)

    @cached_property
    def html(self) -> str:
        """The report as one file that needs no network."""
        lock = self.study.lock
        return written(
            _FOLDER / "report.html.j2",
            f"Patient subgroups in {self.table_name}",
            f"MAP-DP Studio {__version__}; roles locked {lock.time}, before the search.",
            page=self,
            **_TEMPLATE_NAMES,
            **vars(self),
            white=lambda figure: figure.update_layout(template="plotly_white"),
            lock=lock,
            least=self.hidden.least,
            found=self.checks.groups,
            light=self.checks.light,
            methods=methods_paragraph(self.study, self.checks, self.validation, self.table_name),
            table_caption=CAPTION,
            further=self.checks.groups.contributions.index[LEADING:],
        )

    def first_table(self) -> pd.DataFrame:
        """Of Table 1 the columns that drove the grouping most, without numbers of patients."""
        tests, found = self.checks.tests, self.checks.groups
        names = found.contributions.index[:FIRST]
        return table_one(tests, found, self.hidden, names, is_counted=False)

    def first_outcomes(self) -> pd.DataFrame:
        """Of the outcomes what each group is like, the clearest effect and the test of all."""
        found = self.checks.groups
        table = outcomes.overall_table(self.kept_out, found.labels, found.titles, self.hidden)
        table.insert(table.columns.get_loc("p"), EFFECT, outcomes.clearest_effects(self.kept_out))
        return table.drop(columns="Test")

    def differences(self) -> "go.Figure":
        """Means in standard deviations from all patients."""
        titles, leading = self.hidden.titles, self.checks.groups.leading(FIRST)
        named = [titles[k] for k in leading]
        is_hidden = self.hidden.figures.loc[leading.index.get_level_values("column"), named]
        figure = differences_figure(leading.mask(is_hidden.to_numpy()), named)
        size = {"height": 36 + 20 * len(leading), "margin_t": 28, "margin_b": 6}
        return figure.update_traces(showscale=False).update_layout(size)

    def clearest_t_tests(self) -> pd.DataFrame:
        """The clearest lines of t-tests."""
        lines = self.unmarked["t-tests"]
        lines = lines[lines["t"].notna()].head(MOST_LINES)
        differs, other, opposed, testable = verdict.VERDICTS
        is_opposed = lines["remark"] == t_tests.OPPOSED
        cases = [lines["differs"].astype(bool), lines["judged"].isna(), is_opposed]
        lines = lines.assign(differs=np.select(cases, [differs, testable, opposed], other))
        words = {"Column": lines["title"], "Groups": lines["groups"], "Differs": lines["differs"]}
        parts = ("difference_left_out", "low_left_out", "high_left_out")
        middle, low, high = (lines[name].map(in_digits) for name in parts)
        difference = middle + " (" + low + " to " + high + ")"
        words["Difference (95 % interval)"] = difference.where(lines[parts[0]].notna(), "none")
        words["p, column left out"] = lines["p_left_out"].map(p_text)
        words |= {"corrected": lines["judged"].map(p_text), "Overlap": lines["overlap"]}
        return pd.DataFrame(words | {"p, as the paper": lines["p"].map(p_text)})

    def times(self) -> Iterator[dict[str, Any]]:
        """Every time to an event, with its curves as far as enough patients are at risk."""
        titles, least, found = self.hidden.titles, self.hidden.least, self.checks.groups
        drawn = {one.name: one for one in outcomes.survival_curves(self.kept_out, found.labels)}
        for one in outcomes.times_to_events(self.kept_out):
            figure, survival = None, drawn.get(one.variable.title)
            if survival is not None:
                kept = {k: _ended_at_risk(curve, least) for k, curve in survival.curves.items()}
                survival = replace(survival, curves=kept)
                of = titles, found.colours, lambda n: shown(n, least)
                figure = pictures.survival_figure(survival, *of)
            table = outcomes.follow_up_table(one, found.labels, titles)
            yield {"one": one, "follow_up": table, "survival": survival, "figure": figure}


def _ended_at_risk(curve: Curve, least: int) -> Curve:
    """A curve up to the time at which fewer than ``least`` are at risk."""
    if not least:
        return curve
    end = np.sort(curve.durations)[-least]
    kept = curve.times <= end
    parts = {name: getattr(curve, name)[kept] for name in ("times", "share", "low", "high")}
    return replace(curve, **parts, durations=np.minimum(curve.durations, end))


def size_table(checks: Checks, hidden: Hidden) -> pd.DataFrame:
    """Group, patients, share, and how stable it is; then atypical patients together, and all."""
    groups, n = checks.groups, checks.groups.labels.size
    is_hidden, apart = hidden.sizes.isna().to_numpy(), list(groups.atypical)
    lines = [(groups.titles[k], groups.sizes[k], is_hidden[k]) for k in groups.profiled]
    if apart:
        lines.append((ATYPICAL, groups.sizes[apart].sum(), is_hidden[apart].any()))
    names, counts, are_hidden = zip(*lines, (TOTAL, n, is_hidden[-1]), strict=True)
    table = checks.group_table().drop(columns="Treated as").astype(str).set_index("Group")
    table = table.reindex(pd.Index(names, name="Group"), fill_value="")
    table["Patients"] = [f"{count:,}" for count in counts]
    table["Share"] = [percent(int(count), n) for count in counts]
    return table.mask(pd.Series(are_hidden, table.index), HIDDEN).reset_index()


def table_one(
    tests: TTests, groups: Subgroups, hidden: Hidden, names: Iterable[str], is_counted: bool = True
) -> pd.DataFrame:
    """Columns of the study, of all and by group, small counts hidden; indexed by their names."""
    columns = [tests.columns[name] for name in names]
    titles = {EVERYBODY: ALL, **{k: groups.titles[k] for k in groups.profiled}}
    counted, bare = outcomes.by_group(columns, groups.labels, titles)
    names = [one.name for one in columns]
    return hidden.applied_to(counted if is_counted else bare, names, bare).set_axis(names)


@cache
def versions() -> dict[str, str]:
    """Versions of everything that the numbers depend on."""
    found = {"mapdp-studio": __version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in _PACKAGES}


def _lines(lines: pd.DataFrame, hidden: Hidden) -> pd.DataFrame:
    """Lines of t-tests: p-values stay, figures only of groups that are shown."""
    left = lines.drop(columns=list(NOT_WRITTEN))
    if hidden.least == OFF:
        return left
    few = is_hidden = np.zeros(len(lines), bool)
    for side in (0, 1):
        titles = [hidden.titles[pair[side]] for pair in lines["pair"]]
        is_few, are_hidden = hidden.of_lines(lines["column"], titles)
        left = _blank(left, is_few, f"mean_{side + 1}", f"sd_{side + 1}")
        left = _blank(left, are_hidden, f"n_{side + 1}")
        few, is_hidden = few | is_few, is_hidden | are_hidden
    left = _blank(_blank(left, is_hidden, "df", "df_left_out"), few, *OF_BOTH)
    return left.assign(remark=left["remark"].mask(few, f"hidden: a count below {hidden.least}"))


def _blank(table: pd.DataFrame, rows: np.ndarray, *names: str) -> pd.DataFrame:
    return table.assign(**{name: table[name].astype(np.float64).mask(rows) for name in names})


def methods_paragraph(
    study: "Study", checks: Checks, validation: outcomes.Validation | None, table_name: str
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
        # In how many columns, and no share of the cells, which would disclose hidden groups.
        n_incomplete=int(encoded.is_missing.any(axis=0).sum()),
        smallest=groups.SMALLEST,
        in_parts=[n for n in study.lock.columns("validator") if study.lock.schema[n].special],
        software=", ".join(f"{name} {version}" for name, version in versions().items()),
        counted=counted,
        percent=percent,
    )
    return " ".join(paragraph.split())
