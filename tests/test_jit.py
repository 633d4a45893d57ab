"""Kept kernels: thrown away where they are damaged, done without where the disk is full."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import core.jit as jit

ROOT = Path(__file__).parents[1]
CODE = """
import logging
logging.basicConfig(format="%(message)s")
{before}
from core.jit import kernel

@kernel
def twice(x):
    return 2.0 * x

print(twice(4.0), sum(twice.stats.cache_hits.values()))
"""


@pytest.fixture
def run(tmp_path):
    """Compile one kernel in a process of its own: (result, loaded from disk), what was said."""
    script = tmp_path / "kernel.py"

    def run(before: str = "") -> tuple[str, str]:
        script.write_text(CODE.format(before=before), encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if "NUMBA" not in name}
        environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip(), done.stderr

    return run


@pytest.mark.parametrize(("suffix", "content"), [("nbi", b"damaged"), ("nbc", None)])
def test_a_damaged_kernel_is_thrown_away_and_compiled_anew(run, tmp_path, suffix, content):
    assert run() == ("8.0 0", "")
    kept = list(tmp_path.joinpath("cache").rglob(f"*.{suffix}"))
    assert kept
    for path in kept:
        path.write_bytes(path.read_bytes()[:-20] if content is None else content)
    result, said = run()
    assert result == "8.0 0"
    assert "A kept kernel (twice) cannot be read" in said
    assert run() == ("8.0 1", "")


def test_a_full_disk_costs_the_next_start_and_not_this_one(run):
    full = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
    )
    result, said = run(full)
    assert result == "8.0 0"
    assert "A kernel (twice) cannot be kept on disk" in said
    assert run() == ("8.0 0", "")


def test_a_folder_that_others_can_write_to_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    own = jit._cache_directory()
    assert own.is_relative_to(tmp_path / "cache")
    assert stat.S_IMODE(own.stat().st_mode) == stat.S_IMODE(own.parent.stat().st_mode) == 0o700
    own.chmod(0o777)
    second = jit._cache_directory()
    assert second.is_relative_to(tmp_path / "temporary")
    second.rmdir()
    second.symlink_to(own)
    assert jit._cache_directory() not in (own, second)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="Only root gives files away.")
def test_another_users_folder_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    os.chown(jit._cache_directory(), 12_345, 12_345)
    assert not jit._cache_directory().is_relative_to(tmp_path / "cache")


def test_an_account_without_a_home_keeps_its_kernels_elsewhere(tmp_path, monkeypatch):
    def no_home(cls):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", classmethod(no_home))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert jit._cache_directory().is_relative_to(tmp_path)
