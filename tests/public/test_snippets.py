"""Every task of the app in five lines of public names: the documentation's snippets run."""

import re
from pathlib import Path

import pytest

from mapdp_studio import core

TEXT = (Path(__file__).parents[2] / ".docs" / "pages" / "tasks.md").read_text(encoding="utf-8")
BLOCK = r"^## (.*?)\n\n```python[^\n]*\n(.*?)```"
SNIPPETS = dict(re.findall(BLOCK, TEXT, re.MULTILINE | re.DOTALL))


@pytest.fixture
def folder(cohort, few_draws, tmp_path, monkeypatch):
    cohort.to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / "visits").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("task", SNIPPETS)
def test_every_task_takes_five_lines_of_public_names(task, folder, capsys):
    assert len(SNIPPETS) == TEXT.count("```python") - 1 == 10  # the table is made first
    code = SNIPPETS[task]
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 5
    names = re.findall(r"^from mapdp_studio import (.*)$", code, re.MULTILINE)[0].split(", ")
    assert {*names} <= {*core.__all__}
    exec(compile(code, task, "exec"), {})
    assert capsys.readouterr().out.strip()
    for page in re.findall(r'"(\w+\.html)"', code):
        assert "<html" in (folder / page).read_text(encoding="utf-8")
