"""What is asked about columns that say what others say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..wording import counted, percent
from .dependence import Copy, find_coarser, find_dummies
from .questions import Answer, Look, Question, kept_as, left_aside, named, quoted
from .words import names_computed

_SHOWN = 8  # columns named in a question, each with the one that it repeats
_ADDS_LITTLE = 0.99  # share of the rows in which what follows is none to keep beside it
_MOST_COARSER = 2  # questions about what follows from a finer category


def ask_copies(look: Look, copies: Sequence[Copy]) -> Iterator[Question]:
    """Columns that say what others say, or add others up; they are left aside."""
    if not copies:
        return
    told = [f"{quoted(copy.name)} as {copy.words}" for copy in copies[:_SHOWN]]
    more = len(copies) - len(told)
    listed = "; ".join(told) + (f"; {counted(more, 'other')}" if more else "")
    names = tuple(copy.name for copy in copies)
    does = (
        "says what another one says, and is" if len(names) == 1 else "say what others say, and are"
    )
    text = f"{counted(len(names), 'column')} {does} left aside by default: {listed}."
    only = _only_totals(look, copies)
    for copy in copies:
        aside = look.leave_aside([copy.name], f"The same fact as {copy.words}.")
    back = {name: {"role": "cluster"} for name in names}
    cluster = "Cluster on it" if len(names) == 1 else "Cluster on all"
    yield Question("repeat", names, text, (aside, Answer(cluster, back), *only))


def _only_totals(look: Look, copies: Sequence[Copy]) -> list[Answer]:
    """Totals in place of what they add up: of totals that share items, the smallest."""
    totals = {c.name: c.of for c in copies if len(c.of) > 1 and c.how == "sum"}
    kept: list[str] = []
    aside: dict[str, str] = {}
    of_totals = {n for n, of in totals.items() if not totals.keys().isdisjoint(of)}
    for name in sorted(totals, key=lambda n: (n in of_totals, len(totals[n]))):
        if {*kept, *aside}.isdisjoint(totals[name]):
            kept.append(name)
            aside |= dict.fromkeys(totals[name], name)
    if not kept:
        return []
    changes: dict[str, dict[str, Any]] = {name: {"role": "cluster"} for name in kept}
    for item, total in aside.items():
        changes |= kept_as("ignore", (item,), f"In {quoted(total)}, as you said.", look.specs)
    only = f"Only {named(kept)}" if len(kept) == 1 else f"Only the {len(kept)} sums"
    them = "it" if len(kept) == 1 else "them"
    return [Answer(f"{only}, not the {len(aside)} columns in {them}", changes)]


def ask_dummies(look: Look) -> Iterator[Question]:
    """Columns of yes and no that are one category, a column a level; they are left aside.

    Exactly one of them is yes in every row, so that they tell the same thing several times.
    """
    for names in find_dummies(look.frame, look.open_specs()):
        yes = (look.specs[names[0]].levels or (0, 1))[1]
        why = "One level of a category that is written as a column each."
        text = (
            f"{named(names)} are one category, a column each level: exactly one of them is {yes} "
        )
        text += f"in every row, which counts it {len(names)} times. {left_aside(names)}"
        back = Answer("Cluster on all", {name: {"role": "cluster"} for name in names})
        yield Question("repeat", names, text, (look.leave_aside(names, why), back))


def ask_computed(look: Look) -> Iterator[Question]:
    """Columns that an analysis or a form computed: what they say comes from others.

    What an analysis saved, a distance or a prediction, is left aside.
    """
    told = look.told
    by_form = [n for n in look.open if "made_of" in told.get(n, {})]
    saved = [
        name
        for name in look.open
        if name not in by_form
        and (names_computed(name) or names_computed(str(told.get(name, {}).get("label", ""))))
    ]
    for names, by in ((saved, "an earlier analysis"), (by_form, "the form")):
        if names:
            was = "Was" if len(names) == 1 else "Were"
            text = f"{was} {named(names)} computed from other columns by {by}?"
            if names is saved:
                text += f" {left_aside(names)}"
                yes = look.leave_aside(names, "Computed from others.")
            else:
                why = "Computed from others, as you said."
                yes = Answer("Yes: leave aside", kept_as("ignore", names, why, look.specs))
            no = Answer("No: cluster on them", {name: {"role": "cluster"} for name in names})
            yield Question("repeat", tuple(names), text, (yes, no))


def ask_made(look: Look) -> Iterator[Question]:
    """Whether what a step computed and what it computed it from are all to count."""
    takes_part = {name for name, spec in look.specs.items() if spec.role == "cluster"}
    for name, of in look.made.items():
        if len(of) < 2 or not takes_part.issuperset((name, *of)):
            continue
        text = f"{quoted(name)} was made of {named(of)}, so that the same facts count twice: keep "
        why = f"In {quoted(name)}, as you said."
        answers = (
            Answer("All", {}),
            Answer(f"Only {quoted(name)}", kept_as("ignore", of, why, look.specs)),
            Answer(
                f"All but {quoted(name)}",
                kept_as("ignore", (name,), "Made of others, as you said.", look.specs),
            ),
        )
        yield Question("repeat", (name, *of), f"{text}which?", answers)


def ask_coarser(look: Look) -> Iterator[Question]:
    """Whether a category and what follows from it are both to count."""
    found = find_coarser(look.frame, look.open_specs())
    most = sorted(found, key=lambda fine: -len(found[fine]))[:_MOST_COARSER]
    for fine, of in found.items():
        if fine not in most:
            continue
        names = tuple(name for name, _ in of)
        share = min(share for _, share in of)
        follow = "follows" if len(names) == 1 else "follow"
        text = f"{named(names)} {follow} from {quoted(fine)} in {percent(share)} of the rows, so "
        text += "that one fact counts twice: keep which?"
        whose = f"Follows from {quoted(fine)}, as you said."
        tells = "tells" if len(names) == 1 else "tell"
        told = f"{named(names)} {tells} it coarser, as you said."
        both = Answer("All" if len(names) > 1 else "Both", {})
        finer = Answer(f"Only {quoted(fine)}", kept_as("ignore", names, whose, look.specs))
        coarse = f"Only {quoted(names[0])}" if len(names) == 1 else f"All but {quoted(fine)}"
        answers = (
            *((finer, both) if share >= _ADDS_LITTLE else (both, finer)),
            Answer(coarse, kept_as("ignore", (fine,), told, look.specs)),
        )
        yield Question("repeat", (*names, fine), text, answers)
