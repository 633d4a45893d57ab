"""What small counts of patients follow from a printed form for a new patient.

The intruder has the sheet, knows the rules by which it is made, the sizes of all groups, of every
question how all other groups answered, and of every end of a tree how many came there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from core.clinical.bedside import Form
from core.clinical.paper_form import leaving_sentences
from core.clinical.point_score import MORE, POINTS, PointScore
from core.clinical.questions import places_of
from core.release.bands import banded_share, bands
from core.release.blurred import blurred

#: Other tables tried for one whole number, before it is said not to fit.
TRIES = 300
#: Of what a count is told: the answers to a question, an end of a tree, or how often it is right.
Found = tuple[str, int]


def tables_of(sheet: str) -> list[list[list[str]]]:
    """The cells of every table of a page, its head first."""
    return [
        [
            [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", table)
        ]
        for table in re.findall(r"<table>(.*?)</table>", sheet)
    ]


def attack_sheet(form: Form, sheet: str) -> Iterator[Found]:
    """Every small count about the sheet, and how many whole numbers are left for it."""
    labels = np.append(form.kept, -1)[:-1]
    rows = np.flatnonzero(np.isin(form.groups.labels, labels))
    group = np.searchsorted(labels, form.groups.labels[rows])
    places = places_of(form.questions, form.groups.model.columns_.encoded)[rows]
    tables = tables_of(sheet)
    if isinstance(form.rule, PointScore):
        yield from _answers(form, tables[0], places, group)
    else:
        yield from _ends(form, tables[0], places, group)
    yield from _rates(form, tables)
    yield from _none(form)


def _answers(form: Form, printed: list, places: np.ndarray, group: np.ndarray) -> Iterator[Found]:
    """Patients by answer and group, of every question with points."""
    points = np.array([[float(cell) for cell in row[2:]] for row in printed[2:-1]])
    ends = np.cumsum([0, *(len(question.words) for question in form.asked)])
    for j, (first, last) in zip(form.rule.asked, pairwise(ends), strict=True):
        n_answers = last - first
        counts = np.zeros((n_answers + 1, len(form.kept)))
        np.add.at(counts, (np.where(places[:, j] < 0, n_answers, places[:, j]), group), 1)
        told = points[first:last]
        assert np.array_equal(_points_of(counts, form.least), told), "the sheet is made otherwise"
        for answer, k in np.argwhere(counts < form.least).tolist():
            if answer < n_answers or counts[answer].any():
                left = _values(counts, answer, k, told, form.least)
                yield form.questions[j].name, left


def _points_of(counts: np.ndarray, least: int) -> np.ndarray:
    """The points that a table of patients by answer, those of none last, and group has."""
    cells = counts if counts[-1].any() else counts[:-1]
    told = blurred(cells, least)[: len(counts) - 1] + MORE
    overall = told.sum(axis=1, keepdims=True) / told.sum()
    return np.rint(POINTS * np.log(told / told.sum(axis=0) / overall))


def _values(counts: np.ndarray, answer: int, k: int, told: np.ndarray, least: int) -> int:
    """Whole numbers of one count for which the group's other patients can give these points."""
    found, truth = 0, counts[answer, k]
    for value in sorted(range(int(counts[:, k].sum()) + 1), key=lambda v: abs(v - truth)):
        for column in _columns(counts, answer, k, value, least):
            other = counts.copy()
            other[:, k] = column
            if np.array_equal(_points_of(other, least), told):
                found += 1
                break
        if found >= least or value > truth + 3 * least:
            break
    return found


def _columns(
    counts: np.ndarray, answer: int, k: int, value: int, least: int
) -> Iterator[np.ndarray]:
    """Other answers of a group in which one answer was given so often: near ones, then any."""
    true, total = counts[:, k], counts[:, k].sum()
    usable = [b for b in range(len(true)) if b != answer and (b < len(true) - 1 or counts[b].any())]
    for m in range(1, len(usable) + 1):  # the largest give what is lacking, together
        largest = sorted(usable, key=lambda b: -true[b])[:m]
        column = true.copy()
        column[answer] = value
        spare = total - column.sum() + column[largest].sum()
        column[largest] = spare // m
        column[largest[0]] += spare - column[largest].sum()
        if spare >= 0:
            yield column
    for b in usable:
        column = true.copy()
        column[answer], column[b] = value, true[b] + true[answer] - value
        if column[b] >= 0:
            yield column
    yield from _drawn(true, answer, usable, value, least)


def _drawn(
    true: np.ndarray, answer: int, usable: list[int], value: int, least: int
) -> Iterator[np.ndarray]:
    """Columns at random: small counts anew and large ones a little other, or all anew."""
    random = np.random.default_rng(0)
    small = [b for b in usable if true[b] < least]
    large = [b for b in usable if true[b] >= least] or usable
    for turn in range(TRIES):
        column, some = true.copy(), np.array(large if turn % 3 else usable)
        column[answer] = value
        if turn % 3:
            column[small] = random.integers(0, 1 + random.integers(0, least), len(small))
        spare = int(true.sum() - column.sum() + column[some].sum())
        if spare < 0:
            continue
        near = turn % 3 == 1 and true[some].sum() > 0
        shares = true[some] / true[some].sum() if near else random.dirichlet(np.ones(len(some)))
        column[some] = np.floor(spare * shares)
        lacks = int(spare - column[some].sum())
        np.add.at(column, random.choice(some, lacks), 1)
        if turn % 2:
            to, back = random.choice(some, 2)
            by = min(random.integers(0, 4), column[back])
            column[to] += by
            column[back] -= by
        yield column


def _ends(form: Form, printed: list, places: np.ndarray, group: np.ndarray) -> Iterator[Found]:
    """Patients by end of a tree and group."""
    ends, n_groups = form.rule.ends(places), len(form.kept)
    at_ends = [at for at, fork in enumerate(form.rule.forks) if fork.question < 0]
    words = dict(zip(_in_order(form), _goals(printed), strict=True))
    counts = np.array([np.bincount(group[ends == at], minlength=n_groups) for at in at_ends])
    sums, bounds = [], []
    for e, at in enumerate(at_ends):
        one = np.zeros(counts.shape)
        one[e] = 1.0
        sums.append(one)  # how many came here
        bounds.append((counts[e].sum(), counts[e].sum()))
        k = int(np.argmax([words[at].startswith(title) for title in form.titles]))
        low, high = _unsoftened(_share(words[at], n_groups), _slope(form, at, counts[e]), n_groups)
        of = np.zeros(counts.shape)
        of[e, k] = 1.0
        sums.append(of)
        bounds.append(tuple(np.array([low, high]) * (counts[e].sum() + MORE * n_groups) - MORE))
        for other in range(n_groups):
            more = of.copy()
            more[e, other] -= 1.0
            sums.append(more)
            bounds.append((0.0, np.inf))
    for k in range(n_groups):
        one = np.zeros(counts.shape)
        one[:, k] = 1.0
        sums.append(one)
        bounds.append((counts[:, k].sum(),) * 2)
    known = np.array(sums).reshape(len(sums), -1), np.array(bounds)
    for cell in np.flatnonzero(counts.ravel() < form.least):
        yield "an end of the tree", _range(*known, np.eye(counts.size)[cell])


def _in_order(form: Form) -> list[int]:
    forks = [fork for fork in form.rule.forks if fork.question >= 0]
    return [way for fork in forks for way in fork.ways if form.rule.forks[way].question < 0]


def _goals(printed: list) -> list[str]:
    return [goal for row in printed[1:] for goal in row[2:] if not goal.startswith("question")]


def _share(goal: str, n_groups: int) -> tuple[float, float]:
    """Lowest and highest share of the group named at an end, were the tree as sure as it looks."""
    tenths = re.search(r"\((\d)( or more)? of 10\)", goal)
    if tenths is None:
        return 1.0 / n_groups, 1.0
    return (int(tenths[1]) - 0.5) / 10, 1.0 if tenths[2] else (int(tenths[1]) + 0.5) / 10


def _slope(form: Form, at: int, counts: np.ndarray) -> float:
    """How much less sure an end is than its patients: 1 where it is as sure."""
    true, said = np.log((counts + MORE) / (counts + MORE).sum()), np.log(form.rule.forks[at].shares)
    return float(np.ptp(said) / np.ptp(true)) if np.ptp(true) > 0 else 1.0


def _unsoftened(told: tuple[float, float], slope: float, n_groups: int) -> tuple[float, float]:
    """The shares that a largest share told can stand for, whatever the others are."""
    share = np.linspace(1.0 / n_groups, 1.0, 2001)
    rest = (1.0 - share) ** slope
    lowest = share**slope / (share**slope + rest * max(n_groups - 1, 1) ** (1.0 - slope))
    highest = share**slope / (share**slope + rest)
    fits = (highest >= told[0] - 1e-9) & (lowest <= told[1] + 1e-9)
    return float(share[fits].min()) - 1e-3, float(share[fits].max()) + 1e-3


def _rates(form: Form, tables: list) -> Iterator[Found]:
    """Patients by group and what they were told, from how often the form is right."""
    crossed, least = form.on_paper.confusion, form.least
    told = bands(crossed, least)
    width, n = len(crossed), crossed.sum()
    cells = np.arange(width * width).reshape(width, width)
    leads = tables[1][1:] if tables[1][0][0].startswith("Lead") else []
    size = width * width + 2 * len(leads)  # cells, then patients of each lead and those right
    sums, ends = [], []

    def know(places: object, low: float, high: float, weights: object = 1.0) -> None:
        one = np.zeros(size)
        one[places] = weights
        sums.append(one)
        ends.append((low, high))

    for j in range(width):
        know(cells[j], crossed[j].sum(), crossed[j].sum())
    lines = tables[-1][1:]
    for k, (line, is_told) in enumerate(zip(lines, _is_told(lines), strict=True)):
        if is_told:
            assert line[1] in (told.sensitivity()[k], "hidden"), "the sheet is made otherwise"
            know(np.delete(cells[k], k), told.missed[0][k], told.missed[1][k])
            know(np.delete(cells[:, k], k), told.wrong[0][k], told.wrong[1][k])
    if not crossed[:, -1].any():
        know(cells[:, -1], 0, 0)
    lead_n = width * width + np.arange(len(leads))
    lead_right = lead_n + len(leads)
    for place, (_, said) in enumerate(leads):
        low, high = _share(f"({said})", 1)
        both = [lead_right[place], lead_n[place]]
        know(both, 0, np.inf, [1.0, -low])
        know(both, -np.inf, 0, [1.0, -high])
    if leads:
        know(lead_n, n, n)
        all_right = np.concatenate([lead_right, np.diag(cells)[:-1]])
        know(all_right, 0, 0, np.repeat([1.0, -1.0], [len(leads), width - 1]))
    known, flat = (np.array(sums), np.array(ends)), np.append(crossed.ravel(), np.zeros(size))
    targets = [np.eye(size)[at] for at in range(width * width) if sums[at // width][at]]
    for k in range(width - 1):
        for counted in (np.delete(cells[k], k), np.delete(cells[:, k], k)):
            targets.append(np.eye(size)[counted].sum(axis=0))
    wrong = cells[:-1][~np.eye(width, dtype=bool)[:-1]]
    targets.append(np.eye(size)[wrong].sum(axis=0))
    for target in targets:
        truth = float(target @ flat[:size])
        most = float(
            (target[: width * width].reshape(width, width) > 0).any(axis=1) @ crossed.sum(1)
        )
        if truth < least and most >= least and _can_be(target, cells, crossed):
            yield "how often it is right", _range(*known, target)


def _none(form: Form) -> Iterator[Found]:
    """Patients told to be in none of the groups, from what the report says of them."""
    said, of = leaving_sentences(form)[1], form.trial.truth < len(form.kept)
    n, known = form.untaught
    false = int((form.trial.called[of] == len(form.kept)).sum())
    for count, everybody in ((false, int(of.sum())), (known, n)):
        told = banded_share(count, everybody, form.least)
        assert told in said, "the report is made otherwise"
        if min(count, everybody - count) < form.least:
            fits = [banded_share(v, everybody, form.least) == told for v in range(everybody + 1)]
            yield "none of these", sum(fits)


def _can_be(target: np.ndarray, cells: np.ndarray, crossed: np.ndarray) -> bool:
    """Whether a count is not one of those told none, where nobody ever is."""
    return bool(crossed[:, -1].any() or (target[cells[:, :-1]] > 0).any())


def _is_told(lines: list) -> list[bool]:
    return [line[1] != "hidden" or line[2] != "hidden" for line in lines]


def _range(sums: np.ndarray, ends: np.ndarray, target: np.ndarray) -> int:
    """How many whole numbers a sum of counts can be."""
    limits = LinearConstraint(sums, ends[:, 0] - 1e-6, ends[:, 1] + 1e-6)
    each = [
        milp(
            sign * target,
            constraints=limits,
            integrality=np.ones(target.size),
            bounds=Bounds(0, np.inf),
        )
        for sign in (1.0, -1.0)
    ]
    assert all(found.success for found in each), "the sheet contradicts the table"
    return round(-each[1].fun - each[0].fun) + 1
