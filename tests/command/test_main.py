"""What the words after ``mapdp-studio`` lead to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import app
from mapdp_studio.core.command.main import run
from mapdp_studio.core.version import __version__

ROOT = Path(__file__).parents[2]


@pytest.fixture
def asked(capsys):
    """Run the words: exit status, what the app was asked for, what was said."""

    def asked(*words: str) -> tuple:
        served = []
        status = run(words, lambda options, opened: served.append((options, opened)))
        said = capsys.readouterr()
        return status, *served, said.out + said.err

    return asked


def test_help_and_version_are_our_own(asked):
    assert asked("--version") == (0, f"mapdp-studio {__version__}\n")
    assert asked("--help")[1].startswith("mapdp-studio  ")


def test_the_app_gets_its_options_and_one_table(asked, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    port = ["--server.port", "8600"]
    assert asked() == (0, ([], None), "")
    assert asked(*port, str(path)) == (0, (port, path), "")
    assert asked("--server.headless=true") == (0, (["--server.headless=true"], None), "")
    for words, expected in (
        (["clutser"], "There is no file or command 'clutser'"),
        ([str(path), str(path)], "one table"),
        (["--port", "1"], "There is no option '--port'"),
    ):
        status, said = asked(*words)
        assert (status, said.count("\n"), expected in said) == (1, 1, True)


def test_an_option_that_the_server_does_not_have_is_refused(monkeypatch):
    monkeypatch.setattr("sys.argv", [])
    with pytest.raises(ValueError, match=r"No such option.*--server\.prot"):
        app.serve(["--server.prot", "1"], None)


def test_without_streamlit_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['streamlit'] = None\nfrom mapdp_studio.app import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("The app is not installed with the library: it needs streamlit: ")
    assert done.stderr.count("\n") == 1
