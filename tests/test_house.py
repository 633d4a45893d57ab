"""The rules of the house: lint, format, the arrows of the imports, what may lie where."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import core

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {
    "LICENSE",
    "README.md",
    "app.py",
    "core",
    "demo_datasets",
    "pages",
    "pyproject.toml",
    "tests",
}
# core's own modules, from the ground up: a module imports its own layer's ground, never upwards.
LAYERS = [
    {"jit"},
    {"special"},
    {"families"},
    {"columns", "product"},
    {"sweeps"},
    {"partition", "centroids", "numeric"},
    {"kmeans"},  # the search of MAP-DP takes some of its starts from K-means
    {"search"},
    {"mapdp", "gibbs", "dpmeans", "em"},
]


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff_is_content(command):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "."], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_nothing_else_lies_at_the_top_level():
    git = shutil.which("git")
    listed = git and subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True)
    tracked = listed.stdout.split() if listed else []
    if not tracked:
        pytest.skip("There is no git, or this is no checkout.")
    visible = {path.split("/")[0] for path in tracked if not path.startswith(".")}
    assert visible <= TOP_LEVEL


def _imported(path: Path) -> set[str]:
    """Modules that a file imports anywhere, as dotted names from the repository's root."""
    names = set()
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            home = ".".join([*base, *([node.module] if node.module else [])])
            names.add(home)
            names.update(f"{home}.{alias.name}" for alias in node.names)
    return names


def _uses(path: Path, package: str) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for name in _imported(path))


@pytest.mark.parametrize(
    ("room", "forbidden"),
    [
        ("core", ["streamlit", "pages", "demo_datasets", "app", "tests"]),
        ("demo_datasets", ["streamlit", "pages", "app", "tests", "plotly"]),
        ("pages", ["app", "tests", "numba", "sklearn", "scipy", "statsmodels"]),
    ],
)
def test_imports_run_one_way(room, forbidden):
    offenders = [
        f"{path.relative_to(ROOT)} imports {package}"
        for path in (ROOT / room).rglob("*.py")
        for package in forbidden
        if _uses(path, package)
    ]
    assert offenders == []


def test_core_imports_never_point_upwards():
    layer = {module: level for level, modules in enumerate(LAYERS) for module in modules}
    offenders = [
        f"{path.relative_to(ROOT)} imports core.{module}"
        for path in (ROOT / "core").rglob("*.py")
        for module, level in layer.items()
        if level > layer.get(path.relative_to(ROOT / "core").parts[0].removesuffix(".py"), 99)
        and _uses(path, f"core.{module}")
    ]
    assert offenders == []


def _run_nodes(path: Path) -> Iterator[ast.AST]:
    """Nodes of a file, but for what only type checkers read."""
    waiting = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        yield node
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            waiting.extend(ast.iter_child_nodes(node))


def test_core_and_demos_import_each_other_relatively():
    offenders = [
        str(path.relative_to(ROOT))
        for room in ("core", "demo_datasets")
        for path in (ROOT / room).rglob("*.py")
        for node in _run_nodes(path)
        if isinstance(node, ast.ImportFrom)
        and not node.level
        and (node.module or "").split(".")[0] in ("core", "demo_datasets")
    ]
    assert offenders == []


def test_only_jit_sets_numba_options():
    offenders = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "core").rglob("*.py")
        if path.name != "jit.py" and "njit(" in path.read_text(encoding="utf-8")
    ]
    assert offenders == []


def test_plots_draw_what_they_are_given():
    for path in (ROOT / "core" / "plots").glob("*.py"):
        for package in ("sklearn", "scipy", "statsmodels", "numba"):
            assert not _uses(path, package), f"{path.name} imports {package}"


def test_public_names_are_there():
    for name in core.__all__:
        assert getattr(core, name) is not None


def test_importing_core_loads_nothing_heavy():
    heavy = ["numba", "pandas", "plotly", "scipy", "sklearn", "streamlit"]
    code = f"import sys, core; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_source_files_stay_short():
    long = {
        str(path.relative_to(ROOT)): lines
        for room in ("core", "pages", "demo_datasets")
        for path in (ROOT / room).rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 450
    }
    assert long == {}


def test_ci_runs_the_readme_s_test_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = [line.strip() for line in readme.splitlines() if line.endswith("-m pytest")]
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
