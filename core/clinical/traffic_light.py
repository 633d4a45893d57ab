"""One light for how far groups may be trusted, with every clause that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..statistics.bootstraps import ASSESSABLE, DOUBTFUL, STABLE
from ..statistics.chance import FULL, LIMITS, ONE_LINE, Chance
from ..statistics.resampling import NEAR, Restarts, Stability
from .means import Means
from .subgroups import SMALLEST

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
#: What to do with a verdict.
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
NOT_YET = "Run the full protocol before you write about these groups."


@dataclass(frozen=True)
class Clause:
    """One thing that was looked at."""

    name: str
    #: "green", "amber", "red" or "grey". Grey: not known yet, or nothing to judge.
    colour: str
    #: What was found, against what was asked.
    sentence: str


@dataclass(frozen=True)
class Light:
    """The verdict."""

    #: "grey", "green", "amber" or "red". Grey: there are no two groups of at least ``SMALLEST``
    #: patients.
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
    stability: Stability | None,
    reference: Chance | None,
    rank_one: float | None = None,
    means: Means | None = None,
) -> Light:
    """Judge groups by what is known of them so far.

    ``rank_one`` is None for two groups; ``means``, None where nobody asked whether they differ.
    """
    if np.count_nonzero(np.bincount(labels) >= SMALLEST) < 2:
        return Light("grey", False, HEADLINES["grey"], (_no_groups(labels),))
    bootstraps = None if stability is None else stability.bootstraps
    enough = stability is not None and stability.complete
    firm = (
        _jaccard(None if bootstraps is None else bootstraps.mean_jaccard, labels),
        _reached(None if stability is None else stability.restarts),
        _one_answer(None if stability is None else stability.restarts),
    )
    severity, line = _severity(reference), _one_line(rank_one)
    checked = (*firm, severity)
    further = (line,) if means is None else (line, _means(means))
    clauses = (*checked, *further, Clause("What is not seen", "grey", LIMITS))
    colour = _colour([clause.colour for clause in (*firm, *further)], severity.colour)
    full = reference is not None and reference.is_settled and reference.n_tables >= FULL
    provisional = not (enough and full and (means is None or means.complete))
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
    return Light(colour, provisional, headline, clauses)


def _colour(firm: Sequence[str], severity: str) -> str:
    """Red for one red clause, or for severity together with another; amber for any one."""
    if "red" in firm or (severity == "amber" and "amber" in firm):
        return "red"
    if severity == "amber" or "amber" in firm:
        return "amber"
    return "green"


def _no_groups(labels: np.ndarray) -> Clause:
    sizes = np.sort(np.bincount(labels))[::-1]
    if sizes.size == 1:
        sentence = "All patients are in one cluster: the usual answer."
    elif sizes[0] < SMALLEST:
        sentence = f"Every cluster has fewer than {SMALLEST} patients: these are no groups."
    else:
        sentence = (
            f"One cluster holds nearly all patients, and no other has {SMALLEST}: there are no"
            " groups."
        )
    return Clause("Groups", "grey", sentence)


def _jaccard(means: Sequence[float | None] | None, labels: np.ndarray) -> Clause:
    name = "Other patients"
    known = [mean for mean in means or () if mean is not None]
    if means is None:
        return Clause(name, "grey", "Not drawn yet: how the groups fare on other patients.")
    if not known:
        sentence = f"No group has the {ASSESSABLE} patients that are needed to assess it."
        return Clause(name, "amber", sentence)
    worst = min(known)
    which = means.index(worst) + 1
    colour = "green" if worst >= STABLE else "amber" if worst >= DOUBTFUL else "red"
    asked = f"{STABLE:.2f} is asked for, and below {DOUBTFUL:.2f} is not to be trusted"
    sentence = f"Least stable is group {which}, with a mean Jaccard of {worst:.2f}; {asked}."
    tiny = int((np.bincount(labels) < ASSESSABLE).sum())
    if tiny:
        noun = "group" if tiny == 1 else "groups"
        sentence += f" {tiny} {noun} of fewer than {ASSESSABLE} patients not assessed."
    return Clause(name, colour, sentence)


def _reached(restarts: Restarts | None) -> Clause:
    name = "Other starts"
    if restarts is None:
        return Clause(
            name, "grey", "Not restarted yet: whether other starts end at the same score."
        )
    colour = "green" if restarts.share >= REACHED else "amber"
    sentence = (
        f"{restarts.n_best} of {restarts.objectives.size} other starts ended at the best answer;"
        f" {100 * REACHED:.0f} % are asked for."
    )
    if restarts.improved_by:
        colour = "amber"
        sentence += f" One went {restarts.improved_by:.1f} log units below the groups shown."
    return Clause(name, colour, sentence)


def _one_answer(restarts: Restarts | None) -> Clause:
    name = "One answer"
    if restarts is None:
        return Clause(name, "grey", "Not restarted yet: whether different groups do as well.")
    n = restarts.optima.size
    if n < 2:
        return Clause(name, "green", f"No other answer was found within {NEAR:g} log units.")
    lowest = float(restarts.agreement.min())
    sentence = (
        f"{n} different answers fit about as well (within {NEAR:g} log units); the least alike "
        f"agree by an ARI of {lowest:.2f} (adjusted Rand index, 1 is the same), and "
        f"{SAME_ANSWER:.2f} is asked for."
    )
    return Clause(name, "green" if lowest >= SAME_ANSWER else "amber", sentence)


def _severity(reference: Chance | None) -> Clause:
    name = "Chance or severity"
    if reference is None or not (reference.n_drawn or reference.is_settled):
        return Clause(name, "grey", "Not compared yet with tables that have no groups.")
    colour, sentence = "grey", reference.sentence
    if reference.is_settled and not reference.is_more:
        colour = "amber"
    elif reference.is_more and reference.n_tables >= FULL:
        colour = "green"
    elif reference.n_tables < FULL:
        sentence += f" Up to {FULL} tables of each kind are asked for to colour the light."
    return Clause(name, colour, sentence)


def _one_line(share: float | None) -> Clause:
    name = "Along one line"
    if share is None:
        return Clause(
            name,
            "grey",
            "Two groups always lie on one line, so their means do not show whether they differ in "
            "kind: the comparison with tables without groups decides.",
        )
    sentence = (
        f"{100 * share:.0f} % of the differences between the groups lie on one line (the rank-1 "
        f"share of their means); from {100 * ONE_LINE:.0f} % on they are steps from mild to "
        "severe, and never green."
    )
    return Clause(name, "amber" if share >= ONE_LINE else "green", sentence)


def _means(means: Means) -> Clause:
    colour = "green" if means.complete else "grey"
    return Clause("Means", "amber" if means.alike or means.resting else colour, means.sentence)
