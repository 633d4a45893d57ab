"""The items of STROBE (cohort studies) and RECORD: answered in this report, or left to the authors.

The items are named in own words; their numbers are those of the statements (von Elm et al., PLoS
Med 2007, 4:e296; Benchimol et al., PLoS Med 2015, 12:e1001885).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ..schema.spec import TIME_TO_EVENT
from ..wording import counted, percent
from .checks import Checks
from .preregistration import covariates, multiplicity
from .study import Study

ANSWERED, PARTLY, OPEN = "answered", "in part", "open"
#: Sections of the report, by what is looked for in them.
OBJECTIVES, METHODS, PEOPLE = "Objectives", "Methods", "Participants and descriptive data"
GROUPS, STABILITY = "Groups at a glance", "Stability"
OUTCOMES, ADJUSTED = "Validators", "Adjusted effects"
SMALLEST_SHOWN, FOLLOW_UP = "Smallest differences", "Follow-up"
LIMITS, QUESTIONS, RECORD = (
    "Limitations and interpretation",
    "Is it applicable?",
    "Roles and record",
)


@dataclass(frozen=True)
class Item:
    """One thing that a reader looks for."""

    number: str
    topic: str
    #: Section of the report; empty where it is open.
    section: str = ""
    #: What is known, or what is asked of the authors.
    here: str = "to be written by the authors"
    status: str = OPEN


def strobe_table(
    study: Study, checks: Checks, tables: Sequence[str], answers: Sequence[str]
) -> pd.DataFrame:
    """Every item of STROBE with where it is answered, by the names of the ``tables`` there are."""
    return _frame(
        [
            *_introduction(study),
            *_design(study),
            *_statistics(study, checks),
            *_results(study, checks, tables),
            *_discussion(answers),
        ]
    )


def record_table(study: Study) -> pd.DataFrame:
    """Every item of RECORD, for data that were collected in routine care."""
    lock = study.lock
    return _frame(
        [
            Item("1.1", "Type of data and names of the databases, in title or abstract"),
            Item("1.2", "Region and years, in title or abstract"),
            Item("1.3", "That databases were linked, in title or abstract, if they were"),
            Item("6.1", "Codes and rules by which people were selected"),
            Item("6.2", "Studies that validated those codes"),
            Item("6.3", "Linkage as a diagram with numbers at every stage, if there was any"),
            Item(
                "7.1",
                "All codes that define exposures, outcomes and confounders",
                RECORD,
                "columns, likelihoods and codes that count; how they came about in care is open",
                PARTLY,
            ),
            Item("12.1", "Access of the investigators to the whole database"),
            Item("12.2", "How the data were cleaned", METHODS, lock.preparation, PARTLY),
            Item("12.3", "Level, method and quality of linkage, if there was any"),
            Item(
                "13.1",
                "Selection of people: filters by quality, availability and linkage",
                PEOPLE,
                "the steps after the file was read; those before it are not known here",
                PARTLY,
            ),
            Item("19.1", "What follows from data that were not collected for this question"),
            Item(
                "22.1",
                "Where protocol, data and code can be had",
                RECORD,
                f"settings as JSON and the pre-registration (hash {lock.hash[:16]}) come with the "
                "report; where they lie is for the authors to say",
                PARTLY,
            ),
        ]
    )


def _frame(items: Sequence[Item]) -> pd.DataFrame:
    rows = [(i.number, i.topic, i.status, i.section, i.here) for i in items]
    return pd.DataFrame(rows, columns=["Item", "What it asks", "Status", "Section", "Here"])


def _introduction(study: Study) -> list[Item]:
    purpose = study.lock.plan.purpose
    aim = Item("3", "Objectives and hypotheses")
    if purpose:
        aim = Item("3", aim.topic, OBJECTIVES, "as locked before the search", ANSWERED)
    return [
        Item("1a", "Design named in title or abstract"),
        Item("1b", "Abstract that says what was done and found"),
        Item("2", "Background and reasons"),
        aim,
    ]


def _design(study: Study) -> list[Item]:
    lock = study.lock
    named = f"{counted(len(lock.columns('cluster')), 'column')} that made the groups, " + (
        f"{counted(len(lock.columns('validator')), 'outcome')}, "
        f"{counted(len(lock.plan.covariates), 'covariate')}"
    )
    repeats = lock.repeats
    rows = "one row a patient, as far as ids tell" if repeats is None else repeats.sentence
    return [
        Item(
            "4",
            "Main features of the design",
            METHODS,
            f"roles and rules locked {lock.time}, before the search",
            PARTLY,
        ),
        Item("5", "Setting, places, and dates of recruitment, follow-up and data collection"),
        Item(
            "6a",
            "Who was eligible, where they came from, how they were followed up",
            PEOPLE,
            f"{rows}; eligibility and sources are not known here",
            PARTLY,
        ),
        Item(
            "6b",
            "Matching, if there was any",
            here="none was made here",
            status=ANSWERED,
            section=METHODS,
        ),
        Item(
            "7",
            "Outcomes, exposures and confounders defined",
            RECORD,
            f"{named}; clinical definitions are for the authors to give",
            PARTLY,
        ),
        Item("8", "How and where each variable was measured"),
        Item(
            "9",
            "Efforts against bias",
            METHODS,
            "roles locked first, references without groups, and, where asked for, columns left out "
            "in turn and negative controls; bias of selection and measurement is open",
            PARTLY,
        ),
        Item(
            "10",
            "How the size of the study came about",
            SMALLEST_SHOWN,
            f"what {lock.n_rows:,} patients can show; why so many is not known here",
            PARTLY,
        ),
    ]


def _statistics(study: Study, checks: Checks) -> list[Item]:
    lock = study.lock
    stability, reference = checks.stability, checks.reference
    made = stability is not None and stability.bootstraps is not None
    sought = "other patients, starts and priors; tables without groups"
    checked = made and reference is not None and bool(reference.n_draws)
    timed = [n for n in lock.columns("validator") if lock.schema[n].family == TIME_TO_EVENT]
    return [
        Item(
            "11",
            "How numbers were handled and cut",
            METHODS,
            f"each column under its likelihood, none cut into classes here. {lock.model}",
            ANSWERED,
        ),
        Item(
            "12a",
            "All statistical methods, with those against confounding",
            METHODS,
            f"{covariates(lock)} {multiplicity(lock)}",
            ANSWERED,
        ),
        Item(
            "12b",
            "Methods for subgroups and interactions",
            METHODS,
            "the groups are the subject of the study; no interaction was tested",
            ANSWERED,
        ),
        Item(
            "12c",
            "How missing data were handled",
            METHODS,
            "left out of the likelihood; available cases in tests, complete ones in regressions; "
            "none filled in",
            ANSWERED,
        ),
        Item(
            "12d",
            "How loss to follow-up was handled",
            METHODS,
            "censored when last seen, as independent of the event: whether that is so is for the "
            "authors to say",
            PARTLY,
        )
        if timed
        else Item("12d", "How loss to follow-up was handled"),
        Item(
            "12e",
            "Sensitivity analyses",
            STABILITY if checks.groups.found_any else GROUPS,
            sought if checked else f"not all have been run: {sought}",
            ANSWERED if checked else PARTLY,
        ),
    ]


def _results(study: Study, checks: Checks, tables: Sequence[str]) -> list[Item]:
    lock = study.lock
    timed = [n for n in lock.columns("validator") if lock.schema[n].family == TIME_TO_EVENT]
    encoded = checks.groups.model.columns_.encoded
    missing = percent(float(encoded.is_missing.mean()))
    described = "table-1" in tables
    kept_out = bool(lock.columns("validator")) and "validators" in tables
    adjusted = bool(lock.plan.covariates) and "adjusted" in tables
    absent = "no groups were found" if not checks.groups.found_any else "no such table was made"
    estimates = (
        f"alone and adjusted for {', '.join(lock.plan.covariates)}; why these is for the authors"
        if adjusted
        else "unadjusted, with intervals: no covariate was locked"
    )
    return [
        Item(
            "13a",
            "Numbers at every stage",
            PEOPLE,
            "from the rows of the file on; before that is not known here",
            PARTLY,
        ),
        Item(
            "13b",
            "Why people did not take part",
            PEOPLE,
            "the steps of Prepare; before the file is not known here",
            PARTLY,
        ),
        Item("13c", "Flow diagram", PEOPLE, "as a table", ANSWERED),
        Item(
            "14a",
            "What the participants were like",
            PEOPLE if described else "",
            "Table 1, all and by group" if described else absent,
            ANSWERED if described else OPEN,
        ),
        Item(
            "14b",
            "Missing data for each variable",
            PEOPLE,
            "by column and group" if "missing" in tables else f"{missing} of the cells used",
            ANSWERED if "missing" in tables else PARTLY,
        ),
        Item(
            "14c",
            "Follow-up time, average and total",
            FOLLOW_UP if timed else "",
            "of times to events, by group" if timed else "no time to an event was named",
            PARTLY if timed else OPEN,
        ),
        Item(
            "15",
            "Outcome events over time",
            OUTCOMES if kept_out else "",
            "values of every outcome by group, shares without the event at fixed times"
            if kept_out
            else "no outcome was named, or none could be compared",
            ANSWERED if kept_out else OPEN,
        ),
        Item(
            "16a",
            "Estimates, unadjusted and adjusted, with intervals, and why adjusted so",
            "" if not kept_out else ADJUSTED if "adjusted" in tables else OUTCOMES,
            estimates if kept_out else "no outcome was compared",
            PARTLY if kept_out else OPEN,
        ),
        Item(
            "16b", "Bounds of classes that numbers were cut into", METHODS, "none was cut", ANSWERED
        ),
        Item(
            "16c",
            "Risks as absolute ones over a time",
            OUTCOMES if kept_out else "",
            "risk differences of yes/no outcomes, shares at fixed times of times to events"
            if kept_out
            else "no outcome was compared",
            ANSWERED if kept_out else OPEN,
        ),
        Item(
            "17",
            "Other analyses",
            STABILITY if checks.groups.found_any else GROUPS,
            "chance and severity, stability, t-tests with columns left out, as far as they were run"
            if checks.groups.found_any
            else absent,
            PARTLY,
        ),
    ]


def _discussion(answers: Sequence[str]) -> list[Item]:
    said = any(answers)
    return [
        Item(
            "18",
            "Main results beside the objectives",
            GROUPS,
            "the verdict with its clauses; in words of the question it is open",
            PARTLY,
        ),
        Item(
            "19",
            "Limitations, and which way bias goes",
            LIMITS,
            "those of the method; those of the data are open",
            PARTLY,
        ),
        Item("20", "Cautious interpretation beside other evidence"),
        Item(
            "21",
            "To whom the results apply",
            QUESTIONS,
            "the answers of a clinician" if said else "five questions, not answered",
            PARTLY if said else OPEN,
        ),
        Item("22", "Funding and the part of the funders"),
    ]
