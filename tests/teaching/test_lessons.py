"""Every stop of every lesson asks briefly, calls right what is right, and says nothing false.

The right choice of each stop is computed here, in their order, and whatever number, "more", "fewer"
or "never" its answer has.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from mapdp_studio.core import KMeansBIC, choose_model
from mapdp_studio.core.comparing.comparison import Results, Task, matched, suggestion
from mapdp_studio.core.comparing.panels import centres_in_view
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.kmeans import lloyd_states, plus_plus
from mapdp_studio.core.models.priors import EMPIRICAL_SCALE
from mapdp_studio.core.models.similarity.graph import NEIGHBOURS, neighbour_graph
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.lessons import LESSONS
from mapdp_studio.core.teaching.steps import Walk, row_costs, walk
from mapdp_studio.core.wording import counted
from mapdp_studio.demo_datasets import GENERATED, SCENARIOS, load_scenario, load_scenario_table
from mapdp_studio.demo_datasets.generators import TOP
from mapdp_studio.pages.parts.shared.controls import PENALTIES
from mapdp_studio.pages.parts.teach.room import Classroom, set_at
from tests.classroom import room

MOST_WORDS = 40
K_MEANS, DP_MEANS, E_M, GIBBS = "KMeansBIC", "DPMeans", "MixtureEM", "CollapsedGibbs"
#: Words that leave a number a number.
NUMBERING = {*("about", "more", "less", "than", "or", "still", "in", "nearly")}
FOLLOWERS = ("SpectralDPMeans", "PenalisedCut", "KernelDPMeans")


# ---- the screens of the lessons as the page computes them, each fitted once


def of(key: str, stop: int, **moved: Any) -> Classroom:
    """What a stop sets the page to, some controls moved, by their names."""
    sets = {**set_at(key, stop), **moved}
    knobs = [GENERATED[key].knob.name] if key in GENERATED else []
    knob = {name: sets[name] for name in knobs}
    kwargs = {"bic": sets["bic"], "effort": sets["restarts"], "likelihood_power": sets["tolerance"]}
    settings = Settings(sets["n0"], 1.0, sets["k"], **kwargs)
    here = room(key, sets["rows"], settings, **knob)
    if sets["chosen"]:
        schema = choose_model(here.frame, here.schema).schema
        encoded = schema.encode(here.frame)
        here = replace(here, schema=schema, encoded=encoded, view=choose_view(encoded))
    penalty = suggestion(here.encoded, sets["k"], PENALTIES)
    return replace(here, settings=replace(settings, penalty=penalty))


#: One for all screens: what two of them share is fitted once; more than a session keeps.
_STORE = Results(models=500)


def fitted(name: str, here: Classroom) -> ClusterEstimator:
    """What a panel shows of a data set."""
    return _STORE.fit(here.tasks[name], here.frame, here.schema)


@dataclass(frozen=True)
class Screen:
    """The page at a stop, from 1 on, fitted as far as is asked."""

    key: str
    stop: int

    @cached_property
    def room(self) -> Classroom:
        return of(self.key, self.stop)

    @property
    def sets(self) -> dict[str, Any]:
        return set_at(self.key, self.stop)

    @property
    def row(self) -> int:
        return self.sets["row"] - 1

    @property
    def classes(self) -> np.ndarray:
        return self.room.truth.classes

    def model(self, name: str) -> ClusterEstimator:
        return fitted(name, self.room)

    def labels(self, name: str) -> np.ndarray:
        return self.model(name).labels_

    def k(self, name: str = "MAPDP") -> int:
        return self.model(name).n_clusters_

    def score(self, name: str) -> float:
        """NMI of a panel with the truth."""
        return nmi(self.classes, self.labels(name))

    @property
    def scores(self) -> dict[str, float]:
        return {name: self.score(name) for name in self.room.tasks}

    def rounded(self, *names: str) -> list[float]:
        return [round(self.score(name), 2) for name in names]

    def crossed(self, name: str) -> np.ndarray:
        """Rows by true group, down, and by cluster, across."""
        return pd.crosstab(self.classes, self.labels(name)).to_numpy()

    def cut(self, name: str = K_MEANS) -> list[int]:
        """True groups of which a sixth or more lies outside their largest part."""
        table = self.crossed(name)
        return np.flatnonzero(table.max(axis=1) < 5 / 6 * table.sum(axis=1)).tolist()

    def joined(self, name: str = K_MEANS) -> list[int]:
        """True groups whose largest parts share a cluster."""
        homes = self.crossed(name).argmax(axis=1)
        return [k for k, home in enumerate(homes) if (homes == home).sum() > 1]

    def wrongly(self, name: str) -> np.ndarray:
        """Whether a panel places each row otherwise than the truth."""
        return matched(self.classes, self.labels(name)) != self.classes

    @cached_property
    def walked(self) -> Walk:
        name, here = self.sets["walk"], self.room
        centred = name in ("chance", "truth", "KMeansBIC")
        scale = EMPIRICAL_SCALE if centred else self.model("MAPDP").prior_scale_
        return walk(name, here.encoded, here.view, self.classes, here.settings, scale)

    @property
    def end(self) -> float:
        """Agreement with the truth at the end of a walk."""
        return nmi(self.classes, self.walked.steps[-1].labels)

    def judged(self, name: str = "MAPDP") -> str:
        """The text under a method's bars for the row of a stop."""
        self.model(name)
        tasks = {name: self.room.tasks[name]}
        return row_costs(_STORE, tasks, self.room.encoded, self.row, self.classes)[0].words


def surely(key: str) -> np.ndarray:
    """Whether one who knew the generator of a scenario would be 99 % sure of each row."""
    points, spec = Screen(key, 1).room.points, SCENARIOS[key].spec
    parts = zip(spec.weights, spec.means, spec.covariances, strict=True)
    densities = np.array([w * multivariate_normal(m, c).pdf(points) for w, m, c in parts])
    return (densities / densities.sum(axis=0)).max(axis=0) > 0.99


# ---- what is right at every stop


def one_of(value: float, *choices: tuple[float, str]) -> str:
    """The choice of the nearest number."""
    return min(choices, key=lambda choice: abs(np.log(value / choice[0])))[1]


def spreads(key: str) -> list[list[float]]:
    """Standard deviations along the axes of every cluster of a generator."""
    covariances = SCENARIOS[key].spec.covariances
    return [np.sqrt(np.linalg.eigvalsh(np.array(c))).round(2).tolist() for c in covariances]


def standardised(points: np.ndarray) -> np.ndarray:
    return (points - points.mean(axis=0)) / points.std(axis=0)


def by_bic(key: str, seed: int) -> tuple[int, int]:
    """K that BIC chooses for K-means on another draw, and that of the highest BIC of any start."""
    frame, schema, _ = load_scenario_table(key, 2000, seed)
    models = (KMeansBIC(1, 20, 10, best_start=of, random_state=seed) for of in ("error", "bic"))
    return tuple(model.fit(frame, schema).n_clusters_ for model in models)


def lesson_5_1(one: Screen, two: Screen, three: Screen) -> Iterator[str]:
    assert spreads("5.1") == [[5, 5], [1, 1], [0.8, 0.8]]
    table = one.crossed(K_MEANS)
    assert one.score("MAPDP") > 0.97
    assert one.k() == 3
    assert (table.max(axis=1).argmin(), (table[table.max(axis=1).argmin()] > 300).sum()) == (1, 2)
    is_so = len(one.cut()) == 1 and len(one.joined()) == 2
    yield "Cut the wide one, join the small ones" if is_so else "Find the three"
    errors = [step.objective for step in two.walked.steps]
    assert all(after <= before for before, after in pairwise(errors))
    assert nmi(two.classes, two.walked.steps[0].labels) > 0.95
    falls = "falls" if errors[-1] < 0.95 * errors[0] else "rises"
    yield "Stay there" if two.end > 0.9 else f"Leave them, its error {falls}"
    row, found, classes = three.row, three.labels("MAPDP"), three.classes
    away = np.linalg.norm(three.room.points[row] - SCENARIOS["5.1"].spec.means, axis=1)
    assert (away / [5, 1, 0.8])[::2] == pytest.approx([2.4, 5.0], abs=0.05)
    small = classes != classes[row]
    by_k_means = three.labels(K_MEANS)
    assert by_k_means[row] == np.bincount(by_k_means[small]).argmax()
    own = np.bincount(found[classes == classes[row]]).argmax()
    yield "In the wide cluster" if found[row] == own else "In a new cluster"


def lesson_5_2(one: Screen, two: Screen, three: Screen) -> Iterator[str]:
    table, spec = one.crossed(K_MEANS), SCENARIOS["5.2"].spec
    crowd, few = table.sum(axis=1).argmax(), table.sum(axis=1).argmin()
    parts = np.sort(table[crowd])[::-1] / table[crowd].sum()
    assert np.round(100 * parts[:2]).tolist() == [61, 39]
    assert table[few].max() > 0.8 * table[few].sum()
    assert table[crowd, table[few].argmax()] > 0
    means = np.array(spec.means)
    apart = [np.linalg.norm(a - b) for i, a in enumerate(means) for b in means[:i]]
    assert min(apart) == pytest.approx(5.0, abs=0.1)
    assert spreads("5.2") == [[1, 1]] * 3
    assert np.round(100 * np.array(spec.weights)).tolist() == [69, 29, 2]
    yield "Cut the largest" if int(crowd) in one.cut() else "Find the three"
    words, found = two.judged(), two.labels("MAPDP")
    assert two.classes[two.row] == few
    assert found[two.row] == 2
    sizes = np.bincount(found)
    assert sizes[1] / (sizes[2] - 1) == pytest.approx(15, abs=0.5)
    alone = "The predictive term decides" in words and "against the count term (2.7)" in words
    yield "The fit alone" if alone else "Both"
    assert np.log(3.0 / 0.01) == pytest.approx(5.7, abs=0.05)
    assert three.score("MAPDP") > 0.98
    yield counted(three.k(), "cluster")


def lesson_5_3(one: Screen, two: Screen, three: Screen) -> Iterator[str]:
    table = one.crossed(K_MEANS)
    pairs = table.sum(axis=1) == 2
    assert table[~pairs, table[pairs][0].argmax()].sum() == 0
    assert len({*table[~pairs].argmax(axis=1)}) == 2
    places, ways = centres_in_view(one.model(K_MEANS), one.room.view)
    assert (len(places), len(ways)) == (3, 1)
    assert sorted(one.crossed(DP_MEANS).sum(axis=0)) == [2, 2, 1996]
    spent = np.bincount(one.labels(K_MEANS)).tolist()
    yield "One on the four far rows" if spent[-1] == 4 else "One on each real cluster"
    for stop in (one, two):
        found = stop.crossed("MAPDP")
        whole = found.shape == (5, 5) and not stop.cut("MAPDP")
        assert whole
        assert not stop.joined("MAPDP")
    assert two.sets["outlier_distance"] / 72.0 == pytest.approx(2, abs=0.1)
    yield "Find the same three, and each pair" if whole else "Join the pairs"
    values = pd.DataFrame(standardised(three.room.points))
    found, true = (
        np.square(values - values.groupby(groups).transform("mean")).to_numpy().sum()
        for groups in (three.labels(K_MEANS), three.classes)
    )
    assert found < true
    assert three.k(DP_MEANS) == 5
    assert three.score(DP_MEANS) > 0.9
    is_cut = len(three.cut()) == 1 and len(three.joined()) == 2
    yield "Cut a real cluster" if is_cut else "One for each pair"


def lesson_5_4(one: Screen, two: Screen, three: Screen) -> Iterator[str]:
    assert [np.prod(sd) for sd in spreads("5.4")] == pytest.approx([3.6] * 3, abs=0.01)
    assert one.rounded(K_MEANS) == [0.62]
    yield "Across the two" if one.cut() == [0, 1] else "Between the two"
    steps = two.walked.steps
    assert nmi(two.classes, steps[0].labels) < 0.75
    assert steps[-1].objective < steps[0].objective
    yield "At the truth" if two.end > 0.95 else "Halfway"
    assert three.k(K_MEANS) == 14
    assert 8 <= by_bic("5.4", 1)[0] <= 14
    yield "8 or more discs" if three.k(K_MEANS) >= 8 else "4 or 5 discs"


def lesson_5_5(one: Screen, two: Screen, three: Screen) -> Iterator[str]:
    assert np.round(100 * np.array(SCENARIOS["5.5"].spec.weights)).tolist() == [12, 28, 60]
    yield "All five" if min(one.scores.values()) > 0.93 else "MAP-DP and E-M"
    here, params = two.room, two.model(K_MEANS).get_params()
    by_r16 = KMeansBIC(**params | {"best_start": "bic"}).fit(here.frame, here.schema)
    assert by_r16.n_clusters_ == 4
    assert by_bic("5.5", 1) == (3, 4)
    yield counted(two.k(K_MEANS), "cluster")
    reached = {name: round(one, 2) for name, one in three.scores.items()}
    assert reached["MAPDP"] == reached[E_M] == 0.84
    assert reached[K_MEANS] == reached[DP_MEANS] == 0.69
    best = {name for name, one in reached.items() if one == max(reached.values())}
    yield "MAP-DP and E-M" if best == {"MAPDP", E_M} else "K-means"


def lesson_5_6(one: Screen, two: Screen, three: Screen) -> Iterator[str]:
    wrong, sure = one.wrongly(K_MEANS), surely("5.6")
    assert (wrong.sum(), (wrong & sure).sum()) == (565, 413)
    yield "Many outside the overlap, too" if (wrong & sure).mean() > 0.1 else "Nearly none"
    together = two.walked.steps[-1].together
    assert ((together > 0.95).sum(axis=1) > 5).mean() > 0.5
    both = ((together > 0.2) & (together < 0.8)).any(axis=1).mean() > 0.05
    yield "Full blocks and paler stripes" if both else "Full blocks alone"
    astray = three.wrongly("MAPDP")
    assert round(100 * (~sure).mean()) == 16
    assert (astray & sure).sum() == 1
    share = 1 - (astray & sure).sum() / astray.sum()
    yield one_of(share, (0.16, "About 16 %"), (0.5, "About half"), (0.97, "Nearly all"))


def lesson_shapes(one: Screen, two: Screen) -> Iterator[str]:
    pieces = one.crossed("MAPDP")
    assert pieces.shape == (2, 16)
    assert (pieces.min(axis=0) == 0).all()
    fit, classes = one.model("MAPDP"), one.classes
    moons = Partition(fit.columns_, fit.concentration, classes).settle()
    assert moons - fit.objective_ > 3000.0
    for stop in (one, two):
        assert [stop.k(name) for name in FOLLOWERS] == [2] * 3
        assert stop.rounded(*FOLLOWERS) == [1.0] * 3
    yield "More than 10 clusters" if one.k() > 10 else "2 clusters"
    assert two.rounded(K_MEANS) == [0.0]
    assert two.k() == 24
    here = two.room
    graph = neighbour_graph(here.points / here.points.std(axis=0)).tocoo()
    assert NEIGHBOURS == 10
    assert (here.truth.classes[graph.row] == here.truth.classes[graph.col]).all()
    yield "Halve both rings" if two.cut() == [0, 1] else "Find both rings"


def lesson_starts(one: Screen, two: Screen, three: Screen) -> Iterator[str]:
    found = pd.crosstab(one.classes, one.walked.steps[-1].labels).to_numpy()
    cuts, most = (found.max(axis=1) < 5 / 6 * found.sum(axis=1)).sum(), (found > 30).sum(axis=0)
    yield "Two clusters cut, three in one" if (cuts, most.max()) == (2, 3) else ""
    values, random = standardised(one.room.points), np.random.default_rng(0)
    found = {False: 0, True: 0}
    for is_seeded in found:
        for _ in range(100):
            by_chance = values[random.choice(len(values), 9, replace=False)]
            start = plus_plus(values, 9, random) if is_seeded else by_chance
            *_, last = lloyd_states(values, start)
            found[is_seeded] += nmi(one.classes, last.labels) > 0.97
        random = np.random.default_rng(0)
    assert found == {False: 5, True: 99}
    choices = (5, "About 5 starts"), (50, "About 50 starts"), (95, "More than 90 starts")
    yield one_of(found[True], *choices)
    kinds = [(step.kind, step.n_clusters) for step in three.walked.steps]
    assert kinds[:3] == [("start: one cluster", 1), ("sweep 1", 2), ("sweep 2", 2)]
    assert kinds[-1][1] == 9
    splits = [kind for kind, _ in kinds].count("split")
    yield "Splitting whole clusters" if splits == 7 else "Moving single rows"


def lesson_units(one: Screen, two: Screen) -> Iterator[str]:
    assert one.sets["top_incomes"] * TOP == 120_000
    table = one.crossed(K_MEANS)[:2]
    halved = (abs(table / table.sum(axis=1, keepdims=True) - 0.5) < 0.2).sum() >= 2
    assert one.rounded(K_MEANS) == [0.13]
    assert one.k() == 3
    assert one.score("MAPDP") > 0.9
    yield "By age" if halved else "Between the two groups"
    assert two.rounded(K_MEANS) == [0.93]
    here, reached = two.room, {}
    for choice, unit in (("In millions of euros", 1e-6), ("In euros", 1.0), ("In cents", 100.0)):
        found = KMeansBIC(2, 2, 10, random_state=0).fit(here.points * [unit, 1.0])
        reached[choice] = nmi(here.truth.classes, found.labels_)
    (by_age,) = [choice for choice, agreement in reached.items() if agreement < 0.005]
    yield by_age


def lesson_high(one: Screen, two: Screen) -> Iterator[str]:
    reached = one.scores
    assert one.rounded(DP_MEANS, K_MEANS, "MAPDP", E_M) == [0.1, 0.47, 0.64, 0.89]
    assert one.k() == 2
    yield {"DPMeans": "DP-means", "MAPDP": "MAP-DP", E_M: "E-M"}[min(reached, key=reached.get)]
    tables = [standardised(of("high", 2, n_columns=n).points) for n in (2.0, 72.0)]
    near, far = (np.sqrt(np.square(x[:, None] - x[None]).sum(axis=2)) for x in tables)
    ratios = [
        np.median(one.max(axis=1) / (one + np.diag([np.inf] * 300)).min(axis=1))
        for one in (near, far)
    ]
    assert ratios[0] == pytest.approx(42.4, abs=0.1)
    assert max(two.scores.values()) < 0.05
    classes, pairs = two.classes, np.triu_indices(300, 1)
    same = classes[pairs[0]] == classes[pairs[1]]
    assert [far[pairs][which].mean().round(1) for which in (same, ~same)] == [11.9, 12.0]
    yield one_of(ratios[1], *((n, f"{n} times") for n in (1.5, 40, 400)))


def lesson_none(one: Screen, two: Screen) -> Iterator[str]:
    shares = np.bincount(one.labels(K_MEANS)) / 2000
    assert np.round(100 * shares).tolist() == [34, 34, 32]
    assert [one.k(name) for name in (DP_MEANS, E_M, "MAPDP")] == [3, 3, 1]
    yield "Three of about the same size" if np.ptp(shares) < 0.05 else "One large, two tiny"
    assert two.k(K_MEANS) == 4
    yield {6: "Six groups", 4: "Four groups: the corners", 1: "One group"}[two.k()]


def lesson_dependence(one: Screen, two: Screen) -> Iterator[str]:
    here, fit = one.room, one.model("MAPDP")
    truth = Partition(fit.columns_, fit.concentration, here.truth.classes)
    assert fit.n_clusters_ == 14
    assert truth.settle() > fit.objective_
    assert one.rounded("MAPDP") == [0.55]
    yield "More than 10 clusters" if fit.n_clusters_ > 10 else "3 clusters"
    assert two.k() == 3
    assert two.rounded("MAPDP") == [0.91]
    choice = choose_model(here.frame, here.schema)
    assert choice.suggested_objective - choice.objective == pytest.approx(160.0, abs=5.0)
    blocks = two.room.schema.blocks
    yield "x and y together" if blocks else "Nothing"


def lesson_mixed(one: Screen, two: Screen) -> Iterator[str]:
    whole = of("mixed", 1, missing=0.0)
    before = {
        name: nmi(whole.truth.classes, fitted(name, whole).labels_) for name in (K_MEANS, "MAPDP")
    }
    assert [round(before[name], 2) for name in (K_MEANS, "MAPDP")] == [0.84, 0.88]
    assert one.rounded(K_MEANS, "MAPDP") == [0.6, 0.73]
    lost = {name: before[name] - one.score(name) for name in before}
    yield {K_MEANS: "K-means'", "MAPDP": "MAP-DP's"}[max(lost, key=lost.get)]
    assert (~np.isnan(two.room.points)).all(axis=1).sum() == 6
    assert two.rounded("MAPDP", K_MEANS) == [0.52, 0.38]
    yield counted(two.k(), "group")


def lesson_wine(one: Screen, two: Screen) -> Iterator[str]:
    here = one.room
    wrong = [int(one.wrongly(name).sum()) for name in (K_MEANS, "MAPDP")]
    assert (wrong, len(here.frame)) == ([22, 14], 178)
    colours = [here.points[here.truth.classes == k, 1] for k in range(3)]
    sds = [one.std() for one in sorted(colours, key=np.mean)]
    assert (round(sds[0], 1), round(sds[-1], 1)) == (0.9, 2.3)
    yield one_of(wrong[0], (20, "About 20 bottles"), (60, "About 60 bottles"))
    assert np.bincount(two.labels("MAPDP"))[3:].tolist() == [1]
    assert "in cluster 1 in 50, in cluster 4 in 35" in two.judged(GIBBS)
    trace = two.model(GIBBS).n_clusters_trace_
    after = trace[trace.size // 5 :]
    assert (after.size, after.min(), after.max()) == (100, 5, 12)
    yield "Never" if (after != 4).all() else "In half of them"


@pytest.mark.parametrize("key", LESSONS)
def test_what_a_stop_calls_right_is_so_and_no_heading_said_it_before(key, monkeypatch):
    read, seen = headings_read(monkeypatch), set()
    screens = [Screen(key, number) for number in range(1, len(LESSONS[key]) + 1)]
    computed = globals()[f"lesson_{key.replace('.', '_')}"](*screens)
    for stop, screen, right in zip(LESSONS[key], screens, computed, strict=True):
        assert stop.rightly == right
        assert not {task for at, task in read if at == screen} & seen
        read.clear()
        if screen.sets["view"] == "Watch":
            seen |= {*screen.room.tasks.values()}


def headings_read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Screen, Task]]:
    """Notes the stop and the fit whenever a panel's K or NMI is taken, which its heading says."""
    read: list[tuple[Screen, Task]] = []

    def noting(take: Callable) -> Callable:
        def taken(screen: Screen, name: str = "MAPDP") -> float:
            read.append((screen, screen.room.tasks[name]))
            return take(screen, name)

        return taken

    for take in (Screen.k, Screen.score):
        monkeypatch.setattr(Screen, take.__name__, noting(take))
    return read


@pytest.mark.parametrize("stop", [stop for stops in LESSONS.values() for stop in stops])
def test_a_stop_asks_and_answers_in_few_words_and_rings_its_row(stop):
    for text in (f"{stop.question} {' '.join(stop.choices)}", stop.answer):
        assert len(text.split()) <= MOST_WORDS
    assert 3 <= len({*stop.choices}) == len(stop.choices)
    for choice in stop.choices:  # else it looks like the number of a step
        assert {*re.findall(r"[a-z]+|%", choice.casefold())} - NUMBERING
    assert ("row" in stop.sets) == ("ringed" in f"{stop.question} {stop.answer}")
    assert stop.asks_of_row == ("ringed" in stop.question)


def test_the_right_answer_is_as_often_first_as_last():
    places = Counter(stop.right for stops in LESSONS.values() for stop in stops)
    assert max(places.values()) - min(places.values()) <= 2
    for stops in LESSONS.values():  # nor can it be guessed within a lesson
        assert len({stop.right for stop in stops}) == len(stops)


@pytest.mark.parametrize("rotation", [0.0, 30.0, 90.0])
def test_k_means_cuts_across_the_two_whatever_the_angle(rotation):
    """As the text of the scenario says."""
    points, classes = load_scenario("5.4", n=2000, seed=0, rotation=rotation)
    found = KMeansBIC(3, 3, 10, random_state=0).fit(points.to_numpy()).labels_
    table = np.array([np.bincount(found[classes == k], minlength=3) for k in range(3)])
    assert (np.sort(table[:2], axis=1)[:, -2] > 100).all()
    assert table[:2].sum(axis=0).min() < 50  # the third stays whole


def test_no_cut_through_a_cluster_of_5_2_is_as_cheap_as_ten_times_the_n_0():
    """Why N_0 matters as little as the lesson says."""
    here = of("5.2", 1, n0=30.0)
    found = fitted("MAPDP", here)
    packed = PackedTable.pack(here.encoded, found.prior_)
    before = Partition(packed, found.concentration, found.labels_).objective()
    for k in range(3):
        rows = np.flatnonzero(found.labels_ == k)
        halves = KMeansBIC(2, 2, 10, random_state=0).fit(here.points[rows]).labels_
        moved = found.labels_.copy()
        moved[rows[halves == 1]] = 3
        assert Partition(packed, found.concentration, moved).objective() > before
