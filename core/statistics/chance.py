"""Whether chance makes as many groups: what is gained on reference tables without groups."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from ..models.estimator import Callback
from ..models.progress import Refits
from ..schema.encoded import Encoded
from ..wording import counted
from .correct import LEVEL
from .nulls import (
    KINDS,
    PHRASES,
    SHUFFLED,
    Copula,
    Gains,
    GroupSearch,
    p_below,
    references,
    standardised,
)

#: Tables of a kind drawn at most: by Clusters, and where a study is judged.
QUICK, FULL = 19, 99
#: With so many tables, none of which gains as much, no further one is drawn where the next would
#: gain as much with this probability at most, by Student's t with one SD within all kinds; the SD
#: counts as so many nats at least.
FEW, FAR, LEAST_SD = 2, 0.005, 3.0
#: Share of the groups' differences on one line from which they are steps of a gradient.
ONE_LINE = 0.90
#: What the references cannot see, to be shown with their answer.
LIMITS = (
    "The references know shuffled columns and three kinds of continuum: a Gaussian one, one with "
    "heavy tails in which some rows are far out in everything, and one that thins out to one side, "
    "such as one skewed severity. A course along which columns bend, rise late or come and go "
    "passes for groups, and so may one that forks or closes to a ring."
)


@dataclass(frozen=True)
class Chance:
    """The gain of the groups, compared with the gains on tables without groups."""

    #: float64, (K,). By how much 1 .. K groups lower E below one of independent columns, in nats.
    gains: np.ndarray
    #: By kind, the same of the shuffled tables drawn so far; of every other kind, what the groups
    #: of each table lower E below one cloud, shape (1,); and that of the real table.
    draws: Mapping[str, tuple[np.ndarray, ...]] = field(default_factory=dict)
    beyond_cloud: float = 0.0
    n_tables: int = QUICK
    #: Why groups that shuffling columns does not remove are no chance; empty elsewhere.
    valley: str = ""
    #: Whether there is one column alone, which shuffling leaves as it is.
    is_one_column: bool = False

    @cached_property
    def differences(self) -> dict[str, np.ndarray]:
        """Gains on the tables of every kind less that of the real one, in nats."""
        own = dict.fromkeys(self.draws, self.beyond_cloud) | {SHUFFLED: float(self.gains[-1])}
        return {
            kind: np.array([float(gains[-1]) for gains in tables]) - own[kind]
            for kind, tables in self.draws.items()
        }

    @property
    def n_drawn(self) -> int:
        """Tables of all kinds drawn so far."""
        return sum(map(len, self.draws.values()))

    def n_as_much(self, kind: str) -> int:
        """Tables of a kind that gain as much."""
        return int((self.differences.get(kind, np.empty(0)) >= -1e-9).sum())

    def beats(self, kind: str) -> bool | None:
        """Whether the real table gains more than those of a kind do; None if not known yet."""
        drawn, as_much = len(self.draws.get(kind, ())), self.n_as_much(kind)
        if as_much and 1 + as_much > LEVEL * (1 + self.n_tables) + 1e-9:
            return False
        is_far = drawn >= FEW and not as_much and self._p_of_as_much(kind) <= FAR
        return True if is_far or drawn >= self.n_tables else None

    def _p_of_as_much(self, kind: str) -> float:
        """Probability that a further table of a kind gains as much, by those drawn so far."""
        differences = self.differences
        within = np.concatenate([drawn - drawn.mean() for drawn in differences.values()])
        degrees = within.size - len(differences)
        spread = max(float(np.sqrt(within @ within / degrees)), LEAST_SD)
        return p_below(0.0, -differences[kind], spread, degrees)

    def p(self, kind: str) -> float:
        """Share of the tables of a kind, the real one included, that gain as much."""
        drawn = len(self.draws.get(kind, ()))
        if self.beats(kind) and drawn < self.n_tables:
            return self._p_of_as_much(kind)
        return (1 + self.n_as_much(kind)) / (1 + drawn)

    @property
    def is_chance(self) -> bool:
        """Whether shuffled columns are seen to gain as much, or must, or nothing is gained."""
        gains_nothing = self.is_one_column or self.gains.size == 1
        return not self.valley and (gains_nothing or self.beats(SHUFFLED) is False)

    @property
    def is_cloud(self) -> bool:
        """Whether tables of one cloud, such as this one would be, are seen to gain as much."""
        return any(self.beats(kind) is False for kind in self.draws if kind != SHUFFLED)

    @property
    def is_settled(self) -> bool:
        """Whether no further table is to be drawn."""
        is_decided = self.is_chance or self.is_cloud or bool(self.valley)
        return is_decided or all(self.beats(kind) for kind in KINDS)

    @property
    def are_real(self) -> bool:
        """Whether the groups are known to be more than chance makes, and than one cloud."""
        return self.is_settled and not self.is_chance and not self.is_cloud

    def share(self, n_groups: int) -> float | None:
        """Median gain of so many groups on shuffled tables, as a share of the real table's."""
        own, *found = (
            gains[min(n_groups, gains.size) - 1]
            for gains in (self.gains, *self.draws.get(SHUFFLED, ()))
        )
        return max(float(np.median(found)), 0.0) / float(own) if found and own > 0.0 else None

    @property
    def sentence(self) -> str:
        """What is known so far, in words."""
        if self.valley:
            return f"More than chance makes: {self.valley}"
        if self.gains.size == 1:
            return (
                "No more groups than chance makes: sought once more, as briefly as on tables "
                "without groups, one group describes these rows best."
            )
        if self.is_chance and self.is_one_column:
            return (
                "No more groups than chance makes: they rest on one column alone, which may be a "
                "single bell."
            )
        if self.is_chance:
            return f"No more groups than chance makes: {self._as_much(SHUFFLED)}."
        if self.is_cloud:
            clouds = (kind for kind in self.draws if self.beats(kind) is False)
            as_much = self._as_much(next(clouds))
            return f"{as_much[0].upper()}{as_much[1:]}: the groups may be parts of one cloud."
        if not self.n_drawn:
            return "No table without groups has been searched yet."
        below = "; ".join(
            f"{self.n_as_much(kind):,} of {counted(len(drawn), 'table')} {PHRASES[kind]}"
            for kind, drawn in self.draws.items()
        )
        if not self.is_settled:
            return f"So far: as much is gained on {below}."
        how = "by Student's t, " * any(len(drawn) < self.n_tables for drawn in self.draws.values())
        p = f"{how}p = {max(map(self.p, self.draws)):.2g} at most"
        return f"More than chance makes: as much is gained on {below} ({p})."

    @property
    def caution(self) -> str:
        """Caution beside groups that come back or stay; empty unless chance makes as many."""
        return "Groups that chance makes can come back, and stay, too." if self.is_chance else ""

    @property
    def headline(self) -> str:
        """The ``sentence`` in one short line, without a claim before all is known."""
        if not self.is_settled:
            most = len(KINDS) * self.n_tables
            return f"Checking whether chance makes as many: {self.n_drawn:,} of {most:,} at most."
        if self.is_chance or self.valley:
            return self.sentence
        if self.is_cloud:
            return "A table of one cloud gains as much as the fit: the groups may be parts of one."
        return (
            f"More than chance makes: {self.n_drawn:,} tables without groups do not gain as much."
        )

    def _as_much(self, kind: str) -> str:
        n, drawn = self.n_as_much(kind), len(self.draws[kind])
        which = "the first table" if drawn == 1 else f"{n:,} of {drawn:,} tables"
        return f"{which} {PHRASES[kind]} {'gains' if n == 1 else 'gain'} as much"


def chance(
    search: GroupSearch,
    *,
    n_tables: int = QUICK,
    random_state: int = 0,
    callback: Callback | None = None,
    share: Callable[[Chance], None] | None = None,
) -> Chance:
    """Run a search on tables without groups until the answer is known (Besag and Clifford 1991).

    A few of each kind first; a kind that gains as much ends it, as does what the callback raises.
    ``share`` is given what there is after each table.
    """
    refits = Refits(1 + FEW * len(KINDS), search.encoded.values.size, callback)
    (own,) = refits.map(partial(search.gains, search.encoded), [random_state], "your table")
    is_one = search.encoded.values.shape[1] == 1
    found = Chance(own.alone, {}, own.beyond_cloud, n_tables, search.valley, is_one)
    copulas: dict[str, Copula] = {}

    def of_each_kind() -> Iterator[tuple[str, Copula, int]]:
        for kind, copula in references(search.encoded):
            copulas[kind] = copula
            yield from of_kind(kind, 0, FEW)

    def of_kind(kind: str, begin: int, end: int) -> Iterator[tuple[str, Copula, int]]:
        first = random_state + 1 + KINDS.index(kind) * n_tables
        return ((kind, copulas[kind], first + i) for i in range(begin, end))

    def rounds() -> Iterator[Iterator[tuple[str, Copula, int]]]:
        yield of_each_kind()
        # All kinds together tell how far gains of one scatter: mostly no further table is begun.
        for kind in KINDS:
            if not found.is_settled and found.beats(kind) is None:
                yield of_kind(kind, FEW, n_tables)

    if found.is_settled:
        return found
    for tables in rounds():
        with closing(refits.map(partial(_gains, search), tables, "tables without groups")) as all_:
            for kind, gains in all_:
                gain = gains.alone if kind == SHUFFLED else np.array([gains.beyond_cloud])
                drawn = *found.draws.get(kind, ()), gain
                found = replace(found, draws={**found.draws, kind: drawn})
                refits.total = max(refits.total, refits.done + 1)
                if share is not None:
                    share(found)
                is_decided = len(drawn) > FEW and found.beats(kind) is not None
                if found.is_settled or is_decided:
                    break
    return found


def _gains(
    search: GroupSearch, draw: tuple[str, Copula, int], callback: Callback
) -> tuple[str, Gains]:
    """The kind of a table, drawn under a seed, and what is gained on it."""
    kind, copula, seed = draw
    return kind, search.gains(copula.draw(np.random.default_rng(seed)), seed, callback)


def rank_one_share(encoded: Encoded, labels: np.ndarray) -> float | None:
    """How nearly the groups lie on one line: 1 on a continuum, lower the more they cross."""
    sizes = np.bincount(labels).astype(np.float64)
    if sizes.size < 3:
        return None
    points = standardised(encoded)
    means = np.eye(sizes.size)[labels].T @ points / sizes[:, None]
    squared = np.linalg.svd(means * np.sqrt(sizes)[:, None], compute_uv=False) ** 2
    return float(squared[0] / squared.sum()) if squared.sum() > 0 else None
