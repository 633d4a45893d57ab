"""Every stop of every lesson asks first, briefly, and what it calls right is computed here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from mapdp_studio.core import KMeansBIC
from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.models.centroids import lloyd_states, plus_plus
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.lessons import LESSONS
from mapdp_studio.core.wording import counted
from mapdp_studio.pages.parts.teach.controls import N_ROWS, VIEW, set_at
from tests import lesson_screens
from tests.lesson_screens import (
    crossed,
    fitted,
    judged,
    k_of,
    labels,
    model,
    of,
    row_at,
    score,
    scores,
    shown,
    surely,
    walked,
    wrongly,
)

MOST_WORDS = 40
K_MEANS, DP_MEANS, E_M, GIBBS = "KMeansBIC", "DPMeans", "MixtureEM", "CollapsedGibbs"
#: Words that leave a number a number.
NUMBERING = {*("about", "more", "less", "than", "or", "still", "in", "nearly")}
FOLLOWERS = {"SpectralDPMeans", "PenalisedCut", "KernelDPMeans"}
STOPS = [(key, number) for key, stops in LESSONS.items() for number in range(1, len(stops) + 1)]


def cut(key: str, stop: int, name: str = K_MEANS) -> list[int]:
    """True groups of which a sixth or more lies outside their largest part."""
    table = crossed(key, stop, name)
    return np.flatnonzero(table.max(axis=1) < 5 / 6 * table.sum(axis=1)).tolist()


def joined(key: str, stop: int, name: str = K_MEANS) -> list[int]:
    """True groups whose largest parts share a cluster."""
    homes = crossed(key, stop, name).argmax(axis=1)
    return [k for k, home in enumerate(homes) if (homes == home).sum() > 1]


def finders(key: str, stop: int, least: float) -> set[str]:
    """Methods whose NMI reaches a bound."""
    return {name for name, reached in scores(key, stop).items() if reached >= least}


def one_of(value: float, *choices: tuple[float, str]) -> str:
    """The choice of the nearest number."""
    return min(choices, key=lambda choice: abs(np.log(value / choice[0])))[1]


def end_of_walk(key: str, stop: int) -> float:
    here, run = walked(key, stop)
    return nmi(here.truth.classes, run.steps[-1].labels)


def of_100_starts(is_seeded: bool) -> int:
    """How many of 100 starts of K-means find the nine clusters."""
    here, _ = shown("starts", 1)
    values = (here.points - here.points.mean(axis=0)) / here.points.std(axis=0)
    rows, random = values, np.random.default_rng(0)
    found = 0
    for _ in range(100):
        by_chance = values[random.choice(len(values), 9, replace=False)]
        *_, last = lloyd_states(rows, plus_plus(rows, 9, random) if is_seeded else by_chance)
        found += nmi(here.truth.classes, last.labels) > 0.97
    return found


def raw_k_means(stop: int, *units: float) -> float:
    """NMI of K-means on columns as they are, in these units."""
    here, _ = shown("units", stop)
    found = KMeansBIC(2, 2, 10, random_state=0).fit(here.points * units)
    return nmi(here.truth.classes, found.labels_)


def farthest_by_nearest(stop: int) -> float:
    """Median over the rows of the distance to the farthest by that to the nearest."""
    far = distances(stop)
    return float(np.median(far.max(axis=1) / (far + np.diag([np.inf] * len(far))).min(axis=1)))


def distances(stop: int) -> np.ndarray:
    """Between all rows of the lesson on many columns, standardised."""
    here = of("high", stop, **{N_ROWS: 300})
    values = (here.points - here.points.mean(axis=0)) / here.points.std(axis=0)
    return np.sqrt(np.square(values[:, None] - values[None]).sum(axis=2))


def complete_rows(stop: int) -> int:
    return int((~np.isnan(shown("mixed", stop)[0].points)).all(axis=1).sum())


def blocks(stop: int) -> str:
    return "x and y together" if shown("dependence", stop)[0].schema.blocks else "Each column alone"


def draws_with(key: str, stop: int, cluster: int) -> str:
    """How many of Gibbs' draws put the row of a stop there, as it is said."""
    said = judged(key, stop, GIBBS)
    return said.split(f"in cluster {cluster} in ")[1].split(",")[0].split(" ")[0].rstrip(".")


def right_5_1() -> Iterator[str]:
    everyone = min(scores("5.1", 1).values()) > 0.93
    yield "The three clusters" if everyone else ""
    small_joined = len(cut("5.1", 2)) == 1 and len(joined("5.1", 2)) == 2
    yield "Cut the wide one, join the small ones" if small_joined else "Find the three"
    row, found = row_at("5.1", 3), labels("5.1", 3, "MAPDP")
    wide = crossed("5.1", 3, "MAPDP")[shown("5.1", 3)[0].truth.classes[row]].argmax()
    yield "In the wide cluster" if found[row] == wide else "In a new cluster"
    errors = [step.objective for step in walked("5.1", 4)[1].steps]
    stays = end_of_walk("5.1", 4) > 0.9
    yield "Stay there" if stays else f"Leave them, its error {falls(errors)}"
    same = abs(score("5.1", 5, K_MEANS) - score("5.1", 2, K_MEANS)) < 0.01
    yield "The same cut" if same else ""
    k = k_of("5.1", 6, K_MEANS)
    yield "9 or more discs" if k >= 9 else counted(k, "disc")


def falls(errors: list[float]) -> str:
    return "falls" if errors[-1] < errors[0] else "rises"


def right_5_2() -> Iterator[str]:
    yield "Everyone" if min(scores("5.2", 1).values()) > 0.93 else "MAP-DP alone"
    largest = int(crossed("5.2", 2, K_MEANS).sum(axis=1).argmax())
    yield "Cut the largest" if largest in cut("5.2", 2) else "Find the three"
    words = judged("5.2", 3)
    alone = "The predictive term decides" in words and "against the count term" in words
    yield "The fit alone" if alone else "Both"
    yield counted(k_of("5.2", 4), "cluster")
    yield counted(k_of("5.2", 5), "cluster")


def right_5_3() -> Iterator[str]:
    sizes = np.bincount(labels("5.3", 1, DP_MEANS))
    yield "Each pair, and all the rest" if sizes.tolist()[1:] == [2, 2] else ""
    spent = np.bincount(labels("5.3", 2, K_MEANS)).tolist()
    yield "One on the four far rows" if spent[-1] == 4 else "One on each real cluster"
    found = crossed("5.3", 3, "MAPDP")
    whole = found.shape == (5, 5) and not cut("5.3", 3, "MAPDP") and not joined("5.3", 3, "MAPDP")
    yield "Find the same three, and each pair" if whole else "Join the pairs"
    is_cut = len(cut("5.3", 4)) == 1 and len(joined("5.3", 4)) == 2
    yield "Cut a real cluster" if is_cut else "One for each pair"


def right_5_4() -> Iterator[str]:
    yield "Across the two" if cut("5.4", 1) == [0, 1] else "Between the two"
    at_cut = abs(end_of_walk("5.4", 2) - score("5.4", 1, K_MEANS)) < 0.03
    yield "At the same cut" if at_cut else "Halfway"
    yield "At the truth" if end_of_walk("5.4", 3) > 0.95 else "Halfway"
    points = shown("5.4", 4)[0].points
    by_itself = KMeansBIC(3, 3, 10, random_state=0).fit(points).labels_
    same = nmi(by_itself, labels("5.4", 4, K_MEANS)) > 0.95
    yield "Not at all" if same else "Yes, much"
    yield "8 or more discs" if k_of("5.4", 5, K_MEANS) >= 8 else "4 or 5 discs"


def right_5_5() -> Iterator[str]:
    yield "All five" if min(scores("5.5", 1).values()) > 0.93 else "MAP-DP and E-M"
    yield counted(k_of("5.5", 2, K_MEANS), "cluster")
    losers = set(scores("5.5", 3)) - finders("5.5", 3, 0.95)
    yield "K-means and DP-means" if losers == {K_MEANS, DP_MEANS} else ""
    best = finders("5.5", 4, max(scores("5.5", 4).values()) - 0.005)
    yield "MAP-DP and E-M" if best == {"MAPDP", E_M} else "K-means"


def right_5_6() -> Iterator[str]:
    yield "The three ellipses" if score("5.6", 1, K_MEANS) > 0.93 else "It joins two"
    yield "Many outside the overlap, too" if wrongly("5.6", 2, K_MEANS).mean() > 0.25 else ""
    yield f"In {draws_with('5.6', 3, 1)} draws"
    together = walked("5.6", 4)[1].steps[-1].together
    both = ((together > 0.95).sum(axis=1) > 5).any() and ((together > 0.2) & (together < 0.8)).any()
    yield "Full blocks and paler stripes" if both else "Full blocks alone"
    astray = wrongly("5.6", 5, "MAPDP")
    share = 1 - (astray & surely("5.6")).sum() / astray.sum()
    yield one_of(share, (0.16, "About 16 %"), (0.5, "About half"), (0.97, "Nearly all"))


def right_shapes() -> Iterator[str]:
    yield "More than 10 clusters" if k_of("shapes", 1) > 10 else "2 clusters"
    yield "Halve both rings" if cut("shapes", 2) == [0, 1] else "Find both rings"
    yield "The last three methods" if finders("shapes", 3, 0.99) == FOLLOWERS else "Nobody"
    yield counted(k_of("shapes", 4), "group")
    yield "More than 12 ellipses" if k_of("shapes", 5) > 12 else "12 ellipses still"


def right_starts() -> Iterator[str]:
    found = crossed_walk("starts", 1)
    cuts = (found.max(axis=1) < 5 / 6 * found.sum(axis=1)).sum()
    in_one = ((found > 30).sum(axis=0)).max()
    yield "Two clusters cut, three in one" if (cuts, in_one) == (2, 3) else ""
    assert of_100_starts(False) == 5
    seeded = of_100_starts(True)
    assert seeded == 99
    few_to_many = (5, "About 5"), (50, "About 50"), (95, "More than 90")
    yield one_of(seeded, *((n, f"{said} starts") for n, said in few_to_many))
    kinds = [step.kind for step in walked("starts", 3)[1].steps]
    yield "Splitting whole clusters" if kinds.count("split") == 7 else "Moving single rows"
    yield counted(k_of("starts", 4), "cluster")


def crossed_walk(key: str, stop: int) -> np.ndarray:
    """Rows by true group and by cluster at the end of a walk."""
    here, run = walked(key, stop)
    last = run.steps[-1].labels
    table = np.zeros((here.truth.classes.max() + 1, last.max() + 1), dtype=int)
    np.add.at(table, (here.truth.classes, last), 1)
    return table


def right_units() -> Iterator[str]:
    assert score("units", 1, K_MEANS) == pytest.approx(0.93, abs=0.005)
    units = {"In millions of euros": 1e-6, "In euros": 1.0, "In cents": 100.0}
    (by_age,) = [said for said, unit in units.items() if raw_k_means(1, unit, 1.0) < 0.005]
    yield by_age
    here, _ = shown("units", 2)
    cents = here.frame.assign(**{here.encoded.names[0]: here.points[:, 0] * 100.0})
    changed = [
        name
        for name in here.tasks
        if (fitted(name, here, cents).labels_ != labels("units", 2, name)).any()
    ]
    yield "Nothing" if not changed else "All of them"
    table = crossed("units", 3, K_MEANS)[:2]
    halved = (abs(table / table.sum(axis=1, keepdims=True) - 0.5) < 0.2).sum() >= 2
    assert score("units", 3, K_MEANS) == pytest.approx(0.13, abs=0.005)
    yield "By age" if halved else "Between the two groups"
    yield counted(k_of("units", 4), "group")


def right_high() -> Iterator[str]:
    yield "Everyone" if min(scores("high", 1).values()) > 0.75 else "E-M alone"
    reached = scores("high", 2)
    lowest = min(reached, key=reached.__getitem__)
    yield {"DPMeans": "DP-means", "MAPDP": "MAP-DP", E_M: "E-M"}[lowest]
    assert farthest_by_nearest(1) == pytest.approx(42.4, abs=0.1)
    yield one_of(farthest_by_nearest(3), *((n, f"{n} times") for n in (1.5, 40, 400)))
    yield counted(k_of("high", 4), "group")


def right_none() -> Iterator[str]:
    shares = np.bincount(labels("none", 1, K_MEANS)) / 2000
    yield "Three of about the same size" if np.ptp(shares) < 0.05 else "One large, two tiny"
    yield counted(k_of("none", 2, K_MEANS), "cluster")
    yield counted(k_of("none", 3), "cluster")
    yield {6: "Six groups", 4: "Four groups: the corners", 1: "One group"}[k_of("none", 4)]


def right_dependence() -> Iterator[str]:
    yield counted(k_of("dependence", 1), "cluster")
    yield "More than 10 clusters" if k_of("dependence", 2) > 10 else "3 clusters"
    yield blocks(3)
    yield blocks(4)


def right_mixed() -> Iterator[str]:
    yield "All, more or less" if min(scores("mixed", 1).values()) > 0.8 else "MAP-DP alone"
    lost = {name: score("mixed", 1, name) - score("mixed", 2, name) for name in (K_MEANS, "MAPDP")}
    yield {K_MEANS: "K-means'", "MAPDP": "MAP-DP's"}[max(lost, key=lost.__getitem__)]
    yield f"{complete_rows(3)} patients"
    yield counted(k_of("mixed", 4), "group")


def right_wine() -> Iterator[str]:
    yield counted(k_of("wine", 1), "group")
    astray = wrongly("wine", 2, K_MEANS).sum()
    yield one_of(astray, (20, "About 20 bottles"), (60, "About 60 bottles"))
    trace = model("wine", 3, GIBBS).n_clusters_trace_
    yield "Never" if (trace[trace.size // 5 :] != 4).all() else "In half of them"
    yield {3: "The three cultivars", 2: "Two groups", 1: "None: all are one"}[k_of("wine", 4)]


RIGHT: dict[str, Callable[[], Iterator[str]]] = {
    "5.1": right_5_1,
    "5.2": right_5_2,
    "5.3": right_5_3,
    "5.4": right_5_4,
    "5.5": right_5_5,
    "5.6": right_5_6,
    "shapes": right_shapes,
    "starts": right_starts,
    "units": right_units,
    "high": right_high,
    "none": right_none,
    "dependence": right_dependence,
    "mixed": right_mixed,
    "wine": right_wine,
}


@pytest.mark.parametrize("key", LESSONS)
def test_what_a_stop_calls_right_is_so_and_no_heading_said_it_before(key, monkeypatch):
    read, seen = headings_read(monkeypatch), set()
    for number, (stop, right) in enumerate(zip(LESSONS[key], RIGHT[key](), strict=True), start=1):
        assert stop.rightly == right
        assert not {task for at, task in read if at == number} & seen
        read.clear()
        if set_at(key, str(number))[VIEW] == "Watch":
            seen |= {*shown(key, number)[0].tasks.values()}


def headings_read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Task]]:
    """Notes the stop and the fit whenever a panel's K or NMI is taken, which its heading says."""
    read: list[tuple[int, Task]] = []

    def noting(take: Callable) -> Callable:
        def taken(key: str, stop: int, name: str = "MAPDP") -> float:
            read.append((stop, shown(key, stop)[0].tasks[name]))
            return take(key, stop, name)

        return taken

    for take in (k_of, score):
        monkeypatch.setitem(globals(), take.__name__, noting(take))
    monkeypatch.setattr(lesson_screens, "score", score)  # which ``scores`` takes
    return read


# ---- how they are asked


@pytest.mark.parametrize(("key", "number"), STOPS)
def test_a_stop_asks_and_answers_in_few_words(key, number):
    stop = LESSONS[key][number - 1]
    for text in (f"{stop.question} {' '.join(stop.choices)}", stop.answer):
        assert len(text.split()) <= MOST_WORDS
    assert 3 <= len({*stop.choices}) == len(stop.choices)
    for choice in stop.choices:  # else it looks like the number of a step
        assert {*re.findall(r"[a-z]+|%", choice.casefold())} - NUMBERING


def test_the_right_answer_is_as_often_first_as_last():
    places = Counter(stop.right for stops in LESSONS.values() for stop in stops)
    assert max(places.values()) - min(places.values()) <= 2
    for stops in LESSONS.values():  # nor can it be guessed within a lesson
        assert len({stop.right for stop in stops}) == 3 or len(stops) < 3
