"""Every example in the documentation runs: docstrings of the public names, README, tutorial."""

import ast
import doctest
import re
import runpy
import shlex
import sys
import textwrap
import tomllib
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit import config

from mapdp_studio import core
from mapdp_studio.core.command.fit import parser
from tests.fresh_process import run_script

ROOT = Path(__file__).parents[1]
DOCS = ROOT / ".docs"
PAGES = {path.stem: path.read_text("utf-8") for path in (DOCS / "pages").glob("*.md")}
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SOURCES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for top in ("core", "demo_datasets")
    for path in sorted((ROOT / top).rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]
WITH_EXAMPLES = (
    *("MAPDP", "CollapsedGibbs", "MixtureEM", "DPMeans", "KMeansBIC", "MAPViews"),
    *("BayesianHierarchy", "Biclusters", "HardHDP", "read_table", "infer_schema", "save_model"),
    "tolerance_path",
)


@pytest.mark.parametrize("source", SOURCES)
def test_the_examples_in_docstrings_run(source):
    attempted = 0
    for test in doctest.DocTestFinder().find(import_module(f"mapdp_studio.{source}")):
        with np.printoptions(legacy=False):
            result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert result.failed == 0
        attempted += result.attempted
    assert attempted > 1


def test_what_people_begin_with_has_an_example():
    assert [name for name in WITH_EXAMPLES if ">>> " not in getattr(core, name).__doc__] == []


def _python_of_readme() -> str:
    """The README's Python, which is indented by four blanks, in pieces between empty lines."""
    pieces = (piece.strip("\n").splitlines() for piece in README.split("\n\n"))
    indented = [lines for lines in pieces if all(line.startswith("    ") for line in lines)]
    codes = []
    for lines in indented:
        try:
            ast.parse(code := textwrap.dedent("\n".join(lines)))
        except SyntaxError:
            continue
        codes.append(code)
    return "\n".join(codes)


#: Runs before a script: what draws many tables or searches draws one or two.
FEW_DRAWS = """from mapdp_studio.core.clinical import verdict
from mapdp_studio.core.statistics.resampling import EFFORTS, Protocol

EFFORTS["preview"], verdict.QUICK = Protocol(2, 2, 1), 1
"""


@pytest.mark.parametrize(("page", "printed"), [("tutorial", "3 groups"), ("readme", "2 groups")])
def test_the_python_of_a_page_runs_from_the_table_to_the_report(page, printed, tmp_path):
    random = np.random.default_rng(0)
    far = np.repeat([0, 1], 40)
    frame = pd.DataFrame({name: random.normal(size=80) + 6 * far for name in "abc"})
    frame["visits"], frame["died"] = random.poisson(3, 80), random.integers(2, size=80)
    frame.to_csv(tmp_path / "patients.csv", index=False)
    code = _python_of_readme()
    if page == "tutorial":
        code = "\n".join(re.findall(r"```python[^\n]*\n(.*?)```", PAGES[page], re.DOTALL))
    names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    assert {"MAPDP", "Study", "describe"} <= names or page == "tutorial"
    assert printed in run_script(FEW_DRAWS + code, tmp_path)
    for written in ("report.html", "groups.html")[: 1 + (page == "tutorial")]:
        assert "<html" in (tmp_path / written).read_text("utf-8")


@pytest.mark.parametrize("address", ["", "https://raw.example.org/studio/"])
def test_a_package_index_is_told_where_the_pictures_lie(address, monkeypatch):
    kwargs = {}
    builder = SimpleNamespace(
        setup=lambda **given: kwargs.update(given), find_packages=lambda include: []
    )
    monkeypatch.setitem(sys.modules, "setuptools", builder)
    monkeypatch.setenv("README_PICTURES", address)
    runpy.run_path(str(ROOT / "setup.py"))
    pictures = re.findall(r"!\[.*\]\((.*)\)", README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)
    shown = re.findall(r"!\[.*\]\((.*)\)", kwargs["long_description"])
    assert shown == [address + picture for picture in pictures]


def test_the_commands_and_files_that_are_shown_are_those_there_are():
    text = README + "".join(PAGES.values())
    hosting = ("Dockerfile", "requirements.txt", ".hosting/mapdp-studio.service")
    shown = text + "".join((ROOT / name).read_text("utf-8") for name in hosting)
    lines = [line.strip() for line in text.splitlines()]
    fits = [line.split("#")[0] for line in lines if line.startswith("mapdp-studio fit")]
    assert len(fits) >= 3
    for line in fits:
        asked = parser().parse_args(shlex.split(line)[2:])
        assert (Path(asked.table).name, Path(asked.labels).name) == ("visits", "out")
    options = set(re.findall(r"--((?:server|browser)\.\w+)", shown))
    assert len(options) >= 5
    assert options <= set(config.get_config_options())
    extras = set(re.findall(r"(?:\.|mapdp-studio)\[([\w,]+)\]\"", shown))
    assert extras == {"app", "test", "docs"} <= set(PROJECT["optional-dependencies"])
    assert "mapdp-studio" in PROJECT["scripts"]
    named = set(re.findall(r"`(\.?[\w/-]+\.(?:py|pyi|txt|cff|md|service))`", text))
    assert {"constraints.txt", ".hosting/mapdp-studio.service", "CITATION.cff"} <= named
    there = {path.name for path in [*ROOT.glob("*"), *DOCS.glob("pages/*")]}
    assert {name for name in named if not (ROOT / name).exists()} <= there


def test_every_page_has_its_place_and_the_reference_every_public_name():
    placed = re.findall(r": (\w+)\.md$", (DOCS / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(placed) == sorted(PAGES)
    shown = re.findall(r"^::: mapdp_studio\.core\.(\w+)$", PAGES["reference"], re.MULTILINE)
    assert {*shown, "FAMILIES"} == {*core.__all__}
