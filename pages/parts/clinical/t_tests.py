"""Step "t-tests": every column between two groups, with the p-value of groups found without it."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import streamlit as st

from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.t_tests import (
    ALPHAS,
    BANNER,
    BY,
    ELSEWHERE,
    LIMIT,
    PAPER,
    Choice,
    Pair,
    TTests,
)
from mapdp_studio.core.clinical.tables import in_words, told_lines
from mapdp_studio.core.clinical.verdict import VERDICTS, Light, heading, in_short
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.plots.clinical import volcano_figure
from mapdp_studio.core.plots.profiles import distribution_figure
from mapdp_studio.core.statistics.correct import CORRECTIONS
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.clinical.checks import checks_of, look_again
from mapdp_studio.pages.parts.clinical.more import paper_tables, replication_of
from mapdp_studio.pages.parts.clinical.small_counts import ask_least
from mapdp_studio.pages.parts.clinical.work import (
    LEFT_OUT,
    begin_left_out,
    groups_to_compare,
    outcome,
    tests_so_far,
)
from mapdp_studio.pages.parts.shared.chart import saving
from mapdp_studio.pages.parts.shared.compute import be_patient, job_line, run_again_when
from mapdp_studio.pages.parts.shared.kit import choose_one, halves
from mapdp_studio.pages.parts.shared.picture import picture

TWO, OTHERS, ALL = "Two groups", "One against all others", "All pairs"
STUDENT, WELCH, NONE = "Student", "Welch", "None"
BY_DEFAULT = Choice().correction
COLUMN = "t_test_column"
LINES = "t_test_lines"
#: Under the table.
HOW = (
    "Without each column the groups are sought once, with the study's settings from a fresh start; "
    "a test is made where both groups come back with at least half of their patients in common "
    "(overlap: the lower Jaccard of the two, at least 0.5). Difference, interval, t and g are then "
    "of those groups, other patients than those shown, and a column differs only where both differ "
    "in one direction. As finding them again is a selection, the p-value is divided by the share "
    "of columns without which the two groups are found again, and the interval is as much wider. "
    "1st is the group named first. Missing cells are left out."
)
#: Lines drawn; the CSV has them all.
MOST = 2_000
#: What a line shows, in the order of the table: first of the pair whose p-value counts.
NAMED = {"title": "Column", "groups": "Groups", "differs": "Differs", "g": "g"}
TESTED = {
    "p_left_out": "p, column left out",
    "difference_left_out": "Difference",
    "low_left_out": "95 % from",
    "high_left_out": "to",
    "t_left_out": "t",
    "df_left_out": "df",
    "overlap": "Overlap",
}
#: Between the groups shown, which a column made: greyed.
AS_THE_PAPER = {
    "p": "p, as the paper",
    "difference": "Difference, as the paper",
    "t": "t, as the paper",
    "df": "df, as the paper",
}
OF_EACH = {
    "n_1": "n 1st",
    "mean_1": "mean 1st",
    "sd_1": "SD 1st",
    "n_2": "n 2nd",
    "mean_2": "mean 2nd",
    "sd_2": "SD 2nd",
}
LAST = {
    "test": "Test of its type",
    "p_test": "its p",
    "remark": "Remark",
}


def t_tests(studio: Session) -> None:
    """Choose groups and test; the table, the volcano, and one column close up."""
    found = groups_to_compare(studio)
    if found is None:
        return
    studio.study.note_validators()
    pairs = _pairs(found)
    choice = _choice()
    tests = _left_out(studio, found)
    about = (studio.study.lock, tuple(pairs), choice)
    lines = _lines(studio, tests, pairs, choice, about)
    if lines is None:
        return
    light = checks_of(studio, found).light
    _summary(tests, lines, choice, light)
    left, right = halves()
    with left:
        _table(lines, choice, about)
        _download(studio, found, tests, lines.assign(light=in_short(light)))
    with right:
        if len(pairs) == 1:
            _volcano(tests, lines, choice, pairs[0], about)
        else:
            st.caption("The volcano plot is of one pair of groups: choose “Two groups”.")
    st.caption(f"{ELSEWHERE} {LIMIT} {HOW}")
    with st.expander("What each verdict means, and what to do", icon=":material/directions:"):
        st.markdown("\n".join(f"- **{name}.** {told}" for name, told in VERDICTS.items()))
    if len(pairs) == 1:
        _close_up(tests, lines, pairs[0])
    if choice == PAPER:
        st.divider()
        paper_tables(replication_of(studio, found))


def _lines(
    studio: Session, tests: TTests, pairs: list[Pair], choice: Choice, about: tuple
) -> pd.DataFrame | None:
    """The table; while it is made anew with more columns left out, the one before."""
    name, whole = "t-tests", (*about, len(tests.without))
    job = studio.jobs.get(name, whole) or studio.jobs.start(
        name,
        whole,
        lambda job: tests.beside_their_type(tests.lines(pairs, choice), choice, job),
    )
    be_patient(job)
    before, lines = st.session_state.get(LINES, (None, None))
    if job.running and before == about:
        run_again_when(lambda: not job.running)
        return lines
    lines = outcome(job, "Testing", lambda: studio.jobs.stop(name))
    if lines is not None:
        st.session_state[LINES] = about, lines
    return lines


def _pairs(found: Subgroups) -> list[Pair]:
    """Which groups against which."""
    groups, titles = list(found.profiled), found.titles
    with st.container(horizontal=True, vertical_alignment="bottom"):
        mode = choose_one("Compare", [TWO, OTHERS, ALL], "t_test_mode")
        if mode == ALL:
            return list(combinations(groups, 2))
        a = st.selectbox("Group", groups, format_func=titles.__getitem__, key="t_a", width=150)
        if mode == OTHERS:
            return [(a, None)]
        others = [k for k in groups if k != a]
        b = st.selectbox("Against", others, format_func=titles.__getitem__, key="t_b", width=150)
        return [(a, b)]


def _choice() -> Choice:
    """The test, its level, the correction, and which p-value counts."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
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
            help="For the number of tests: Holm holds the chance of any false finding, "
            "Benjamini-Hochberg the share of false ones among those marked.",
        )
        by = choose_one("p-value that counts", list(BY), "t_by", format_func=BY.__getitem__)
        st.button(
            "As in the 2016 paper",
            icon=":material/history_edu:",
            on_click=_as_the_paper,
            help="Student's test at .01, not corrected, on the columns that made the groups "
            "(Raykov et al. 2016, section 6); its Tables 3 and 4 stand below.",
        )
    return Choice(test == STUDENT, alpha, None if correction == NONE else correction, by)


def _as_the_paper() -> None:
    st.session_state.update(t_test=STUDENT, t_alpha=PAPER.alpha, t_correction=NONE, t_by=PAPER.by)


def _left_out(studio: Session, found: Subgroups) -> TTests:
    """The tests with as many columns left out as there has been time for."""
    job = studio.jobs.get(LEFT_OUT, studio.study.lock) or begin_left_out(studio, found)
    is_running = job.running
    if is_running:
        job_line(job, "Finding the groups again without each column", look_again(job))
    # Read after the line is drawn: if the work ends in between, the line runs the page again.
    tests = tests_so_far(studio, found)
    if not is_running and job.result is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            done, all_of_them = len(tests.without), len(tests.made)
            st.caption(
                f":material/pause: Stopped: groups were found again without {done:,} of "
                f"{all_of_them:,} columns. {escaped(job.failure)}"
            )
            st.button("Go on", key="t go on", icon=":material/play_arrow:", on_click=_again)
    return tests


@in_visit
def _again() -> None:
    session().jobs.stop(LEFT_OUT)


def _summary(tests: TTests, lines: pd.DataFrame, choice: Choice, light: Light) -> None:
    if light.colour != "green":
        st.warning(escaped(heading(light)), icon=":material/traffic:")
    st.warning(BANNER, icon=":material/info:")
    counts = tests.summary(lines, choice)
    summary = (
        f"**{counts['differ']:,} of {counts['tested']:,}** tests "
        f"are marked (p {BY[choice.by]}, at most {choice.alpha:g}"
    )
    summary += f", {choice.correction})." if choice.correction else ", not corrected)."
    if choice.correction is None:
        summary += f" By chance alone {counts['expected']:.3g} would be."
    if not counts["tested"]:
        summary = "**No** column has a test so far."
    if choice.by == "p_left_out":
        if counts["opposed"]:
            summary += (
                f" {counts['opposed']:,} more would be, but the groups found without the column "
                "differ the other way round than those shown."
            )
        if counts["refused"]:
            summary += (
                f" {counts['refused']:,} could not be tested: the groups are not found without "
                "the column."
            )
        if counts["waiting"]:
            summary += (
                f" So far the groups were sought without {len(tests.without):,} of "
                f"{counted(len(tests.made), 'column')}."
            )
    st.markdown(summary)


def _download(studio: Session, found: Subgroups, tests: TTests, lines: pd.DataFrame) -> None:
    """All lines as CSV, made when it is asked for; small counts hidden as in the report."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        least, lock = ask_least(studio), studio.study.lock
        st.download_button(
            "All lines (CSV)",
            lambda: as_csv(lock.table(told_lines(tests, lines, found, least))),
            "clinical-t-tests.csv",
            "text/csv",
            icon=":material/table:",
        )


def _table(lines: pd.DataFrame, choice: Choice, about: object) -> None:
    """The lines, the clearest first, of columns with a part of a name."""
    wanted = st.text_input("Find a column", key="t_search", placeholder="part of its name")
    found = lines[lines["title"].str.contains(wanted.strip(), case=False, regex=False)]
    part, key = found.head(MOST), f"t-tests {hash((about, wanted))}"
    pairs = AS_THE_PAPER | TESTED if choice.by == "p" else TESTED | AS_THE_PAPER
    titles = NAMED | OF_EACH | pairs | LAST
    hidden = ["groups"] if part["groups"].nunique() == 1 else []
    hidden += ["remark"] if not part["remark"].any() else []
    titles = {name: title for name, title in titles.items() if name not in hidden}
    table = part[list(titles)].rename(columns=titles)
    digits = st.column_config.NumberColumn(format="%.3g")
    places = table.columns.drop([c for c in ("Column", "Groups", "Remark") if c in table])
    numeric = [c for c in places if table[c].dtype.kind == "f"]
    greyed = [*AS_THE_PAPER.values()] if choice.by != "p" else []
    st.dataframe(
        table.style.set_properties(subset=greyed, color="gray") if greyed else table,
        hide_index=True,
        placeholder="\u2013",
        height=min(38 + 35 * len(table), 420),
        column_config=dict.fromkeys(numeric, digits)
        | {
            "Column": st.column_config.TextColumn(pinned=True, width="medium"),
            "g": st.column_config.NumberColumn(
                format="%+.2f", help="Difference in pooled standard deviations (Hedges' g)."
            ),
            "Overlap": st.column_config.NumberColumn(
                format="%.2f",
                help="Of the groups found without the column with those shown: the lower Jaccard "
                "similarity of the two. 1 is the same patients.",
            ),
        },
        key=key,
        on_select=lambda: _take_row(key, part),
        selection_mode="single-row",
        alt="t-tests of every column between the groups, the clearest difference first",
    )
    if len(found) > MOST:
        st.caption(f"The first {MOST:,} of {len(found):,} lines; the CSV has them all.")


def _take_row(key: str, part: pd.DataFrame) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    if rows:
        st.session_state[COLUMN] = part["column"].iloc[rows[0]]


def _volcano(tests: TTests, lines: pd.DataFrame, choice: Choice, pair: Pair, about: object) -> None:
    first, second = _titles(tests, pair)
    key = f"chart-t-volcano {hash(about)}"

    def take() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points:
            st.session_state[COLUMN] = lines["column"].loc[int(points[0]["customdata"]) - 1]

    st.markdown("**Size of each difference and its p-value**; click a point for its column")
    with st.container(key="t-volcano"):
        st.plotly_chart(
            volcano_figure(lines, choice.alpha, first, second),
            key=key,
            config=saving("t-tests"),
            on_select=take,
            selection_mode="points",
            alt="Volcano plot: difference in standard deviations against -log10 of p",
        )


def _close_up(tests: TTests, lines: pd.DataFrame, pair: Pair) -> None:
    """One column: its values in both groups, and its tests in words."""
    names = list(lines["column"])
    if st.session_state.get(COLUMN) not in names:
        st.session_state[COLUMN] = names[0]
    st.divider()
    name = st.selectbox(
        "Column, close up",
        names,
        format_func=tests.title,
        key=COLUMN,
        filter_mode="contains",
        width=420,
    )
    line = lines.set_index("column", drop=False).loc[name]
    left, right = halves()
    with left:
        first, second = _titles(tests, pair)
        st.markdown("\n".join(f"- {escaped(told)}" for told in in_words(line, first, second)))
        if line["remark"]:
            st.caption(escaped(line["remark"]).capitalize() + ".")
    with right:
        spread = tests.spread(name, pair)
        if spread is not None:
            a, b = pair
            colours = [a, len(tests.titles) if b is None else b]
            picture(
                distribution_figure(spread, [0, 1], [first, second], colours),
                "t-close-up",
                f"Values of {name} in both groups",
                "t-test-column",
            )


def _titles(tests: TTests, pair: Pair) -> tuple[str, str]:
    a, b = pair
    return tests.titles[a], "all others" if b is None else tests.titles[b]
