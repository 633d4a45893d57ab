"""The rules of the house: lint, format, the arrows of the imports, what may lie where."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from mapdp_studio import core

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {
    "CHANGELOG.md",
    "CITATION.cff",
    "Dockerfile",
    "LICENSE",
    "MANIFEST.in",
    "README.md",
    "__init__.py",
    "app.py",
    "constraints.txt",
    "core",
    "demo_datasets",
    "pages",
    "py.typed",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "tests",
}
TOPS = ("core", "pages", "demo_datasets", "tests")
#: The rooms from the ground up: a room imports from itself and from those before it. A room is a
#: folder; the ``__init__`` of a folder with files of its own stands apart, as what they stand on
#: (``pages``) or what they make up (``core``, ``core.families``, ``core.models.mixture``).
ROOMS = (
    *("core", "core.families", "core.families/__init__", "core.reading"),
    *("core.prepare", "core.schema"),
    *("core.engine", "core.partitions", "core.inference"),
    *("core.models.mixture", "core.models.mixture/__init__", "core.models"),
    *("core.models.choice", "core.models.views"),
    *("core.models.similarity", "core.scale"),
    *("core.statistics", "core.methods", "core.comparing", "core.profiling"),
    "core.teaching",
    *("core.plots", "core.exports", "core.clinical"),
    *("core.public", "core/__init__"),
    *("core.session", "core.command", "demo_datasets", "demo_datasets/__init__"),
    *(
        "pages.parts",
        "pages/__init__",
        "pages.parts.shared",
        "pages.parts.compare",
        "pages.parts.data",
    ),
    *("pages.parts.groups", "pages.parts.clinical", "pages.parts.teach"),
    *("pages.parts.take_away", "pages.parts.visit", "pages"),
)


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


@cache
def _imports(source: str, for_types: bool = True) -> list[ast.Import | ast.ImportFrom]:
    """What a file imports anywhere, or without what only type checkers read."""
    waiting, found = [ast.parse(source)], []
    while waiting:
        node = waiting.pop()
        never_run = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif for_types or not never_run:
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _imported(path: Path) -> set[str]:
    """Modules that a file imports, if only for types, as dotted names from the root."""
    names = set()
    package = path.relative_to(ROOT).parent.parts
    for node in _imports(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        else:
            base = package[: len(package) - node.level + 1] if node.level else ()
            home = ".".join([*base, *([node.module] if node.module else [])])
            names.add(home)
            names.update(f"{home}.{alias.name}" for alias in node.names)
    return {name.removeprefix("mapdp_studio.") for name in names}


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


def _modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for top in ("core", "pages", "demo_datasets")
        for path in (ROOT / top).rglob("*.py")
    }


def _room(path: Path) -> str:
    folder = ".".join(path.relative_to(ROOT).parent.parts)
    apart = f"{folder}/__init__"
    return apart if path.stem == "__init__" and apart in ROOMS else folder


def _arrows() -> Iterator[tuple[str, str]]:
    """Which module imports which, if only for types, as names of ``_modules``."""
    modules = _modules()
    for name, path in modules.items():
        for target in _imported(path):
            if target in modules and target != name:
                yield name, target


def test_every_folder_is_a_room():
    assert {_room(path) for path in _modules().values()} == set(ROOMS)


def test_imports_run_one_way_through_all_rooms():
    floor = {room: level for level, room in enumerate(ROOMS)}
    rooms = {name: _room(path) for name, path in _modules().items()}
    back = [
        f"{rooms[name]} to {rooms[target]}: {name} imports {target}"
        for name, target in _arrows()
        if floor[rooms[target]] > floor[rooms[name]]
    ]
    assert back == []


def test_no_modules_import_each_other_in_a_circle():
    order: TopologicalSorter[str] = TopologicalSorter()
    for name, target in _arrows():
        order.add(name, target)
    order.prepare()  # raises CycleError, which names the circle


def test_core_and_demos_import_each_other_relatively():
    offenders = [
        str(path.relative_to(ROOT))
        for room in ("core", "demo_datasets")
        for path in (ROOT / room).rglob("*.py")
        for node in _imports(path.read_text(encoding="utf-8"), for_types=False)
        if isinstance(node, ast.ImportFrom)
        and not node.level
        and (node.module or "").split(".")[0] == "mapdp_studio"
    ]
    assert offenders == []


def test_the_package_has_one_name():
    words = re.compile(r"^\s*(?:from|import) (?:core|pages|demo_datasets)\b", re.MULTILINE)
    files = [path for top in TOPS for path in (ROOT / top).rglob("*.py")]
    assert [str(p) for p in [*files, ROOT / "app.py"] if words.search(p.read_text("utf-8"))] == []


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
    code = f"import sys, mapdp_studio; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_source_files_stay_short():
    long = {
        str(path.relative_to(ROOT)): lines
        for room in ("core", "pages", "demo_datasets")
        for path in (ROOT / room).rglob("*.py")
        # The schema is one class with its documentation.
        if (lines := len(path.read_text(encoding="utf-8").splitlines()))
        > (600 if path.name == "schema.py" else 450)
    }
    assert long == {}


def test_ci_runs_the_readme_s_test_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = [line.strip() for line in readme.splitlines() if line.endswith("-m pytest")]
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_documentation_names_every_room_and_no_other():
    page = (ROOT / ".docs" / "pages" / "house.md").read_text(encoding="utf-8")
    tree = "\n".join(line for line in page.splitlines() if line.startswith("    "))
    named = set(re.findall(r"(\w+)/(?=\s)", tree))
    rooms = {part for room in ROOMS for part in re.split(r"[./]", room)} - {"__init__"}
    assert named - {"tests", "reproductions", "browser", "benchmarks"} == rooms


def test_the_letters_that_name_a_paper_are_explained():
    named = {
        letters
        for top in ("core", "pages", "demo_datasets")
        for path in (ROOT / top).rglob("*.py")
        for letters in re.findall(r"\b[A-Z]{1,2}\d\d\b", path.read_text(encoding="utf-8"))
    }
    assert "R16" in named
    page = (ROOT / ".docs" / "pages" / "method.md").read_text(encoding="utf-8")
    sources = page.partition("## Sources")[2]
    assert {letters for letters in named if f"- **{letters}**: " not in sources} == set()
