"""Broken, hostile and odd inputs of every kind, what is done with each, and what came of it."""

import gzip
import hashlib
import io
import json
import re
import signal
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache, partial
from resource import RUSAGE_SELF, getrusage
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from mapdp_studio.core import (
    MAPDP,
    ModelFileError,
    SchemaError,
    TableError,
    infer_schema,
    load_model,
    read_table,
    save_model,
)
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.clinical.study import SecondTable
from mapdp_studio.core.comparing.snapshots import Snapshot, side_by_side
from mapdp_studio.core.exports.settings_file import (
    SettingsFileError,
    fitting_schema,
    load_settings,
    save_settings,
)
from mapdp_studio.core.exports.tables import as_csv, as_dta, as_parquet, as_sav
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.saved import FILE as MODEL
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.prepare.recipe import Entry, Recipe
from mapdp_studio.core.prepare.rows import DropRepeated
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.prepare.tables import Join
from mapdp_studio.core.profiling.suggestions import suggestions
from mapdp_studio.core.session.project import Project
from mapdp_studio.core.session.project_file import FILE as PROJECT
from mapdp_studio.core.session.project_file import ProjectFileError, load_project, save_project
from mapdp_studio.core.session.table import Table
from tests.random_steps import other_frame, random_step
from tests.tables.four_groups import FRAME, GROUP, SCHEMA

Random = np.random.Generator
OWN = (
    *(TableError, SchemaError, ModelFileError, SettingsFileError, ProjectFileError),
    PrepareError,
)
#: Values that files made by hand put where a number, a name or a list belongs.
ODD = (
    *(None, True, False, 0, -1, 1, 3, 1.5, -0.0, 1e308, -1e308, 1e-320, 2**63, 10**25),
    *(float("inf"), float("-inf"), float("nan"), "", "x", "normal", "\ud800", "=1+1", "<b>"),
    *([], [[]], [0, 0], [99], {}, {"x": 1}, "cluster", "a" * 10_000),
)
CELLS = (
    *("", "1", "-1", "1.5", "1e400", "1e-400", "NaN", "inf", "-Infinity", "a", "é", "😀", "NA"),
    *("\x00", "\ufeff", '"', '""', "'", ",", ";", "\n", "\r", "\r\n", "\t", "=cmd|' /C calc'!A0"),
    *("2020-01-01", "01.02.2020", "12:30", "1,5", "1.000,5", "1 000", "9" * 30, "x" * 3000),
    *("0x1F", "1_000", "١٢", "\u22125", "½", "true", "yes", "N/A", "\u202e", "a\u0300"),
)


def one_of(random: Random, among: Any) -> Any:
    return among[int(random.integers(len(among)))]


def _frame(random: Random) -> pd.DataFrame:
    rows, columns = int(random.integers(1, 30)), int(random.integers(1, 6))
    cells = random.choice(np.array(CELLS, dtype=object), (rows, columns))
    for j in np.flatnonzero(random.random(columns) < 0.5):
        cells[:, j] = random.normal(size=rows).round(2).astype(str)
    return pd.DataFrame(cells, columns=[str(one_of(random, CELLS)) for _ in range(columns)])


def _damaged(content: bytes, random: Random, share: float = 1.0) -> bytes:
    """With some bytes changed, cut or repeated, now and then all that follow; or as it is."""
    data = bytearray(content)
    if random.random() >= share:
        return content
    for _ in range(int(random.integers(0, 6))):
        at, size = int(random.integers(len(data) + 1)), int(random.integers(1, 40))
        part = bytes(data[at : at + size])
        repeated = part * int(random.integers(1, 50))
        data[at : at + size] = one_of(random, (random.bytes(1) + part[1:], b"", repeated))
        data[at:at] = random.bytes(size) if random.random() < 0.25 else b""
        if random.random() < 0.2:
            del data[at:]
    return bytes(data)


def _zipped(members: dict[str, bytes], random: Random, share: float = 0.0) -> bytes:
    packed = zipfile.ZIP_DEFLATED if random.random() < 0.7 else zipfile.ZIP_STORED
    with zipfile.ZipFile(out := io.BytesIO(), "w", packed) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return _damaged(out.getvalue(), random, share)


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _delimited(random: Random) -> bytes:
    separator, end = one_of(random, ",;\t| "), one_of(random, ("\n", "\r\n", "\r"))
    frame = _frame(random)
    if random.random() < 0.5:
        text = frame.to_csv(index=False, sep=separator, lineterminator=end)
    else:  # nothing is quoted, and lines are of any length
        lines = [[*_frame(random)], *frame.to_numpy().tolist()]
        text = end.join(separator.join(map(str, line)) for line in lines)
    encoding = one_of(random, ("utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"))
    return _damaged(text.encode(encoding, "replace"), random)


def _json_table(random: Random) -> bytes:
    records = [
        {one_of(random, "abcdef"): one_of(random, ODD) for _ in range(random.integers(0, 5))}
        for _ in range(random.integers(1, 20))
    ]
    lines = "\n".join(json.dumps(record) for record in records)
    return _damaged(one_of(random, (json.dumps(records), lines)).encode(), random)


def _parquet(random: Random) -> bytes:
    whole = random.integers(-(2**62), 2**62, 20)
    arrays = {
        "text": pa.array([str(one_of(random, CELLS)) for _ in range(20)], pa.string()),
        "large": pa.array(["x" * int(random.integers(1, 500))] * 20, pa.large_string()),
        "number": pa.array(random.normal(size=20)),
        "whole": pa.array(whole),
        "time": pa.array(whole, pa.timestamp("ms")),
        "wait": pa.array(random.integers(-(2**40), 2**40, 20), pa.duration("s")),
        "yes": pa.array([one_of(random, (True, False, None)) for _ in range(20)], pa.bool_()),
        "decimal": pa.array(random.normal(size=20)).cast(pa.decimal128(38, 18)),
        "list": pa.array([[1, 2]] * 20),
    }
    kept = [name for name in arrays if random.random() < 0.6] or ["number"]
    pa.parquet.write_table(pa.table({name: arrays[name] for name in kept}), out := io.BytesIO())
    return _damaged(out.getvalue(), random, 0.7)


@cache
def _workbook() -> bytes:
    FRAME.to_excel(out := io.BytesIO(), index=False)
    return out.getvalue()


def _xlsx(random: Random) -> bytes:
    members = _members(_workbook())
    for _ in range(int(random.integers(1, 3))):
        name = one_of(random, list(members))
        text = members[name].decode("utf-8", "replace")
        digits = [found.start() for found in re.finditer(r"\d", text)]
        if digits and random.random() < 0.6:  # a number of the sheet, a style or a reference
            at = one_of(random, digits)
            odd = one_of(random, ("-1", "1048577", "99999999", "x", "", "1e999", "16385"))
            members[name] = (text[:at] + odd + text[at + 1 :]).encode("utf-8", "replace")
        elif random.random() < 0.2:
            del members[name]
        else:
            members[name] = _damaged(members[name], random)
    return _zipped(members, random, 0.2)


def _packed(random: Random) -> bytes:
    """A delimited file in gzip or zip, or a table in Feather."""
    how = random.random()
    if how < 0.3:
        frame = pd.DataFrame({"number": random.normal(size=20), "text": ["a", "b"] * 10})
        pa.feather.write_feather(frame, out := io.BytesIO(), compression="uncompressed")
        return _damaged(out.getvalue(), random)
    if how < 0.6:
        return _damaged(gzip.compress(_delimited(random), mtime=0), random, 0.5)
    names = ("a.csv", "b.txt")[: int(random.integers(1, 3))]
    return _zipped({name: _delimited(random) for name in names}, random, 0.5)


@cache
def _statistical_files() -> tuple[bytes, ...]:
    frame = pd.DataFrame(
        {"size": [1.5, np.nan, 3.0] * 9, "n": range(27), "word": ["a", "b", ""] * 9}
    )
    return as_sav(frame), as_dta(frame)


def _statistical(random: Random) -> bytes:
    return _damaged(one_of(random, _statistical_files()), random, 0.9)


def _read(content: bytes) -> None:
    frame = read_table(content, name="fuzz")
    suggestions(frame, infer_schema(frame))
    recipe = steps_for(frame, np.random.default_rng(zlib.crc32(content)))
    prepared = recipe.apply(frame).frame
    infer_schema(prepared)
    for table in (frame, prepared):
        as_csv(table)
        as_parquet(table)


def steps_for(frame: pd.DataFrame, random: Random) -> Recipe:
    """A few steps of any kind, each for the table as those before it leave it."""
    recipe = Recipe()
    for _ in range(int(random.integers(4))):
        step = random_step(random, recipe.apply(frame).frame)
        if step is not None:
            recipe = Recipe((*recipe.entries, Entry(step)))
    return recipe


def _changed(tree: Any, random: Random, least: int, most: int) -> Any:
    """A JSON tree with a few entries changed, dropped, repeated or exchanged."""
    for _ in range(int(random.integers(least, most))):
        tree = _changed_once(tree, random)
    return tree


def _changed_once(tree: Any, random: Random) -> Any:
    if isinstance(tree, (dict, list)) and tree and random.random() < 0.93:
        copy = tree.copy()
        keys = list(copy) if isinstance(copy, dict) else range(len(copy))
        key, how = one_of(random, keys), random.random()
        if how < 0.85:
            copy[key] = _changed_once(copy[key], random)
        elif how < 0.92:
            del copy[key]
        elif isinstance(copy, list):
            copy.insert(key, copy[key])
        else:
            copy[key], copy[keys[0]] = copy[keys[0]], copy[key]
        return copy
    if isinstance(tree, float) and random.random() < 0.5:
        return tree * one_of(random, (-1.0, 0.0, 1e3, 1e-300))
    if isinstance(tree, int) and random.random() < 0.5:
        return tree + int(random.integers(-2, 3))
    return one_of(random, ODD)


@cache
def _models() -> tuple[dict[str, Any], ...]:
    rows = np.random.default_rng(0).normal(size=(60, 3)) + GROUP[:60, None]
    block = SCHEMA.with_block("size", ["height", "weight"], "gaussian")
    fitted = [
        MAPDP(random_state=0).fit(FRAME, SCHEMA),
        MAPDP(random_state=0).fit(FRAME, block),
        MAPDP(likelihood="gaussian", random_state=0).fit(rows),
    ]
    return tuple(json.loads(save_model(model)) for model in fitted)


def _model(random: Random) -> str:
    content = dict(one_of(random, _models()))
    del content["checksum"]
    content = _changed(content, random, 1, 4)
    return json.dumps(MODEL.signed(content) if isinstance(content, dict) else content)


def _predict(text: str) -> None:
    model = load_model(text)
    rows = FRAME if model.schema_ is not None else np.zeros((5, 3))
    for found in (model.predict_proba(rows), model.score_samples(rows)):
        if not np.isfinite(found).all():
            raise ArithmeticError("A probability or a density is not finite.")
    model.predict(rows)
    model.impute(rows)


@cache
def _worked_on() -> Project:
    """Everything that a project holds."""
    joined = Join("other.csv", FRAME.columns[0], "no", ("kind",), other=other_frame())
    recipe = Recipe().with_step(DropRepeated()).with_step(joined)
    table = Table(FRAME, "t.csv", "digest").prepared(recipe)
    project = Project(table, infer_schema(table.frame))
    project.naming = {project.tasks()["MAPDP"]: Naming(((0, 1),), {2: "small"})}
    project.study.lock_in(table.frame, project.schema, Plan(purpose="to see"))
    project.study.second = SecondTable("other.csv", FRAME.head(9))
    kept = Snapshot("MAP-DP", Naming().apply(GROUP), 1.5, SCHEMA, Settings(), 0.1)
    project.snapshots["first"] = kept
    return project


def _settings(random: Random) -> str:
    content = json.loads(save_settings(_worked_on().saved()))
    if random.random() < 0.5:
        content["read options"] = read_table(b"a,b\n1,2\n").attrs["read_options"]
    return json.dumps(_changed(content, random, 1, 4))


def _take_up(text: str) -> None:
    saved = load_settings(text)
    frame = Recipe(saved.steps).apply(FRAME).frame
    schema, _ = fitting_schema(saved.schema, infer_schema(frame))
    if schema.names("cluster"):
        schema.completed(frame).encode(frame)
    for naming in saved.namings.values():
        naming.apply(GROUP)
    save_settings(saved)


@cache
def _project_parts() -> dict[str, bytes]:
    return _members(save_project(_worked_on()))


def _project(random: Random) -> bytes:
    """With odd entries under a right checksum, a part that is damaged, or damaged as a whole."""
    parts = dict(_project_parts())
    content = json.loads(parts["project.json"])
    del content["checksum"]
    content = _changed(content, random, 0, 4)
    if random.random() < 0.3:
        name = one_of(random, list(parts))
        parts[name] = _damaged(parts[name], random)
        if isinstance(content, dict) and random.random() < 0.8:
            sums = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
            content["parts"] = {name: one for name, one in sums.items() if name != "project.json"}
    signed = PROJECT.signed(content) if isinstance(content, dict) else content
    parts["project.json"] = json.dumps(signed).encode("utf-8", "surrogatepass")
    there = {name: part for name, part in parts.items() if random.random() < 0.97}
    return _zipped(there, random, 0.3)


def _open(content: bytes) -> None:
    """Open it, and use what a page would use."""
    project = load_project(content)
    for naming in project.naming.values():
        naming.apply(GROUP)
    for kept in project.snapshots.values():
        side_by_side(kept, kept)
    if project.study.lock is not None:
        _ = project.study.lock.hash, project.study.lock.time
    _ = [event.time for event in project.study.log]
    if project.schema.names("cluster"):
        project.schema.encode(project.table.frame)
    load_project(save_project(project))


#: What makes inputs of each kind, what is done with each, and how many are made.
KINDS: dict[str, tuple[Callable[[Random], Any], Callable[[Any], None], int]] = {
    "delimited": (_delimited, _read, 60),
    "json": (_json_table, _read, 60),
    "parquet": (_parquet, _read, 60),
    "xlsx": (_xlsx, _read, 60),
    "packed": (_packed, _read, 150),
    "statistical": (_statistical, _read, 60),
    "models": (_model, _predict, 60),
    "settings": (_settings, _take_up, 150),
    "projects": (_project, _open, 150),
}


@contextmanager
def at_most(seconds: float):
    """End what takes longer on the processor by a TimeoutError."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"beyond {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(seconds: float, run: Callable[[], Any]) -> str:
    """What came of it: "result", "sentence", or the exception that is neither, with its place."""
    try:
        with warnings.catch_warnings(), at_most(seconds):
            warnings.simplefilter("ignore")
            run()
    except OWN as error:
        sentence = str(error)
        return "sentence" if sentence and "\n" not in sentence else f"no sentence: {sentence!r}"
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        own = [place for place in places if "/core/" in place.filename] or places
        file = own[-1].filename.rpartition("/core/")[2]
        return f"{type(error).__name__} in {file}:{own[-1].lineno}: {error}"
    return "result"


RIGHT = ("result", "sentence")


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_given_a_sentence_or_a_result_comes_back(kind):
    (make, use, number), place, outcomes = KINDS[kind], 1 + sorted(KINDS).index(kind), {}
    before = getrusage(RUSAGE_SELF).ru_maxrss
    for seed in range(number):
        made = make(np.random.default_rng([seed, place]))
        outcomes[seed] = outcome(10.0, partial(use, made))
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 2**20  # a gigabyte
    assert {seed: one for seed, one in outcomes.items() if one not in RIGHT} == {}
    assert min(Counter(outcomes.values())[right] for right in RIGHT) > 10
