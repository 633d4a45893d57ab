"""Methods paragraph and checklist."""

from __future__ import annotations

from pathlib import Path

from core.clinical.methods import checklist, methods_paragraph
from core.version import __version__

ROOT = Path(__file__).parents[2]


def test_methods_and_checklist_are_written_from_the_settings(cohort):
    parts = cohort["study"], cohort["checks"], cohort["validation"]
    said = methods_paragraph(*parts, "cohort.csv")
    for words in ("527 patients", "215 columns", "N₀ = 3", "2 runs", "Holm over 18 tests"):
        assert words in said
    items = dict(checklist(*parts))
    assert items["Purpose"] == "A test."
    assert items["Verdict"] == "amber, provisional"


def test_the_version_is_told_alike_everywhere(cohort):
    """Another version that is installed beside a checkout is not the one that ran."""
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].split()[0]
    assert newest == __version__
    assert f"\nversion: {__version__}\n" in cited
    items = dict(checklist(cohort["study"], cohort["checks"], cohort["validation"]))
    assert items["Version and seed"].startswith(f"{__version__};")
