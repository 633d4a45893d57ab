"""Kept kernels: where they are kept, and what becomes of them where that is damaged or full."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import mapdp_studio.core.jit as jit
from mapdp_studio.core.methods import warmup

ROOT = Path(__file__).parents[1]
CODE = """
from mapdp_studio.core.jit import COUNT, NUMBER, kernel, make_kernels
import numba

before = numba.config.CACHE_DIR

@kernel(NUMBER, NUMBER)
def twice(x):
    return 2.0 * x

make_kernels()
assert numba.config.CACHE_DIR == before, "An import changes a setting of the process."
print(twice(4.0), sum(twice.dispatcher.stats.cache_hits.values()))
"""
#: Compiled anew, and loaded from the disk: the result, how often it was loaded, what was said.
ANEW, LOADED = ("8.0 0", ""), ("8.0 1", "")


@pytest.fixture
def start(tmp_path):
    """Compile one kernel in a process of its own."""
    (tmp_path / "one_kernel.py").write_text(CODE, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if "NUMBA" not in name}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, tmp_path)))}

    def start(before: str = "") -> subprocess.Popen:
        command = [sys.executable, "-c", f"{before}\nimport one_kernel"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, env=environment, text=True, **pipes)

    return start


@pytest.fixture
def run(start):
    """Do so and wait for the end: what came of it and what was said."""

    def run(before: str = "") -> tuple[str, str]:
        process = start(before)
        result, said = process.communicate()
        assert process.returncode == 0, said
        return result.strip(), said

    return run


@pytest.mark.parametrize(("suffix", "content"), [("nbi", b"damaged"), ("nbc", None)])
def test_a_kernel_is_kept_and_a_damaged_one_that_is_forgotten_is_compiled_anew(
    run, tmp_path, suffix, content
):
    assert (run(), run()) == (ANEW, LOADED)
    kept = list(tmp_path.joinpath("cache").rglob(f"*.{suffix}"))
    assert kept
    for path in kept:
        path.write_bytes(path.read_bytes()[:-20] if content is None else content)
    assert run("from mapdp_studio.core.jit import forget_kernels; forget_kernels()") == ANEW
    assert run() == LOADED


def test_an_application_s_start_forgets_damaged_kernels(monkeypatch):
    tried, forgotten = [], []

    def fit_each():
        tried.append(1)
        if not forgotten:
            raise EOFError("Ran out of input")

    monkeypatch.setattr(warmup, "_fit_each", fit_each)
    monkeypatch.setattr(warmup, "forget_kernels", lambda: forgotten.append(1))
    warmup.warm_up()
    assert (len(tried), len(forgotten)) == (2, 1)


FULL = (
    "import shutil\n"
    "usage = shutil.disk_usage('/')\n"
    "shutil.disk_usage = lambda folder: usage._replace(free=1_000)"
)


def test_on_a_full_disk_nothing_is_kept(run, tmp_path):
    assert run(FULL) == run(FULL) == ANEW
    assert not [*tmp_path.rglob("*.nb?")]


def test_folders_of_others_are_left_alone_and_an_account_without_a_home_has_another(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    own = jit._cache_directory()
    assert own.is_relative_to(tmp_path / "cache")
    assert stat.S_IMODE(own.stat().st_mode) == stat.S_IMODE(own.parent.stat().st_mode) == 0o700
    own.chmod(0o777)  # others can write to it
    second = jit._cache_directory()
    assert second.is_relative_to(tmp_path / "temporary")
    second.rmdir()
    second.symlink_to(own)
    assert jit._cache_directory() not in (own, second)
    second.unlink()
    own.chmod(0o700)
    if os.getuid() == 0:  # only root gives files away
        os.chown(own, 12_345, 12_345)
        assert jit._cache_directory() == second
        os.chown(own, 0, 0)
    assert jit._cache_directory() == own

    def no_home(cls):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", classmethod(no_home))
    assert jit._cache_directory() == second


KILLED = (
    "import os, signal\n"
    "kept, replaced = os.replace, []\n"
    "def replace(*names):\n"
    "    replaced.append(names)\n"
    "    if len(replaced) > {files}:\n"
    "        os.kill(os.getpid(), signal.SIGKILL)\n"
    "    kept(*names)\n"
    "os.replace = replace"
)


@pytest.mark.parametrize("files", [0, 1])
def test_one_killed_while_keeping_a_kernel_leaves_nothing_that_misleads(start, run, files):
    killed = start(KILLED.format(files=files))
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert (run(), run()) == (ANEW, LOADED)


def test_two_processes_that_compile_at_once_share_what_they_keep(start, run):
    for process in (start(), start()):  # one that comes late loads what the other kept
        result, said = process.communicate()
        assert (result.split()[0], said) == ("8.0", "")
    assert run() == LOADED
