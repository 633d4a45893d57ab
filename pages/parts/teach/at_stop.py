"""Where the controls of the Teach page stand at a stop of a lesson."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mapdp_studio.core.methods.settings import ADDRESSES
from mapdp_studio.core.teaching.lessons import BEGINNING, LESSONS, Stop
from mapdp_studio.demo_datasets import GENERATED
from mapdp_studio.pages.parts.teach.controls import BIC, LAMBDA, N_0, RESTARTS, SEED, TOLERANCE, K

#: What addresses call the last stop, whatever its number.
LAST = "Question"
#: The key of a control, by its name in addresses and lessons, where the two differ.
_KEYS = {
    ADDRESSES["concentration"]: N_0,
    ADDRESSES["penalty"]: LAMBDA,
    ADDRESSES["n_clusters"]: K,
    ADDRESSES["bic"]: BIC,
    ADDRESSES["effort"]: RESTARTS,
    ADDRESSES["likelihood_power"]: TOLERANCE,
    ADDRESSES["seed"]: SEED,
}


def stop_of(key: str, stop: str | None) -> Stop | None:
    """A stop of a data set's lesson by its number from 1 on; None where there is none."""
    stops = LESSONS[key]
    return stops[int(stop) - 1] if stop is not None and 1 <= int(stop) <= len(stops) else None


def last_stop(key: str) -> str:
    """Number of the last stop of a lesson."""
    return str(len(LESSONS[key]))


def set_at(key: str, stop: str | None) -> dict[str, Any]:
    """Where the controls of a data set stand at first: at a stop of its lesson, or outside it.

    Outside, only K is a lesson's affair: K-means is told the K that the first stop tells it.

    Parameters
    ----------
    key : str
        Of ``LESSONS``.
    stop : str, optional
        "1", "2", ...
    """
    told = {K: LESSONS[key][0].sets.get(ADDRESSES["n_clusters"], keyed(BEGINNING)[K])}
    at = stop_of(key, stop)
    if at is None:
        return told
    knob = {GENERATED[key].knob.name: GENERATED[key].knob.default} if key in GENERATED else {}
    return {**keyed(BEGINNING), **told, **knob, **keyed(at.sets)}


def keyed(sets: Mapping[str, Any]) -> dict[str, Any]:
    """What a stop sets, by the keys of the controls."""
    return {_KEYS.get(name, name): value for name, value in sets.items()}
