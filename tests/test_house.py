"""The rules of the house: lint, format, the arrows of the imports, what may lie where."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {
    *("CHANGELOG.md", "CITATION.cff", "Dockerfile", "LICENSE", "MANIFEST.in", "README.md"),
    *("__init__.py", "app.py", "constraints.txt", "py.typed", "pyproject.toml"),
    *("requirements.txt", "setup.py", "core", "demo_datasets", "pages", "tests"),
}
PRODUCT = [
    ROOT / "app.py",
    *(path for top in ("core", "pages", "demo_datasets") for path in (ROOT / top).rglob("*.py")),
]
#: Names of other libraries that begin with an underline, and what only they should touch.
PRIVATE = (
    r"\b(st|streamlit|numba|np|pd|sklearn|scipy|plotly|llvmlite|pa)(\.\w+)*\._[a-z]"
    r"|\bgc\.get_|sys\.modules"
)
TEXTS = {path: path.read_text(encoding="utf-8") for path in PRODUCT}
#: The contracts that imports keep stand in pyproject.toml.
IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"


@pytest.mark.parametrize(
    "command",
    [["-m", "ruff", "check", "."], ["-m", "ruff", "format", "--check", "."], ["-c", IMPORTS]],
    ids=["lint", "format", "imports"],
)
def test_the_tools_are_content(command):
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_else_lies_at_the_top_level():
    git = shutil.which("git")
    listed = git and subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True)
    tracked = listed.stdout.split() if listed else []
    if not tracked:
        pytest.skip("There is no git, or this is no checkout.")
    assert {path.split("/")[0] for path in tracked if not path.startswith(".")} <= TOP_LEVEL


def test_every_folder_of_the_library_and_of_the_parts_is_a_room_of_a_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = {c["containers"][0]: {*c["layers"]} for c in contracts["contracts"] if "layers" in c}
    for folder in ("core", "pages/parts"):
        rooms = {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}
        assert rooms == layers[f"mapdp_studio.{folder.replace('/', '.')}"]


@pytest.mark.parametrize(
    ("files", "forbidden"),
    [
        (r"(core|demo_datasets)/.*", r"^ *(from|import) mapdp_studio\b"),  # relative in the library
        (r".*", r"^\s*(from|import) (core|pages|demo_datasets)\b"),  # one name of the package
        (r"core/(?!jit\.py).*", r"njit\("),  # one place sets numba's options
        (r"demo_datasets/.*", r"^ *(from|import) plotly\b"),
        (r".*", PRIVATE),
    ],
)
def test_no_file_says_it(files, forbidden):
    names = {str(path.relative_to(ROOT)): text for path, text in TEXTS.items()}
    found = {name for name, text in names.items() if re.search(forbidden, text, re.MULTILINE)}
    assert [name for name in found if re.fullmatch(files, name)] == []


def test_importing_core_loads_nothing_heavy():
    heavy = ["numba", "pandas", "plotly", "scipy", "sklearn", "streamlit"]
    code = f"import sys, mapdp_studio; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_source_files_stay_short():
    lengths = {str(path.relative_to(ROOT)): len(text.splitlines()) for path, text in TEXTS.items()}
    # The schema is one class with its documentation.
    assert {n for n, lines in lengths.items() if lines > 450} <= {"core/schema/schema.py"}
    assert max(lengths.values()) <= 600


def test_ci_runs_the_readme_s_test_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = [line.strip() for line in readme.splitlines() if line.endswith("-m pytest")]
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_documentation_names_every_room_and_no_other():
    page = (ROOT / ".docs" / "pages" / "house.md").read_text(encoding="utf-8")
    tree = "\n".join(line for line in page.splitlines() if line.startswith("    "))
    named = set(re.findall(r"(\w+)/(?=\s)", tree))
    rooms = {part for path in PRODUCT for part in path.relative_to(ROOT).parent.parts}
    assert named - {"tests", "reproductions", "browser", "benchmarks"} == rooms


def test_the_letters_that_name_a_paper_are_explained():
    named = {name for text in TEXTS.values() for name in re.findall(r"\b[A-Z]{1,2}\d\d\b", text)}
    assert "R16" in named
    page = (ROOT / ".docs" / "pages" / "method.md").read_text(encoding="utf-8")
    sources = page.partition("## Sources")[2]
    assert {letters for letters in named if f"- **{letters}**: " not in sources} == set()
