"""What is asked about a time and a status that belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .asking_words import joined, quoted
from .questions import Answer, Question
from .spec import TIME_TO_EVENT, ColumnSpec
from .watched import Watched

_MOST_EVENTS = 3  # of which each has an answer; further ones are chosen under Survival


def ask_survival(pairs: Sequence[Watched], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Whether a pair is kept out as survival, and which code is the event."""
    return [_asked(pair, specs) for pair in pairs]


def _asked(pair: Watched, specs: Mapping[str, ColumnSpec]) -> Question:
    both = (pair.time, pair.status)
    out = {
        name: {"role": "validator", "reason": f"An outcome. {specs[name].reason}"} for name in both
    }
    if specs[pair.time].family == TIME_TO_EVENT:
        out[pair.time] |= {"family": "normal"}
    answers = [_kept(pair, (event,), specs) for event in pair.events[:_MOST_EVENTS]]
    if len(pair.events) > 1:
        answers.append(_kept(pair, pair.events, specs))
    answers.append(Answer("Keep both out, each by itself", out))
    if all(specs[name].role == "cluster" for name in both):
        answers.append(Answer("No: cluster on them", {}))
    text = (
        f"{quoted(pair.time)} looks like how long each was watched, and {quoted(pair.status)} like "
    )
    if len(pair.events) > 1:
        text += (
            f"what happened ({pair.censored} = not yet): keep them out as survival, with which of "
            f"{joined(map(str, sorted(pair.events, key=str)))} as the event?"
        )
    else:
        text += "whether it happened: keep them out as survival?"
    return Question("outcome", both, text, tuple(answers))


def _kept(pair: Watched, events: tuple[Any, ...], specs: Mapping[str, ColumnSpec]) -> Answer:
    """Out as survival with those codes as the event; any others rule it out."""
    others = [event for event in pair.events if event not in events]
    told = " or ".join(map(str, events))
    text = f"Survival: {told} = it happened"
    if others:
        does = "rules" if len(others) == 1 else "rule"
        text = f"Survival: {told} is the event, {joined(map(str, others))} {does} it out"
    elif len(events) > 1:
        text = f"Survival: {told}, all alike"
    time = {
        "family": TIME_TO_EVENT,
        "role": "validator",
        "event": pair.status,
        "event_codes": events,
        "censored_codes": (pair.censored,),
        "reason": f"A time to an event, with {quoted(pair.status)} telling whether it came.",
    }
    status = {
        "role": "ignore",
        "reason": f"Read together with {quoted(pair.time)}. {specs[pair.status].reason}",
    }
    return Answer(text, {pair.time: time, pair.status: status})
