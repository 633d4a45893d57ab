"""Which columns of a study's tables may leave: one that is not here is dropped at the door."""

from __future__ import annotations

from .door import REMARK, Allowed

#: Conditions of a line: of the groups that it names, of those found without its column, and of
#: which way and about how far they differ.
SHOWN, TESTED, ABOUT = "shown", "tested", "about"

T_TESTS = Allowed(
    always=("column", "title", "made", "groups", "light"),
    where={
        SHOWN: (
            *("n_1", "n_2", "mean_1", "mean_2", "sd_1", "sd_2"),
            *("difference", "t", "df", "p", "p_left_out", "judged"),
        ),
        TESTED: (
            *("difference_left_out", "low_left_out", "high_left_out", "t_left_out", "df_left_out"),
            *("overlap", "test", "p_test", REMARK),
        ),
        ABOUT: ("differs", "g"),
    },
    roughly={"g": TESTED},
    p_values=("p", "p_left_out", "judged", "p_test"),
)
PAIRS = Allowed(
    always=("column", "kind", "group", "against"),
    where={
        SHOWN: (
            *("n", "n against", "test", "p", "smallest p", "p, corrected"),
            *("effect", "estimate", "low", "high"),
            *("second effect", "second estimate", "second low", "second high", REMARK),
        )
    },
    p_values=("p", "adjusted p", "p, corrected", "smallest p"),
)
#: By the name of its file, what of a table may leave. Where there is no condition, each cell was
#: judged when the table was made.
ALLOWED = {
    "t-tests": T_TESTS,
    "validators": PAIRS,
    "controls": PAIRS,
    "adjusted": Allowed(
        always=(
            *("Column", "Groups", "Complete cases", "Unadjusted (95 % interval)", "p"),
            "Adjusted for covariates (95 % interval)",
            *("p, adjusted for covariates", "Model", "Remark"),
        )
    ),
    "groups": Allowed(always=("Group", "Patients", "Share", "Comes back (Jaccard)")),
    "yes-no": Allowed(always=("Column", "Yes is"), by_group=True),
    "scores": Allowed(always=("Column", "Scale"), by_group=True),
    "participants": Allowed(always=("Stage", "Patients", "Rows")),
    "table-1": Allowed(always=("Column", "All", "Largest SMD"), by_group=True),
    "second-groups": Allowed(always=("Group", "Own group", "Jaccard", "Found again")),
    "second-crossed": Allowed(always=("Group", "Total"), like=r"Own \d+"),
    "second-effects": Allowed(
        always=(
            *("Column", "Groups", "First cohort (95 % interval)"),
            *("Second cohort (95 % interval)", "Direction"),
        )
    ),
    "missing": Allowed(always=("Column", "All"), by_group=True),
    "columns": Allowed(always=("Column", "Role", "Read as", "Counted")),
    "second": Allowed(always=("Group", "First cohort", "Second cohort", "Share in the second")),
    "second-outcomes": Allowed(always=("Column", "Groups", "Test", "p", "p, corrected", "Remark")),
    "settings": Allowed(always=("Setting", "Value")),
    "checklist": Allowed(always=("Item", "Here")),
    "items": Allowed(always=("Item", "What it asks", "Status", "Section", "Here")),
}
#: What the tables of a report may hold beside their marks ("Remark"), in patients or in rows.
_EFFECT = "Effect (95 % interval)"
_P = ("p", "Adjusted p", "p, corrected")
IN_REPORT = (
    *ALLOWED.values(),
    Allowed(always=("Group", "Patients", "Rows", "Share", "Comes back (Jaccard)")),
    Allowed(always=("Setting", "Groups", "Agreement with yours (ARI)", "")),
    Allowed(always=("Column", *_P, "Groups", "n", "Test", "Kind", "Remark")),
    Allowed(always=("Column", "Groups", "n", _EFFECT, "Test", *_P, "Remark")),
    Allowed(always=("Group",), like=r"at [\d.e+-]+"),
    Allowed(always=("Groups", *_P, "Test", "Remark"), like=r".* \(95 % interval\)"),
    Allowed(always=("Group", "Patients", "Rows", "Events", "Other event", "Median follow-up")),
    Allowed(always=("Item", "Here")),
    Allowed(
        always=(
            *("Column", "Groups", "Differs", "n 1st", "n 2nd", "mean 1st", "mean 2nd"),
            "Difference",
            *("95 % from", "to", "t", "df", "p, column left out", "Overlap", "g"),
            *("t, as the paper", "p, as the paper", "Remark"),
        ),
        p_values=("p, column left out", "p, as the paper"),
    ),
)
