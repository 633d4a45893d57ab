"""A table with awkward names, fitted, and scripts run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core import Schema, infer_schema, read_table
from core.comparing.comparison import Results, Settings, tasks
from tests.tables.awkward_names import FRAME

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def fitted() -> tuple[pd.DataFrame, Schema, Results, dict]:
    frame = read_table(FRAME.to_csv(index=False, sep=";").encode(), name="my table.csv")
    schema = infer_schema(frame).with_column("=weight", transform="log")
    schema = schema.with_block("size", columns=["größe 😀", "=weight"], family="gaussian")
    settings = Settings(penalty=5.0, n_clusters=4)
    results, wanted = Results(), tasks("digest", schema, settings, len(frame))
    for task in wanted.values():
        results.fit(task, frame, schema)
    return frame, schema, results, wanted


@pytest.fixture
def run(tmp_path):
    """Run a script in a process of its own.

    As in a checkout, whose kernels are compiled already: tests/test_installed.py sees to it that
    the installed package, which scripts name, is the same files.
    """

    def run(text: str) -> np.ndarray:
        assert "from mapdp_studio.core import" in text
        text = text.replace("from mapdp_studio.", "from ")
        (tmp_path / "script.py").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "error", "script.py"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return np.loadtxt(tmp_path / "labels.csv", skiprows=1, dtype=np.int64, ndmin=1)

    return run
