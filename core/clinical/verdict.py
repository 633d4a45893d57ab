"""How far groups may be trusted: one light, with every clause that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..once import once
from ..statistics.chance import FULL, LIMITS, ONE_LINE, Chance
from ..statistics.correct import LEVEL, correct
from ..statistics.resampling import (
    ASSESSABLE,
    DOUBTFUL,
    STABLE,
    Bootstraps,
    GroupStability,
    Restarts,
)
from ..statistics.variables import Variable
from ..wording import counted, listed
from .groups import SMALLEST
from .t_tests import NOT_FOUND, Choice, TTests

NAMED = 3


@dataclass(frozen=True)
class Means:
    """What the tests of columns left out say of every two groups."""

    #: Columns left out so far, and all that made the groups.
    n_left_out: int
    n_columns: int
    #: In words: pairs that differ in a column; in none of all; and in none that can be tested yet.
    differing: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every column has been left out."""
        return self.n_left_out >= self.n_columns

    @property
    def only_spread(self) -> bool:
        """Whether no two groups differ in any mean."""
        return bool(self.alike) and not self.differing and not self.resting

    @property
    def sentence(self) -> str:
        """In words."""
        if not self.complete:
            return (
                "Not known yet: the groups have been found again without "
                f"{self.n_left_out:,} of {counted(self.n_columns, 'column')} (under t-tests)."
            )
        n = len(self.differing)
        pairs = "pair of groups differs" if n == 1 else "pairs of groups differ"
        said = {
            f"{listed(self.alike, NAMED)} do not differ in the mean of any column, tested "
            "between the groups found without it. Such groups are tighter and looser, the "
            "middle and the rim of one cloud, and never subtypes.": self.alike,
            f"{n:,} {pairs} in the mean of a column at least, tested between the groups found "
            "without it.": self.differing,
            f"{listed(self.resting, NAMED)} differ in no column that can be tested, and are "
            "not found without some of the others: they rest on these alone, which is no "
            "subtype.": self.resting,
        }
        return " ".join(sentence for sentence, pairs in said.items() if pairs)


@once
def means_of(tests: TTests) -> Means:
    """Compare every two described groups, a column at ``LEVEL`` (Benjamini-Hochberg), as shown."""
    done = Means(sum(name in tests.without for name in tests.made), len(tests.made))
    if not done.complete or not tests.pairs:
        return done
    lines = tests.lines()
    columns = (tests.columns[name] for name in lines["column"])
    has_no_mean = np.array([isinstance(c, Variable) and c.amounts is None for c in columns])
    p = lines["p_left_out"].to_numpy(copy=True)
    for place in np.flatnonzero(has_no_mean):
        line = lines.iloc[place]
        p[place] = tests.p_without_mean(line["column"], line["pair"])
    is_opposed = (lines["difference"] * lines["difference_left_out"] < 0.0).to_numpy()
    differs = (correct(p, Choice().correction) <= LEVEL) & ~is_opposed
    is_lost = (lines["remark"] == NOT_FOUND).to_numpy() | has_no_mean
    found: dict[str, list[str]] = {"differing": [], "alike": [], "resting": []}
    for pair in tests.pairs:
        of_pair = (lines["pair"] == pair).to_numpy()
        untested = of_pair & np.isnan(p) & is_lost
        kind = "resting" if untested.any() or np.isnan(p[of_pair]).all() else "alike"
        found["differing" if differs[of_pair].any() else kind].append(tests.name_of(pair))
    return Means(done.n_left_out, done.n_columns, **{k: tuple(v) for k, v in found.items()})


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
    "red": "Describe the patients along a scale, from mild to severe, or column by column. Groups "
    "that have no name cannot mislead.",
}
NOT_YET = "The checks are not done: wait for them before you write about these groups."


@dataclass(frozen=True)
class Clause:
    """One thing that was looked at."""

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
        return NOT_YET if self.provisional else ADVICE[self.colour]


def traffic_light(
    labels: np.ndarray,
    stability: GroupStability | None,
    reference: Chance | None,
    rank_one: float | None = None,
    means: Means | None = None,
) -> Light:
    """Judge groups by what is known of them so far.

    Red for a red clause, or for severity together with another; amber for any one. ``rank_one`` is
    None for two groups, ``means`` where nobody asked whether they differ.
    """
    if np.count_nonzero(np.bincount(labels) >= SMALLEST) < 2:
        return Light("grey", False, HEADLINES["grey"], (_no_groups(labels, reference),))
    draws, restarts = (stability.bootstraps, stability.restarts) if stability else (None, None)
    severity = _severity(reference)
    checked = (_other_patients(draws, labels), _reached(restarts), _one_answer(restarts), severity)
    further = (_one_line(rank_one), *([] if means is None else [_means(means)]))
    firm = [clause.colour for clause in (*checked[:-1], *further)]
    colour = "amber" if "amber" in (severity.colour, *firm) else "green"
    if "red" in firm or (severity.colour == "amber" and "amber" in firm):
        colour = "red"
    full = reference is not None and reference.is_settled and reference.n_tables >= FULL
    is_known = stability is not None and stability.complete and full
    provisional = not (is_known and (means is None or means.complete))
    if provisional and colour == "green":
        colour = "amber"
    headline = HEADLINES[colour]
    if provisional:
        known = {clause.colour for clause in checked} - {"grey"}
        headline = f"So far, {headline[0].lower()}{headline[1:]}"
        if not known:
            headline = "Not checked yet: how far these groups can be trusted is unknown"
        elif known == {"green"} and "amber" not in {clause.colour for clause in further}:
            headline = "So far nothing speaks against these groups; not everything is known yet"
    if means is not None and means.only_spread:
        headline = ONLY_SPREAD
    unseen = Clause("What is not seen", "grey", LIMITS)
    return Light(colour, provisional, headline, (*checked, *further, unseen))


def _no_groups(labels: np.ndarray, reference: Chance | None) -> Clause:
    sizes = np.sort(np.bincount(labels))[::-1]
    sentence = (
        f"One cluster holds nearly all patients, and no other has {SMALLEST}: there are no groups."
    )
    if sizes.size == 1:
        sentence = "All patients are in one cluster: the usual answer."
    elif sizes[0] < SMALLEST:
        sentence = f"Every cluster has fewer than {SMALLEST} patients: these are no groups."
    if reference is not None:
        sentence += f" {reference.sentence}"
    return Clause("Groups", "grey", sentence)


def _other_patients(draws: Bootstraps | None, labels: np.ndarray) -> Clause:
    name = "Other patients"
    if draws is None:
        return Clause(name, "grey", "Not drawn yet: how the groups fare on other patients.")
    known = [mean for mean in draws.mean_jaccard if mean is not None]
    if not known:
        sentence = f"No group has the {ASSESSABLE} patients that are needed to assess it."
        return Clause(name, "amber", sentence)
    worst = min(known)
    colour = "green" if worst >= STABLE else "amber" if worst >= DOUBTFUL else "red"
    sentence = (
        f"Least stable is group {draws.mean_jaccard.index(worst) + 1}: drawn anew, it overlaps by "
        f"{worst:.2f} on average (1 is the same patients); {STABLE:.2f} is asked for, and below "
        f"{DOUBTFUL:.2f} is not to be trusted."
    )
    sizes = np.bincount(labels)
    tiny = int(((sizes >= SMALLEST) & (sizes < ASSESSABLE)).sum())
    if tiny:
        sentence += f" {counted(tiny, 'group')} of fewer than {ASSESSABLE} patients not assessed."
    return Clause(name, colour, sentence)


def _reached(restarts: Restarts | None) -> Clause:
    name, sentence = (
        "Other starts",
        "Not restarted yet: whether other starts end at the same score.",
    )
    if restarts is None:
        return Clause(name, "grey", sentence)
    is_enough = restarts.share >= REACHED and not restarts.improved_by
    sentence = (
        f"{restarts.n_best} of {restarts.objectives.size} other starts ended at the best answer;"
        f" {100 * REACHED:.0f} % are asked for."
    )
    if restarts.improved_by:
        sentence += " One ended at better groups than those shown."
    return Clause(name, "green" if is_enough else "amber", sentence)


def _one_answer(restarts: Restarts | None) -> Clause:
    name, sentence = "One answer", "Not restarted yet: whether different groups do as well."
    if restarts is None:
        return Clause(name, "grey", sentence)
    n, lowest = restarts.optima.size, 1.0
    sentence = "No other answer was found that fits about as well."
    if n > 1:
        lowest = float(restarts.agreement.min())
        sentence = (
            f"{n} different answers fit about as well; the least alike agree by {lowest:.2f} (1 is "
            f"the same groups, 0 no more than chance), and {SAME_ANSWER:.2f} is asked for."
        )
    return Clause(name, "green" if lowest >= SAME_ANSWER else "amber", sentence)


def _severity(reference: Chance | None) -> Clause:
    name = "Chance or severity"
    if reference is None or not (reference.n_drawn or reference.is_settled):
        return Clause(name, "grey", "Not compared yet with tables that have no groups.")
    is_full, colour = reference.n_tables >= FULL, "grey"
    if reference.is_settled and not reference.is_more:
        colour = "amber"
    elif reference.is_more and is_full:
        colour = "green"
    asked = f" Up to {FULL} tables of each kind are asked for to colour the light."
    hint = asked if colour == "grey" and not is_full else ""
    return Clause(name, colour, reference.sentence + hint)


def _one_line(share: float | None) -> Clause:
    name = "Along one line"
    if share is None:
        sentence = (
            "Two groups always lie on one line, so their means do not show whether they differ in "
            "kind: the comparison with tables without groups decides."
        )
        return Clause(name, "grey", sentence)
    sentence = (
        f"{100 * share:.0f} % of the differences between the groups lie on one line; from "
        f"{100 * ONE_LINE:.0f} % on they are steps from mild to severe, and never green."
    )
    return Clause(name, "amber" if share >= ONE_LINE else "green", sentence)


def _means(means: Means) -> Clause:
    colour = "green" if means.complete else "grey"
    return Clause("Means", "amber" if means.alike or means.resting else colour, means.sentence)


ALONG_A_GRADIENT = (
    "Where patients only go from mild to severe, every column follows the others: tests of a "
    "column left out then reject as often as naive ones (66 of 71 simulated lines), and rightly "
    "so. A marked line says that the column differs together with the others. It does not say "
    "that these groups are subtypes."
)
VERDICTS = {
    "Differs": "The groups found without the column differ in it, as those shown do. Report the "
    "difference with its interval, those of the groups found without the column.",
    "Not marked": "No difference was shown, which is not the same as none: read the interval for "
    "how large it may be.",
    "The other way round": "Between the groups found without the column the difference has the "
    "other sign, so the column made the groups what they are. Do not report it as a difference.",
    "Not testable": "There is no p-value to trust. Where the groups are not found without the "
    "column, it holds them together: describe it, as what made the groups. Where a column has no "
    "mean or no spread, or too few values, more patients of this kind change nothing.",
}


def heading(light: Light) -> str:
    """What to read before the lines; empty under a green light."""
    if light.colour == "green":
        return ""
    if light.provisional and light.colour != "red":
        return (
            "The light of these groups is not known yet, so they have not been shown to be more "
            f"than a gradient. {ALONG_A_GRADIENT}"
        )
    said = f"{light.headline[:1].lower()}{light.headline[1:]}"
    return f"The light of these groups is {light.colour}: {said}. {ALONG_A_GRADIENT}"
