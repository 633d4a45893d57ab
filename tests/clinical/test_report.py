"""The report: its caveats, its settings, no patient; whole without groups, too."""

from __future__ import annotations

import json
import re

from core import Schema
from core.clinical.checks import Checks
from core.clinical.distinctions import BY_CONSTRUCTION
from core.clinical.methods import APPLICABILITY
from core.clinical.report import CAVEAT, package
from core.clinical.study import Plan, Study
from core.clinical.validation import CAUTION, validate
from core.statistics.copula import LIMITS


def test_the_report_holds_its_caveats_and_no_patient(cohort, written):
    for words in (CAVEAT, BY_CONSTRUCTION, CAUTION, LIMITS, APPLICABILITY[4]):
        assert words in written.html
    assert "They are &lt;i&gt;alike&lt;/i&gt;." in written.html
    assert "A &amp; B.csv" in written.html
    assert cohort["study"].lock.hash in written.html
    own = written.html.partition("<script>")[0]  # what follows is plotly.js
    assert re.findall(r"\bP\d{3}\b", own) == []
    made = {"groups", "yes-no", "scores", "validators", "controls", "participants", "columns"}
    assert set(written.tables) == made


def test_the_settings_repeat_the_study(cohort, written):
    saved = json.loads(written.settings)
    again = Study()
    again.lock_in(cohort["frame"], Schema.from_dict(saved["schema"]), Plan(**saved["plan"]))
    assert again.lock.hash == saved["hash"] == cohort["study"].lock.hash
    assert {"python", "numpy", "mapdp-studio"} <= set(saved["versions"])


def test_everything_stays_whole_when_there_are_no_groups(noise):
    groups, study, frame = noise["groups"], noise["study"], noise["frame"]
    assert not groups.found_any
    checks = Checks(groups)
    assert checks.light.colour == "grey"
    written = package(study, checks, validate(frame, study.lock, groups.labels), "noise.csv")
    assert "No groups were found" in written.html
    assert CAVEAT in written.html
    assert list(written.tables) == ["groups", "participants", "columns"]
