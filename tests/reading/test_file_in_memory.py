"""Files that libraries want a path for: on no disk, and gone with whoever made them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.reading.file_in_memory import file_in_memory

ROOT = Path(__file__).parents[2]
KILLED = """
import os, signal
import numpy as np, pandas as pd, pyreadstat
from core import read_table
from core.exports.tables import as_sav
content = as_sav(pd.DataFrame({"secret": np.arange(50.0)}))
pyreadstat.read_sav = lambda path, **told: os.kill(os.getpid(), signal.SIGKILL)
read_table(content, name="a.sav")
"""


@pytest.fixture(params=["in memory", "elsewhere"])
def temporary(request, tmp_path, monkeypatch) -> Path:
    """The folder for temporary files, here and on a system that has no files in memory."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if request.param == "elsewhere":
        monkeypatch.delattr("os.memfd_create", raising=False)
    elif not hasattr(os, "memfd_create"):
        pytest.skip("This system has no files in memory.")
    return tmp_path


def test_it_is_read_and_written_by_its_path_and_gone_afterwards(temporary):
    with file_in_memory(memoryview(b"cells"), ".sav") as path:
        assert Path(path).read_bytes() == b"cells"
        Path(path).write_bytes(b"other")
        assert Path(path).read_bytes() == b"other"
        assert bool([*temporary.iterdir()]) != hasattr(os, "memfd_create")
    with pytest.raises(ZeroDivisionError), file_in_memory(b"cells") as path:
        raise ZeroDivisionError
    assert not [*temporary.iterdir()]


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="This system has none in memory.")
def test_nothing_is_left_of_one_who_was_killed_while_reading(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", KILLED], env=environment, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not [*tmp_path.iterdir()]
