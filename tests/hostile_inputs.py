"""Broken, hostile and odd inputs of every kind, what is done with each, and what came of it."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import signal
import string
import traceback
import warnings
import zipfile
import zlib
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather

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
from mapdp_studio.core.comparing.comparison import Settings
from mapdp_studio.core.comparing.snapshots import Snapshot, side_by_side
from mapdp_studio.core.exports.settings_file import (
    Saved,
    SettingsFileError,
    fitting_schema,
    load_settings,
    save_settings,
)
from mapdp_studio.core.exports.tables import as_csv, as_dta, as_parquet, as_sav
from mapdp_studio.core.models.saved import FILE as MODEL
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.prepare.recipe import Entry, Recipe
from mapdp_studio.core.prepare.rows import DropRepeated
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.prepare.tables import Join, digest_of
from mapdp_studio.core.profiling.suggestions import suggestions
from mapdp_studio.core.session.project_file import FILE as PROJECT
from mapdp_studio.core.session.project_file import ProjectFileError, load_project, save_project
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from mapdp_studio.pages.parts.teach.controls import Control, controls
from tests.random_steps import other_frame, random_frame, random_step
from tests.tables.four_groups import FRAME, GROUP, SCHEMA

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


@dataclass(frozen=True)
class Kind:
    """Inputs of one kind, and what is done with each."""

    make: Callable[[np.random.Generator], Any]
    use: Callable[[Any], None]


# ---- tables


def _frame(random: np.random.Generator) -> pd.DataFrame:
    rows, columns = int(random.integers(1, 30)), int(random.integers(1, 6))
    cells = random.choice(np.array(CELLS, dtype=object), (rows, columns))
    names = random.choice(np.array(CELLS, dtype=object), columns)
    numbers = random.random(columns) < 0.5
    for j in np.flatnonzero(numbers):
        cells[:, j] = random.normal(size=rows).round(2).astype(str)
    return pd.DataFrame(cells, columns=[str(name) for name in names])


def _damaged(content: bytes, random: np.random.Generator) -> bytes:
    """With some bytes changed, cut, repeated or put elsewhere."""
    data = bytearray(content)
    for _ in range(int(random.integers(0, 6))):
        if not data:
            break
        at, size = int(random.integers(len(data))), int(random.integers(1, 40))
        how = random.integers(5)
        if how == 0:
            data[at] = int(random.integers(256))
        elif how == 1:
            del data[at : at + size]
        elif how == 2:
            data[at:at] = data[at : at + size] * int(random.integers(1, 50))
        elif how == 3:
            data[at:at] = random.bytes(size)
        else:
            del data[at:]
    return bytes(data)


def _delimited(random: np.random.Generator) -> bytes:
    separator = str(random.choice([",", ";", "\t", "|", " "]))
    lines = [[*(str(name) for name in _frame(random))], *_frame(random).to_numpy().tolist()]
    end = str(random.choice(["\n", "\r\n", "\r"]))
    if random.random() < 0.5:
        table = _frame(random)
        text = table.to_csv(index=False, sep=separator, lineterminator=end)
    else:
        text = end.join(separator.join(map(str, line)) for line in lines)
    encoding = str(random.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"]))
    return _damaged(text.encode(encoding, "replace"), random)


def _json_table(random: np.random.Generator) -> bytes:
    records = [
        {str(random.choice(list("abcdef"))): _odd(random) for _ in range(random.integers(0, 5))}
        for _ in range(random.integers(1, 20))
    ]
    if random.random() < 0.5:
        return _damaged(json.dumps(records).encode(), random)
    return _damaged("\n".join(json.dumps(record) for record in records).encode(), random)


def _parquet(random: np.random.Generator) -> bytes:
    arrays = {
        "text": pa.array(random.choice(np.array(CELLS, dtype=object), 20).tolist(), pa.string()),
        "large": pa.array(["x" * int(random.integers(1, 500))] * 20, pa.large_string()),
        "number": pa.array(random.normal(size=20)),
        "whole": pa.array(random.integers(-(2**62), 2**62, 20)),
        "time": pa.array(random.integers(-(2**62), 2**62, 20), pa.timestamp("ms")),
        "wait": pa.array(random.integers(-(2**40), 2**40, 20), pa.duration("s")),
        "yes": pa.array(random.choice([True, False, None], 20).tolist(), pa.bool_()),
        "decimal": pa.array(random.normal(size=20)).cast(pa.decimal128(38, 18)),
        "list": pa.array([[1, 2]] * 20),
    }
    kept = [name for name in arrays if random.random() < 0.6] or ["number"]
    pa.parquet.write_table(pa.table({name: arrays[name] for name in kept}), out := io.BytesIO())
    return _damaged(out.getvalue(), random) if random.random() < 0.7 else out.getvalue()


@cache
def _workbook() -> dict[str, bytes]:
    FRAME.to_excel(out := io.BytesIO(), index=False)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _xlsx(random: np.random.Generator) -> bytes:
    members = dict(_workbook())
    for _ in range(int(random.integers(1, 3))):
        name = str(random.choice(list(members)))
        text = members[name].decode("utf-8", "replace")
        places = [k for k, letter in enumerate(text) if letter in string.digits]
        if places and random.random() < 0.6:  # a number of the sheet, a style or a reference
            at = int(random.choice(places))
            odd = str(random.choice(["-1", "1048577", "99999999", "x", "", "1e999", "16385"]))
            members[name] = (text[:at] + odd + text[at + 1 :]).encode("utf-8", "replace")
        elif random.random() < 0.2:
            del members[name]
        else:
            members[name] = _damaged(members[name], random)
    with zipfile.ZipFile(out := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return _damaged(out.getvalue(), random) if random.random() < 0.2 else out.getvalue()


def _packed(random: np.random.Generator) -> bytes:
    """A delimited file in gzip or zip, or a table in Feather."""
    how = random.random()
    if how < 0.3:
        frame = pd.DataFrame({"number": random.normal(size=20), "text": ["a", "b"] * 10})
        pa.feather.write_feather(frame, out := io.BytesIO(), compression="uncompressed")
        return _damaged(out.getvalue(), random)
    if how < 0.6:
        content = gzip.compress(_delimited(random), mtime=0)
    else:
        with zipfile.ZipFile(out := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("a.csv", "b.txt")[: int(random.integers(1, 3))]:
                archive.writestr(name, _delimited(random))
        content = out.getvalue()
    return _damaged(content, random) if random.random() < 0.5 else content


@cache
def _statistical_files() -> tuple[bytes, ...]:
    frame = pd.DataFrame(
        {"size": [1.5, np.nan, 3.0] * 9, "n": range(27), "word": ["a", "b", ""] * 9}
    )
    return as_sav(frame), as_dta(frame)


def _statistical(random: np.random.Generator) -> bytes:
    content = _statistical_files()[int(random.integers(2))]
    return content if random.random() < 0.1 else _damaged(content, random)


def _read(content: bytes) -> None:
    frame = read_table(content, name="fuzz")
    suggestions(frame, infer_schema(frame))
    recipe = steps_for(frame, np.random.default_rng(zlib.crc32(content)))
    tables = [frame]
    if recipe:  # else the table is the same again
        tables.append(recipe.apply(frame).frame)
        infer_schema(tables[-1])
    for table in tables:
        as_csv(table)
        as_parquet(table)


# ---- steps that prepare a table


def steps_for(frame: pd.DataFrame, random: np.random.Generator) -> Recipe:
    """A few steps of any kind, each for the table as those before it leave it."""
    recipe = Recipe()
    for _ in range(int(random.integers(4))):
        step = random_step(random, recipe.apply(frame).frame)
        if step is not None:
            recipe = Recipe((*recipe.entries, Entry(step)))
    return recipe


def _recipe(random: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """A table, and steps as a file made by hand has them."""
    frame = random_frame(random) if random.random() < 0.7 else _frame(random)
    frame = frame.loc[:, ~frame.columns.duplicated()]
    content = steps_for(frame, random).to_dicts()
    for _ in range(int(random.integers(0, 3))):
        content = _changed(content, random)
    return frame, content


def _prepare(made: tuple[pd.DataFrame, Any]) -> None:
    """Carry them out as the page does, with the sentences that it shows."""
    frame, content = made
    other = other_frame()
    try:
        recipe = Recipe.of_dicts(content).with_tables({digest_of(other): other})
    except (TypeError, KeyError, ValueError, AttributeError):
        raise PrepareError("These are no steps.") from None
    prepared = recipe.apply(frame)
    for record in prepared.records:
        if not record.sentence or not (record.is_done or record.problem or not record.entry.is_on):
            raise ArithmeticError("A step says nothing.")
        _ = repr(record.entry.step)
    json.dumps(recipe.to_dicts())
    suggestions(prepared.frame, infer_schema(prepared.frame))


# ---- files of the studio's own


def _odd(random: np.random.Generator) -> Any:
    return ODD[int(random.integers(len(ODD)))]


def _changed(tree: Any, random: np.random.Generator) -> Any:
    """A JSON tree with one entry changed, dropped, repeated or exchanged."""
    if isinstance(tree, (dict, list)) and tree and random.random() < 0.93:
        copy = dict(tree) if isinstance(tree, dict) else list(tree)
        keys = list(copy) if isinstance(copy, dict) else range(len(copy))
        key = keys[int(random.integers(len(keys)))]
        how = random.random()
        if how < 0.85:
            copy[key] = _changed(copy[key], random)
        elif how < 0.92:
            del copy[key]
        elif isinstance(copy, list):
            copy.insert(key, copy[key])
        else:
            copy[key], copy[keys[0]] = copy[keys[0]], copy[key]
        return copy
    if isinstance(tree, float) and random.random() < 0.5:
        return tree * float(random.choice([-1.0, 0.0, 1e3, 1e-300]))
    if isinstance(tree, int) and random.random() < 0.5:
        return tree + int(random.integers(-2, 3))
    return _odd(random)


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


def _model(random: np.random.Generator) -> str:
    content = dict(_models()[int(random.integers(len(_models())))])
    del content["checksum"]
    for _ in range(int(random.integers(1, 4))):
        content = _changed(content, random)
    if not isinstance(content, dict):
        return json.dumps(content)
    return json.dumps(MODEL.signed(content))


def _predict(text: str) -> None:
    model = load_model(text)
    rows = FRAME if model.schema_ is not None else np.zeros((5, 3))
    found = model.predict_proba(rows)
    if not np.isfinite(found).all():
        raise ArithmeticError("A probability is not finite.")
    model.predict(rows)
    if not np.isfinite(model.score_samples(rows)).all():
        raise ArithmeticError("A density is not finite.")
    model.impute(rows)


def _settings(random: np.random.Generator) -> str:
    naming = Naming(((0, 1),), {2: "small"})
    options = None
    if random.random() < 0.5:
        options = read_table(b"a,b\n1,2\n").attrs["read_options"]
    named = {"MAPDP": naming}
    recipe = steps_for(FRAME, random)
    saved = Saved("t.csv", FRAME.shape, None, SCHEMA, Settings(), "MAPDP", named, recipe)
    content = json.loads(save_settings(saved)) | {"read options": options}
    for _ in range(int(random.integers(1, 4))):
        content = _changed(content, random)
    return json.dumps(content)


def _take_up(text: str) -> None:
    saved = load_settings(text)
    frame = saved.recipe.apply(FRAME).frame
    schema, _ = fitting_schema(saved.schema, infer_schema(frame))
    if schema.names("cluster"):
        schema.completed(frame).encode(frame)
    for naming in saved.namings.values():
        naming.apply(GROUP)
    save_settings(saved)


@cache
def _project_parts() -> dict[str, bytes]:
    joined = Join("other.csv", FRAME.columns[0], "no", ("kind",), other=other_frame())
    recipe = Recipe().with_step(DropRepeated()).with_step(joined)
    table = Table(FRAME, "t.csv", "digest").prepared(recipe)
    work = Work(table, infer_schema(table.frame))
    work.naming = {work.tasks()["MAPDP"]: Naming(((0, 1),), {2: "small"})}
    work.study.lock_in(table.frame, work.schema, Plan(purpose="to see"))
    work.study.second = SecondTable("other.csv", FRAME.head(9))
    groups = Naming().apply(GROUP)
    kept = Snapshot("MAP-DP", groups, 1.5, SCHEMA, Settings(), 0.1)
    work.snapshots["first"] = kept
    with zipfile.ZipFile(io.BytesIO(save_project(work, {"page": "data"}))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _project(random: np.random.Generator) -> bytes:
    """With odd entries under a right checksum, a part that is damaged, or damaged as a whole."""
    parts = dict(_project_parts())
    content = json.loads(parts["project.json"])
    del content["checksum"]
    for _ in range(int(random.integers(0, 4))):
        content = _changed(content, random)
    if random.random() < 0.3:
        name = str(random.choice(list(parts)))
        parts[name] = _damaged(parts[name], random)
        if isinstance(content, dict) and random.random() < 0.8:
            content["parts"] = {
                name: hashlib.sha256(part).hexdigest()
                for name, part in parts.items()
                if name != "project.json"
            }
    signed = PROJECT.signed(content) if isinstance(content, dict) else content
    parts["project.json"] = json.dumps(signed).encode("utf-8", "surrogatepass")
    packed = zipfile.ZIP_DEFLATED if random.random() < 0.5 else zipfile.ZIP_STORED
    with zipfile.ZipFile(out := io.BytesIO(), "w", packed) as archive:
        for name, part in parts.items():
            if random.random() < 0.97:
                archive.writestr(name, part)
    return _damaged(out.getvalue(), random) if random.random() < 0.3 else out.getvalue()


def _open(content: bytes) -> None:
    """Open it, and use what a page would use."""
    work = load_project(content).work()
    for naming in work.naming.values():
        naming.apply(GROUP)
    for kept in work.snapshots.values():
        side_by_side(kept, kept)
    if work.study.lock is not None:
        _ = work.study.lock.hash, work.study.lock.time
    _ = [event.time for event in work.study.log]
    if work.schema.names("cluster"):
        work.schema.encode(work.table.frame)
    load_project(save_project(work)).work()


# ---- addresses


def _address(random: np.random.Generator) -> tuple[Control, str]:
    """One control of the Teach page, and what an address might say of it."""
    known = [*controls().values()]
    control = known[int(random.integers(len(known)))]
    how = random.random()
    if how < 0.4:
        return control, str(random.choice(np.array(CELLS, dtype=object)))
    if how < 0.7:
        return control, f"{random.normal(scale=10.0 ** random.integers(-3, 7)):.6g}"
    return control, str(_odd(random))


def _stand(asked: tuple[Control, str]) -> None:
    """Read it as the page does: what stands for nothing, a ValueError, leaves the control alone."""
    control, text = asked
    try:
        value = control.read(text)
    except ValueError:
        raise TableError("The control stays where it is.") from None
    if isinstance(value, float) and not np.isfinite(value):
        raise ArithmeticError("A control stands at no finite number.")


KINDS = {
    "delimited": Kind(_delimited, _read),
    "json": Kind(_json_table, _read),
    "parquet": Kind(_parquet, _read),
    "xlsx": Kind(_xlsx, _read),
    "packed": Kind(_packed, _read),
    "statistical": Kind(_statistical, _read),
    "models": Kind(_model, _predict),
    "steps": Kind(_recipe, _prepare),
    "settings": Kind(_settings, _take_up),
    "projects": Kind(_project, _open),
    "addresses": Kind(_address, _stand),
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


def attempt(kind: str, number: int) -> str:
    """Try one input of a kind."""
    made = KINDS[kind].make(np.random.default_rng([number, sorted(KINDS).index(kind)]))
    return outcome(10.0, lambda: KINDS[kind].use(made))
