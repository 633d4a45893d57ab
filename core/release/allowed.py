"""Which columns of a study's tables may leave: one that is not here is dropped at the door."""

from __future__ import annotations

from .door import REMARK, Allowed

#: Conditions of a line: of the groups that it names, and of those found without its column.
SHOWN, TESTED = "shown", "tested"

T_TESTS = Allowed(
    always=("column", "title", "made", "groups", "differs"),
    where={
        SHOWN: (
            *("n_1", "n_2", "mean_1", "mean_2", "sd_1", "sd_2"),
            *("difference", "t", "df", "p", "p_left_out", "judged"),
        ),
        TESTED: (
            *("difference_left_out", "low_left_out", "high_left_out", "t_left_out", "df_left_out"),
            *("overlap", "g", "test", "p_test", REMARK),
        ),
    },
    roughly=("g",),
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
    "missing": Allowed(always=("Column", "All"), by_group=True),
    "columns": Allowed(always=("Column", "Role", "Read as", "Counted")),
    "second": Allowed(always=("Group", "First cohort", "Second cohort", "Share in the second")),
    "second-outcomes": Allowed(always=("Column", "Groups", "Test", "p", "p, corrected", "Remark")),
    "settings": Allowed(always=("Setting", "Value")),
    "checklist": Allowed(always=("Item", "Here")),
    "items": Allowed(always=("Item", "What it asks", "Status", "Section", "Here")),
}
