"""Every example in the documentation runs: docstrings of the public names, README, tutorial."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

import core
from demo_datasets import DEMOS, SCENARIOS

ROOT = Path(__file__).parents[1]
EXAMPLES = [
    *("MAPDP", "CollapsedGibbs", "MixtureEM", "DPMeans", "KMeansBIC", "MAPViews"),
    *("BayesianHierarchy", "Biclusters", "HardHDP", "read_table", "infer_schema", "save_model"),
    *("tolerance_path", "tune"),
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_in_a_docstring_runs(name):
    found = doctest.DocTestFinder(recurse=False).find(getattr(core, name), name)
    (test,) = (one for one in found if one.examples)
    with np.printoptions(legacy=False):
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0
    assert result.attempted > 1


def _blocks(text: str) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


def test_the_tutorial_runs_from_the_table_to_the_report(tmp_path):
    code = "import core\n" + _blocks((ROOT / ".docs" / "tutorial.md").read_text(encoding="utf-8"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::ResourceWarning", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "3 groups" in done.stdout
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert r"\toprule" in (tmp_path / "table.tex").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def guide():
    spec = spec_from_file_location("build", ROOT / ".docs" / "build.py")
    build = module_from_spec(spec)
    spec.loader.exec_module(build)
    return build


def test_the_guide_knows_every_likelihood_paper_and_example(guide):
    assert all(f"| `{name}` |" in guide.likelihoods() for name in core.FAMILIES)
    papers = guide.paper_map()
    assert re.search(r"\| Algorithm 1 \| .*`core\.models\.dpmeans\.DPMeans`", papers)
    assert all(f"## {letter}" in papers for letter in ("R16", "KJ12", "M12"))
    shown = guide.gallery(60)
    assert all(demo.title in shown for demo in DEMOS.values())
    assert shown.count("<svg") == 3 * len(SCENARIOS)
