"""Step 3, t-tests: every column between two groups, with the p of groups found without it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.t_tests import (
    BANNER,
    BY,
    ELSEWHERE,
    LEAST_P,
    NOT_FOUND,
    PAPER,
    Pair,
    TestOptions,
    TTests,
    hedges_g,
)
from mapdp_studio.core.clinical.verdict import heading
from mapdp_studio.core.statistics.correct import CORRECTIONS
from mapdp_studio.core.wording import counted, escaped, in_digits
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical import study
from mapdp_studio.pages.parts.shared.compute import job_state
from mapdp_studio.pages.parts.shared.kit import choose_one, listing

STUDENT, WELCH, NONE = "Student", "Welch", "None"
OTHERS = "All others"
NO_EVIDENCE = (
    "These columns made the groups, so the paper's p is no evidence; the other p is of groups "
    "found without the column."
)
HOW = (
    "A test is made where both groups come back without the column with half of their patients in "
    "common; a column differs only where those shown and those found without it do so in one "
    "direction. Finding them again is a selection: p is divided by the share of columns without "
    "which they are found, and the interval is as much wider."
)


def t_tests(visit: Session) -> None:
    """Two groups side by side on every column, the largest difference first."""
    subgroups = study.groups_to_compare(visit)
    visit.study.note_validators()
    pair, choice = _choose(subgroups)
    tests = study.tests_of(visit, subgroups)
    job = study.long_work(visit, study.LEFT_OUT, subgroups)[1]
    key = (visit.study.lock, pair, choice, len(tests.left_out))
    lines = visit.results.cached("t-tests shown", key, lambda: _lines(tests, pair, choice))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/info: {NO_EVIDENCE}", width="content")
        with st.popover("Why", type="tertiary"):
            for text in (BANNER, heading(study.checks_of(visit, subgroups).light), HOW, ELSEWHERE):
                st.markdown(escaped(text))
    st.markdown(_summary(tests, lines, choice))
    job_state(job, study.LEFT_OUT)
    _table(tests, lines, pair)


def _lines(tests: TTests, pair: Pair | None, choice: TestOptions) -> pd.DataFrame:
    lines = tests.lines(None if pair is None else [pair], choice)
    size = hedges_g(lines).abs() if len(lines) else pd.Series(dtype=float)
    order = np.argsort(-size.fillna(-1.0).to_numpy(), kind="stable")
    return lines.iloc[order].reset_index(drop=True)


def _choose(subgroups: Subgroups) -> tuple[Pair | None, TestOptions]:
    """Which groups, and how; None for every two of them."""
    groups, titles = list(subgroups.profiled), dict(enumerate(subgroups.titles)) | {None: OTHERS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        all_pairs = st.session_state.get("t_all_pairs", False)
        kwargs = {"format_func": titles.__getitem__, "width": 150, "disabled": all_pairs}
        a = st.selectbox("Group", groups, key="t_a", **kwargs)
        others = [*(k for k in groups if k != a), None]
        b = st.selectbox("Against", others, key="t_b", **kwargs)
        with st.popover("Options", icon=":material/tune:"):
            choice = _options()
        is_paper = choice == PAPER
        st.button(
            "Back to corrected tests" if is_paper else "As in the 2016 paper",
            key="t_paper",
            icon=":material/undo:" if is_paper else ":material/history_edu:",
            on_click=_choose_all,
            args=(TestOptions() if is_paper else PAPER,),
            help="Student's test at .01, not corrected, on the columns that made the groups "
            "(Raykov et al. 2016, section 6).",
        )
    return None if all_pairs else (a, b), choice


def _options() -> TestOptions:
    test = choose_one("t-test", [WELCH, STUDENT], "t_test")
    alpha = choose_one("Marked up to p =", (0.05, 0.01), "t_alpha")
    first = TestOptions().correction
    names = [first, *(name for name in (*CORRECTIONS, NONE) if name != first)]
    text = "Over all columns and every two groups, those not shown, too."
    correction = choose_one("Correction", names, "t_correction", help=text)
    by = choose_one("p-value that counts", list(BY), "t_by", format_func=BY.__getitem__)
    st.toggle("Every two groups", key="t_all_pairs", persist_state="session")
    return TestOptions(test == STUDENT, alpha, None if correction == NONE else correction, by)


def _choose_all(choice: TestOptions) -> None:
    test, correction = STUDENT if choice.equal_variances else WELCH, choice.correction or NONE
    values = {"t_test": test, "t_alpha": choice.alpha, "t_correction": correction}
    st.session_state.update(values, t_by=choice.by)


def _summary(tests: TTests, lines: pd.DataFrame, choice: TestOptions) -> str:
    """How many columns differ, of how many that have been tested so far, by which rule."""
    tested = int(lines["judged"].notna().sum())
    rule = f"p {BY[choice.by]}, at most {choice.alpha:g}, {choice.correction or 'not corrected'}"
    text = f"**Marked: {lines['differs'].sum():,} of {counted(tested, 'test')}** ({rule})."
    if choice.by == "p":
        return text
    if choice.correction is None:
        text += f" By chance alone {choice.alpha * tested:.3g} would be."
    n_sought = sum(name in tests.left_out for name in tests.clustered)
    n_columns = len(tests.clustered)
    if n_sought < n_columns:
        text += f" **{n_sought:,} of {counted(n_columns, 'column')} searched** so far."
    refused = (lines["remark"] == NOT_FOUND).sum()
    if refused:
        text += f" Not testable, as the groups are not found without them: {refused:,}."
    return text


def _table(tests: TTests, lines: pd.DataFrame, pair: Pair | None) -> None:
    first, second = "First", "Second"
    if pair is not None:
        first, second = (OTHERS if k is None else tests.titles[k] for k in pair)
    shown: dict[tuple[str, str], object] = {("", "Column"): lines["title"]}
    if pair is None:
        shown["", "Groups"] = lines["groups"]
    for title, side in ((first, 1), (second, 2)):
        for name in ("n", "mean", "SD"):
            shown[title, name] = lines[f"{name.casefold()}_{side}"]
    shown["As the paper", "difference"] = lines["difference"]
    shown["As the paper", "p"] = lines["p"]
    left_out = "Groups found without the column"
    without = [_without(line, tests.left_out) for line in lines.to_dict("records")]
    shown[left_out, "difference (95 % interval)"] = without
    shown[left_out, "p"] = lines["p_left_out"]
    shown[" ", "Differs"] = np.where(lines["differs"].astype(bool), "yes", "")
    number = st.column_config.NumberColumn
    forms = dict.fromkeys(("mean", "SD", "difference"), number(format="%.3g"))
    forms |= {"p": number(format="%.2g", width=85)}
    forms |= {"Column": st.column_config.TextColumn(pinned=True)}
    table, p_values = pd.DataFrame(shown), [key for key in shown if key[1] == "p"]
    if (table[p_values] <= LEAST_P).any(axis=None):
        forms["p"] = number(width=85)
        table = table.style.format(
            lambda p: f"{'< ' * (p <= LEAST_P)}{p:.2g}", subset=p_values, na_rep="\u2013"
        )
    alt = "t-tests of every column between the groups, the largest difference first"
    forms = {k: forms[name] for k, (_, name) in enumerate(shown, 1) if name in forms}
    listing(table, alt, height=min(73 + 35 * len(lines), 460), column_config=forms)


def _without(line: Mapping, without: Mapping) -> str:
    """The difference between the groups found without a column, or why there is none."""
    if not np.isnan(line["t_left_out"]):
        low, high = in_digits(line["low_left_out"]), in_digits(line["high_left_out"])
        return f"{in_digits(line['difference_left_out'])} ({low} to {high})"
    if line["remark"]:
        return "not found without it" if line["remark"] == NOT_FOUND else line["remark"]
    return "" if line["column"] in without else "not searched yet"
