"""A form for a new patient: at most five questions, the groups' probabilities, and that of none.

A point score and a small tree are tried on patients held out, their questions chosen anew without
those; the one that gives more of them their own group is the form on paper. Neither knows patients
unlike any group: the probability of none is MAP-DP's own, from the same answers: that of a new
group, or of those too small for the form. Where MAP-DP, given these answers and nothing else, gives
more of them their own group than the rule does, it answers on the screen. A form that has seen the
patients it is tried on looks better than it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..inference.row_scores import RowScores
from ..models.progress import Progress
from ..schema.encoded import Encoded
from ..statistics.suppression import THRESHOLDS
from ..wording import listed, percent
from .form_cohort import FormCohort, posterior, with_none
from .point_score import MOST_QUESTIONS, PointScore, fit_points
from .questions import Question, places_of
from .small_tree import SmallTree, fit_tree
from .subgroups import Subgroups
from .trial import Trial

#: Parts in which patients are held out; groups of fewer patients cannot be in every part.
FOLDS = 5
SMALLEST = 2 * FOLDS
POINTS, TREE, MODEL = "points", "a small tree", "the model, given these answers alone"

Rule = PointScore | SmallTree
RULES: dict[str, Callable[..., Rule]] = {POINTS: fit_points, TREE: fit_tree}
#: Told of every step; what it raises ends the work.
Callback = Callable[[Progress], None]


@dataclass(frozen=True)
class Form:
    """Questions, what their answers say, and how often that is right."""

    groups: Subgroups
    #: Groups that it knows; a patient of another one is in none of them.
    kept: tuple[int, ...]
    #: Every question that could be asked; the rule says which are.
    questions: tuple[Question, ...]
    rule: Rule
    #: MAP-DP's clusters, the groups that it knows first: the probability of none follows from them.
    clusters: RowScores
    #: Held out: points, tree and model on the answers of the better of these two.
    tried: dict[str, Trial]
    #: Held out: the rule alone, which knows no patient unlike any group.
    on_paper: Trial
    #: Patients of groups that a form had not been taught, and how many it put into none.
    untaught: tuple[int, int]
    #: Smaller counts of patients do not follow from its points.
    least: int

    @property
    def on_screen(self) -> str:
        """What answers on the screen: the name of one that was tried."""
        return max((self.rule_name, MODEL), key=lambda name: self.tried[name].accuracy)

    @property
    def rule_name(self) -> str:
        """What the rule is, as it was tried."""
        return POINTS if isinstance(self.rule, PointScore) else TREE

    @property
    def trial(self) -> Trial:
        """Held out: the form as it answers on the screen."""
        return self.tried[self.on_screen]

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions asked, in their order."""
        return tuple(self.questions[j] for j in self.rule.asked)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their columns."""
        return tuple(question.name for question in self.asked)

    @property
    def titles(self) -> tuple[str, ...]:
        """Names of the groups that it knows."""
        return tuple(self.groups.titles[k] for k in self.kept)

    @property
    def sentence(self) -> str:
        """What it gives, in words."""
        trial, titles = self.trial, [question.title for question in self.asked]
        return (
            f"From {listed(titles, MOST_QUESTIONS)}, by {self.on_screen}, "
            f"{percent(trial.accuracy)} of the patients come into their own group (balanced over "
            f"the groups, {percent(trial.balanced_accuracy)}; naming the largest group for "
            f"everybody, {percent(trial.largest)}). Cross-validated in {FOLDS} parts, the "
            "questions chosen anew in each."
        )

    @property
    def none_sentence(self) -> str:
        """How well it knows patients unlike any group."""
        of = self.trial.truth < len(self.kept)
        false = int((self.trial.called[of] == len(self.kept)).sum())
        n, known = self.untaught
        few = (
            ": a few answers seldom show that a patient is unlike all groups"
            if known < n / 2
            else ""
        )
        return (
            f"“None of these” was said of {percent(false, int(of.sum()))} of the patients of its "
            f"groups (cross-validated), and of {percent(known, n)} of patients whose group was "
            f"taken away before the form was made{few}."
        )

    def compared(self) -> pd.DataFrame:
        """What was tried, ready to print."""
        return pd.DataFrame(
            [
                {
                    "Rule": name.capitalize(),
                    "Agreement": percent(trial.accuracy, more=1),
                    "Balanced": percent(trial.balanced_accuracy, more=1),
                    "Brier score": f"{trial.brier:.3f}",
                    "Brier of shares alone": f"{trial.brier_of_shares:.3f}",
                }
                for name, trial in self.tried.items()
            ]
        )

    def of_groups(self) -> pd.DataFrame:
        """Sensitivity and positive predictive value by group, ready to print; holds counts."""
        trial = self.trial
        return pd.DataFrame(
            {
                "Group": self.titles,
                "Patients": trial.confusion[:-1].sum(axis=1),
                "Sensitivity (95 % interval)": _told(trial.sensitivity),
                "Told to be there": trial.confusion[:, :-1].sum(axis=0),
                "Predictive value (95 % interval)": _told(trial.predictive),
            }
        )

    @cached_property
    def points(self) -> pd.DataFrame | None:
        """Column, answer, and every group's points, the first line for a start; None of a tree."""
        if not isinstance(self.rule, PointScore):
            return None
        titles = self.titles
        lines = [
            {"Column": "to start with", "Answer": ""}
            | dict(zip(titles, self.rule.start, strict=True))
        ]
        for question, table in zip(self.asked, self.rule.tables, strict=True):
            for word, points in zip(question.words, table, strict=False):
                line = {"Column": question.title, "Answer": word}
                lines.append(line | dict(zip(titles, points, strict=True)))
        return pd.DataFrame(lines).astype(dict.fromkeys(titles, np.int64))

    def probabilities(self, encoded: Encoded) -> np.ndarray:
        """Of every group and of none, shape (R, K + 1), by the columns asked alone."""
        by_model = posterior(self.clusters, len(self.kept), encoded, self.columns)
        if self.on_screen == MODEL:
            return by_model
        own = self.rule.probabilities(places_of(self.questions, encoded))
        return with_none(own, by_model[:, -1])


def _told(estimate: tuple[np.ndarray, np.ndarray, np.ndarray]) -> list[str]:
    return [
        "nobody" if np.isnan(value) else f"{percent(value)} ({percent(low)} to {percent(high)})"
        for value, low, high in zip(*estimate, strict=True)
    ]


def kept_groups(groups: Subgroups, least: int) -> tuple[int, ...]:
    """Groups that a form knows: large enough to be tried and to have points."""
    needed = max(SMALLEST, 2 * least)
    return tuple(k for k, size in enumerate(groups.sizes) if size >= needed)


def make_form(
    groups: Subgroups,
    seed: int = 0,
    least: int = THRESHOLDS[0],
    callback: Callback | None = None,
) -> Form | None:
    """Make the form, or None where no two groups are large enough for one.

    No count of patients below ``least`` follows from its points, under which it is tried, too.
    """
    kept = kept_groups(groups, least)
    if len(kept) < 2:
        return None
    data = FormCohort.of(groups, kept)
    if not data.questions:
        return None
    steps = FOLDS + len(kept) + 1

    def tell(done: int, phase: str) -> None:
        if callback is not None:
            callback(Progress(done, steps, 0.0, len(kept), phase))

    tried, alone, best = _tried(data, least, seed, tell)
    tell(FOLDS, "the form itself")
    fit, known = RULES[best], data.known
    rule = fit(data.questions, data.places[known], data.labels[known], least, seed)
    n, away = 0, 0
    for k in range(len(kept)):
        tell(FOLDS + 1 + k, f"without {groups.titles[kept[k]]}")
        said = _without(data, k, rule, fit, least, seed)
        n, away = n + len(said), away + int((said.argmax(axis=1) == said.shape[1] - 1).sum())
    clusters = data.clusters(np.arange(data.labels.size))
    return Form(groups, kept, data.questions, rule, clusters, tried, alone, (n, away), least)


def _tried(
    data: FormCohort, least: int, seed: int, tell: Callable[[int, str], None]
) -> tuple[dict[str, Trial], Trial, str]:
    """All that is tried on patients held out, the best rule without none, and its name."""
    held_out = []
    # Of each rule, part by part: with none, without, and the model given its answers.
    found: dict[str, tuple[list, list, list]] = {name: ([], [], []) for name in RULES}
    for done, (train, test) in enumerate(data.folds(FOLDS, seed)):
        tell(done, f"part {done + 1} of {FOLDS} held out")
        held_out.append(test)
        clusters = data.clusters(train)
        known = train[data.labels[train] < data.n_groups]
        for name, fit in RULES.items():
            rule = fit(data.questions, data.places[known], data.labels[known], least, seed)
            own = rule.probabilities(data.places[test])
            model = data.posterior(clusters, data.n_groups, test, rule.asked)
            parts = with_none(own, model[:, -1]), with_none(own, np.zeros(test.size)), model
            for of, part in zip(found[name], parts, strict=True):
                of.append(part)
    order = np.argsort(np.concatenate(held_out))
    trials = {
        name: [Trial(data.truth, np.concatenate(part)[order]) for part in parts]
        for name, parts in found.items()
    }
    best = max(RULES, key=lambda name: trials[name][0].accuracy)
    tried = {name: trials[name][0] for name in RULES} | {MODEL: trials[best][2]}
    return tried, trials[best][1], best


def _without(
    data: FormCohort, k: int, rule: Rule, fit: Callable[..., Rule], least: int, seed: int
) -> np.ndarray:
    """What MAP-DP says of the patients of group k on a form made without them; none last."""
    others, away = np.flatnonzero(data.labels != k), np.flatnonzero(data.labels == k)
    if data.n_groups > 2:
        rows = data.known[data.labels[data.known] != k]
        labels = data.labels[rows] - (data.labels[rows] > k)
        rule = fit(data.questions, data.places[rows], labels, least, seed)
    return data.posterior(data.clusters(others), data.n_groups - 1, away, rule.asked)
