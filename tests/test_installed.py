"""What is installed: the package, its files, its dependencies; and the app that is not."""

import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FILES = [path for top in ("pages", "core", "demo_datasets") for path in (ROOT / top).rglob("*.*")]


def run(code: str, folder: Path) -> str:
    """What code says in a new process, where warnings are errors and this folder is not found."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


#: Settings of packages and of Python, and who finds its imports, are shared by a whole process.
#: Then it lacks what the extra brings and a plain install leaves out, for figures and other files.
PLAIN = """
import os, sys, warnings
import joblib, numba, numba.core.caching, numba.extending, pandas as pd, pyarrow, scipy.stats
import sklearn.cluster

def state():
    yield {name: value for name, value in vars(numba.config).items() if name.isupper()}
    yield from map(list, (sys.meta_path, sys.path, sys.path_hooks, warnings.filters))
    yield dict(os.environ), numba.core.caching.CacheImpl._locator_classes[:]

before = [*state()]
from mapdp_studio import MAPDP
fit = MAPDP().fit
extra = {"openpyxl", "plotly", "pyreadstat", "python_calamine", "streamlit"}
print([*state()] == before, extra & {*sys.modules})
sys.modules.update(dict.fromkeys(extra))

import mapdp_studio
from mapdp_studio.app import main
for name in mapdp_studio.__all__:
    getattr(mapdp_studio, name)
import numpy as np
draw = np.random.default_rng(0).normal
frame = pd.DataFrame({name: draw(size=40) for name in "abc"})
frame["died"] = [0, 1, 1, 1] * 10
study = mapdp_studio.Study(frame, outcomes=["died"]).run()
try:
    study.report("r.html")
except ImportError as error:
    print(error)
pd.DataFrame({"a": [1.5, 2.0, 9.0, 8.5] * 5}).to_csv("t.csv", index=False)
for words in ("cluster t.csv --as-suggested --out g.csv", "cluster t.csv --out g.sav",
              "cluster t.csv --report r.html", ""):
    sys.argv[1:], sys.stderr = words.split(), sys.stdout
    try:
        main()
    except SystemExit as end:
        print(end.code)
try:
    import mapdp_studio.core.plots
except ImportError as error:
    print(error)
"""


def test_an_import_changes_nothing_and_the_library_does_without_what_the_app_needs(tmp_path):
    is_untouched, *lines = run(PLAIN, tmp_path).splitlines()
    assert is_untouched == "True set()"
    assert lines[0].startswith("Figures need plotly: run python -m pip install")
    clustered, (spss, report, app, figures) = lines[:-7], lines[-7:][::2]
    assert clustered[-2:] == ["Written: g.csv", "0"]
    assert 'needs pyreadstat: run python -m pip install -e ".[app]"' in spss
    assert (report[:21], app[:20]) == ("A report needs plotly", "The app is not insta")
    assert figures.startswith("Figures need plotly: run ")


def test_every_file_that_code_reads_and_every_folder_of_code_is_packaged(monkeypatch):
    packaged = {
        path
        for package, patterns in SETTINGS["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        for path in ROOT.joinpath(*package.split(".")[1:]).glob(pattern)
    }
    read = {path for path in FILES if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert any(path.suffix == ".js" for path in read)
    assert read <= packaged
    kwargs = {}
    monkeypatch.setattr("setuptools.setup", lambda **given: kwargs.update(given))
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    folders = {path.parent for path in FILES if path.suffix == ".py"}
    names = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert {*kwargs["packages"]} == {"mapdp_studio", *(f"mapdp_studio.{name}" for name in names)}


def test_nothing_that_the_tests_need_holds_back_what_users_get():
    """lifelines asked for pandas below 3: users got 3.1, where no test could see what failed."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    newest = dict(line.split("==") for line in lines if not line.startswith("#"))
    project = SETTINGS["project"]
    extra = {Requirement(text).name for text in project["optional-dependencies"]["test"]}
    asked = [
        Requirement(text) for name in extra - {project["name"]} for text in requires(name) or ()
    ]
    asked = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    assert len(asked) > 2
    for one in asked:
        version = newest.get(one.name.lower())
        assert version is None or one.specifier.contains(version), str(one)
