"""Which column may be the answer that somebody knew: by its name, or by its place."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from ..wording import listed
from .dependence import codes_of, sampled, varying
from .facts import Facts
from .questions import SHOWN, Answer, Look, Question, quoted, worded
from .spec import ColumnSpec
from .words import is_given, is_sentence, names_answer, says, says_answer

_ROWS = 1_000  # by which other columns foretell one
_MOST_CLASSES, _FEW_CLASSES, _MOST_COMPARED, _MOST_LOOKED_AT = 30, 10, 12, 100
#: Kappa from which on the others know an answer; for what is less likely one; for a last amount.
_FORESEEN, _CLEARLY_FORESEEN = 0.2, 0.4


def ask_labels(look: Look, out: set[str]) -> Iterator[Question]:
    """Whether a column of few values is the answer that somebody knew; ``out`` are outcomes."""
    if any(spec.role == "label" for spec in look.specs.values()):
        return
    if found := _possible_labels(look, out)[:3]:
        keep, why = "Keep [it|{name}] out and compare with it", "The known class."
        answers = [
            Answer(worded(keep, found, name=quoted(n)), look.with_role("label", (n,), why))
            for n in found
        ]
        text = "Is [|one of ]{names}[ ({values})|] the answer, known beforehand?"
        first = look.facts[found[0]]
        values = sorted(first.shown) if first.kind == "text" else [f"{v:g}" for v in first.levels]
        text = worded(text, found, values=listed(values, SHOWN))
        no = Answer(worded("[No: cluster on it|None of them: cluster on all]", found), {})
        yield Question("label", tuple(found), text, (*answers, no))


def _possible_labels(look: Look, out: set[str]) -> list[str]:
    facts, specs = look.facts, {n: s for n, s in look.specs.items() if n not in look.made}
    described = [n for n in look.open if n in specs and n not in out]
    if len(described) < 2:
        return []
    first_of_all, *_, last_of_all = specs
    outer_y = {"y", "Y"} & {first_of_all, last_of_all}
    values = [values_of(facts[name]) for name in described]
    few = [name for name in described if _has_few_values(facts[name], specs[name])]
    named_so = [
        name
        for name in few
        if (name in outer_y or names_answer(name, is_last=name == last_of_all))
        # A word in the name of one of many alike makes one more feature.
        and (name == last_of_all or 2 * values.count(values_of(facts[name])) <= len(values))
    ]
    # Beside an outcome only a name that says nothing else is one.
    if any(spec.role == "validator" for spec in specs.values()) or out or look.asked:
        return [name for name in named_so if says_answer(name, alone=True)]
    # What stands last and is named so needs no other; what many features carry says it at an end.
    last = [name for name in named_so if name == described[-1] == last_of_all]
    clear = [name for name in named_so if says_answer(name)]
    ends = (described[-1], described[0])
    bare = [name for name in named_so if name in ends or says("perhaps_label", name)]
    if labels := last or clear or bare:
        return labels
    if any(says("outcome", name) for name in described):
        return []
    ends = [name for name in _ends(described, specs) if _leaves_it_open(name)]
    names = [name for name in few if _holds_names(facts[name], specs[name])]
    text = [name for name in names if facts[name].kind == "text"]
    lone = names if len(names) == 1 else [n for n in text if len(text) == 1 and n in ends]
    codes = _codes(look, described) if ends or lone else {}
    found = [name for name in ends if _ends_as_answer(name, look, names, codes)]
    for name in lone if len(described) > 3 else ():
        words_or_two = specs[name].kind in (YES_NO, CATEGORY) or facts[name].kind == "text"
        least = _FORESEEN if name in ends else _CLEARLY_FORESEEN
        if words_or_two and _leaves_it_open(name) and foreseen(codes, name) >= least:
            found.append(name)
    return list(dict.fromkeys(found))


def _codes(look: Look, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Few whole numbers from 0 for some rows of every column, -1 where missing."""
    specs = {n: look.specs[n] for n in names[:: max(len(names) // _MOST_LOOKED_AT, 1)]}
    found = {}
    for name, values in varying(sampled(look.frame, _ROWS), specs).items():
        seen = values[~np.isnan(values)]
        if len(np.unique(seen)) > 12 or specs[name].kind == MEASUREMENT:
            cuts = np.unique(np.quantile(seen, [0.25, 0.5, 0.75]))
            values = np.where(np.isnan(values), np.nan, np.searchsorted(cuts, values))
        found[name] = codes_of(values)
    return found


def foreseen(codes: Mapping[str, np.ndarray], name: str) -> float:
    """How well the other columns predict one: Cohen's kappa (1960), about 0 where not at all."""
    # Here, as they take a tenth of a start, and few tables ask.
    from sklearn.metrics import cohen_kappa_score
    from sklearn.model_selection import KFold, cross_val_predict
    from sklearn.naive_bayes import CategoricalNB

    others = [code for other, code in codes.items() if other != name]
    if name not in codes or not others:
        return 0.0
    observed = codes[name] >= 0
    y, x = codes[name][observed], np.column_stack(others)[observed] + 1
    if len(y) < 10 or len(np.unique(y)) < 2:
        return 0.0
    model = CategoricalNB(alpha=0.5, min_categories=x.max(axis=0) + 1)
    folds = KFold(5, shuffle=True, random_state=0)
    return float(cohen_kappa_score(y, cross_val_predict(model, x, y, cv=folds)))


def _has_few_values(facts: Facts, spec: ColumnSpec) -> bool:
    kinds = (YES_NO, CATEGORY, RATING, COUNT)
    is_whole = facts.kind == "text" or facts.is_whole
    return is_whole and 2 <= facts.n_distinct <= _MOST_CLASSES and spec.kind in kinds


def _holds_names(facts: Facts, spec: ColumnSpec) -> bool:
    few = facts.n_distinct <= _FEW_CLASSES and spec.kind in (YES_NO, CATEGORY, RATING)
    return facts.kind == "text" or few


def values_of(facts: Facts) -> tuple[str, ...]:
    """The first distinct values of a column, which columns on one scale share."""
    return tuple(sorted(map(str, facts.levels[:50])))


def _ends(described: Sequence[str], specs: Mapping[str, ColumnSpec]) -> list[str]:
    """The last and the first column to cluster on, where only mere numbers of rows lie outside."""
    typed = [name for name, spec in specs.items() if spec.family is not None]
    return [described[end] for end in (-1, 0) if described[end] == typed[end]]


def _leaves_it_open(name: str) -> bool:
    """Whether a name leaves open that it is the answer: it says nothing else, such as a sex."""
    if not is_given(name):
        return True
    kinds = ("code", "count", "paid", "origin", "age", "when", "address")
    return not (is_sentence(name) or any(says(kind, name) for kind in kinds))


def _ends_as_answer(
    name: str, look: Look, names: Sequence[str], codes: Mapping[str, np.ndarray]
) -> bool:
    """Whether a first or last column looks like classes: unlike the others, which predict it."""
    facts, spec = look.facts[name], look.specs[name]
    others, last = [other for other in codes if other != name], name == [*codes][-1]
    if not _has_few_values(facts, spec) or not _holds_names(facts, spec):
        return False
    same = [other for other in others if values_of(look.facts[other]) == values_of(facts)]
    if len(same) > 0.8 * len(others):
        return False
    own = foreseen(codes, name)
    are_numbers = is_given(name) and facts.kind == "number" and facts.n_distinct > 2
    if last and not is_given(name) and spec.kind in (YES_NO, CATEGORY):
        return own >= _FORESEEN / 4
    if own < (_CLEARLY_FORESEEN if are_numbers else _FORESEEN):
        return False
    rivals = [other for other in names if other != name]
    rivals = rivals[:: max(len(rivals) // _MOST_COMPARED, 1)]
    better = sum(foreseen(codes, other) > own for other in rivals)
    return better <= (len(rivals) // 4 if last else 0)


def predicted(look: Look, described: Sequence[str]) -> list[str]:
    """The last column, where the others predict it: a number that nobody named, or an amount."""
    came = [name for name in look.specs if name not in look.made]
    last = came[-1] if came else ""
    if len(described) < 4 or not last or look.specs[last].kind not in (MEASUREMENT, COUNT):
        return []
    unnamed = not any(map(is_given, look.specs))
    if not unnamed and not says("amount", last):
        return []
    kappa = foreseen(_codes(look, [*[n for n in described if n != last], last]), last)
    return [last] if kappa >= (2 if unnamed else 1) * _FORESEEN else []
