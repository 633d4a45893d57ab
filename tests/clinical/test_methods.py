"""The methods paragraph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mapdp_studio.core import choose_model
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.lock import Lock
from mapdp_studio.core.clinical.report import methods_paragraph
from mapdp_studio.core.clinical.tables import settings_table
from mapdp_studio.core.version import __version__
from tests.clinical.run_study import study_of

ROOT = Path(__file__).parents[2]


def test_methods_are_written_from_the_settings(cohort):
    parts = cohort["study"], cohort["checks"], cohort["validation"]
    said = methods_paragraph(*parts, "cohort.csv")
    for words in ("527 patients", "215 columns", "N₀ = 3", "2 runs", "Holm over 18 tests"):
        assert words in said


def test_a_model_that_the_table_chose_is_told_and_is_part_of_the_hash():
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 1)) + 0.1 * random.normal(size=(60, 3))
    frame = pd.DataFrame(x.round(2), columns=list("abc"))
    schema = choose_model(frame).schema
    study, groups = study_of(frame, schema, restarts=1)
    parts = study, Checks(groups), None
    said = methods_paragraph(*parts, "t.csv")
    assert "columns, but for a, b, c together, are independent within a group" in said
    assert "priors that were chosen with the groups before the lock" in said
    bare, _ = study_of(frame, schema.without_choice(), restarts=1)
    assert bare.lock.hash != study.lock.hash
    assert Lock.from_dict(study.lock.to_dict()).hash == study.lock.hash


def test_the_version_is_told_alike_everywhere(cohort):
    """Another version that is installed beside a checkout is not the one that ran."""
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].split()[0]
    assert newest == __version__
    assert f"\nversion: {__version__}\n" in cited
    settings = settings_table(cohort["study"].lock, 5).set_index("Setting")["Value"]
    assert settings["mapdp-studio"] == __version__
