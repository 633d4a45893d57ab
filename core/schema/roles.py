"""Columns that their names set aside: the known class, outcomes, a trial's arm."""

from __future__ import annotations

from collections.abc import Mapping

from .spec import TIME_TO_EVENT, ColumnSpec
from .vocabulary import label_rank, names_arm, names_event, names_time


def with_roles(
    specs: Mapping[str, ColumnSpec], distinct: Mapping[str, int], label: str | None, last: str
) -> dict[str, ColumnSpec]:
    """Set aside what is named like a class, an outcome or a trial's arm.

    ``last`` is the last column that came with the table.
    """
    result = dict(specs)
    described = [name for name, spec in specs.items() if spec.role == "cluster"]
    few = {name for name in described if specs[name].family != "normal" and distinct[name] <= 50}
    events = [name for name in described if names_event(name) and name in few]
    times = [name for name in described if names_time(name) and name not in few]
    followed = bool(events) and bool(times)
    if label is None:
        label = _clear_label(
            described, {n for n in few if _may_be_label(n, distinct, n == last)}, followed
        )
    for name in described:
        if names_arm(name) and name in few:
            result[name] = _aside(
                specs[name],
                "control",
                "Named like a trial's arm: a negative control if randomised.",
            )
        elif name in times and followed:
            event = events[0]
            result[name] = specs[name].changed(
                family=TIME_TO_EVENT,
                role="validator",
                event=event,
                reason=f"Named like a follow-up time, with '{event}' beside it: an outcome; name "
                f"the codes of '{event}' that mean the event.",
            )
        elif _names_outcome(name, name in events, followed):
            result[name] = _aside(specs[name], "validator", "Named like an outcome.")
    if label is not None:
        chosen = specs[label]
        result[label] = _aside(
            chosen, "label", "The known class: compared with the clusters, never used to find them."
        )
    return result


def _names_outcome(name: str, is_event: bool, followed: bool) -> bool:
    if is_event and (followed or name.lower() not in ("status", "event")):
        return True
    return label_rank(name) is not None and name.lower() not in ("y", "status")


def _may_be_label(name: str, distinct: Mapping[str, int], is_last: bool) -> bool:
    """Whether a status is the answer: yes or no, or the last column; others tell of something."""
    return label_rank(name) != label_rank("status") or distinct[name] == 2 or is_last


def _clear_label(described: list[str], few: set[str], followed: bool) -> str | None:
    """Find the column most clearly named as the known class, if any."""
    ranks = {
        name: rank
        for name in described
        if name in few
        and (rank := label_rank(name)) is not None
        and not (followed and names_event(name))
    }
    return min(ranks, key=lambda name: ranks[name]) if ranks else None


def _aside(spec: ColumnSpec, role: str, why: str) -> ColumnSpec:
    return spec.changed(role=role, reason=f"{why} {spec.reason}")
