"""Which of several partitions to take, and why, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from ..methods import JUDGE, METHODS
from ..models.estimator import ClusterEstimator
from .comparison import Results, Task

#: Partitions are nearly the same from this adjusted Rand index on.
ALIKE = 0.9
#: A partition is more probable than another where E is lower by more (nats).
LOWER = 0.5
#: Said as long as it is not known.
UNKNOWN = "Whether its groups are more than chance is said on **Clusters**."


def which_to_take(results: Results, wanted: Mapping[str, Task], on_chance: str = UNKNOWN) -> str:
    """One sentence or two; empty without MAP-DP's result and another.

    Whether MAP-DP's groups are more than chance stands among them as it is given.
    Every partition is judged by its E under the model that MAP-DP has of the columns.
    """
    models = {name: results.get(task) for name, task in wanted.items()}
    fitted = [name for name, model in models.items() if isinstance(model, ClusterEstimator)]
    others = [name for name in fitted if name != JUDGE]
    if JUDGE not in fitted or not others:
        return ""
    judge, reference = wanted[JUDGE], models[JUDGE].labels_
    agreement = {
        name: results.agreement(wanted[name], ("labels", judge), reference)["ari"]
        for name in others
    }
    objective = {name: results.objective(wanted[name], judge) for name in fitted}
    lowest, own = min(others, key=objective.__getitem__), METHODS[JUDGE].title
    far, near = (f(others, key=agreement.__getitem__) for f in (min, max))
    if agreement[far] >= ALIKE:
        return (
            f"**It matters little which you take**: each gives nearly {own}'s groups (adjusted "
            f"Rand index {agreement[far]:.2f} or more, 1 is the same)."
        )
    if objective[lowest] < objective[JUDGE] - LOWER:
        return (
            f"**Take {METHODS[lowest].title}'s**: its groups are more probable than {own}'s, even "
            f"under {own}'s own model. More effort may find better ones still."
        )
    told = f"{METHODS[near].title} comes nearest (adjusted Rand index {agreement[near]:.2f})"
    if far != near:
        told += f", {METHODS[far].title} is furthest ({agreement[far]:.2f})"
    return (
        f"**Take {own}'s** where the columns are what **Data** takes them for: under that model, "
        f"which is {own}'s own, no other of these partitions is more probable. {on_chance} {told}."
    )
