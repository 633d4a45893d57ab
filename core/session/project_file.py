"""A project as one file to hand on: the table, everything decided about it, what was set aside.

A zip of ``project.json`` and tables as Parquet. Nothing in it is code, every part is read within
the limits of an upload, and checksums tell a file that was cut or changed.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..clinical.study import SecondTable, Study
from ..comparing.comparison import tasks
from ..comparing.snapshots import Snapshot
from ..exports.settings_file import Saved, settings_from_dict, settings_to_dict
from ..exports.tables import as_parquet
from ..reading.arrow_files import read_own_parquet
from ..reading.options import MAX_BYTES, TableError
from ..saved_file import SavedFile
from ..schema.schema import Schema
from ..wording import counted
from .table import Table
from .work import Work

#: What its name ends with.
ENDING = ".mapdp"
_JSON, _TABLE, _LABELS, _SECOND = (
    "project.json",
    "table.parquet",
    "labels.parquet",
    "second.parquet",
)
_MEMBERS = (_JSON, _TABLE, _LABELS, _SECOND)
# A table that a step joins, by its fingerprint.
_JOINED = re.compile(r"joined-([0-9a-f]{64})\.parquet")
# Settings, names and marked rows; the largest tables have 5,000 columns.
_MOST_JSON = 64 * 1024**2
# Types of columns that tables here can have.
_KIND = re.compile(
    r"[uU]?[iI]nt(8|16|32|64)|[fF]loat(32|64)|bool(ean)?|str(ing)?|object|category|"
    r"(datetime|timedelta)64\[[\w, /+:-]{1,60}\]"
)
# A fixed date: the same project is the same file.
_DATE = (1980, 1, 1, 0, 0, 0)


class ProjectFileError(ValueError):
    """A file that holds no project, a damaged one, or one of a newer version: one sentence."""


FILE = SavedFile("project", 2, ProjectFileError)


@dataclass(frozen=True, eq=False)
class Project:
    """What a project file holds."""

    #: Settings, schema, names and merges.
    saved: Saved
    #: The schema as it was guessed.
    suggested: Schema
    #: SHA-256 of the table's names and cells.
    data_hash: str
    #: Key of the example that the table is, None for any other table.
    example: str | None
    #: Rows of the table before all steps.
    n_read: int
    #: None where it was left out.
    table: Table | None
    #: Whether the table was to choose its model before the next fit.
    asks_table: bool
    study: Study
    snapshots: Mapping[str, Snapshot]
    #: int64. Rows marked in a figure, in rising order.
    marked: np.ndarray
    #: Where the app stood: for the pages, and checked by them.
    screen: Mapping[str, Any]

    def work(self, table: Table | None = None) -> Work:
        """The project, beside the table it was saved without; else a ProjectFileError."""
        table = self.table if table is None else table
        if table is None or table.data_hash != self.data_hash:
            rows, columns = self.saved.shape
            raise ProjectFileError(
                f"This project was saved without its table: load '{self.saved.table}' "
                f"({counted(rows, 'row')}, {counted(columns, 'column')}) first, then open it again."
            )
        saved = self.saved
        wanted = tasks(table.digest, saved.schema, saved.settings, len(table.frame), saved.namings)
        return Work(
            table,
            saved.schema,
            suggested=self.suggested,
            settings=saved.settings,
            algorithm=saved.algorithm,
            compared=saved.compared,
            naming={wanted[algorithm]: naming for algorithm, naming in saved.namings.items()},
            marked=self.marked,
            study=self.study,
            set_aside={table.rows: dict(self.snapshots)},
            notices=list(saved.notices),
            asks_table=self.asks_table,
        )


def save_project(
    work: Work,
    screen: Mapping[str, Any] | None = None,
    with_table: bool = True,
    with_snapshots: bool = True,
) -> bytes:
    """Write a project, the same bytes for the same one.

    ``screen`` is where the app stands. Without its table it opens beside the same table only;
    snapshots hold a group for every row. Names of columns and levels are in it in any case.
    """
    table, second = work.table, work.study.second
    frames = {}
    if with_table:
        frames[_TABLE] = table.as_read
        frames |= {f"joined-{k}.parquet": v for k, v in table.recipe.tables.items()}
    if with_table and second is not None:
        frames[_SECOND] = second.frame
    snapshots = work.snapshots if with_snapshots else {}
    if snapshots:
        labels = [kept.groups.labels for kept in snapshots.values()]
        frames[_LABELS] = pd.DataFrame(dict(zip(map(str, range(len(labels))), labels, strict=True)))
    members = {name: as_parquet(frame) for name, frame in frames.items()}
    content = {
        "settings": settings_to_dict(work.saved()),
        "suggested": work.suggested.to_dict(),
        "data hash": table.data_hash,
        "example": table.example,
        "rows read": len(table.as_read),
        "asks table": work.asks_table,
        "notes": list(map(str, table.frame.attrs.get("notes", []))),
        "study": work.study.to_dict(),
        "second": None if _SECOND not in frames else second.name,
        "snapshots": {name: kept.to_dict() for name, kept in snapshots.items()},
        "marked": work.marked.tolist(),
        "screen": dict(screen or {}),
        "kinds": {name: _kinds(frame) for name, frame in frames.items()},
        "parts": {name: hashlib.sha256(part).hexdigest() for name, part in members.items()},
    }
    text = json.dumps(FILE.signed(content), indent=1, ensure_ascii=False)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, part in {_JSON: text.encode("utf-8", "surrogatepass"), **members}.items():
            # Parquet is packed already.
            packed = zipfile.ZIP_DEFLATED if name == _JSON else zipfile.ZIP_STORED
            archive.writestr(zipfile.ZipInfo(name, _DATE), part, packed)
    return out.getvalue()


def is_project(content: bytes) -> bool:
    """Whether a file is a project by its first bytes; it may still be damaged."""
    return content[:4] == b"PK\x03\x04" and content[30 : 30 + len(_JSON)] == _JSON.encode()


def load_project(content: bytes) -> Project:
    """Read a project back, or raise a ProjectFileError."""
    members = _unpacked(content)
    entries = FILE.read_unchanged(members.pop(_JSON))
    try:
        parts = dict(entries["parts"])
        if {name: hashlib.sha256(part).hexdigest() for name, part in members.items()} != parts:
            raise ValueError("one of its tables is not the one that was saved")
        return _project(entries, members)
    except KeyError as error:
        raise ProjectFileError(_damaged(f"it lacks {error}")) from None
    except TableError as error:
        raise ProjectFileError(str(error)) from None
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        newer = isinstance(error, ProjectFileError) or "newer version" in str(error)
        raise ProjectFileError(str(error) if newer else _damaged(error)) from None


def _damaged(why: object) -> str:
    return f"This project file is damaged ({why}): save the project again."


def _unpacked(content: bytes) -> dict[str, bytes]:
    """The parts of a project file, none of them read beyond the limits of an upload."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        found = {member.filename: member for member in archive.infolist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        if content[:2] == b"PK":
            raise ProjectFileError(_damaged("it was cut short")) from None
        raise ProjectFileError(
            f"This is no project file: choose one that ends in {ENDING}."
        ) from None
    known = {name for name in found if name in _MEMBERS or _JOINED.fullmatch(name)}
    if _JSON not in found or len(found) < len(archive.infolist()) or len(known) < len(found):
        raise ProjectFileError(
            "This is no project file of MAP-DP Studio: choose a saved project file."
        )
    parts, room = {}, MAX_BYTES
    for name, member in found.items():
        most = min(_MOST_JSON if name == _JSON else room, room)
        try:
            with archive.open(member) as file:
                part = file.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError):
            raise ProjectFileError(_damaged("a part of it cannot be unpacked")) from None
        if len(part) > most:
            raise ProjectFileError(
                f"This project unpacks to more than {most // 1024**2} MB: save it without its "
                "table, and load the table beside it."
            )
        parts[name], room = part, room - len(part)
    return parts


def _project(entries: Mapping[str, Any], members: Mapping[str, bytes]) -> Project:
    saved = settings_from_dict(entries["settings"])
    n = saved.shape[0]
    frames = {
        name: _frame(part, entries["kinds"][name], f"'{name}'") for name, part in members.items()
    }
    joined = {m[1]: frames[m[0]] for m in map(_JOINED.fullmatch, frames) if m}
    saved = replace(saved, recipe=saved.recipe.with_tables(joined))
    table = None
    if _TABLE in frames:
        frames[_TABLE].attrs["notes"] = list(map(str, entries["notes"]))
        table = _table(
            _as_read(frames[_TABLE], entries["settings"]), entries["parts"][_TABLE], saved
        )
    suggested = Schema.from_dict(entries["suggested"])
    if [*suggested] != [*saved.schema]:
        raise ValueError("it has two schemas for different columns")
    second = None
    if _SECOND in frames:
        second = SecondTable(str(entries["second"]), frames[_SECOND])
    snapshots = {}
    for place, (name, data) in enumerate(entries["snapshots"].items()):
        labels = frames[_LABELS][str(place)].to_numpy(dtype=np.int64)
        if labels.shape != (n,):
            raise ValueError("a snapshot has other rows than the table")
        snapshots[name] = Snapshot.from_dict(data, labels)
    example, screen = entries["example"], entries["screen"]
    return Project(
        saved,
        suggested,
        str(entries["data hash"]) if table is None else table.data_hash,
        None if example is None else str(example),
        int(entries.get("rows read", n)),
        table,
        bool(entries.get("asks table", False)),
        Study.from_dict(entries["study"], second),
        snapshots,
        _rows(entries["marked"], n),
        dict(screen),
    )


def _as_read(frame: pd.DataFrame, settings: Mapping[str, Any]) -> pd.DataFrame:
    """The table before its steps: versions without steps kept it with the names it was given."""
    names = {new: old for old, new in settings.get("renamed columns", {}).items()}
    return frame.rename(columns=names) if names else frame


def _table(frame: pd.DataFrame, fingerprint: str, saved: Saved) -> Table:
    """The table after its steps, which must give what was saved."""
    digest = f"project {fingerprint}"
    table = Table(frame, saved.table, digest, options=saved.options).prepared(saved.recipe)
    if table.frame.shape != saved.shape or [*table.frame.columns] != [*saved.schema]:
        raise ValueError("its table has other columns or rows than its settings")
    return table


def _kinds(frame: pd.DataFrame) -> dict[str, str]:
    """The type of every column, by its place: Parquet has no word for some of them."""
    return {str(place): str(kind) for place, kind in enumerate(frame.dtypes)}


def _frame(part: bytes, kinds: Mapping[str, str], name: str) -> pd.DataFrame:
    frame = read_own_parquet(memoryview(part), name)
    changed = {}
    for place, column in enumerate(frame.columns):
        kind = str(kinds[str(place)])
        if not _KIND.fullmatch(kind):
            raise ValueError(f"there are no columns of type '{kind[:40]}'")
        # pandas 2 keeps text as objects; asked for "str", it would write "None" into empty cells.
        if kind not in ("str", str(frame[column].dtype)):
            changed[column] = kind
    return frame.astype(changed) if changed else frame


def _rows(numbers: Any, n: int) -> np.ndarray:
    rows = np.array(numbers, dtype=np.int64).reshape(-1)
    if rows.size and not (rows[0] >= 0 and rows[-1] < n and (np.diff(rows) > 0).all()):
        raise ValueError("a marked row is not in the table")
    return rows
