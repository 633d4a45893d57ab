"""How far groups may be trusted: the checks, and a traffic light with its clauses."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..cache import cached_on
from ..models.estimator import Callback
from ..models.progress import Progress
from ..statistics.chance import FULL, LIMITS, ONE_LINE, QUICK, Chance, chance, rank_one_share
from ..statistics.correct import LEVEL, correct
from ..statistics.nulls import GroupSearch
from ..statistics.resampling import (
    ASSESSABLE,
    DOUBTFUL,
    EFFORTS,
    STABLE,
    Bootstraps,
    GroupStability,
    Restarts,
    assess,
    n_fits,
)
from ..wording import counted, listed, percent
from .groups import SMALLEST, Subgroups
from .lock import Lock
from .t_tests import NOT_FOUND, TestOptions, TTests

#: Pairs of groups that a sentence names.
NAMED = 3
#: Share of the restarts that should reach the best E.
REACHED = 0.20
#: Two optima of about the same E are one answer if they agree this well.
SAME_ANSWER = 0.90

HEADLINES = {
    "grey": "No groups found",
    "green": "These groups are reproducible, and more than a Gaussian, heavy-tailed or skewed "
    "continuum",
    "amber": "Some of this may not hold: read the clauses",
    "red": "Do not name these groups as subtypes",
}
#: The headline where no mean differs between any two groups, whatever else was found.
ONLY_SPREAD = "Tighter and looser, not subtypes: no mean differs between these groups"
ADVICE = {
    "grey": "Report that no groups were found: with these columns and so many patients, that is the"
    " result.",
    "green": "Describe these groups and test outcomes between them. Name them only once they are "
    "found in a second cohort too.",
    "amber": "Describe the groups, call them exploratory, and say in the paper which clause is not "
    "green. Do not choose anybody's treatment by them.",
    "red": "Describe the patients column by column.",
}
#: The red light's advice where the clause of that name finds the groups to be steps.
LINE, ONE_SCALE = "Along one line", "Describe the patients along a scale, from mild to severe."
NOT_YET = "Do not write about these groups before the checks are done in full."
#: Verdicts on a line of the t-tests, and their meaning.
VERDICTS = {
    "Differs": "The groups found without the column differ in it too: report their difference.",
    "Not marked": "No difference was shown, which is not the same as none: read the interval.",
    "The other way round": "The groups found without the column differ with the other sign.",
    "Not testable": "No groups without the column, no mean, no spread or too few values.",
}


@dataclass(frozen=True)
class Clause:
    """The result of one check."""

    name: str
    #: "green", "amber", "red" or "grey". Grey: not known yet, or nothing to judge.
    colour: str
    sentence: str


@dataclass(frozen=True)
class Light:
    """The verdict."""

    #: "grey" (no two groups of at least ``SMALLEST`` patients), "green", "amber" or "red".
    colour: str
    #: Something that may change the colour is not there yet; it is then never green.
    provisional: bool
    headline: str
    clauses: tuple[Clause, ...]

    @property
    def advice(self) -> str:
        """What to do now."""
        if self.provisional:
            return NOT_YET
        is_scale = any(one.name == LINE and one.colour == "amber" for one in self.clauses)
        return ONE_SCALE if self.colour == "red" and is_scale else ADVICE[self.colour]


def heading(light: Light) -> str:
    """What to read before the lines of the t-tests; empty under a green light."""
    if light.colour == "green":
        return ""
    return (
        f"{light.headline}. Where patients only go from mild to severe, tests of a column left out "
        "reject as often as naive ones (66 of 71 simulated lines), and rightly so: a marked line "
        "says that the column differs with the others, not that these groups are subtypes."
    )


@dataclass(frozen=True)
class Checks:
    """The checks made so far; others are None."""

    groups: Subgroups
    stability: GroupStability | None = None
    reference: Chance | None = None
    #: With as many columns left out as there has been time for; the light asks them for means.
    tests: TTests | None = None

    @property
    def light(self) -> Light:
        """The verdict with its clauses."""
        means = None if self.tests is None else means_of(self.tests)
        checks = self.stability, self.reference, self.rank_one
        return traffic_light(self.groups.labels, *checks, means)

    @property
    def rank_one(self) -> float | None:
        """Share of the groups' differences that lie on one line; None below three groups."""
        groups = self.groups
        inside = np.flatnonzero(np.isin(groups.labels, groups.profiled))
        return rank_one_share(groups.encoded.rows(inside), groups.labels[inside])

    @property
    def protocol(self) -> str:
        """Which protocol the checks are of, in a phrase."""
        if self.reference is None:
            return "no check was made yet" if self.groups.found_any else "no group to be checked"
        is_full = self.reference.n_tables >= FULL
        return "full protocol" if is_full else "preview, of fewer restarts and resamples than full"

    def group_table(self) -> pd.DataFrame:
        """Every group with its size, share, how it is treated and how stable it is, to print."""
        groups, sizes = self.groups, self.groups.sizes
        table = {
            "Group": groups.titles,
            "Patients": sizes,
            "Share": [percent(size, groups.labels.size) for size in sizes],
            "Treated as": np.where(sizes < SMALLEST, "atypical patients", "a group"),
        }
        draws = None if self.stability is None else self.stability.bootstraps
        if draws is not None:
            table["Comes back (overlap)"] = [
                "not assessable" if mean is None else f"{mean:.2f}, {band}"
                for mean, band in zip(draws.mean_jaccard, draws.bands, strict=True)
            ]
        return pd.DataFrame(table)


def run_checks(
    frame: pd.DataFrame,
    lock: Lock,
    groups: Subgroups,
    is_full: bool,
    callback: Callback | None = None,
    share: Callable[[Checks], None] | None = None,
) -> Checks:
    """Make both checks, one after the other, since each keeps every core busy."""
    seed, model, found, done = lock.plan.seed, groups.model, Checks(groups), 0
    protocol = replace(EFFORTS["full" if is_full else "preview"], seed=seed)
    n_tables = FULL if is_full else QUICK
    further = n_fits(protocol, model.columns_.encoded)

    def tell(progress: Progress) -> None:
        if callback is not None:
            total = done + (further if done else progress.total + further)
            callback(replace(progress, done=done + progress.done, total=total))

    def take(**part: Any) -> None:
        nonlocal found
        found = replace(found, **part)
        drawn = {kind: tables[:QUICK] for kind, tables in found.reference.draws.items()}
        on_compare = replace(found.reference, draws=drawn, n_tables=QUICK)
        if lock.plan.merges and on_compare.is_chance:
            found = replace(found, groups=Subgroups.of(groups.fitted, 1), reference=on_compare)
        if share is not None:
            share(found)

    kwargs = {"n_tables": n_tables, "callback": tell, "share": lambda drawn: take(reference=drawn)}
    take(reference=chance(GroupSearch.of(groups.fitted), **kwargs))
    if found.groups.found_any:
        done, ids = 1 + found.reference.n_drawn, patient_ids(frame, lock)
        kwargs = {"patients": ids, "callback": tell, "share": lambda part: take(stability=part)}
        assess(model, protocol, **kwargs)
    return found


def patient_ids(frame: pd.DataFrame, lock: Lock) -> np.ndarray | None:
    """Whose row it is, where an id says so, so that a patient's rows are drawn together."""
    names = lock.columns("id") if lock.repeats is None else [lock.repeats.name]
    return frame[names[0]].to_numpy() if names else None


@cached_on
def means_of(tests: TTests) -> tuple[Clause, bool]:
    """The clause on means, and whether every two described groups are known to differ in none."""
    n_left_out = sum(name in tests.left_out for name in tests.clustered)
    n_columns = len(tests.clustered)
    if n_left_out < n_columns:
        left_out = f"{n_left_out:,} of {counted(n_columns, 'column')}"
        sentence = f"Not known yet: the groups have been found again without {left_out}."
        return Clause("Means", "grey", sentence), False
    lines = tests.lines()
    columns = (tests.columns[name] for name in lines["column"])
    has_no_mean = np.array([column.amounts is None for column in columns], bool)
    p = lines["p_left_out"].to_numpy(np.float64, copy=True)
    for place in np.flatnonzero(has_no_mean):
        p[place] = tests.p_without_mean(*lines.loc[place, ["column", "pair"]])
    is_opposed = (lines["difference"] * lines["difference_left_out"] < 0.0).to_numpy(bool)
    differs = (correct(p, TestOptions().correction) <= LEVEL) & ~is_opposed
    is_lost = np.isnan(p) & ((lines["remark"] == NOT_FOUND).to_numpy(bool) | has_no_mean)
    differing, alike, resting = [], [], []
    for pair in tests.pairs:
        of_pair = (lines["pair"] == pair).to_numpy(bool)
        is_resting = is_lost[of_pair].any() or np.isnan(p[of_pair]).all()
        kind = differing if differs[of_pair].any() else resting if is_resting else alike
        kind.append(tests.name_of(pair))
    pairs_by_sentence = {
        f"{listed(alike, NAMED)} do not differ in the mean of any column, tested so: they are "
        "tighter and looser, and never subtypes.": alike,
        f"In {counted(len(differing), 'pair')} of groups the mean of at least one column differs, "
        "tested between the groups found without it.": differing,
        f"{listed(resting, NAMED)} differ in no column that can be tested, and rest on those "
        "without which they are not found: no subtype.": resting,
    }
    sentence = " ".join(sentence for sentence, pairs in pairs_by_sentence.items() if pairs)
    only_spread = bool(alike) and not differing and not resting
    return Clause("Means", "amber" if alike or resting else "green", sentence), only_spread


def traffic_light(
    labels: np.ndarray,
    stability: GroupStability | None,
    reference: Chance | None,
    rank_one: float | None = None,
    means: tuple[Clause, bool] | None = None,
) -> Light:
    """Judge groups by what is known: red for a red clause, or severity and another; else amber."""
    if np.count_nonzero(np.bincount(labels) >= SMALLEST) < 2:
        sentence = f"Fewer than two clusters have {SMALLEST} patients, so there are no groups."
        if reference is not None:
            sentence += f" {reference.sentence}"
        return Light("grey", False, HEADLINES["grey"], (Clause("Groups", "grey", sentence),))
    draws, restarts = (stability.bootstraps, stability.restarts) if stability else (None, None)
    severity = _severity(reference)
    checked = (_other_patients(draws, labels), *_other_starts(restarts), severity)
    further = [] if rank_one is None else [_one_line(rank_one)]
    further += [] if means is None else [means[0]]
    firm = [clause.colour for clause in (*checked[:-1], *further)]
    colour = "amber" if "amber" in (severity.colour, *firm) else "green"
    if "red" in firm or (severity.colour == "amber" and "amber" in firm):
        colour = "red"
    full = reference is not None and reference.is_settled and reference.n_tables >= FULL
    is_known = stability is not None and stability.complete and full
    provisional = not (is_known and (means is None or means[0].colour != "grey"))
    if provisional and colour == "green":
        colour = "amber"
    headline = HEADLINES[colour]
    if provisional:
        colours = {clause.colour for clause in checked} - {"grey"}
        headline = f"So far, {headline[0].lower()}{headline[1:]}"
        if not colours:
            headline = "Not checked yet: how far these groups can be trusted is unknown"
        elif colours == {"green"} and "amber" not in {clause.colour for clause in further}:
            headline = "So far nothing speaks against these groups; not everything is known yet"
    if means is not None and means[1]:
        headline = ONLY_SPREAD
    unseen = Clause("What is not seen", "grey", LIMITS)
    return Light(colour, provisional, headline, (*checked, *further, unseen))


def _other_patients(draws: Bootstraps | None, labels: np.ndarray) -> Clause:
    name = "Other patients"
    if draws is None:
        return Clause(name, "grey", "Not drawn yet: how the groups fare on other patients.")
    assessed = [mean for mean in draws.mean_jaccard if mean is not None]
    if not assessed:
        sentence = f"No group has the {ASSESSABLE} patients that are needed to assess it."
        return Clause(name, "amber", sentence)
    worst, sizes = min(assessed), np.bincount(labels)
    colour = "green" if worst >= STABLE else "amber" if worst >= DOUBTFUL else "red"
    sentence = (
        f"Least stable is group {draws.mean_jaccard.index(worst) + 1}: drawn anew, it overlaps by "
        f"{worst:.2f} on average (1 is the same patients); {STABLE:.2f} is asked for, and below "
        f"{DOUBTFUL:.2f} is not to be trusted."
    )
    tiny = int(((sizes >= SMALLEST) & (sizes < ASSESSABLE)).sum())
    if tiny:
        sentence += f" {counted(tiny, 'group')} of fewer than {ASSESSABLE} patients not assessed."
    return Clause(name, colour, sentence)


def _other_starts(restarts: Restarts | None) -> tuple[Clause, Clause]:
    reached, same = "Other starts", "One answer"
    if restarts is None:
        return tuple(Clause(name, "grey", "Not restarted yet.") for name in (reached, same))
    is_enough = restarts.share >= REACHED and not restarts.improved_by
    sentence = (
        f"{restarts.n_best} of {restarts.objectives.size} other starts ended at the best answer; "
        f"{100 * REACHED:.0f} % are asked for."
    )
    if restarts.improved_by:
        sentence += " That answer is better than the groups shown."
    first = Clause(reached, "green" if is_enough else "amber", sentence)
    if restarts.optima.size == 1:
        return first, Clause(
            same, "green", "No other answer was found that fits as well as the best."
        )
    lowest = float(restarts.agreement.min())
    sentence = (
        f"{restarts.optima.size} different answers fit about as well; the least alike agree by "
        f"{lowest:.2f} (1 is the same groups, 0 no more than chance), and {SAME_ANSWER:.2f} is "
        "asked for."
    )
    return first, Clause(same, "green" if lowest >= SAME_ANSWER else "amber", sentence)


def _severity(reference: Chance | None) -> Clause:
    name, colour = "Chance or severity", "grey"
    if reference is None or not (reference.n_drawn or reference.is_settled):
        return Clause(name, colour, "Not compared yet with tables that have no groups.")
    if reference.is_settled and not reference.are_real:
        colour = "amber"
    elif reference.are_real and reference.n_tables >= FULL:
        colour = "green"
    return Clause(name, colour, reference.sentence)


def _one_line(share: float) -> Clause:
    sentence = (
        f"{100 * share:.0f} % of the differences between the groups lie on one line; from "
        f"{100 * ONE_LINE:.0f} % on they are steps from mild to severe, and never green."
    )
    return Clause(LINE, "amber" if share >= ONE_LINE else "green", sentence)
