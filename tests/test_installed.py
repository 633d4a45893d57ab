"""The same files as an installed package, `mapdp_studio`, and as a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def run(tmp_path):
    """Run code where `mapdp_studio` is the only way to the project's files."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mapdp_studio").symlink_to(ROOT, target_is_directory=True)

    def run(code: str, path: Path = tmp_path / "site") -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def test_the_library_never_asks_for_a_top_level_core(run):
    loaded = run(
        "import sys\n"
        "from mapdp_studio.core import Schema, infer_schema, read_table\n"
        "from mapdp_studio.demo_datasets import load_parkinsonism, load_scenario\n"
        "frame, schema, truth = load_parkinsonism()\n"
        "assert isinstance(schema, Schema)\n"
        "schema.encode(frame)\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('core', 'demo_datasets')])"
    )
    assert loaded == "[]"


def test_kernels_of_the_two_layouts_are_kept_apart(run):
    # Kept kernels name their modules: those of `core` cannot be loaded by `mapdp_studio.core`.
    where = "import numba; print(numba.config.CACHE_DIR)"
    installed = run(f"import mapdp_studio.core.jit; {where}")
    checkout = run(f"import core.jit; {where}", path=ROOT)
    assert installed != checkout


def test_the_console_script_is_where_pyproject_says(run):
    assert run("from mapdp_studio.app import main; print(callable(main))") == "True"


def test_every_file_that_code_reads_is_packaged():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    setuptools = settings["tool"]["setuptools"]
    packaged = {
        path
        for package, patterns in setuptools["package-data"].items()
        for pattern in patterns
        for path in ROOT.joinpath(*package.split(".")[1:]).glob(pattern)
    }
    read = {
        path
        for top in ("pages", "core", "demo_datasets")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert any(path.suffix == ".js" for path in read)
    assert read <= packaged
    folders = {".".join(path.parent.relative_to(ROOT).parts) for path in read}
    assert {f"mapdp_studio.{folder}" for folder in folders} <= {*setuptools["packages"]}
