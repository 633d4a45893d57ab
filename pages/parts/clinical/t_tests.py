"""Step 3, t-tests: every column between two groups, with the p of groups found without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.report import WARNING, paper_counts
from mapdp_studio.core.clinical.t_tests import (
    BANNER,
    BY,
    ELSEWHERE,
    LEAST_P,
    NOT_FOUND,
    OPPOSED,
    PAPER,
    Choice,
    Pair,
    TTests,
    hedges_g,
    sides,
)
from mapdp_studio.core.clinical.verdict import VERDICTS, heading
from mapdp_studio.core.plots.profiles import distribution_figure
from mapdp_studio.core.profiling.profiles import distribution, natural_column
from mapdp_studio.core.statistics.correct import CORRECTIONS
from mapdp_studio.core.wording import counted, escaped, in_digits
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.results import (
    LEFT_OUT,
    checks_of,
    follow,
    groups_to_compare,
    job_of,
    tests_of,
)
from mapdp_studio.pages.parts.shared.kit import choose_one
from mapdp_studio.pages.parts.shared.picture import picture

STUDENT, WELCH, NONE = "Student", "Welch", "None"
ALPHAS = (0.05, 0.01)
BY_DEFAULT = Choice().correction
COLUMN = "t_test_column"
#: Lines drawn.
MOST = 2_000
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


def t_tests(studio: Session) -> None:
    """Two groups side by side on every column, the largest difference first; one close up."""
    found = groups_to_compare(studio)
    if found is None:
        return
    studio.study.note_validators()
    pair, choice = _choose(found)
    job = job_of(studio, LEFT_OUT, found)
    tests = tests_of(studio, found)
    about = (studio.study.lock, pair, choice, len(tests.without))
    lines = studio.results.latest("t-tests shown", about, lambda: _lines(tests, pair, choice))
    _notice(studio, found)
    st.markdown(_summary(tests, lines, choice))
    follow(job, LEFT_OUT, "Finding the groups again without each column")
    _table(tests, lines, pair)
    if choice == PAPER:
        _as_printed(studio, found)
    if pair is not None:
        _close_up(found, tests, lines, pair)


def _lines(tests: TTests, pair: Pair | None, choice: Choice) -> pd.DataFrame:
    lines = tests.lines(None if pair is None else [pair], choice)
    size = hedges_g(lines).abs() if len(lines) else pd.Series(dtype=float)
    order = np.argsort(-size.fillna(-1.0).to_numpy(), kind="stable")
    return lines.iloc[order].reset_index(drop=True)


def _choose(found: Subgroups) -> tuple[Pair | None, Choice]:
    """Which groups, and how; None for every two of them."""
    groups, titles = list(found.profiled), found.titles
    with st.container(horizontal=True, vertical_alignment="bottom"):
        all_pairs = st.session_state.get("t_all_pairs", False)
        a = st.selectbox(
            "Group",
            groups,
            format_func=titles.__getitem__,
            key="t_a",
            width=150,
            disabled=all_pairs,
        )
        b = st.selectbox(
            "Against",
            [*(k for k in groups if k != a), None],
            format_func=lambda k: "All others" if k is None else titles[k],
            key="t_b",
            width=150,
            disabled=all_pairs,
        )
        with st.popover("Options", icon=":material/tune:"):
            choice = _options()
        is_paper = choice == PAPER
        st.button(
            "Back to corrected tests" if is_paper else "As in the 2016 paper",
            key="t_paper",
            icon=":material/undo:" if is_paper else ":material/history_edu:",
            on_click=_choose_all,
            args=(Choice() if is_paper else PAPER,),
            help="Student's test at .01, not corrected, on the columns that made the groups "
            "(Raykov et al. 2016, section 6).",
        )
    return None if all_pairs else (a, b), choice


def _options() -> Choice:
    test = choose_one(
        "t-test",
        [WELCH, STUDENT],
        "t_test",
        help="Student's takes both groups to be equally spread, and goes wrong where a small "
        "group is not; Welch's does not.",
    )
    alpha = choose_one("Marked up to p =", ALPHAS, "t_alpha")
    correction = choose_one(
        "Correction",
        [BY_DEFAULT, *(name for name in (*CORRECTIONS, NONE) if name != BY_DEFAULT)],
        "t_correction",
        help="For the number of tests, over all columns and every two groups: Holm holds the "
        "chance of any false finding, Benjamini-Hochberg the share of false ones among those "
        "marked.",
    )
    by = choose_one("p-value that counts", list(BY), "t_by", format_func=BY.__getitem__)
    st.toggle("Every two groups", key="t_all_pairs", persist_state="session")
    return Choice(test == STUDENT, alpha, None if correction == NONE else correction, by)


def _choose_all(choice: Choice) -> None:
    test, correction = STUDENT if choice.equal_variances else WELCH, choice.correction or NONE
    told = {"t_test": test, "t_alpha": choice.alpha, "t_correction": correction, "t_by": choice.by}
    st.session_state.update(told)


def _notice(studio: Session, found: Subgroups) -> None:
    """What the p-values are worth, in one sentence; everything else is a click away."""
    light = checks_of(studio, found).light
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/info: {NO_EVIDENCE}", width="content")
        with st.popover("Why", type="tertiary"):
            for said in (BANNER, heading(light), HOW, ELSEWHERE):
                st.markdown(escaped(said))
            st.markdown("\n".join(f"- **{name}.** {told}" for name, told in VERDICTS.items()))


def _summary(tests: TTests, lines: pd.DataFrame, choice: Choice) -> str:
    """How many columns differ, of how many that have been tested so far, by which rule."""
    tested = int(lines["judged"].notna().sum())
    rule = f"p {BY[choice.by]}, at most {choice.alpha:g}, {choice.correction or 'not corrected'}"
    said = f"**{lines['differs'].sum():,} of {tested:,}** tests are marked ({rule})."
    if choice.correction is None:
        said += f" By chance alone {choice.alpha * tested:.3g} would be."
    if choice.by == "p":
        return said
    n_sought, n_columns = sum(name in tests.without for name in tests.made), len(tests.made)
    if n_sought < n_columns:
        said += f" **{n_sought:,} of {counted(n_columns, 'column')} searched** so far."
    refused, opposed = ((lines["remark"] == words).sum() for words in (NOT_FOUND, OPPOSED))
    if refused:
        said += f" Not testable, as the groups are not found without them: {refused:,}."
    if opposed:
        said += f" The other way round without the column: {opposed:,}."
    return said


def _table(tests: TTests, lines: pd.DataFrame, pair: Pair | None) -> None:
    part = lines.head(MOST)
    first, second = ("First", "Second") if pair is None else _titles(tests, pair)
    without = [_without(line, tests.without) for line in part.to_dict("records")]
    shown: dict[tuple[str, str], object] = {("", "Column"): part["title"]}
    if pair is None:
        shown["", "Groups"] = part["groups"]
    for title, side in ((first, 1), (second, 2)):
        for name, field in (("n", "n"), ("mean", "mean"), ("SD", "sd")):
            shown[title, name] = part[f"{field}_{side}"]
    shown["As the paper", "difference"] = part["difference"]
    shown["As the paper", "p"] = part["p"]
    shown["Groups found without the column", "difference (95 % interval)"] = without
    shown["Groups found without the column", "p"] = part["p_left_out"]
    shown[" ", "Differs"] = np.where(part["differs"].astype(bool), "yes", "")
    table = data = pd.DataFrame(shown)
    if (part[["p", "p_left_out"]] <= LEAST_P).any(axis=None):
        keys = [key for key in table if key[1] == "p"]
        data = table.style.format(_p_text, subset=keys, na_rep="\u2013")
    digits = st.column_config.NumberColumn(format="%.3g")
    numeric = [k for k, (_, name) in enumerate(table, 1) if name in ("mean", "SD", "difference")]
    key = f"t-tests {hash((pair, len(lines)))}"

    def take() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            st.session_state[COLUMN] = part["column"].iloc[rows[0]]

    st.dataframe(
        data,
        hide_index=True,
        placeholder="\u2013",
        height=min(73 + 35 * len(table), 460),
        column_config=dict.fromkeys(numeric, digits)
        | {1: st.column_config.TextColumn(pinned=True)}
        | {
            k: st.column_config.NumberColumn(format="%.2g" if data is table else None, width=85)
            for k, (_, name) in enumerate(table, 1)
            if name == "p"
        },
        key=key,
        on_select=take,
        selection_mode="single-row",
        alt="t-tests of every column between the groups, the largest difference first",
    )
    if len(lines) > MOST:
        st.caption(f"The first {MOST:,} of {len(lines):,} lines; the report's table has them all.")


def _p_text(p: float) -> str:
    return f"{'< ' * (p <= LEAST_P)}{p:.2g}"


def _without(line: Mapping, without: Mapping) -> str:
    """The difference between the groups found without a column, or why there is none."""
    if not np.isnan(line["t_left_out"]):
        low, high = in_digits(line["low_left_out"]), in_digits(line["high_left_out"])
        return f"{in_digits(line['difference_left_out'])} ({low} to {high})"
    if line["remark"]:
        return "not found without it" if line["remark"] == NOT_FOUND else line["remark"]
    return "" if line["column"] in without else "not searched yet"


def _as_printed(studio: Session, found: Subgroups) -> None:
    """The paper's counts on this cohort."""
    lock, tests = studio.study.lock, tests_of(studio, found)
    counts = studio.results.latest("paper's counts", lock, lambda: paper_counts(tests))
    st.dataframe(counts, hide_index=True)
    st.caption(f"{WARNING} R16 reports 61 of 215 on its own patients.")


def _close_up(found: Subgroups, tests: TTests, lines: pd.DataFrame, pair: Pair) -> None:
    names = list(lines["column"])
    if st.session_state.get(COLUMN) not in names:
        st.session_state[COLUMN] = names[0]
    name = st.selectbox(
        "One column, close up",
        names,
        format_func=lambda name: tests.columns[name].title,
        key=COLUMN,
        filter_mode="contains",
    )
    line = lines[lines["column"] == name].iloc[0]
    if line["remark"]:
        st.caption(escaped(line["remark"]).capitalize() + ".")
    first, second = sides(found.labels, pair)
    column = natural_column(found.encoded, name)
    codes = np.where(first | second, column.codes, np.nan)
    if not np.isnan(codes).all():
        spread = distribution(replace(column, codes=codes), np.where(first, 0, 1))
        a, b = pair
        shades = found.colours
        colours = [shades[a], max(shades) + 1 if b is None else shades[b]]
        picture(
            distribution_figure(spread, [0, 1], _titles(tests, pair), colours),
            "t-close-up",
            f"Values of {name} in both groups",
            "t-test-column",
        )


def _titles(tests: TTests, pair: Pair) -> tuple[str, str]:
    a, b = pair
    return tests.titles[a], "All others" if b is None else tests.titles[b]
