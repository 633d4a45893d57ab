"""A project comes back as it was, or with a sentence."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, ReadOptions, infer_schema, read_table
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.clinical.study import SecondTable
from mapdp_studio.core.comparing.snapshots import Snapshot
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.rows import FilterRows
from mapdp_studio.core.prepare.tables import RenameColumns
from mapdp_studio.core.session.project import Project
from mapdp_studio.core.session.project_file import (
    FILE,
    ProjectFileError,
    is_project,
    load_project,
    save_project,
)
from mapdp_studio.core.session.table import Table, example_digest

CSV = "who,size,grade,kind,seen\n" + "\n".join(
    f"{i:03d},{i % 7 + i / 10},{i % 4},{'abx'[i % 3]},2024-01-{i % 28 + 1:02d}" for i in range(40)
)


@pytest.fixture(scope="module")
def project() -> Project:
    """With everything that a project can hold."""
    frame = read_table(CSV.encode())
    frame.attrs["notes"] = ["read in a way"]
    options = ReadOptions(**frame.attrs["read_options"])
    suggested = infer_schema(frame)
    schema = suggested.with_column("grade", family="poisson").with_column("kind", role="label")
    names = {"size": "length"}
    recipe = Recipe().with_step(FilterRows("size", "is not empty"))
    recipe = recipe.with_step(RenameColumns(tuple(names.items())))
    table = Table(frame, "my.csv", "1234", CSV.encode(), options).prepared(recipe)
    project = Project(table, schema.renamed(names), suggested=suggested.renamed(names))
    project.settings = Settings(5.0, 7.5, 4, False, 2, 9, 0.3)
    project.algorithm = "DPMeans"
    fits = project.tasks()
    naming = Naming(((0, 1),), {0: "mild", 2: "😀"})
    project.naming = {fits["DPMeans"]: naming}
    project.marked = np.array([3, 17])
    model = MAPDP(random_state=0).fit(table.frame, project.schema)
    groups = Naming().apply(model.labels_)
    project.snapshots["with grade"] = Snapshot(
        "MAP-DP", groups, model.objective_, project.schema, project.settings, model.prior_scale_
    )
    project.study.lock_in(table.frame, project.schema, Plan(purpose="to see"))
    project.study.note_groups()
    project.study.second = SecondTable("other.csv", frame.head(9))
    return project


def test_a_project_comes_back_as_it_was(project):
    content = save_project(project)
    assert content == save_project(project)
    assert is_project(content)
    back = load_project(content)
    for frame in ("frame", "as_read"):
        pd.testing.assert_frame_equal(getattr(back.table, frame), getattr(project.table, frame))
    assert back.table.frame.attrs["notes"] == ["read in a way"]
    for name in ("name", "options", "recipe"):
        assert getattr(back.table, name) == getattr(project.table, name)
    for name in ("schema", "suggested", "settings", "algorithm"):
        assert getattr(back, name) == getattr(project, name)
    assert back.schema.questions == project.schema.questions
    assert back.naming == {back.tasks()["DPMeans"]: project.naming[project.tasks()["DPMeans"]]}
    np.testing.assert_array_equal(back.marked, project.marked)
    after, before = back.snapshots["with grade"], project.snapshots["with grade"]
    np.testing.assert_array_equal(after.groups.labels, before.groups.labels)
    assert after.to_dict() == before.to_dict()
    assert (back.study.lock, back.study.log) == (project.study.lock, project.study.log)
    assert back.study.lock.hash == project.study.lock.hash
    assert back.study.groups_seen
    pd.testing.assert_frame_equal(back.study.second.frame, project.study.second.frame)


def test_types_that_parquet_has_no_word_for_come_back_and_an_example_as_one(project):
    part = project.table.frame.head(20)
    part = part.assign(
        who=[f"{i:03d}" for i in range(20)],
        day=pd.date_range("2024-01-01", periods=20).astype("datetime64[s]"),
    )
    for digest, example in (("x/y", None), (example_digest("iris", 20), "iris")):
        small = Project(Table(part, "part", digest), infer_schema(part))
        small.rename({"who": "name"})
        back = load_project(save_project(small)).table
        pd.testing.assert_frame_equal(back.frame, small.table.frame)
        assert back.example == example
        assert (back.digest == small.table.digest) == (example is not None)


def _rezipped(content: bytes, change, packed=zipfile.ZIP_STORED) -> bytes:
    """The parts of a project, each as ``change`` leaves it, or without it."""
    out, there = io.BytesIO(), zipfile.ZipFile(io.BytesIO(content))
    with there, zipfile.ZipFile(out, "w", packed) as other:
        for name in there.namelist():
            if (part := change(name, there.read(name))) is not None:
                other.writestr(name, part)
    return out.getvalue()


def _edited(edit, is_signed=True):
    def change(name, part):
        if name != "project.json":
            return part
        content = json.loads(part)
        edit(content)
        if is_signed:
            del content["checksum"]
            content = FILE.signed(content)
        return json.dumps(content).encode()

    return lambda content: _rezipped(content, change)


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda c: b"", "no project file"),
        (lambda c: b"a,b\n1,2", "no project file"),
        (lambda c: c[: len(c) // 2], "cut short"),
        (lambda c: c[:-1], "cut short"),
        (lambda c: c[:400] + b"x" * 50 + c[450:], "damaged|cannot be unpacked"),
        (lambda c: _rezipped(c, lambda n, p: None if n == "project.json" else p), "no project"),
        (lambda c: _rezipped(c, lambda n, p: None if n == "table.parquet" else p), "one of its"),
        (lambda c: _rezipped(c, lambda n, p: p[:-9] if n[0] == "t" else p), "one of its tables"),
        (lambda c: _rezipped(c, lambda n, p: b"{" if n[0] == "p" else p), "not JSON"),
        (_edited(lambda c: c.update(version=3)), "newer version"),
        (_edited(lambda c: c["settings"].update(version=3)), "newer version"),
        (_edited(lambda c: c["suggested"].update(version=9)), "newer version"),
        (_edited(lambda c: c.update(marked=[5]), False), "changed after it was saved"),
        (_edited(lambda c: c.update(marked=[40])), "marked row"),
        (_edited(lambda c: c["settings"]["comparison"].update(effort=99)), "outside 1 to 10"),
        (_edited(lambda c: c["settings"].update(rows=41)), "other columns or rows"),
        (_edited(lambda c: c["suggested"]["columns"].pop()), "two schemas"),
        (_edited(lambda c: c["snapshots"]["with grade"].update(titles=[])), "snapshot's groups"),
        (_edited(lambda c: c["study"].update(log=[["yesterday", "x"]])), "damaged"),
        (_edited(lambda c: c["kinds"]["table.parquet"].update({"0": "S999999999"})), "no columns"),
        (_edited(lambda c: c.pop("study")), "lacks 'study'"),
    ],
)
def test_what_is_no_whole_project_gets_a_sentence(project, spoil, error):
    spoiled = spoil(save_project(project))
    with pytest.raises(ProjectFileError, match=error) as caught:
        load_project(spoiled)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_a_small_file_that_unpacks_to_a_huge_one_is_not_unpacked(project):
    bomb = _rezipped(
        save_project(project),
        lambda name, part: bytes(70 * 1024**2) if name == "project.json" else part,
        zipfile.ZIP_DEFLATED,
    )
    assert len(bomb) < 200_000
    with pytest.raises(ProjectFileError, match="unpacks to more than 64 MB"):
        load_project(bomb)
