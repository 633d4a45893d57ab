"""A second cohort searched on its own, and held against the groups of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..inference.contributions import assignments
from ..models.progress import Progress
from ..partitions.scores import ari
from ..profiling.profiles import in_amounts_and_shares
from ..release.allowed import ALLOWED
from ..release.door import only_named
from ..schema.copies import with_copies
from ..schema.encode import distinct_values
from ..schema.encoded import Encoded
from ..schema.schema import Schema, SchemaError
from ..statistics.association import Associations, Comparison, associations
from ..statistics.bootstraps import STABLE
from ..statistics.suppression import HIDDEN, suppress
from ..wording import counted, in_digits, listed, percent
from .disclosure import are_told
from .distinctions import Distinctions
from .second_cohort import weighed_as
from .study import Lock
from .subgroups import SMALLEST, Subgroups, Work, find_subgroups
from .validation import effect_words

#: Overlap (Jaccard) from which a group was found again, and from which a part of it was.
AGAIN, PARTLY = STABLE, 0.5
#: Of its tables that leave, by name.
CAPTIONS = {
    "second-groups": "Searched on its own: which groups of the first cohort came back.",
    "second-crossed": "Patients of the second cohort by the group of the first that suits them "
    "best (down), and by their own (across), small counts hidden.",
    "second-effects": "Outcomes between the groups that came back, in both cohorts.",
}
#: Columns of which both cohorts' profiles are told.
LEADING = 8
NONE = "none of these"


@dataclass(frozen=True)
class SecondSearch:
    """The second cohort's patients in the first one's groups, and in groups of their own."""

    first: Subgroups
    #: Of the second cohort, under the same columns, likelihoods and plan.
    own: Subgroups
    #: int64, shape (n,). Group of the first that suits each patient best; K for none of them.
    placed: np.ndarray
    #: Outcomes by the first cohort's groups, and by the second's own, the groups found again
    #: having the first's numbers.
    effects_first: Associations
    effects_own: Associations

    @cached_property
    def crossed(self) -> pd.DataFrame:
        """Patients of the second cohort by where they are placed, down, and their own groups."""
        down, across = (*self.first.titles, NONE), [f"Own {k + 1}" for k in self._own_groups]
        counts = np.zeros((len(down), len(across)), dtype=np.int64)
        np.add.at(counts, (self.placed, self.own.labels), 1)
        is_there = counts.sum(axis=1) > 0
        is_there[list(self.first.profiled)] = True
        return pd.DataFrame(counts, index=down, columns=across)[is_there]

    @property
    def _own_groups(self) -> range:
        return range(self.own.sizes.size)

    @cached_property
    def overlap(self) -> np.ndarray:
        """Jaccard overlap of the first's groups, of five or more, with own ones: (K, L)."""
        found = np.zeros((len(self.first.profiled), self.own.sizes.size))
        for i, k in enumerate(self.first.profiled):
            for j in self._own_groups:
                here, there = self.placed == k, self.own.labels == j
                either = int((here | there).sum())
                found[i, j] = (here & there).sum() / either if either else 0.0
        return found

    @property
    def best(self) -> np.ndarray:
        """The best overlap of each group of the first, shape (K,)."""
        return self.overlap.max(axis=1)

    @cached_property
    def partners(self) -> dict[int, int]:
        """Own group of each group of the first of which more than half came back."""
        pairs = zip(self.first.profiled, self.overlap.argmax(axis=1), self.best, strict=True)
        return {
            k: int(j) for k, j, best in pairs if best > PARTLY and self.own.sizes[j] >= SMALLEST
        }

    @property
    def ari(self) -> float:
        """Adjusted Rand index of both partitions of the second cohort."""
        return ari(self.placed, self.own.labels)

    @property
    def new(self) -> tuple[int, ...]:
        """Own groups, of five or more, that are no group of the first."""
        return tuple(j for j in self.own.profiled if j not in self.partners.values())

    @property
    def sentence(self) -> str:
        """What was found again, and nothing more."""
        n, again = self.best.size, int((self.best >= AGAIN).sum())
        noun = "group was" if n == 1 else "groups were"
        said = f"{again} of {n} {noun} found again (Jaccard {AGAIN:.2f} or more)"
        lost = [
            self.first.titles[k]
            for k, best in zip(self.first.profiled, self.best, strict=True)
            if best <= PARTLY
        ]
        if lost:
            said += f"; {listed(lost, 6)} {'was' if len(lost) == 1 else 'were'} not"
        if self.new:
            one = len(self.new) == 1
            own = listed((f"Own {j + 1}" for j in self.new), 6)
            said += f"; {own} {'is' if one else 'are'} no group of the first cohort"
        return (
            f"{said}. Searched on its own, the second cohort has "
            f"{counted(len(self.own.profiled), 'group')} of {SMALLEST} patients or more, the first "
            f"{len(self.first.profiled)}. Adjusted Rand index of the two ways to group its "
            f"patients: {self.ari:.2f} (1: the same groups, 0: no more than chance)."
        )

    def of_groups(self) -> pd.DataFrame:
        """A line a group of the first: where it came back; ready to print, with counts."""
        lines = []
        for i, k in enumerate(self.first.profiled):
            j, best = int(self.overlap[i].argmax()), float(self.best[i])
            lines.append(
                {
                    "Group": self.first.titles[k],
                    "First cohort": int(self.first.sizes[k]),
                    "Placed there": int((self.placed == k).sum()),
                    "Own group": f"Own {j + 1}" if best else "none",
                    "Its patients": int(self.own.sizes[j]) if best else 0,
                    "Jaccard": f"{best:.2f}",
                    "Found again": _how_far(best),
                }
            )
        return pd.DataFrame(lines)

    def profiles(self) -> pd.DataFrame:
        """Leading columns of groups that came back, in both cohorts side by side, to print."""
        names = Distinctions(self.first).leading(LEADING).index.get_level_values("column")
        first = _means(self.first.model.columns_.encoded, self.first.labels, names)
        own = _means(self.own.model.columns_.encoded, self.own.labels, names)
        lines = []
        for title in first.index:
            line = {"Column": title}
            for k, j in self.partners.items():
                name = self.first.titles[k]
                line[f"{name}, first"] = first.loc[title, k]
                line[f"{name}, second"] = own.loc[title, j] if title in own.index else ""
            lines.append(line)
        return pd.DataFrame(lines)

    def effects(self) -> pd.DataFrame:
        """Outcomes between groups that came back, in both cohorts, a line a pair; to print."""
        return pd.DataFrame([line for line, *_ in self._effect_lines()])

    def _effect_lines(self) -> list[tuple[dict[str, str], Comparison, Comparison]]:
        lines = []
        second = {column.variable.title: column for column in self.effects_own.columns}
        for column in self.effects_first.columns:
            again = second.get(column.variable.title)
            pairs = {} if again is None else {pair.groups: pair for pair in again.pairs}
            for pair in column.pairs:
                if pair.groups not in pairs:
                    continue
                other = pairs[pair.groups]
                line = {
                    "Column": column.variable.title,
                    "Groups": f"{pair.groups[0] + 1} and {pair.groups[1] + 1}",
                    "First cohort (95 % interval)": _effect(pair),
                    "Second cohort (95 % interval)": _effect(other),
                    "Direction": _direction(pair, other),
                }
                lines.append((line, pair, other))
        return lines

    def leaving(self, least: int) -> dict[str, pd.DataFrame]:
        """Its tables as they may leave, by name: small counts hidden, and what tells them."""
        crossed = suppress(self.crossed, least)
        table = crossed.as_text().rename_axis("Group").reset_index()
        groups = self.of_groups()
        whole, shown = crossed.is_whole, ~crossed.hidden.iloc[-1]
        told = [
            bool(whole[group]) and bool(shown.get(own, default=False))
            for group, own in zip(groups["Group"], groups["Own group"], strict=True)
        ]
        groups["Jaccard"] = groups["Jaccard"].where(told, HIDDEN)
        return {
            "second-groups": only_named(groups, ALLOWED["second-groups"]),
            "second-crossed": only_named(table, ALLOWED["second-crossed"]),
            "second-effects": self._told_effects(least),
        }

    def _told_effects(self, least: int) -> pd.DataFrame:
        """Effects of which no count below the threshold follows in either cohort."""
        lines = []
        of_first = {column.variable.title: column for column in self.effects_first.columns}
        of_own = {column.variable.title: column for column in self.effects_own.columns}
        renumbered = _Renumbered(self._renumbered)
        for line, pair, other in self._effect_lines():
            name = line["Column"]
            sides = (
                (self.effects_first, of_first[name], pair, self.first, "First"),
                (self.effects_own, of_own[name], other, renumbered, "Second"),
            )
            for found, column, one, groups, title in sides:
                if not are_told(found, column, one.groups, groups, least):
                    line = line | {f"{title} cohort (95 % interval)": HIDDEN}
            lines.append(line)
        return only_named(pd.DataFrame(lines), ALLOWED["second-effects"])

    @property
    def _renumbered(self) -> np.ndarray:
        return renumbered(self.own.labels, self.partners, self.first.sizes.size)


@dataclass(frozen=True, eq=False)
class _Renumbered:
    """Own groups under the first's numbers."""

    labels: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.labels)


def renumbered(labels: np.ndarray, partners: dict[int, int], n_groups: int) -> np.ndarray:
    """Own groups under the first's numbers, shape (n,); ``n_groups`` of one that has no partner."""
    found = np.full(labels.size, n_groups)
    for k, j in partners.items():
        found[labels == j] = k
    return found


def search_again(
    groups: Subgroups, lock: Lock, frame: pd.DataFrame, effects_first: Associations, job: Work
) -> SecondSearch:
    """Search a second table on its own as the first was, and compare.

    Columns, likelihoods, levels and plan are the first's; a level that the first did not have is
    missing. What the job, told of every step, raises ends the work.

    Raises
    ------
    SchemaError
        A column which made the groups is absent, or holds what its likelihood cannot take.
    """
    schema = weighed_as(groups.model.schema_, frame)
    frame = with_copies(frame, schema)
    absent = [name for name in schema.names("cluster") if name not in frame.columns]
    if absent:
        raise SchemaError(f"The second table lacks {listed(absent, 6)}, which made the groups.")
    placed = assignments(groups.model, frame).labels
    own = find_subgroups(_known_levels(frame, schema), replace(lock, schema=schema), _Quiet(job))
    nothing = associations(frame, schema, placed, [], random_state=lock.plan.seed)
    found = SecondSearch(groups, own, placed, effects_first, nothing)
    labels = renumbered(own.labels, found.partners, groups.sizes.size)
    inside = labels < groups.sizes.size
    if not inside.any():
        return found
    names = [name for name in lock.columns("validator") if name in frame.columns]
    effects = associations(
        frame[inside].reset_index(drop=True),
        weighed_as(lock.schema, frame),
        labels[inside],
        names,
        random_state=lock.plan.seed,
        callback=job,
    )
    return replace(found, effects_own=effects)


class _Quiet:
    """A job of which only the steps are of use: groups so far are not compared."""

    def __init__(self, job: Work) -> None:
        self._job = job

    def __call__(self, progress: Progress) -> None:
        """A step."""
        self._job(progress)

    def share(self, partial: Subgroups) -> None:
        """Nothing is shown of it."""


def _known_levels(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """The table with levels that a schema does not have as missing cells."""
    changed = {}
    for name in schema.names("cluster"):
        levels = schema[name].levels
        if levels is None:
            continue
        known = {str(level) for level in levels}
        new = [v for v in distinct_values(frame[name], schema[name]) if str(v) not in known]
        if new:
            column = frame[name]
            changed[name] = column.where(~column.isin(new))
    return frame.assign(**changed)


def _how_far(overlap: float) -> str:
    if overlap >= AGAIN:
        return "yes"
    return "in part" if overlap > PARTLY else "no"


def _effect(pair: Comparison) -> str:
    effect = pair.effect
    return effect_words(effect.name, effect.estimate, effect.low, effect.high)


def _direction(first: Comparison, second: Comparison) -> str:
    """Whether two effects lie on the same side of no difference; empty where none is known."""
    sides = []
    for effect in (first.effect, second.effect):
        if effect.estimate is None or effect.null is None:
            return ""
        sides.append(np.sign(effect.estimate - effect.null))
    return "same" if sides[0] == sides[1] else "opposite"


def _means(encoded: Encoded, labels: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Means and shares ready to print, a line a column or level, a column a group."""
    amounts, shares = in_amounts_and_shares(encoded, labels)
    lines: dict[str, dict[int, str]] = {}
    for name in dict.fromkeys(names):
        if name in amounts.index.get_level_values("column"):
            of = amounts.loc[name]
            lines[name] = {
                k: f"{in_digits(of.loc[k, 'mean'])} (SD {in_digits(of.loc[k, 'sd'])})"
                for k in of.index
            }
            continue
        of = shares.loc[name]
        for level in of.index.get_level_values("level").unique():
            part = of.loc[level]
            lines[f"{name} = {level}"] = {k: percent(part.loc[k, "share"]) for k in part.index}
    return pd.DataFrame.from_dict(lines, orient="index")
