"""The lessons of the Teach page: where each stop sets the controls, and what to look at.

Every number and every "more", "fewer" and "never" in them is computed by a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from demo_datasets import GENERATED
from pages.parts.teach.controls import (
    BIC,
    CELLS,
    LIT,
    N_0,
    N_ROWS,
    PUBLISHED,
    RESTARTS,
    ROW,
    SEED,
    TOLERANCE,
    VIEW,
    WALK,
    K,
)

#: The last stop of every lesson.
QUESTION = "Question"
#: Where every stop begins; it then sets what it is about. The penalty follows its suggestion, the
#: scenario's knob stands at its default.
BEGINNING: Mapping[str, Any] = MappingProxyType(
    {
        VIEW: "Watch",
        N_ROWS: 2000,
        N_0: 3.0,
        K: 3,
        BIC: False,
        TOLERANCE: 1.0,
        RESTARTS: 1,
        SEED: 0,
        CELLS: False,
        LIT: False,
        PUBLISHED: False,
        ROW: None,
        WALK: "MAPDP",
    }
)


@dataclass(frozen=True)
class Stop:
    """One stop of a lesson.

    Parameters
    ----------
    text : str
        What was set, and what to look at.
    sets : mapping
        Keys of the page's controls that differ from ``BEGINNING``; "penalty" fixes lambda.
    """

    text: str
    sets: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """A prediction that is asked for before the picture shows it.

    Parameters
    ----------
    choices : tuple of str
    right : int
        Place of the right one.
    answer : str
        Why it is right.
    shows : mapping
        What the answer sets, on top of ``BEGINNING``.
    """

    text: str
    choices: tuple[str, ...]
    right: int
    answer: str
    shows: Mapping[str, Any]


@dataclass(frozen=True)
class Lesson:
    """Three or four stops and a question."""

    stops: tuple[Stop, ...]
    question: Question


LESSONS: Mapping[str, Lesson] = MappingProxyType(
    {
        "5.1": Lesson(
            (
                Stop(
                    "The clusters have standard deviations of 1, 1 and 0.8. Compare the panels: "
                    "told K = 3, K-means is right, and so is everyone else.",
                    {"radius_ratio": 1.0},
                ),
                Stop(
                    "One cluster has a standard deviation of 5 now, its neighbours of 1 and 0.8. "
                    "Look at the cells of K-means: borders run halfway between two centres, so "
                    "the wide cluster is cut and the two small ones share a centre. MAP-DP was "
                    "not told K and finds all three.",
                    {CELLS: True},
                ),
                Stop(
                    "Row 1,806 is one of the wide cluster, 2.5 of its standard deviations from its "
                    "centre, and K-means gives it to the small ones. Look at the bars below the "
                    "panels: K-means compares distances alone. For MAP-DP a row may lie far out in "
                    "a cluster that is wide, so it beats the small cluster next to it.",
                    {ROW: 1806},
                ),
                Stop(
                    "K-means is started from the true groups. Press Play and watch it leave them "
                    "while its squared error falls.",
                    {VIEW: "Step", WALK: "truth"},
                ),
            ),
            Question(
                "K-means gets ten times as many starts. What will its panel show?",
                ("The three clusters", "The same cut", "More than three clusters"),
                1,
                "The cut is its best answer: the squared error of the true groups is higher. So a "
                "better search only makes it surer. In 20 draws of these data, each with 100 "
                "starts, its NMI stays below 0.62 in 18. The objective is at fault, not the "
                "search. Nor does BIC mend it: R16 says that it finds K = 3 on such data, and then "
                "that it chooses K = 2; here it takes 12, and 9 to 13 over the 20 draws. By R16's "
                "own rule, the highest BIC of any start, it takes 11 to 16.",
                {RESTARTS: 10, CELLS: True},
            ),
        ),
        "5.2": Lesson(
            (
                Stop(
                    "Three clusters of the same size and width. K-means is at home: all panels "
                    "agree with the truth.",
                    {"imbalance": 0.0},
                ),
                Stop(
                    "The shares are now 69, 29 and 2 %. Look at K-means: it cuts the large cluster "
                    "61 to 39 and gives most of the 2 % to one of its parts, though the centres "
                    "lie five standard deviations apart.",
                    {CELLS: True},
                ),
                Stop(
                    "Row 65 belongs to the 2 %. Look at MAP-DP's bars: the count term speaks for "
                    "the larger neighbour, but the predictive term outweighs it.",
                    {ROW: 65},
                ),
                Stop(
                    "Now N₀ is 0.01, three hundred times smaller. Look at MAP-DP: it still finds "
                    "the small cluster.",
                    {N_0: 0.01},
                ),
            ),
            Question(
                "N₀ goes from 3 to 30. How many clusters will MAP-DP find?",
                ("3", "About 10", "30"),
                0,
                "Three. Counts enter through their logarithm: ten times the N₀ makes a new cluster "
                "cheaper by 2.3 natural log units a row that founds it, which is less than any cut "
                "through these clusters costs. For the same reason the crowd does not swallow the "
                "2 %: between 29 % and 2 % the count term is worth 2.7, and the gap is worth more.",
                {N_0: 30.0},
            ),
        ),
        "5.3": Lesson(
            (
                Stop(
                    "Two pairs of rows lie outside the clusters, but not far. K-means with K = 3 "
                    "puts up with them. DP-means does not: at the λ suggested for K = 3, each "
                    "pair is a cluster and all other rows are one.",
                    {"outlier_distance": 10.0},
                ),
                Stop(
                    "The pairs are far away now: they stand at the edge, with arrows to where they "
                    "lie, and a cross marks the centre that K-means spends on the four of them, so "
                    "that two real clusters become one. DP-means, at the λ suggested for K = 3, "
                    "collapses: the three real clusters are one.",
                    {CELLS: True},
                ),
                Stop(
                    "They are twice as far away. MAP-DP gives the pairs clusters of their own and "
                    "finds the same three beside them, wherever the pairs lie.",
                    {"outlier_distance": 150.0},
                ),
            ),
            Question(
                "K-means is told K = 5, the true number with both pairs. What does it do with the "
                "two further centres?",
                (
                    "One for each pair: it is right",
                    "It separates the real clusters, the pairs share one",
                    "It cuts a real cluster",
                ),
                2,
                "The four far rows keep one centre, and the others cut a real cluster in two: "
                "that lowers the squared error more than telling one far pair from the other. "
                "Removing outliers first needs a rule for what an outlier is, and so how wide the "
                "clusters are: what clustering is to find out.",
                {K: 5, CELLS: True},
            ),
        ),
        "5.4": Lesson(
            (
                Stop(
                    "Three ellipses of equal volume. Look at K-means: it cuts across the two that "
                    "lie side by side, instead of between them.",
                    {CELLS: True},
                ),
                Stop(
                    "K-means is started from the true groups. Step through it: pass by pass it "
                    "walks from the truth to the cut.",
                    {VIEW: "Step", WALK: "truth"},
                ),
                Stop(
                    "E-M starts from the cut of K-means. Step through it: its ellipses can turn, "
                    "so it finds its way back, told that K = 3.",
                    {VIEW: "Step", WALK: "MixtureEM"},
                ),
                Stop(
                    "Would standardising the columns help K-means? Not here: x and y have the same "
                    "variance already. Stretching y by half would, from an NMI of 0.62 to 0.96. "
                    "But nothing says so before the groups are known.",
                    {CELLS: True},
                ),
            ),
            Question(
                "BIC may choose K for K-means. How many discs will it take for three ellipses?",
                ("3", "4 or 5", "8 or more"),
                2,
                "14 here, and 8 to 14 over 20 draws: BIC counts how well discs fit, and a long "
                "ellipse is fitted by a row of them. A criterion that shares the wrong assumption "
                "cannot mend it. R16's rule, the highest BIC of any start, takes 11 here, and 8 "
                "to 12.",
                {BIC: True, CELLS: True},
            ),
        ),
        "5.5": Lesson(
            (
                Stop(
                    "Ellipses of 12, 28 and 60 %, far apart. All five algorithms agree with the "
                    "truth: here the gaps forgive every wrong assumption.",
                ),
                Stop(
                    "BIC chooses K for K-means, and finds the three, in 20 of 20 draws: it "
                    "compares, of every K, the start of least squared error. R16's rule takes the "
                    "highest BIC of any start, and would find 4, in 14 of the 20: here from a "
                    "start that cuts the ellipse of 28 %, its squared error 6 % above the least "
                    "for K = 4.",
                    {BIC: True, CELLS: True},
                ),
                Stop(
                    "The centres are drawn together to 0.6 of their distances. MAP-DP and E-M "
                    "still place nearly every row, K-means and DP-means begin to lose some.",
                    {"separation": 0.6},
                ),
            ),
            Question(
                "The centres are drawn together further, to 0.4. Who loses least?",
                ("K-means", "DP-means", "MAP-DP and E-M", "All lose alike"),
                2,
                "MAP-DP and E-M, with an NMI of 0.84 against 0.69. Where gaps close, the shape of "
                "the clusters is what is left to tell them apart, and only those who learn it can "
                "use it. E-M had to be told that there are three; MAP-DP was not.",
                {"separation": 0.4},
            ),
        ),
        "5.6": Lesson(
            (
                Stop(
                    "The three ellipses hardly overlap yet, and everyone is right.",
                    {"overlap": 0.4},
                ),
                Stop(
                    "Now they run into each other. K-means also mislabels rows that lie outside "
                    "the overlap: look at where its borders run.",
                    {CELLS: True},
                ),
                Stop(
                    "Row 126 lies in the overlap. Look at the bars: MAP-DP prefers cluster 1 by "
                    "0.3 natural log units. That is a price given one partition, in which cluster "
                    "3 has kept 36 of its 100 rows, and not how sure one can be. Gibbs weighs many "
                    "partitions: in 93 of 100 draws the row was in cluster 3, and one who knew the "
                    "generator would say 97 %.",
                    {ROW: 126},
                ),
                Stop(
                    "Press Play and look at the picture of who is together: full blocks are rows "
                    "that stay together, paler stripes are rows that change sides.",
                    {VIEW: "Step", WALK: "CollapsedGibbs"},
                ),
            ),
            Question(
                "Some 16 % of the rows lie where nobody who knew the generator could be 99 % sure. "
                "Of the rows that MAP-DP places wrongly, how many lie there?",
                ("About 16 %", "About half", "Nearly all"),
                2,
                "All but one. K-means places 565 rows wrongly, and 413 of them lie where the "
                "generator leaves no doubt. Where groups overlap and it matters how sure a label "
                "is, Gibbs is worth its longer run: its draws show which rows change sides.",
                {LIT: True},
            ),
        ),
        "shapes": Lesson(
            (
                Stop(
                    "Two moons that reach into each other. K-means, told K = 2, cuts both. MAP-DP "
                    "was told nothing and covers them with 16 ellipses, each on one moon only. Its "
                    "search does not fail: E of the two moons is higher by 3,123 natural log "
                    "units. Under a model of ellipses a moon is no cluster. The three methods "
                    "below have no such model, and find both.",
                    {K: 2, CELLS: True},
                ),
                Stop(
                    "A ring within a ring. K-means halves both, so that its NMI is 0.00; MAP-DP "
                    "takes 24 pieces. The three below join every row with its ten nearest "
                    "neighbours: no such line leads from one ring to the other.",
                    {"ring_share": 1.0, K: 2, CELLS: True},
                ),
                Stop(
                    "Moons and rings side by side. K-means and E-M were told K = 4, and their NMI "
                    "stays below 0.61. Spectral DP-means, the penalised cut and kernel DP-means on "
                    "a walk along the graph were not: each takes its λ where the spectrum of the "
                    "graph jumps most, counts four groups, and places every row.",
                    {"ring_share": 0.5, K: 4},
                ),
                Stop(
                    "The two rings with 300 rows instead of 2,000. The three find them still. "
                    "MAP-DP finds one group: so few rows do not pay for the pieces of a ring.",
                    {"ring_share": 1.0, K: 2, N_ROWS: 300},
                ),
            ),
            Question(
                "With 300 rows MAP-DP covers the two moons with 12 ellipses. How many will it take "
                "with 4,000?",
                ("2: more rows show the shape", "12 still", "More than 12"),
                2,
                "17. More rows are more evidence that no piece of a moon is an ellipse, so the "
                "pieces get smaller: a model that cannot hold a shape does not learn it from more "
                "data. Nor does a tolerance for misfit help: at 0.3 all rows are one group. What "
                "helps is another idea of what a cluster is.",
                {N_ROWS: 4000, K: 2},
            ),
        ),
        "wine": Lesson(
            (
                Stop(
                    "Known are the cultivars of 178 bottles. K-means, told K = 3, places 22 of "
                    "them wrongly. Look at its borders: they run halfway between two centres, "
                    "though the colour of the deepest cultivar has a standard deviation of 2.3 "
                    "and that of the palest one of 0.9.",
                    {CELLS: True},
                ),
                Stop(
                    "MAP-DP was not told K. It finds the three cultivars and sets one bottle "
                    "apart, row 122; with that one it places 14 wrongly. Look at its bars: a "
                    "cluster of its own is cheaper for this bottle by 6.8 natural log units. In "
                    "82 of 100 draws of Gibbs it is alone, too.",
                    {ROW: 122},
                ),
                Stop(
                    "How sure is K = 4? Gibbs never draws it: K is 5 to 12 in its draws, as shown "
                    "below the bars. Row 131 was in cluster 1 in 50 of 100 of them, in cluster 4 "
                    "in 35. And MAP-DP, started from 20 seeds, ends with four groups in 10 of them "
                    "and with five in the others, only 1.1 apart in E. Real data need not have one "
                    "answer.",
                    {ROW: 131},
                ),
            ),
            Question(
                "No cultivar is exactly normal. The tolerance for misfit goes from 1 to 0.74: "
                "which groups will MAP-DP still tell apart?",
                ("The three cultivars", "Two groups", "None: all are one"),
                1,
                "Two: 47 of the 48 bottles of the deepest cultivar, with one other, and all the "
                "rest. Their colour still sets them apart when the evidence counts less; what "
                "tells the other two cultivars apart does not. They are two all the same: a "
                "tolerance can be too cautious, and what is known decides.",
                {TOLERANCE: 0.74, ROW: None},
            ),
        ),
    }
)


def set_at(key: str, stop: str | None, prediction: int | None = None) -> dict[str, Any]:
    """Where the controls of a data set stand at first: at a stop of its lesson, or outside it.

    Outside, only K is a lesson's affair: K-means is told the K that the first stop tells it.

    Parameters
    ----------
    key : str
        Of ``LESSONS``.
    stop : str, optional
        "1", "2", ..., or ``QUESTION``.
    prediction : int, optional
        What was chosen at the question, from 1 on, which shows the answer.
    """
    stops, question = LESSONS[key].stops, LESSONS[key].question
    told = {K: stops[0].sets.get(K, BEGINNING[K])}
    if stop == QUESTION:
        sets = question.shows if prediction is not None else {}
    elif stop is not None and int(stop) <= len(stops):
        sets = stops[int(stop) - 1].sets
    else:
        return told
    knob = {GENERATED[key].knob.name: GENERATED[key].knob.default} if key in GENERATED else {}
    return {**BEGINNING, **told, **knob, **sets}
