"""What stands on the first two pages of a report that comes by mail."""

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core import Study
from mapdp_studio.core.clinical.outcomes import hide_effects, pair_table
from mapdp_studio.core.clinical.report import EFFECT, Package, make_package
from mapdp_studio.core.clinical.small_counts import HIDDEN, Hidden
from mapdp_studio.core.statistics.chance import FULL
from mapdp_studio.core.statistics.compare import associations
from tests.clinical.studies import Studied, own_text, tables_of
from tests.clinical.test_verdict import chance_of, stable
from tests.tables.cohorts import table

COHORTS = {
    "gbsg": ("rfstime", "Kaplan-Meier", "mean times without the event up to 2,200: "),
    "melanoma": ("time", "cumulative incidence", "shares with the event by 4,000: "),
}


@pytest.fixture(scope="module", params=COHORTS)
def written(request) -> tuple[str, Package]:
    """The report of a cohort whose censored times were named as outcomes like any other."""
    time = COHORTS[request.param][0]
    with pytest.warns(UserWarning, match=f"“{time}” and “status” are taken as a time to an event"):
        study = Study(table(request.param), outcomes=[time, "status"])
    one = Studied(study.frame, study)
    labels = one.groups.labels
    found = {"stability": stable(0.5, labels=labels), "reference": chance_of(0.06, 19, 19)}
    checks = replace(one.checks, **found)
    return request.param, make_package(study, checks, one.validation, "mailed.csv")


def test_the_front_says_what_was_found_by_which_protocol_and_how_large_it_is(written):
    name, found = written
    time, curve, effect = COHORTS[name]
    front, _, rest = own_text(found).partition('<h2 class="page">')
    assert "preview, of fewer restarts and resamples than full" in front
    full = replace(found.checks, reference=replace(found.checks.reference, n_tables=FULL))
    assert full.protocol == "full protocol"
    assert "units of the table" in front
    assert front.count("<figure>") == 1
    assert f"{time} until status = 1: {curve}" in front
    assert f"{time} until status = 1: {curve}" not in rest
    outcomes = next(one for one in tables_of(front) if EFFECT in one)
    assert outcomes["Column"].tolist() == [f"{time} until status = 1"]
    pairs = pair_table(found.kept_out).set_index("Groups")["Effect (95 % interval)"]
    surest = min(found.kept_out.columns[0].pairs, key=lambda one: one.test.p).groups
    pair, _, text = outcomes[EFFECT][0].partition(": ")
    assert pair == " and ".join(str(k + 1) for k in surest)
    assert text == pairs[pair]
    assert effect in text
    # It is true where no file came with it.
    assert "CSV" not in front + rest


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_the_front_is_printed_on_two_pages(written, tmp_path):
    front, _, rest = written[1].html.partition('<h2 class="page">')
    scripts = rest.partition("<script>")
    (tmp_path / "front.html").write_text(front + "".join(scripts[1:]), encoding="utf-8")
    args = ["--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={tmp_path}/front.pdf"]
    subprocess.run(["chromium", *args, f"{tmp_path}/front.html"], capture_output=True, timeout=60)
    assert len(re.findall(rb"/Type /Page\b", (tmp_path / "front.pdf").read_bytes())) == 2


def test_a_small_group_hides_no_effect_of_the_others():
    """Twelve patients without the event, seen for a short time, beside groups of 60 and 50."""
    random, labels = np.random.default_rng(0), np.repeat([0, 1, 2], [60, 50, 12])
    frame = table("melanoma").head(labels.size).assign(x=labels, y=random.normal(size=labels.size))
    frame["time"] = random.exponential(np.array([9, 5, 1])[labels]).clip(0.01).round(2)
    frame["status"] = np.where(labels == 2, 0, random.integers(2, size=labels.size))
    frame.loc[[61, 63, 65], "status"] = 2  # few of the second group, and no part of its effects
    with pytest.warns(UserWarning, match="1 is the event, 2 rules"):
        study = Study(frame[["time", "status", "x", "y"]])
    found = associations(frame, study.lock.schema, labels)
    groups = Studied(frame, study).groups
    groups = replace(groups, labels=labels, titles=("A", "B", "C"))
    hidden = Hidden.of([found.columns[0].variable], groups, 5)
    pairs = pair_table(hide_effects(found, hidden)).set_index("Groups").filter(like="interval")
    alone = pair_table(associations(frame[:110], study.lock.schema, labels[:110]))
    assert pairs.loc["1 and 2"].tolist() == alone.filter(like="interval").loc[0].tolist()
    assert not pairs.drop("1 and 2").isin([HIDDEN]).any(axis=None)
    assert hidden.figures.loc["time"].tolist() == [False, True, False, True]
