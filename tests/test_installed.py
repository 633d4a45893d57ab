"""The same files as an installed package, `mapdp_studio`, and as a checkout."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import core.version
from tests.bare_process import Bare, bare_processes

ROOT = Path(__file__).parents[1]
TOPS = ("pages", "core", "demo_datasets")


@pytest.fixture(scope="module")
def bare() -> Iterator[Bare]:
    with bare_processes() as bare:
        yield bare


@pytest.fixture
def run(bare, tmp_path):
    """Run code where `mapdp_studio` is the only way to the project's files."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mapdp_studio").symlink_to(ROOT, target_is_directory=True)

    def run(code: str, path: Path | str | None = None) -> str:
        return bare.run(code, tmp_path, str(path or tmp_path / "site"))

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
    installed = run("from mapdp_studio.core.jit import FOLDER; print(FOLDER)")
    checkout = run("from core.jit import FOLDER; print(FOLDER)", path=ROOT)
    assert installed != checkout


#: What a process shares: settings of its packages and of Python, and who finds its imports.
UNTOUCHED = """
import os, sys, warnings
import joblib, narwhals, numba, numba.core.caching, numba.extending, pandas, pyarrow, scipy.stats
import sklearn.cluster

def state():
    yield {name: value for name, value in vars(numba.config).items() if name.isupper()}
    yield from map(list, (sys.meta_path, sys.path, sys.path_hooks, warnings.filters))
    yield dict(os.environ), numba.core.caching.CacheImpl._locator_classes[:]

before = [*state()]
"""


@pytest.mark.parametrize("package", ["mapdp_studio", "core"])
def test_an_import_changes_nothing_of_the_process(run, package):
    said = run(
        f"{UNTOUCHED}\nimport {package}\nfrom {package} import MAPDP\nfit = MAPDP().fit\n"
        "print([*state()] == before, MAPDP.__module__.split('.')[0])",
        path=ROOT if package == "core" else None,
    )
    assert said == f"True {package}"


def test_the_container_compiles_into_the_cache_that_its_server_reads(run):
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (warm,) = re.findall(r'^RUN python -c "(from .*); warm_up_all\(\)"$', text, re.MULTILINE)
    where = "from mapdp_studio.core.jit import FOLDER; print(FOLDER)"
    served = (  # Streamlit puts the script's folder first
        "import sys; from mapdp_studio import app; sys.path.insert(0, app.__file__[:-7])"
        f"; import core.methods.warmup; {where}"
    )
    assert run(f"{warm}; {where}") == run(served)


TWO_NAMES = ["core", "mapdp_studio.core"]


@pytest.mark.parametrize(
    ("first", "second", "with_package"),
    [(*TWO_NAMES, True), (*TWO_NAMES[::-1], True), (*TWO_NAMES, False)],
    ids=["core first", "package first", "checkout alone"],
)
def test_both_names_lead_to_the_same_modules(run, tmp_path, first, second, with_package):
    path = f"{tmp_path / 'site'}{os.pathsep}{ROOT}" if with_package else ROOT
    said = run(
        "import sys\n"
        "from importlib import import_module\n"
        f"first, second = import_module({first!r}), import_module({second!r})\n"
        "assert first is second\n"
        f"demos = [import_module(n.replace('core', 'demo_datasets')) for n in {[first, second]}]\n"
        "assert demos[0] is demos[1]\n"
        "for part in ('models.mapdp', 'engine.sweeps', 'families', 'schema.schema'):\n"
        f"    two = [import_module(f'{{name}}.{{part}}') for name in {[first, second]}]\n"
        "    assert two[0] is two[1]\n"
        f"    assert two[0].__spec__.name == {first!r} + '.' + part\n"
        "names = {module.__name__ for module in sys.modules.values()}\n"
        f"print([name for name in names if name.startswith({second!r} + '.')])",
        path=path,
    )
    assert said == "[]"


def test_a_model_kept_through_one_name_opens_through_the_other(run, tmp_path):
    path = f"{tmp_path / 'site'}{os.pathsep}{ROOT}"
    keep = "joblib.dump(DPMeans(penalty=4.0).fit(np.arange(6.0)[:, None]), {!r})\n"
    opened = "model = joblib.load({!r})\nprint(isinstance(model, DPMeans), len(model.labels_))\n"
    said = [
        run(f"import joblib, numpy as np\nfrom {name} import DPMeans\n{code}", path=path)
        for name, code in (
            ("core", keep.format("of core")),
            ("mapdp_studio.core", opened.format("of core") + keep.format("of package")),
            ("core", opened.format("of package")),
        )
    ]
    assert said == ["", "True 6", "True 6"]


def test_somebody_elses_core_stays_theirs(run, tmp_path):
    (tmp_path / "site" / "core").mkdir()
    (tmp_path / "site" / "core" / "__init__.py").write_text("mine = 1\n")
    (tmp_path / "site" / "core" / "models.py").write_text("mine = 2\n")
    said = run("import mapdp_studio.core, core, core.models; print(core.mine, core.models.mine)")
    assert said == "1 2"


def test_another_version_beside_this_one_is_refused(run, tmp_path):
    other = tmp_path / "other"
    (other / "core").mkdir(parents=True)
    for name in ("__init__.py", "one_name.py"):
        (other / "core" / name).write_bytes((ROOT / "core" / name).read_bytes())
    said = run(
        "import sys, mapdp_studio.core\nsys.path.insert(0, 'other')\n"
        "try:\n    import core\nexcept ImportError as error:\n    print(error)"
    )
    assert said.startswith("mapdp_studio.core is loaded already, from ")
    assert said.endswith("import from mapdp_studio.core alone.")


#: Those of the extra, which a plain install leaves out; with them figures and other files.
OF_THE_APP = ["openpyxl", "plotly", "pyreadstat", "python_calamine", "streamlit"]


def test_the_library_does_without_what_the_app_needs(run):
    said = run(
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({OF_THE_APP}))\n"
        "import core, mapdp_studio, pandas as pd\n"
        "from mapdp_studio.app import main\n"
        "from core.extras import MissingExtra\n"
        "for name in mapdp_studio.__all__:\n    getattr(mapdp_studio, name)\n"
        "import numpy as np\n"
        "draw = np.random.default_rng(0).normal\n"
        "frame = pd.DataFrame({name: draw(size=40) for name in 'abc'})\n"
        "frame['died'] = [0, 1, 1, 1] * 10\n"
        "study = mapdp_studio.Study(frame, outcomes=['died']).run()\n"
        "try:\n    study.report('r.html')\nexcept MissingExtra as error:\n    print(error)\n"
        "pd.DataFrame({'a': [1.5, 2.0, 9.0, 8.5] * 5}).to_csv('t.csv', index=False)\n"
        "for words in ('cluster t.csv --as-suggested --out g.csv', 'cluster t.csv --out g.sav',\n"
        "              'cluster t.csv --report r.html', ''):\n"
        "    sys.argv[1:], sys.stderr = words.split(), sys.stdout\n"
        "    try:\n        main()\n    except SystemExit as end:\n        print(end.code)\n"
        "try:\n    import mapdp_studio.core.plots\nexcept ImportError as error:\n    print(error)",
        path=ROOT,  # whose kernels are compiled already
    ).splitlines()
    assert said[0].startswith("Figures need plotly: run python -m pip install")
    clustered, (spss, report, app, figures) = said[:-7], said[-7:][::2]
    assert clustered[-2:] == ["Written: g.csv", "0"]
    assert 'needs pyreadstat: run python -m pip install -e ".[app]"' in spss
    assert (report[:21], app[:20]) == ("A report needs plotly", "The app is not insta")
    assert figures.startswith("Figures need plotly: run ")


def test_the_package_has_a_version_and_every_public_name(run, tmp_path):
    """In a process that has imported nothing yet, as a user's has not."""
    code = (
        "import mapdp_studio\n"
        "from mapdp_studio import MAPDP, infer_schema, read_table\n"
        "assert all(getattr(mapdp_studio, name) is not None for name in mapdp_studio.__all__)\n"
        "print(mapdp_studio.__version__)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+\.\d+\.\d+", done.stdout.strip())


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
        for top in TOPS
        for path in (ROOT / top).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert any(path.suffix == ".js" for path in read)
    assert read <= packaged


def test_every_folder_of_code_is_packaged(monkeypatch):
    told = {}
    monkeypatch.setattr("setuptools.setup", lambda **words: told.update(words))
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    folders = {path.parent for top in TOPS for path in (ROOT / top).rglob("*.py")}
    names = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert {*told["packages"]} == {"mapdp_studio", *(f"mapdp_studio.{name}" for name in names)}


def test_the_tests_run_in_a_folder_whose_name_is_no_package_s(tmp_path):
    folder = tmp_path / "mapdp-studio-0.1"
    (folder / "tests").mkdir(parents=True)
    for name in ("__init__.py", "pyproject.toml"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "tests" / "test_it.py").write_text("def test_it():\n    pass\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    recipe = (ROOT / ".hosting" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    runs = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    asked = {line.strip("- ").replace(" ", "") for line in runs.splitlines()}
    assert asked == {f"python{told['requires-python']}", *told["dependencies"]}
    assert f'version: "{core.version.__version__}"' in recipe


def test_nothing_that_the_tests_need_holds_back_what_users_get():
    """lifelines asked for pandas below 3: users got 3.1, where no test could see what failed."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    newest = dict(line.split("==") for line in lines if not line.startswith("#"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = [Requirement(text).name for text in project["optional-dependencies"]["test"]]
    looked_at = 0
    for name in (name for name in extra if name != project["name"]):
        for needed in map(Requirement, requires(name) or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                looked_at += 1
                version = newest.get(needed.name.lower())
                assert version is None or needed.specifier.contains(version), (name, str(needed))
    assert looked_at > 2
