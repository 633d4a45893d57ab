"""The public names under mypy --strict, as who uses them would run it."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


NEEDED = ("mypy", "pandas-stubs")


@pytest.mark.skipif(
    not all(map(find_spec, NEEDED)), reason=f"Absent: pip install {' '.join(NEEDED)}."
)
def test_the_public_names_are_clean_under_mypy(tmp_path):
    (tmp_path / "mapdp_studio").symlink_to(ROOT, target_is_directory=True)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--cache-dir", str(tmp_path / "cache"), str(ROOT / "tests" / "typed.py")]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"MYPYPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
