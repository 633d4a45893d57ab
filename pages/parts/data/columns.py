"""The columns: all in a table to edit, one in full, and the model that they choose."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import FAMILIES
from mapdp_studio.core.families.family import CATEGORY, RATING, YES_NO
from mapdp_studio.core.plots.profiles import distribution_figure
from mapdp_studio.core.profiling.profiles import Distribution, column_of_table, distribution
from mapdp_studio.core.schema.cells import missing_shares, read_cells, without_missing_codes
from mapdp_studio.core.schema.chosen import in_words, why
from mapdp_studio.core.schema.spec import ROLES, TIME_TO_EVENT, ColumnSpec
from mapdp_studio.core.schema.transforms import TRANSFORMS
from mapdp_studio.core.session.project import LOCKED
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.forms import as_number, typed_list
from mapdp_studio.pages.parts.shared.chart import BARE
from mapdp_studio.pages.parts.shared.chosen import WHY_CHOSEN, begin_choice, choice_begun, is_chosen
from mapdp_studio.pages.parts.shared.compute import is_ready
from mapdp_studio.pages.parts.shared.kit import choose_from_list

MOST_ROWS = 15  # of the column table in sight at once
#: Rows whose values the small bars count, and bars of words.
COUNTED, BARS = 5_000, 12
_ROW = 32
FAMILY_LABELS = {
    **{key: family.label for key, family in FAMILIES.items() if not family.is_block},
    TIME_TO_EVENT: "time to an event",
    None: "none",
}
FAMILY_KEYS = {label: key for key, label in FAMILY_LABELS.items()}
BLOCK_LABELS = {key: family.label for key, family in FAMILIES.items() if family.is_block}
ASK, NOW = "Let the table choose its model", "Choose now"
_BACK = "Likelihoods from each column alone, no joint blocks; what you set by hand stays."
ROLES_HELP = (
    "cluster: the groups are made from it. label: a known answer, used for scores only. "
    "validator: an outcome kept out. control: should not differ between groups. "
    "group: the data set of every row, such as a site, for methods that share clusters. "
    "id: names a row, never shown. weight: how much each row counts in groups and profiles, on any "
    "scale; on Clinical, how many patients it is. ignore: left aside."
)
FAMILIES_HELP = "  \n".join(
    f"{family.label}: {family.help}" for family in FAMILIES.values() if not family.is_block
)


def column_table(visit: Session) -> None:
    """Draw the table; an edit is tried at once, and refused with its reason if it cannot be."""
    # The editor would go on showing an edit that was refused or undone: then it is made anew.
    key = f"columns-{visit.table.digest}-{visit.renewals}"
    names, kind = tuple(visit.schema), st.column_config
    look = {"key": f"look-{key}", "on_click": _open_column, "width": 40, "type": "tertiary"}
    look["args"] = f"look-{key}", names, detail_key(visit)
    name = {"width": 160, "help": "Double-click to give another name."}
    families, roles = list(FAMILY_KEYS), list(ROLES)
    shown = {
        "Look": kind.ButtonColumn("", pinned=True, **look),
        "Column": kind.TextColumn(pinned=True, required=True, **name),
        "Role": kind.SelectboxColumn(options=roles, required=True, width=85, help=ROLES_HELP),
        "Likelihood": kind.SelectboxColumn(
            options=families, required=True, width=180, help=FAMILIES_HELP
        ),
        "Spread": kind.BarChartColumn(width=80, y_min=0.0, y_max=1.0),
        "Missing": kind.NumberColumn(format="%.1f %%", width=70),
        "Why": kind.TextColumn(width=490),
    }
    st.data_editor(
        _rows(visit),
        key=key,
        on_change=_take_edits,
        args=(key, names),
        hide_index=True,
        height=_ROW * (1 + min(len(names), MOST_ROWS)) + 3,
        row_height=_ROW,
        disabled=["Spread", "Why", "Missing", "Block"],
        column_config=shown,
        alt="Role, likelihood and reason of every column",
    )


def detail_key(visit: Session) -> str:
    return f"detail-{visit.table.digest}"


def _open_column(clicked: str, names: Sequence[str], key: str) -> None:
    name = names[st.session_state[clicked]["row"]]
    st.session_state[key] = None if st.session_state.get(key) == name else name


def blocks(visit: Session) -> None:
    """List the blocks, take one apart, join columns into a new one."""
    joined = visit.schema.blocks.values()
    for block in joined:
        with st.container(horizontal=True, vertical_alignment="center"):
            names = ", ".join(map(escaped, block.columns))
            st.markdown(f"**{escaped(block.name)}** ({BLOCK_LABELS[block.family]}): {names}")
            if st.button("Take apart", key=f"apart-{block.name}", icon=":material/call_split:"):
                visit.take_apart(block.name)
                st.rerun()
    taken = {name for block in joined for name in block.columns}
    numbers = visit.table.frame.select_dtypes("number").columns
    free = [n for n in visit.schema.names("cluster") if n in numbers and n not in taken]
    if len(free) < 2:
        st.info("A block needs at least two numeric columns with the role “cluster”.")
        return
    with st.form(f"block-{visit.table.digest}-{len(taken)}", border=False):
        columns = st.multiselect(
            "Numeric columns that rise and fall together within a group", free, select_all=True
        )
        left, right = st.columns(2)
        name = left.text_input("Name of the block", f"block {len(joined) + 1}")
        family = right.selectbox("Likelihood", list(BLOCK_LABELS), format_func=BLOCK_LABELS.get)
        if st.form_submit_button("Join them", icon=":material/join:"):
            visit.join(name, columns, family)
            st.rerun()


def _rows(visit: Session) -> pd.DataFrame:
    seen = visit.results.cached("columns seen", visit.table.digest, lambda: _seen(visit))
    frame, schema, specs = visit.table.frame, visit.schema, visit.schema.values()
    key = visit.table.digest, schema
    missing = visit.results.cached("columns missing", key, lambda: missing_shares(frame, schema))
    rows = pd.DataFrame(
        {
            "Look": ["" if spec.role == "id" else ":material/search:" for spec in specs],
            "Column": list(schema),
            "Spread": [None if spec.role == "id" else seen[spec.name] for spec in specs],
            "Role": [spec.role for spec in specs],
            "Likelihood": [FAMILY_LABELS[spec.family] for spec in specs],
            "Missing": 100.0 * missing,
            "Why": [why(spec, schema.chosen) for spec in specs],
        }
    )
    if schema.blocks:
        of = {name: block.name for block in schema.blocks.values() for name in block.columns}
        rows.insert(5, "Block", [of.get(name, "") for name in schema])
    return rows


def _seen(visit: Session) -> dict[str, list[float]]:
    """How often values of each column occur."""
    frame = visit.table.frame
    some, seen = frame.iloc[:: -(-len(frame) // COUNTED)], {}
    for name in frame:
        spread = _spread(some[name], visit.suggested[name])
        counts = spread.counts[0] if spread.kind != CATEGORY else spread.counts[0, :BARS]
        # A few of thousands of words tell nothing of the others.
        tells = 2 * counts.sum() >= some[name].count()
        seen[name] = (counts / max(counts.max(initial=0), 1)).tolist() if tells else []
    return seen


def _spread(cells: pd.Series, spec: ColumnSpec) -> Distribution:
    """How often each value occurs: numbers as they are read, words of a rating in their order."""
    cells = without_missing_codes(cells, spec)
    if spec.reading is not None:
        places, read = read_cells(cells, spec)
        numbers = pd.to_numeric(pd.Series([*read, None]), errors="coerce")
        cells = numbers.iloc[places].set_axis(cells.index).rename(cells.name)
    column = column_of_table(cells, spec.levels if spec.kind == RATING else None)
    return distribution(column, np.zeros(len(cells), dtype=np.int64))


@in_visit
def _take_edits(key: str, names: Sequence[str]) -> None:
    """Take over what was edited in the editor of that key, of whose columns some may be gone."""
    visit, changes = session(), {}
    for row, edit in st.session_state[key]["edited_rows"].items():
        if (name := names[row]) not in visit.schema:
            continue
        if "Column" in edit:
            visit.rename({name: edit["Column"] or ""})
            return
        changes[name] = {"role": edit["Role"]} if "Role" in edit else {}
        if "Likelihood" in edit:
            changes[name]["family"] = FAMILY_KEYS[edit["Likelihood"]]
    if changes:  # the editor says so after each edit that was taken over, too
        visit.change(changes)


def is_open(visit: Session) -> bool:
    return st.session_state.get(detail_key(visit)) in _names(visit)


def _names(visit: Session) -> list[str]:
    return [name for name, spec in visit.schema.items() if spec.role != "id"]


def one_column(visit: Session) -> None:
    """The column that was opened: its values and its options."""
    key = detail_key(visit)
    if st.session_state.get(key) is not None and not is_open(visit):  # renamed, or gone
        st.session_state[key] = None
    kwargs = {"filter_mode": "contains", "placeholder": "Its values and options"}
    name = choose_from_list("One column in full", _names(visit), key, index=None, **kwargs)
    if name is None:
        return
    spec, cells = visit.schema[name], visit.table.frame[name]
    key = visit.table.digest, spec
    spread = visit.results.cached("values", key, lambda: _spread(cells, spec))
    figure = distribution_figure(spread, [0], ["All rows"], [0])
    st.plotly_chart(figure, config=BARE, alt=f"How often {name} has a value")
    reason = escaped(why(spec, visit.schema.chosen))
    known = without_missing_codes(cells, spec)
    st.caption(f"{known.nunique():,} distinct values, {known.isna().sum():,} missing. {reason}")
    if spec != visit.suggested[name]:
        back = {"on_click": in_visit(visit.take_suggestions), "args": ([name],)}
        key = f"back-{visit.table.digest}-{name}"
        st.button("Back to the suggestion", key=key, icon=":material/undo:", **back)
    with st.form(f"options-{visit.table.digest}-{hash(spec)}", border=False):
        changes = _options(spec, cells)
        if st.form_submit_button("Apply", icon=":material/check:"):
            visit.change({name: changes})
            st.rerun()
    if spec.family == TIME_TO_EVENT:
        event_form(visit, name, {})


def _options(spec: ColumnSpec, cells: pd.Series) -> dict[str, Any]:
    """What can be said of the column; what its likelihood does not read is not asked for."""
    typed = st.text_input(
        "Codes that mean “missing”, separated by commas or semicolons",
        ", ".join(map(str, spec.missing_codes)),
        help="Values such as 0 or -9 that stand for a measurement nobody made.",
    )
    taken = as_number if pd.api.types.is_numeric_dtype(cells) else str
    changes: dict[str, Any] = {"missing_codes": tuple(map(taken, typed_list(typed)))}
    if spec.special:
        special = st.multiselect(
            "Kept beside the numbers",
            spec.special,
            spec.special,
            help="Such a cell has its own outcome and no number, as in a hurdle model. Taken off, "
            "it is a number like the others; name it a missing code if it stands for none.",
        )
        codes = dict(zip(spec.special, spec.special_codes, strict=True))
        changes["special"] = {name: codes[name] for name in special}
    if spec.reads("transform"):
        names = {None: "nothing: the numbers"} | {key: one.of for key, one in TRANSFORMS.items()}
        place = list(names).index(spec.transform)
        changes["transform"] = st.selectbox(
            "Taken first, for a long tail", list(names), place, format_func=names.get
        )
    if spec.starts_at is not None:
        lowest = st.number_input("Lowest possible value", value=spec.starts_at, step=1)
        steps = st.number_input("Steps above it", 1, value=len(spec.levels) - 1, step=1)
        changes |= {"offset": int(lowest), "trials": int(steps)}
    elif spec.kind == YES_NO and spec.levels is not None:
        yes = st.selectbox("Which value means yes?", spec.levels, index=1, format_func=str)
        changes["levels"] = (spec.levels[1 - spec.levels.index(yes)], yes)
    elif spec.kind == RATING and spec.levels is not None:
        levels = {str(level): level for level in spec.levels}
        label = "Steps of the rating, the lowest first, one a line"
        lines = map(str.strip, st.text_area(label, "\n".join(levels)).splitlines())
        changes["levels"] = tuple(levels.get(line, line) for line in lines if line)
    return changes


def event_form(visit: Session, time: str | None, role: dict[str, Any]) -> None:
    """What a time ends with: the column that says it, its codes, and the button to take them."""
    schema, key = visit.schema, f"survival {visit.table.digest} {time}"
    spec = None if time is None else schema[time]
    others = [name for name in schema if name != time]
    index = others.index(spec.event) if spec and spec.event in others else None
    kwargs = {"index": index, "key": key, "filter_mode": "contains"}
    status = st.selectbox("Column that says what happened", others, **kwargs)
    values = [] if status is None else visit.table.frame[status].dropna().unique()

    def codes_of(label: str, among: list, chosen: tuple | None, which: str, tip: str) -> list:
        default = [code for code in chosen or () if code in among]
        kwargs = {"format_func": str, "key": f"{key} {status} {which}", "help": tip}
        return st.multiselect(label, sorted(among, key=str)[:50], default, **kwargs)

    happened = codes_of(
        "Its values that mean the event happened",
        list(values),
        spec and spec.event_codes,
        "codes",
        "A single other value counts as: not yet, when last seen.",
    )
    rest, censored = [value for value in values if value not in happened], []
    if happened and len(rest) > 1:
        censored = codes_of(
            f"Which of the other values of “{escaped(status)}” mean “not yet, when last seen”?",
            rest,
            spec and spec.censored_codes,
            f"censored {happened}",
            "What is left is another event that rules this one out, such as a transplant before "
            "death. Cumulative incidences are shown then, not Kaplan-Meier curves.",
        )
    event = role | {"family": TIME_TO_EVENT, "event": status, "event_codes": tuple(happened)}
    changes = {time: event | {"censored_codes": tuple(censored) or None}}
    if role:
        changes[status] = {"role": "ignore", "reason": f"Read together with '{time}'."}
    st.button(
        "Use as an outcome" if role else "Use these codes",
        icon=":material/check:",
        disabled=not (time and happened),
        on_click=in_visit(visit.change),
        args=(changes,),
    )


def model_choice(visit: Session, before: str = "") -> None:
    """Draw what the table chose, how far that is, or what holds before it with a button."""
    if choice_begun(visit):
        if not is_chosen(visit):
            return
        if visit.schema.priors:
            st.rerun()  # the table of columns above is that of before
    has_chosen, is_undecided = bool(visit.schema.priors), visit.project.is_undecided
    if has_chosen:
        before = escaped(in_words(visit.schema.chosen))
    elif is_undecided:
        before = "Before the first clustering, the table chooses its model."
    elif visit.table.example is not None and not before:
        before = "Examples keep the model that lessons and papers have."
    is_locked = visit.study.lock is not None
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="model"):
        if before:
            st.markdown(f":material/tune: {before}", width="content", help=WHY_CHOSEN)
        if not has_chosen:
            kwargs = {"type": "tertiary" if before else "secondary", "on_click": begin_choice}
            kwargs |= {"disabled": not (visit.project.can_choose and is_ready())}
            kwargs |= {"args": (visit,), "help": LOCKED if is_locked else WHY_CHOSEN}
            st.button(NOW if is_undecided else ASK, key="choose_model", **kwargs)
        if has_chosen or is_undecided:
            kwargs = {"type": "tertiary", "icon": ":material/undo:", "help": _BACK}
            kwargs |= {"on_click": in_visit(visit.keep_suggested), "disabled": is_locked}
            st.button("As suggested", key="keep_suggested", **kwargs)
