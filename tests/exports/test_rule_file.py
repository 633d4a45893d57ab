"""Rule files: three languages give every row the group that the rules give it."""

from __future__ import annotations

import io
import shutil
import sqlite3
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from openpyxl.formula.translate import Translator

from core import infer_schema
from core.exports.rule_file import (
    LANGUAGES,
    RuleFileError,
    WrittenRules,
    in_excel,
    written_rules,
)
from core.exports.tables import as_xlsx
from core.profiling.conditions import AT_LEAST, BELOW, IS, IS_NOT, Condition
from core.profiling.rules import Rule, RuleSet, TableRules, rules_of_table
from tests.excel_formula import evaluate

#: Rows, and the first of them, with every hole and code, that a real spreadsheet calculates.
N, CALCULATED = 1_000, 300
LIBREOFFICE = shutil.which("soffice")
TITLES = ("The rest", 'Old "ones"', "O'Brien's", "=4", "Cluster 5")


def _table() -> tuple[pd.DataFrame, TableRules, np.ndarray]:
    """Columns of all kinds, with holes, codes and quotes in odd places."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            'the "age"': random.integers(18, 90, N).astype(float),
            "no column's": random.choice(["it's", 'a "b"', "Yes", "yes", " c"], N),
            "crp": np.exp(random.normal(1.0, 1.0, N)).round(1),
            "pain": random.choice(["low", "middle", "high"], N),
            "smokes": random.choice([True, False], N),
            "kind": random.choice([0, 1, 7], N),
        }
        | {f"x{j}": random.normal(size=N).round(6) for j in range(22)}
        | {"far": random.integers(-3, 4, N)}
    )
    frame.loc[::5, 'the "age"'] = np.nan
    frame.loc[1::7, 'the "age"'] = 999.0
    frame.loc[frame.crp < 1.5, "crp"] = 0.0
    frame.loc[::4, "crp"] = np.nan
    for column, step in (("no column's", 3), ("pain", 6)):
        frame.loc[::step, column] = None
    frame.loc[::11, "no column's"] = "?"
    schema = infer_schema(frame)
    told = {
        'the "age"': {"family": "normal", "missing_codes": (999,)},
        "no column's": {"family": "categorical", "missing_codes": ("?",)},
        "crp": {"family": "normal", "transform": "log", "special": {"zero": 0}},
        "pain": {"family": "binomial", "levels": ("low", "middle", "high")},
        "smokes": {"family": "bernoulli", "levels": (False, True)},
        "kind": {"family": "categorical"},
        "far": {"family": "normal"},
    }
    for name, options in told.items():
        schema = schema.with_column(name, role="cluster", **options)
    labels = random.integers(0, 5, N)
    rules = rules_of_table(frame, schema.encode(frame), labels)
    assert {name for name, _ in rules.cells} == {*frame}
    return frame, rules, labels


FRAME, RULES, LABELS = _table()


def _of_every_kind() -> list[Condition]:
    """Conditions on all columns but the plain ones, each with and without what is not known."""
    found = []
    for (name, of_outcome), cells in RULES.cells.items():
        words, values = (AT_LEAST, BELOW, IS), np.unique(cells.values[~np.isnan(cells.values)])
        if name.startswith("x"):
            continue
        if not cells.is_cut:
            words = (IS, IS_NOT)
        for word in words:
            for value in values[int(of_outcome) :: max(1, len(values) // 4)]:
                found.append(Condition(name, word, float(value), of_outcome))
    return found + [replace(condition, or_unknown=True) for condition in found]


def _random_set(random: np.random.Generator) -> RuleSet:
    every = _of_every_kind()
    rules = [
        Rule(k, tuple(every[j] for j in random.choice(len(every), 1 + k % 3, replace=False)))
        for k in (1, 2, 3, 4, 2, 3)
    ]
    return RuleSet(tuple(rules), 0)


def _by_sql(text: str, database: sqlite3.Connection) -> list[str]:
    rows = database.execute(f"SELECT {text} AS found FROM cells ORDER BY rowid")
    return [title for (title,) in rows]


def _by_python(text: str) -> list[str]:
    room: dict = {}
    exec(text, room)
    as_dicts = FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")
    given = [room["group_of"](row) for row in as_dicts]
    assert given == FRAME.apply(room["group_of"], axis=1).to_list()  # NaN and NA are missing, too
    return given


def _formula(text: str) -> str:
    return text.rstrip("\n").rpartition("\n")[2]


def _by_excel(text: str, rows: list[dict]) -> list[str]:
    return [evaluate(_formula(text), row) for row in rows]


def _by_libreoffice(texts: list[str], folder: Path) -> list[list[str]]:
    """Every formula copied down the workbook that the page hands out, and calculated."""
    workbook = openpyxl.load_workbook(io.BytesIO(as_xlsx(FRAME.head(CALCULATED))))
    sheet, first = workbook.worksheets[0], FRAME.shape[1] + 1
    for row in range(2, CALCULATED + 2):
        for j, text in enumerate(texts):
            copied = Translator(_formula(text), "ZZ2").translate_formula(f"ZZ{row}")
            sheet.cell(row, first + j).value = copied
    workbook.save(folder / "rules.xlsx")
    settings = f"-env:UserInstallation={(folder / 'settings').as_uri()}"
    told = [LIBREOFFICE, settings, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML"]
    told += ["--outdir", str(folder / "calculated"), str(folder / "rules.xlsx")]
    subprocess.run(told, check=True, capture_output=True, timeout=300)
    (sheet,) = openpyxl.load_workbook(folder / "calculated" / "rules.xlsx", data_only=True)
    columns = sheet.iter_cols(first, first + len(texts) - 1, 2, CALCULATED + 1, values_only=True)
    return [list(column) for column in columns]


@pytest.fixture(scope="module")
def database():
    connection = sqlite3.connect(":memory:")
    FRAME.to_sql("cells", connection, index=False)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def sheet():
    """Rows of the workbook that the page hands out, by the letters of its columns."""
    ((_, *rows),) = [[*s.rows] for s in openpyxl.load_workbook(io.BytesIO(as_xlsx(FRAME)))]
    return [{cell.column_letter: cell.value for cell in row} for row in rows]


def _written(whole: RuleSet) -> WrittenRules:
    rules = replace(RULES, found=replace(RULES.found, whole=whole))
    return written_rules(rules, TITLES, tuple(FRAME.columns), "a\n'file'", prepared=False)


def _expected(whole: RuleSet) -> list[str]:
    return [TITLES[k] for k in whole.assign(RULES.cells)]


def _all_agree(whole: RuleSet, database, sheet) -> None:
    expected = _expected(whole)
    texts = {name: language.write(_written(whole)) for name, language in LANGUAGES.items()}
    assert _by_sql(texts["SQL"], database) == expected
    assert _by_python(texts["Python"]) == expected
    assert _by_excel(texts["Excel"], sheet) == expected


def test_the_rules_found_are_the_same_everywhere(database, sheet):
    assert RULES.found.whole.rules
    _all_agree(RULES.found.whole, database, sheet)


@pytest.mark.parametrize("seed", range(12))
def test_rules_of_every_kind_are_the_same_everywhere(seed, database, sheet):
    _all_agree(_random_set(np.random.default_rng(seed)), database, sheet)


@pytest.mark.skipif(LIBREOFFICE is None, reason="LibreOffice is absent (libreoffice-calc).")
def test_a_real_spreadsheet_gives_the_same_groups(tmp_path):
    random_sets = (_random_set(np.random.default_rng(seed)) for seed in range(12))
    sets = [RULES.found.whole, *random_sets]
    written = (_written(whole) for whole in sets)
    found = _by_libreoffice([in_excel(rules) for rules in written], tmp_path)
    for whole, answers in zip(sets, found, strict=True):
        expected = _expected(whole)
        assert answers == expected[:CALCULATED]
        assert {*answers} == {*expected}


def test_blanks_around_a_text_make_no_other_text():
    """Files are read without them, and rules are tried on cells as they stand in a database."""
    low, middle = (Rule(k, (Condition("pain", IS, k - 1.0),)) for k in (1, 2))
    whole = RuleSet((low, middle), 0)
    rules = replace(RULES, found=replace(RULES.found, whole=whole))
    texts = {
        label: language.write(written_rules(rules, TITLES, ("pain",), "t", False))
        for label, language in LANGUAGES.items()
    }
    padded = pd.DataFrame({"pain": ["low  ", " middle", " high ", "low", None]})
    expected = [TITLES[k] for k in (1, 2, 0, 1, 0)]
    with sqlite3.connect(":memory:") as database:
        padded.to_sql("cells", database, index=False)
        assert _by_sql(texts["SQL"], database) == expected
    room: dict = {}
    exec(texts["Python"], room)
    assert [room["group_of"](row) for row in padded.to_dict("records")] == expected
    cells = padded["pain"].astype(object).where(padded["pain"].notna(), None)
    rows = [{"A": cell} for cell in cells]
    assert _by_excel(texts["Excel"], rows) == expected


def test_the_head_says_how_often_the_rules_are_right():
    columns = tuple(FRAME.columns)
    found = replace(RULES.found, agreement=0.815, largest=0.3)
    written = written_rules(replace(RULES, found=found), TITLES, columns, "x", prepared=True)
    for language in LANGUAGES.values():
        head = language.write(written)
        assert "82 % are given their own group (cross-validated)" in head
        assert "the largest group has 30 % of the rows" in head
        assert "after the steps of Prepare" in head


def test_what_excel_has_no_room_for_is_said():
    far = Condition("far", AT_LEAST, 1.0)
    rules = tuple(Rule(1, (far,)) for _ in range(70))
    many = replace(RULES, found=replace(RULES.found, whole=RuleSet(rules, 0)))
    columns = tuple(FRAME.columns)
    with pytest.raises(RuleFileError, match="70 IFs"):
        in_excel(written_rules(many, TITLES, columns, "x", prepared=False))
    long = ("a" * 300, *TITLES[1:])
    with pytest.raises(RuleFileError, match="300"):
        in_excel(written_rules(RULES, long, columns, "x", prepared=False))
    one = replace(RULES, found=replace(RULES.found, whole=RuleSet(rules[:1], 0)))
    text = in_excel(written_rules(one, TITLES, columns, "x", prepared=False))
    assert "AC is far" in text
    assert text.endswith('\n=IF(AND(ISNUMBER(AC2),AC2>=1),"Old ""ones""","The rest")\n')
