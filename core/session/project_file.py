"""A project as one file to hand on: the table, everything decided about it, what was set aside.

A zip of ``project.json`` and tables as Parquet. Nothing in it is code, every part is read within
the limits of an upload, and checksums tell a file that was cut or changed.
"""

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..clinical.study import SecondTable, Study
from ..comparing.snapshots import Snapshot
from ..exports.settings_file import Saved
from ..exports.tables import as_parquet
from ..plain import from_plain, to_plain
from ..prepare.recipe import Recipe
from ..reading.arrow_files import read_own_parquet
from ..reading.options import MAX_BYTES
from ..saved_file import SavedFile
from ..schema.schema import Schema
from ..wording import RefusedError
from .project import Project
from .table import Table, example_digest

#: What its name ends with.
ENDING = ".mapdp"
_JSON, _TABLE, _LABELS = "project.json", "table.parquet", "labels.parquet"
_SECOND, _JOINED = "second.parquet", "joined-{}.parquet"
#: Parts that a project can have; a table that a step joins goes by its fingerprint.
_PART = re.compile(r"(table|labels|second|joined-([0-9a-f]{64}))\.parquet|project\.json")
# Settings, names and marked rows; the largest tables have 5,000 columns.
_MOST_JSON = 64 * 1024**2
# Types of columns that tables here can have.
_KIND = re.compile(
    r"[uU]?[iI]nt(8|16|32|64)|[fF]loat(32|64)|bool(ean)?|str(ing)?|object|category|"
    r"(datetime|timedelta)64\[[\w, /+:-]{1,60}\]"
)
# A fixed date: the same project is the same file.
_DATE = (1980, 1, 1, 0, 0, 0)


class ProjectFileError(RefusedError):
    """A file that holds no project, a damaged one, or one of a newer version: one sentence."""


FILE = SavedFile("project file", 2, ProjectFileError)


def save_project(project: Project) -> bytes:
    """Write a project, the same bytes for the same one."""
    table, second = project.table, project.study.second
    frames = {_TABLE: table.as_read}
    frames |= {_JOINED.format(k): frame for k, frame in table.recipe.tables.items()}
    if second is not None:
        frames[_SECOND] = second.frame
    if project.snapshots:
        numbered = enumerate(project.snapshots.values())
        frames[_LABELS] = pd.DataFrame({str(i): one.groups.labels for i, one in numbered})
    members = {name: as_parquet(frame) for name, frame in frames.items()}
    content = {
        "settings": project.saved(),
        "suggested": project.suggested,
        "example": table.example,
        "asks table": project.asks_table,
        "notes": [*map(str, table.frame.attrs.get("notes", []))],
        "study": project.study,
        "second": None if second is None else second.name,
        "snapshots": project.snapshots,
        "marked": project.marked.tolist(),
        # By the column's place: Parquet has no word for some types.
        "kinds": {
            name: {str(i): str(kind) for i, kind in enumerate(frame.dtypes)}
            for name, frame in frames.items()
        },
        "parts": _fingerprints(members),
    }
    text = json.dumps(FILE.signed(to_plain(content)), indent=1, ensure_ascii=False)
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
    with FILE.rebuilding():
        if _fingerprints(members) != entries["parts"]:
            raise ValueError("one of its tables is not the one that was saved")
        return _project(entries, members)


def _fingerprints(members: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(part).hexdigest() for name, part in members.items()}


def _unpacked(content: bytes) -> dict[str, bytes]:
    """The parts of a project file, none of them read beyond the limits of an upload."""
    no_project = ProjectFileError(f"This is no project file: choose one that ends in {ENDING}.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        is_cut = content[:2] == b"PK"
        raise (FILE.damaged("it was cut short") if is_cut else no_project) from None
    names = archive.namelist()
    if _JSON not in names or len({*names}) < len(names) or not all(map(_PART.fullmatch, names)):
        raise no_project
    parts, room = {}, MAX_BYTES
    for name in names:
        most = min(_MOST_JSON, room) if name == _JSON else room
        try:
            with archive.open(name) as file:
                part = file.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError):
            raise FILE.damaged("a part of it cannot be unpacked") from None
        if len(part) > most:
            raise ProjectFileError(
                f"This project unpacks to more than {most // 1024**2} MB: save its settings, which "
                "Data takes up beside the table."
            )
        parts[name], room = part, room - len(part)
    return parts


def _project(entries: Mapping[str, Any], members: Mapping[str, bytes]) -> Project:
    saved, suggested = Saved.from_dict(entries["settings"]), Schema.from_dict(entries["suggested"])
    if [*suggested] != [*saved.schema]:
        raise ValueError("it has two schemas for different columns")
    kinds = from_plain(Mapping[str, Mapping[str, str]], entries["kinds"], "kinds")
    frames = {name: _frame(part, kinds[name], f"'{name}'") for name, part in members.items()}
    frame, example = frames[_TABLE], entries["example"]
    frame.attrs["notes"] = [*from_plain(tuple[str, ...], entries["notes"], "notes")]
    digest = f"project {entries['parts'][_TABLE]}"
    if example is not None:
        digest = example_digest(str(example), len(frame))
    joined = {_PART.fullmatch(name)[2]: frame for name, frame in frames.items()}
    recipe = Recipe(saved.steps).with_tables({k: v for k, v in joined.items() if k})
    table = Table(frame, saved.table, digest, options=saved.options).prepared(recipe)
    shape = saved.rows, saved.columns
    if table.frame.shape != shape or [*table.frame] != [*saved.schema]:
        raise ValueError("its table has other columns or rows than its settings")
    study, snapshots = Study.from_dict(entries["study"]), {}
    if _SECOND in frames:
        study.second = SecondTable(str(entries["second"]), frames[_SECOND])
    for place, (name, data) in enumerate(entries["snapshots"].items()):
        labels = frames[_LABELS][str(place)].to_numpy(dtype=np.int64)
        if labels.shape != (saved.rows,):
            raise ValueError("a snapshot has other rows than the table")
        snapshots[name] = Snapshot.from_dict(data, labels)
    marked = from_plain(np.ndarray, entries["marked"], "marked").astype(np.int64).reshape(-1)
    if (np.diff(marked, prepend=-1, append=saved.rows) <= 0).any():
        raise ValueError("a marked row is not in the table")
    project = Project(
        table,
        saved.schema,
        suggested,
        marked=marked,
        study=study,
        all_snapshots={table.rows: snapshots},
        asks_table=bool(entries.get("asks table", False)),
    )
    project.take_settings(saved)
    return project


def _frame(part: bytes, kinds: Mapping[str, str], name: str) -> pd.DataFrame:
    frame = read_own_parquet(memoryview(part), name)
    changed = {}
    for place, column in enumerate(frame.columns):
        kind = kinds[str(place)]
        if not _KIND.fullmatch(kind):
            raise ValueError(f"there are no columns of type '{kind[:40]}'")
        # pandas 2 keeps text as objects; asked for "str", it would write "None" into empty cells.
        if kind not in ("str", str(frame[column].dtype)):
            changed[column] = kind
    return frame.astype(changed) if changed else frame
