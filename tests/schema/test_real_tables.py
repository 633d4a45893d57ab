"""What real tables are taken for, and what is asked about them; skipped where they do not lie."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Schema, infer_schema, read_table

SHARED = Path(__file__).parents[3] / "shared"
DATA, RAW, CASES = SHARED / "data", SHARED / "raw-tables", SHARED / "redesign" / "cases"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason=f"No tables lie at {SHARED}.")


@cache
def opened(path: Path) -> tuple[pd.DataFrame, Schema]:
    """A file's table, and what its columns are taken for."""
    frame = read_table(path)
    return frame, infer_schema(frame)


@cache
def twelve() -> list[tuple[str, dict, pd.DataFrame, Schema]]:
    """Name of each of twelve tables, what people say of its columns, its cells, and our word."""
    return [
        (path.parent.name, json.loads(path.read_text(encoding="utf-8")), *opened(csv))
        for path in sorted(DATA.glob("*/schema.json"))
        for csv in path.parent.glob(f"{path.parent.name}.csv")
    ]


def asked(schema: Schema, about: str) -> list[set[str]]:
    """The columns of every question about that."""
    return [{*question.columns} for question in schema.questions if question.about == about]


def _is_right(spec, word: str, n_distinct: int) -> bool:
    """Whether a guess agrees with a word of schema.json, which may end as in "ordinal(1-5)"."""
    if spec.role != "cluster" and not spec.reason.startswith("The same fact as"):
        return False
    if word == "continuous(log)":
        return spec.family == "normal" and spec.transform == "log"
    counts = {"poisson", "geometric", "negative_binomial"}
    if word == "count(0-5)":  # a count with a ceiling is a rating as well
        return spec.family in counts | {"binomial"}
    # With two levels in the data, yes/no, category and rating are one and the same likelihood.
    two = {"bernoulli"} if n_distinct == 2 else set()
    right = {"binary": {"bernoulli"}, "continuous": {"normal"}, "count": counts}
    right |= {"categorical": {"categorical"} | two, "ordinal": {"binomial"} | two}
    return spec.family in right[word.partition("(")[0]]


def test_twelve_tables_are_taken_for_what_they_are():
    misses, total = [], 0
    for table, facts, frame, schema in twelve():
        assert np.isfinite(np.nanmax(schema.encode(frame).values)), table
        assert schema.label_column == facts["class_column"], table
        assert schema.names("id") == tuple(facts["id_columns"]), table
        outcomes = {schema[name].role for name in facts["outcome_columns"]}
        assert outcomes <= {"validator", "control"}, table
        for name, word in facts["columns"].items():
            total += 1
            if not _is_right(schema[name], word, frame[name].nunique()):
                misses.append(f"{table} {name}: {word}, guessed {schema[name].family}")
    assert total == 191
    assert len(misses) <= 0.02 * total, misses


def test_only_true_copies_are_left_aside_in_the_twelve_tables():
    """Two of voice measures are thrice another one by definition.

    No grams a day are no drinker, but of how many drinkers the grams are not known!
    """
    found = {}
    for table, facts, frame, _ in twelve():
        for columns in asked(infer_schema(frame, label=facts["class_column"]), "repeat"):
            found[table] = columns
    assert found == {"parkinsons-voice": {"Jitter:DDP", "Shimmer:DDA"}}


def test_a_class_is_asked_about_whatever_its_name_and_nothing_where_there_is_none():
    missed, false = [], []
    for table, facts, whole, _ in twelve():
        name, outcomes = facts["class_column"], facts["outcome_columns"]
        without = infer_schema(whole.drop(columns=[*({name, *outcomes} - {None})]))
        false += [q.text for q in without.questions if q.about in ("label", "outcome")]
        if name is None:
            continue
        frame = whole.drop(columns=outcomes)
        frames = [frame.rename(columns={name: "zzz"})]
        if name != frame.columns[-1]:
            frames.append(frame.set_axis([f"column {j}" for j in range(frame.shape[1])], axis=1))
        for renamed in frames:
            of_class = renamed.columns[frame.columns.get_loc(name)]
            if of_class not in set().union(*asked(infer_schema(renamed), "label")):
                missed.append(table)
    assert missed == []
    assert len(false) <= 1, false


def test_raw_tables():
    check = [sys.executable, str(RAW / "check.py")]
    printed = subprocess.run(check, capture_output=True, text=True, check=True).stdout
    right, total = map(int, re.search(r"(\d+) of (\d+) columns", printed).groups())
    assert right == total == 105, printed


def test_an_export_names_its_codes_in_one_question():
    _, schema = opened(SHARED / "exports" / "hr.csv")
    (question,) = [q for q in schema.questions if "left aside" in q.text]
    repeated = ["MarriedID", "MaritalStatusID", "GenderID", "DeptID", "PerfScoreID", "Termd"]
    repeated.append("EmploymentStatus")
    assert set(repeated) == set(question.columns)
    assert all(name in question.text for name in (*repeated, "PerformanceScore", "Sex"))
    # What says the same as an outcome is asked about with it.
    with_it = {"Termd", "EmpStatusID", "TermReason", "EmploymentStatus"}
    assert asked(schema, "outcome") == [with_it]


#: Of Part B of the cases: a file, one of its columns, and fields of what that is taken for.
TYPED = [
    ("05-bp.csv", "BP", {"role": "ignore"}),
    ("14-ga.csv", "GA", {"role": "ignore"}),
    ("11-icd9.csv", "codice_comune", {"role": "id"}),
    ("35b-customers.csv", "customer", {"role": "id"}),
    ("42-xy.csv", "y", {"role": "cluster"}),
    ("11-icd9.csv", "codice_regione", {"family": "categorical"}),
    ("25-spss.sav", "region", {"family": "categorical", "levels": ("1", "2", "66", "9")}),
    ("25-spss.sav", "trust", {"family": "binomial"}),
    ("04-dipstick.csv", "Ketone", {"levels": ("NEG", "TR", "10", "40", "80", "150")}),
]


@pytest.mark.parametrize(("file", "name", "fields"), TYPED)
def test_columns_that_strangers_brought_are_what_they_are(file, name, fields):
    _, schema = opened(CASES / file)
    assert {field: getattr(schema[name], field) for field in fields} == fields


def test_what_strangers_brought_is_asked_about():
    for file, about, names in (
        ("23b-serials.csv", "cells", {"date_onset", "date_of_birth"}),
        ("13-mimic300.csv", "missing", {"age"}),
        ("42-xy.csv", "label", {"y"}),
        ("42-xy.csv", "missing", set()),
        ("29-points.csv", "repeat", set()),
        ("35b-customers.csv", "repeat", set()),
    ):
        assert set().union(*asked(opened(CASES / file)[1], about)) == names, file
    assert opened(CASES / "36-dummies.csv")[1].names("cluster") == ("spend",)


#: Of Part A of the cases: a file, its rows, a column with its first cells, and what is said.
READ = [
    ("01-multiselect.csv", 120, "Q2_devices", ["4", "1,2,4"], "several answers in a cell"),
    ("01f-words.csv", 120, "Which symptoms did you have?", ["Fatigue"], "several answers"),
    ("01j-one-answer.csv", 100, "lab", [1.508, 0.589, 1.184], ""),
    ("01j-one-answer.csv", 100, "answers", ["1,2", "3"], "may be several answers"),
    ("01c-gravity.csv", 120, "specific_gravity", [1.021, 1.013], "it could be 1,021"),
    ("01c-gravity.csv", 120, "creatinine", [1.555, 0.833, 0.719], ""),
    ("16-qualtrics.csv", 120, "Q2_1", [4, 1, 5], "Lines 2 to 3 describe"),
    ("17b-orange.tab", 120, "sepal length", [6.8, 4.7, 4.9], "Lines 2 to 3 describe"),
    ("22c-title.xlsx", 60, "Age", [69, 68, 72], "“Cohort export 12.03.2024”"),
    ("22b-merged-arm.xlsx", 60, "Arm", ["placebo"] * 3, "3 merged cells count"),
    ("32-receptors.csv", 150, "ER", ["-", "-", "+"], ""),
    ("07-na.csv", 120, "region", ["APAC", None, "EU"], "a code like the others"),
    ("34-dashes.csv", 150, "Q1", [8995, 9886, 45994], "stands for 0 in accounts"),
    ("21b-cp1251.csv", 120, "Пол", ["женский"], "read as cp1251"),
    ("21d-sjis.csv", 120, "性別", ["男"], "read as cp932"),
    ("24-bigint.csv", 120, "national_number", ["100000000000000002"], ""),
]


@pytest.mark.parametrize(("file", "n", "name", "cells", "text"), READ)
def test_files_that_strangers_brought_are_read_as_they_are_meant(file, n, name, cells, text):
    frame, schema = opened(CASES / file)
    found = [None if pd.isna(cell) else cell for cell in frame[name].head(len(cells))]
    assert (len(frame), found) == (n, cells)
    assert text in " ".join(frame.attrs["notes"])
    several = schema[name].role == "ignore"
    assert several == ("several answers" in text)
    assert file != "24-bigint.csv" or frame[name].nunique() == 120
    assert file != "32-receptors.csv" or schema[name].levels == ("-", "+")
