"""The six lessons of the Teach page: where each stop sets the sliders, and what to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pages.parts.teach.settings import BIC, N_0, N_ROWS, SEED, K

#: Where every stop begins; it then sets what it is about. The penalty follows its suggestion, the
#: scenario's knob stands at its default.
BEGINNING: Mapping[str, Any] = MappingProxyType(
    {
        "view": "Watch",
        N_ROWS: 2000,
        N_0: 3.0,
        K: 3,
        BIC: False,
        SEED: 0,
        "cells": False,
        "row": None,
        "walk": "MAPDP",
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
        Keys of the page's controls that differ from ``BEGINNING``; ``LAMBDA`` fixes lambda.
    """

    text: str
    sets: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """Three or four stops and a question."""

    stops: tuple[Stop, ...]
    question: str
    answer: str


LESSONS: Mapping[str, Lesson] = MappingProxyType(
    {
        "5.1": Lesson(
            (
                Stop(
                    "All three clusters are equally wide. Compare the panels: told K = 3, K-means "
                    "is right, and so is everyone else.",
                    {"radius_ratio": 1.0},
                ),
                Stop(
                    "One cluster is now five times as wide. Look at the cells of K-means: borders "
                    "run halfway between two centres, so the wide cluster is cut and the two small "
                    "ones share a centre. MAP-DP was not told K and finds all three.",
                    {"cells": True},
                ),
                Stop(
                    "Row 14 lies in the wide cluster. Look at the bars below the panels: K-means "
                    "compares distances to two half-clusters, while for MAP-DP a row may lie far "
                    "out in a cluster that is wide.",
                    {"row": 14},
                ),
                Stop(
                    "K-means is started from the true groups. Press Play and watch it leave them "
                    "while its squared error falls.",
                    {"view": "Step", "walk": "truth"},
                ),
            ),
            "Would K-means find the three clusters with more restarts, or with a better search?",
            "No. Even from the truth it walks away: its squared error falls as the wide cluster "
            "loses its rim to the small ones, and the best of ten starts on Watch gets lower still "
            "by cutting it in two. The better the search, the surer the cut: the objective is at "
            "fault, not the search.",
        ),
        "5.2": Lesson(
            (
                Stop(
                    "Three clusters of the same size and width. K-means is at home: all panels "
                    "agree with the truth.",
                    {"imbalance": 0.0},
                ),
                Stop(
                    "The shares are now 69, 29 and 2 %. Look at K-means: it halves the large "
                    "cluster and gives the 2 % to a neighbour, though nothing overlaps.",
                    {"cells": True},
                ),
                Stop(
                    "Row 65 belongs to the 2 %. Look at MAP-DP's bars: the count term speaks for "
                    "the larger neighbour, but the predictive term outweighs it.",
                    {"row": 65},
                ),
                Stop(
                    "Now N₀ is 0.01, three hundred times smaller. Look at MAP-DP: it still finds "
                    "the small cluster.",
                    {N_0: 0.01},
                ),
            ),
            "MAP-DP counts how many rows a cluster has. Why does the crowd not swallow the 2 %?",
            "The count term grows only with the logarithm: between 29 % and 2 % it is worth 2.7 "
            "natural log units, the same for every row. A gap in the data is worth that much to "
            "each row, and more the wider it is.",
        ),
        "5.3": Lesson(
            (
                Stop(
                    "Two pairs of rows lie outside the clusters, but not far. K-means with K = 3 "
                    "puts up with them.",
                    {"outlier_distance": 10.0},
                ),
                Stop(
                    "The pairs are far away now. K-means spends a centre on them, and two real "
                    "clusters become one. Four rows of 2,000 did that.",
                    {"cells": True},
                ),
                Stop(
                    "K-means and E-M are told K = 5, the true number with both pairs. Compare "
                    "their panels with MAP-DP, which was told nothing.",
                    {K: 5},
                ),
            ),
            "Could one just remove outliers first and then run K-means?",
            "Only with a rule for what an outlier is, and that needs to know how wide the clusters "
            "are, which is what clustering is to find out. MAP-DP gives the pairs clusters of "
            "their own: they cost it a little each, and nothing else changes.",
        ),
        "5.4": Lesson(
            (
                Stop(
                    "Three ellipses of equal volume. Look at K-means: it cuts across the two that "
                    "lie side by side, instead of between them.",
                    {"cells": True},
                ),
                Stop(
                    "K-means is started from the true groups. Step through it: pass by pass it "
                    "walks from the truth to the cut.",
                    {"view": "Step", "walk": "truth"},
                ),
                Stop(
                    "E-M starts from the cut of K-means. Step through it: its ellipses can turn, "
                    "so it finds its way back, told that K = 3.",
                    {"view": "Step", "walk": "MixtureEM"},
                ),
                Stop(
                    "BIC chooses K for K-means. Look at its panel: it covers the long ellipses "
                    "with many discs, and calls that the best number.",
                    {BIC: True, "cells": True},
                ),
            ),
            "Standardising the columns is said to help K-means. Would it help here?",
            "No: x and y already have the same variance here. The ellipses point in different "
            "directions, and no rescaling of the columns makes all three round at once.",
        ),
        "5.5": Lesson(
            (
                Stop(
                    "Ellipses of 12, 28 and 60 %, far apart. All five algorithms agree with the "
                    "truth: a wide gap forgives every wrong assumption.",
                ),
                Stop(
                    "BIC chooses K for K-means. It asks for one too many: the ellipses are no "
                    "discs, gap or not.",
                    {BIC: True, "cells": True},
                ),
                Stop(
                    "The centres are drawn together. Watch who gives up first as the gaps close.",
                    {"separation": 0.4},
                ),
            ),
            "K-means is right here. What did it have to be told that MAP-DP did not?",
            "That there are three groups. Even where its shape assumptions do no harm, the choice "
            "of K is left to you, or to a criterion that shares the wrong assumptions.",
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
                    {"cells": True},
                ),
                Stop(
                    "Row 126 lies in the overlap. Look at the bars: MAP-DP has to decide by 0.3 "
                    "log units, Gibbs says how unsure it is.",
                    {"row": 126},
                ),
                Stop(
                    "Press Play and look at the picture of who is together: full blocks are rows "
                    "that stay together, paler stripes are rows that change sides.",
                    {"view": "Step", "walk": "CollapsedGibbs"},
                ),
            ),
            "MAP-DP gives one answer. When is Gibbs worth its longer run?",
            "Where groups overlap and it matters how sure a label is: the draws show which rows "
            "change sides and how the number of clusters varies. Where gaps are wide they all "
            "agree, and one answer is enough.",
        ),
    }
)
