"""Methods paragraph and checklist."""

from __future__ import annotations

from core.clinical.methods import checklist, methods_paragraph


def test_methods_and_checklist_are_written_from_the_settings(cohort):
    parts = cohort["study"], cohort["checks"], cohort["validation"]
    said = methods_paragraph(*parts, "cohort.csv")
    for words in ("527 patients", "215 columns", "N₀ = 3", "2 runs", "Holm over 18 tests"):
        assert words in said
    items = dict(checklist(*parts))
    assert items["Purpose"] == "A test."
    assert items["Verdict"] == "amber, provisional"
