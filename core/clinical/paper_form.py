"""The form for a new patient on one sheet of paper, with no count below the threshold on it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..release.bands import Bands, banded_share, bands
from ..statistics.suppression import OFF
from ..wording import listed
from .bedside import FOLDS, Form
from .disclosure import shown
from .point_score import MOST_QUESTIONS, PointScore
from .report import CAVEAT
from .study import Lock

#: Patients of the cohort behind a line of "how sure", in thresholds and at least.
ENOUGH_EACH, ENOUGH_ANY = 4, 20
_STYLE = """
@page { size: A4; margin: 11mm }
body { font: 9pt/1.3 system-ui, sans-serif; color: #111; max-width: 188mm; margin: 0 auto }
h1 { font-size: 14pt; margin: 0 0 1mm } h2 { font-size: 10pt; margin: 2.5mm 0 1mm }
p { margin: 1mm 0 } .caveat { border: 0.4mm solid #111; padding: 1mm 2mm; font-weight: bold }
table { border-collapse: collapse; width: 100% } tr { break-inside: avoid }
th, td { border: 0.2mm solid #999; padding: 0.3mm 1.5mm; text-align: left; font-weight: normal }
th { background: #eee } td.number { text-align: right }
td { white-space: nowrap } td.asked { font-weight: bold; white-space: normal }
.beside td.asked { white-space: nowrap }
.beside { display: flex; gap: 6mm } .beside > div { flex: 1 } .many { font-size: 7.5pt }
"""
#: More groups need smaller letters.
MANY = 6
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def paper_form(form: Form, lock: Lock, name: str) -> str:
    """One HTML page that prints on one sheet and needs no network."""
    told = told_of(form)
    parts = [
        f"<h1>{_text(f'Which group? A form for a new patient, from {name}')}</h1>",
        f'<p class="caveat">{_text(CAVEAT)}</p>',
        f"<p>Patient: {'_' * 24} Date: {'_' * 14} Filled in by: {'_' * 20}</p>",
        *(_points(form) if isinstance(form.rule, PointScore) else _tree(form)),
        f'<div class="beside">{_sure(form)}<div><h2>How often that is right</h2>'
        f"{_table(of_groups(form, told))}</div></div>",
        f"<p>{_text(lock.said(_how(form, told, lock)))}</p>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{_text(f'Form for a new patient, {name}')}</title><style>{_STYLE}</style></head>"
        f'\n<body class="{"many" if len(form.kept) > MANY else ""}">\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def told_of(form: Form) -> Bands:
    """How often the form on paper is right, as far as it may leave."""
    told = bands(form.on_paper.confusion, form.least)
    return replace(told, told=np.isin(form.kept, shown(form.groups, form.least)))


def leaving_sentences(form: Form) -> tuple[str, str]:
    """What a report may say of the form: the sheet's agreement, and how well none is known."""
    titles = listed([question.title for question in form.asked], MOST_QUESTIONS)
    of, (n, known) = form.trial.truth < len(form.kept), form.untaught
    false = int((form.trial.called[of] == len(form.kept)).sum())
    falsely = banded_share(false, int(of.sum()), form.least)
    return (
        f"Agreement of a form on paper ({form.rule_name}, from {titles}) with the groups found: "
        f"{told_of(form).agreement}, cross-validated in {FOLDS} parts, the questions chosen anew in"
        " each.",
        f"On the screen, “none of these” was said of {falsely} of the patients of its groups "
        "(cross-validated), and of "
        f"{banded_share(known, n, form.least)} of patients whose group was taken away before the "
        "form was made.",
    )


def of_groups(form: Form, told: Bands) -> pd.DataFrame:
    """How often the form on paper is right of each group, as far as it may leave."""
    return pd.DataFrame(
        {
            "Group": _heads(form.titles),
            "Sensitivity (95 % interval)": told.sensitivity(),
            "Predictive value (95 % interval)": told.predictive(),
        }
    )


def how_sure(form: Form) -> pd.DataFrame:
    """How many of 10 were in the group named, by its lead over the second; empty of a tree.

    Leads are put together until there are so many patients that none of them can be told from it,
    and where a larger one was right no more often. Empty, too, where all are: that share, of a
    number known, stands beside it as wide as it must be.
    """
    if not isinstance(form.rule, PointScore):
        return pd.DataFrame()
    trial, least = form.on_paper, max(ENOUGH_EACH * form.least, ENOUGH_ANY)
    top = np.sort(trial.probabilities[:, :-1], axis=1)[:, -2:]
    # Every part that was held out had points of its own: a lead is the points of this form that
    # would give the same odds.
    with np.errstate(divide="ignore"):
        lead = np.log(top[:, 1] / top[:, 0]) / form.rule.slope
    lead = np.minimum(np.rint(lead), 99.0)
    right = trial.called == trial.truth
    lines: list[tuple[float, int, int]] = []  # lowest lead, patients, those who were there
    for low in np.unique(lead):
        of = lead == low
        lines.append((low, int(of.sum()), int(right[of].sum())))
        while len(lines) > 1 and (lines[-2][1] < least or _tenths(lines[-1]) <= _tenths(lines[-2])):
            _, n, were = lines.pop()
            lines[-1] = lines[-1][0], lines[-1][1] + n, lines[-1][2] + were
    if len(lines) > 1 and lines[-1][1] < least:
        _, n, were = lines.pop()
        lines[-1] = lines[-1][0], lines[-1][1] + n, lines[-1][2] + were
    if len(lines) == 1 and form.least != OFF:
        return pd.DataFrame()
    ends = [low - 1.0 for low, _, _ in lines[1:]] + [np.inf]
    return pd.DataFrame(
        {
            "Lead over the second, in points": [
                _span(line[0], end) for line, end in zip(lines, ends, strict=True)
            ],
            "Were in the group": [_of_ten(n / of) for _, of, n in lines],
        }
    )


def _of_ten(share: float) -> str:
    """How many of 10, no nearer than it may leave: "8 of 10"."""
    tenths = round(10 * share)
    return "9 or more of 10" if tenths >= 9 else f"{tenths} of 10"


def _tenths(line: tuple[float, int, int]) -> int:
    return min(round(10 * line[2] / line[1]), 9)


def _span(low: float, high: float) -> str:
    if np.isinf(high):
        return f"{low:.0f} or more"
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


def _points(form: Form) -> list[str]:
    """The questions with a box and points for each answer, and the table of leads."""
    titles, rule = form.titles, form.rule
    head = ["Question", "Answer", *_heads(titles)]
    rows = [["To start with", "", *_whole(rule.start)]]
    for question, table in zip(form.asked, rule.tables, strict=True):
        for place, (word, points) in enumerate(zip(question.words, table, strict=False)):
            rows.append([question.title if not place else "", f"\u2610 {word}", *_whole(points)])
    rows.append(["Sum of points", "", *([""] * len(titles))])
    return [
        "<p>Tick one answer to each question, and add up its points for every group; a question "
        "not answered gives none. The group with the most points is the likeliest.</p>",
        _rows(head, rows),
    ]


def _heads(titles: Sequence[str]) -> list[str]:
    """The groups' names, their numbers alone where they are many."""
    return [title if len(titles) <= MANY else title.removeprefix("Group ") for title in titles]


def _sure(form: Form) -> str:
    """The table of leads, where there is one."""
    sure = how_sure(form)
    return "" if sure.empty else f"<div><h2>How sure</h2>{_table(sure)}</div>"


def _tree(form: Form) -> list[str]:
    lines = form.rule.lines(form.questions, form.titles)
    rows = [[f"{at}", *line] for at, line in enumerate(lines, 1)]
    return [
        "<p>Begin with question 1, and go where the answer leads.</p>",
        _rows(["", "Question", "Yes: go to", "No: go to"], rows),
    ]


def _how(form: Form, told: Bands, lock: Lock) -> str:
    hides = (
        ""
        if form.least == OFF
        else f" No count of patients below {form.least} can be worked out from this sheet: a share "
        "stands there as the lowest and the highest it can be, and its interval is wider for it; "
        "nothing stands there of a group whose size would tell that of a smaller one."
    )
    return (
        f"Agreement with the groups found, {told.agreement}: cross-validated in {FOLDS} parts, the "
        "questions chosen anew in each, for patients like those of the cohort and groups as common "
        "as there. Sensitivity: of the group's patients, the share told to be in it. Positive "
        "predictive value: of those told to be in it, the share that are. The sheet cannot tell a "
        "patient unlike any group; the form on the screen gives that probability, too. It gives "
        "back the groups that were found in this cohort; it does not show that they are subtypes."
        f"{hides} Study locked {lock.time}, hash {lock.hash[:12]}."
    )


def _whole(points: Iterable[float]) -> list[str]:
    return [f"{point:+.0f}" if point else "0" for point in points]


def _table(table: pd.DataFrame) -> str:
    return _rows(list(table), table.to_numpy(object).tolist())


def _rows(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """A table; what stands in the third column or later is a number where it looks like one."""
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>"
        + "".join(f"<td{_mark(place, cell)}>{_text(cell)}</td>" for place, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _mark(place: int, cell: object) -> str:
    if str(cell).lstrip("+-").isdigit() and place > 1:
        return ' class="number"'
    return ' class="asked"' if place == 0 else ""


def _text(text: object) -> str:
    return html.escape(str(text))
