"""Modules at the root of core: kept kernels, the store, the logarithm, words and numbers."""

import os
import re
import stat
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from scipy import special

import mapdp_studio.core.jit as jit
from mapdp_studio.core.cache import Cache
from mapdp_studio.core.jit import NUMBER, kernel
from mapdp_studio.core.methods import warmup
from mapdp_studio.core.special import fast_lgamma, fast_log, half_rise
from mapdp_studio.core.wording import Notation, escaped, in_digits, listed, percent, times

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
#: A process for every line of code, forked as importing numba takes longest of all that one does.
PROCESSES = """
import os, sys
import numba
numba.njit(lambda: 0)()
for line in sys.stdin:
    if not os.fork():
        exec(eval(line))
        sys.exit()
    if os.wait()[1]:
        print("FAILED")
    print("END", flush=True)
"""
#: Compiled anew, and loaded from the disk: the result, and how often it was loaded.
ANEW, LOADED = ["8.0 0\n"], ["8.0 1\n"]


@pytest.fixture
def run(tmp_path):
    """Compile one kernel in a process of its own: what came of it and what was said."""
    (tmp_path / "one_kernel.py").write_text(CODE, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if "NUMBA" not in name}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, tmp_path)))}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    command = [sys.executable, "-c", PROCESSES]
    with subprocess.Popen(command, env=environment, text=True, bufsize=1, **pipes) as process:

        def run(before: str = "") -> list[str]:
            print(repr(f"{before}\nimport one_kernel"), file=process.stdin)
            return [*takewhile("END\n".__ne__, process.stdout)]

        yield run


def test_a_kernel_is_kept_and_a_damaged_one_that_is_forgotten_is_compiled_anew(run, tmp_path):
    assert (run(), run()) == (ANEW, LOADED)
    for suffix, content in (("nbi", b"damaged"), ("nbc", None)):
        files = list(tmp_path.joinpath("cache").rglob(f"*.{suffix}"))
        assert files
        for path in files:
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


def test_kernels_are_kept_where_nobody_else_can_write(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = jit._cache_directory()
    assert own.is_relative_to(tmp_path / "cache")
    own.chmod(0o777)  # others can write to it
    assert jit._cache_directory() == own
    assert stat.S_IMODE(own.stat().st_mode) == stat.S_IMODE(own.parent.stat().st_mode) == 0o700
    own.rmdir()
    own.write_text("no folder")
    assert jit._cache_directory().parent == Path(tempfile.gettempdir())

    def no_home(cls):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", classmethod(no_home))
    assert jit._cache_directory().parent == Path(tempfile.gettempdir())


def test_a_value_is_worked_out_once_and_what_was_asked_for_last_is_kept():
    store, asked = Cache(), []

    def value_of(key):
        return store.cached("square", key, lambda: asked.append(key) or key**2, 2)

    assert [value_of(n) for n in (1, 2, 1, 3, 1, 2)] == [1, 4, 1, 9, 1, 4]
    assert asked == [1, 2, 3, 2]
    assert [store.peek("square", n) for n in (1, 2, 3)] == [1, 4, None]
    store.store("root", 4, 2)
    assert (store.peek("root", 4), store.peek("square", 4)) == (2, None)


def test_threads_that_ask_at_once_wait_for_one_of_them_and_the_next_takes_over():
    asked, go_on, store = [], Event(), Cache()

    def work():
        asked.append(None)
        go_on.wait()
        return "worked out" if len(asked) > 1 else int("fails")

    with ThreadPoolExecutor(10) as pool:
        answers = [pool.submit(store.cached, "name", "key", work) for _ in range(10)]
        time.sleep(0.2)
        assert len(asked) == 1
        go_on.set()
        failed = [answer for answer in answers if answer.exception(timeout=10)]
    assert (len(failed), len(asked)) == (1, 2)
    assert {answer.result() for answer in answers if answer not in failed} == {"worked out"}


@kernel(NUMBER, NUMBER)
def _log(x):
    return fast_log(x)


@kernel(NUMBER, NUMBER)
def _lgamma(x):
    return fast_lgamma(x)


@kernel(NUMBER, NUMBER, NUMBER)
def _half_rise(a, times):
    return half_rise(a, times)


@pytest.mark.parametrize("a", [0.1, 3.0, 7.9, 8.0, 8.5, 60.0, 1e5, 1e9])
def test_half_a_step_of_log_gamma(a):
    # Gamma(a + 1/2)/Gamma(a) is what Pochhammer's symbol (a)_(1/2) is.
    expected = np.log(special.poch(a, 0.5)) + 0.5 * np.log(3.0)
    assert _half_rise(a, 3.0) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_fast_log_is_the_logarithm():
    x = 10.0 ** np.random.default_rng(0).uniform(-300, 300, 2000)
    x = np.concatenate([x, 1.0 + np.linspace(-1e-3, 1e-3, 201), 2.0 ** np.arange(-5, 6)])
    ours = np.array([_log(value) for value in x])
    assert np.allclose(ours, np.log(x), rtol=3e-16, atol=1e-300)


def test_fast_lgamma_is_the_log_of_gamma():
    x = 10.0 ** np.random.default_rng(0).uniform(-8, 12, 2000)
    x = np.concatenate([x, np.linspace(0.5, 3.0, 501), np.arange(1.0, 200.0) / 2])
    ours = np.array([_lgamma(value) for value in x])
    # Near 1 and 2 the function vanishes, so there only the absolute error can be small.
    assert np.allclose(ours, special.gammaln(x), rtol=1e-14, atol=1e-14)


def test_nothing_of_a_name_is_left_to_markdown():
    name = "![x](http://a/b.png) <b> `c` $d$ :red[e] **f** ~g~ # h\n| i"
    text = escaped(name)
    assert text.replace("\\", "").replace("\N{WORD JOINER}", "") == name.replace("\n", " ")
    for mark in "![]()<>`$:*~#|":
        assert text.count(mark) == text.count(f"\\{mark}")
    assert escaped("mild: 7 %, b: 7") == "mild\\:\u00a07\u00a0%, b\\: 7", "no line ends within"


@pytest.mark.parametrize("name", ["see http://a.example/b", "WWW.a.example", "who@a.example"])
def test_an_address_in_a_name_is_no_link(name):
    # What Streamlit's markdown takes for an address (micromark-extension-gfm-autolink-literal).
    link = re.compile(r"https?://[-.\w]+|www\.[-.\w]+|[-.\w+]+@[-\w]+\.[-\w]+", re.IGNORECASE)
    assert link.search(name)
    assert not link.search(escaped(name).replace("\\", ""))


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.6, "1,235"), (0.04567, "0.0457"), (12.0, "12"), (0.0, "0"), (1e-7, "1.00e-07")],
)
def test_numbers_have_three_digits(value, text):
    assert in_digits(value) == text


LATITUDES = (41.4 + np.random.default_rng(0).normal(0.0, 0.02, 500)).round(5)


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (np.arange(1940.0, 1996.0), 1962.0, "1962"),
        (np.arange(1000.0, 9000.0), 1962.0, "1,962"),
        (np.arange(1900.0, 2400.0), 1962.0, "1,962"),
        (LATITUDES, 41.38721, "41.387"),
        (LATITUDES, 41.40013, "41.400"),
        (np.array([0.0, 1.0, 2.0, 7.0]), 23 / 7, "3.3"),
        (np.array([0.0, 1.0, 2.0, 7.0]), 0.041, "0.04"),
        (np.arange(0.0, 90_000.0, 7.0), 57_169.476, "57,169"),
        (np.array([0.25, 0.5, 12.75]), 3.4567, "3.46"),
        (np.exp(np.log(np.array([0.02, 1.5, 1e6]))), 1.5, "1.5"),
        (np.array([-1.3, 0.2, 1.1]) / 3.0, -2e-17, "0.00"),
        (np.array([1e-12, 2e-12, 3e-12]), 2e-12, "2.00e-12"),
        (np.array([5.0, np.nan]), np.nan, "-"),
    ],
)
def test_numbers_have_the_digits_of_their_column(column, value, text):
    assert Notation.of(column).write(value) == text


@pytest.mark.parametrize(
    ("names", "text"),
    [
        *(("", ""), ("a", "'a'"), ("abc", "'a', 'b', 'c'"), ("abcde", "'a', 'b', 'c' and 2 more")),
        (["1,350", "1,405"], "'1,350'; '1,405'"),
    ],
)
def test_names_that_are_too_many_are_counted(names, text):
    assert listed(iter(names), 3, quotes="''") == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (264, 527, "50 %"),
        (2, 527, "0.38 %"),
        (0, 0, "0 %"),
        (0.05, 1.0, "5.0 %"),
        (0.0038, 1.0, "0.38 %"),
        (0.0996, 1.0, "10 %"),
        (0.00996, 1.0, "1.0 %"),
    ],
)
def test_shares_have_the_digits_they_deserve(part, whole, text):
    assert percent(part, whole) == text


def test_what_is_told_to_be_installed_can_be():
    sources = [
        ROOT / "README.md",
        *(p for d in ("core", "pages") for p in (ROOT / d).rglob("*.py")),
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    # The package is on no index: only a folder can be installed.
    assert re.findall(r"pip install [^\n&]*mapdp[^\n]*", text) == []
    named = {*re.findall(r"install\('(\w+)'\)", text), *re.findall(r'-e "\.\[(\w+)\]"', text)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"app"} <= named <= {*project["optional-dependencies"]}


def test_once_is_not_one_times():
    assert [times(1), times(2), times(1_204)] == ["once", "2 times", "1,204 times"]


def test_a_borrowed_array_lies_in_rows_or_is_refused():
    """A kernel finds cells by the lengths alone, and would read others of a column."""
    with pytest.raises(TypeError, match="whole lines of a borrowed array"):
        jit.LINES.copy(layout="A")
