"""Data: tables taken or refused in a sentence, questions, edits of columns, reading again."""

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import ColumnSpec, Schema, infer_schema
from mapdp_studio.core.schema.questions import Answer, Question
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.data import columns
from tests.pages.conftest import control, framed, press, run, shown, visit_of, words
from tests.reading.redcap_project import classic, dictionary

ROWS = range(40)
LINES = "\n".join(f"{i * 1.5},{i * 2.5}" for i in ROWS)
#: Files with what is said of them; the first table stays where they are refused.
FILES = {
    "one row": (b"a,b\n1,2", "good.csv", "holds one row: groups need at least two"),
    "too many columns": (
        b"\n".join([b",".join(b"c%d" % j for j in range(5001)), *[b",".join([b"1"] * 5001)] * 2]),
        "good.csv",
        "5,001 columns, more than the 5,000",
    ),
    "constant": ("\n".join(["a,b", *(f"{i * 1.5},7" for i in ROWS)]), "odd.csv", "The same value"),
    "names": (
        "\n".join(["a,a,,b", *(f"{i * 1.5},{i * 2.5},{i % 4},{i % 3}" for i in ROWS)]),
        "odd.csv",
        "Column 2 repeats the name 'a' and is called 'a (2)' here.",
    ),
    "infinity": (f"a,b\n{LINES}\ninf,3", "odd.csv", "'a' has an infinite value in row 41"),
}


def test_spread_and_missing_cells_are_of_the_values_that_are_read():
    cells = np.where(np.arange(200) % 4, np.arange(200.0) / 2, -999.0)
    times = [f"{6 + n // 60}:{n % 60:02d}" for n in range(200)]
    frame = pd.DataFrame({"at": times, "hours": np.arange(200) / 60.0, "coded": cells})
    visit = visit_of(frame.assign(known=np.where(cells < 0, np.nan, cells)))
    assert (visit.schema["at"].reading, visit.schema["coded"].missing_codes) == ("hours", (-999,))
    rows = columns._rows(visit).set_index("Column")
    for name, same in (("at", "hours"), ("coded", "known")):
        assert rows.loc[name, "Spread"] == pytest.approx(rows.loc[same, "Spread"])
    assert rows["Missing"].tolist() == [0.0, 0.0, 25.0, 25.0]
    visit.change({"coded": {"missing_codes": ()}})
    assert columns._rows(visit)["Missing"].tolist() == [0.0, 0.0, 0.0, 25.0]


@pytest.mark.parametrize("case", FILES)
def test_a_file_is_taken_with_a_word_on_what_is_odd_or_refused_in_a_sentence(case):
    content, stays, sentence = FILES[case]
    content = content.encode() if isinstance(content, str) else content
    at = uploaded(("good.csv", b"height,visits\n1.5,3\n2.25,4\n3.75,3\n"), ("odd.csv", content))
    text = words(at) + "".join(str(element.value.to_dict()) for element in at.dataframe)
    assert at.session_state["visit"].table.name == stays
    assert sentence in text or escaped(sentence) in text


def test_cells_that_are_asked_about_are_not_noted_besides():
    lines = (f"{('Lead, Cook', 'Lead', 'Cook')[i % 3]};{1.5 * i}" for i in range(60))
    at = uploaded(("odd.csv", "\n".join(["role;x", *lines]).encode()))
    (question,) = at.session_state["visit"].schema.questions
    assert question.text.startswith("Split “role”? It holds several answers in a cell (Lead, Cook)")
    assert "several answers" not in words(at)
    run(at.pills[0].set_value(0))  # split, the column is gone
    assert "several answers" not in words(at)


def uploaded(*files: tuple[str, bytes]) -> AppTest:
    at = framed("data", Session())
    for name, content in files:
        run(at.file_uploader(key="upload").upload(name, content, "text/csv"))
    return at


@pytest.mark.parametrize("is_first", [True, False])
def test_a_redcap_dictionary_before_its_export_or_after_it(is_first):
    files = ("dictionary.csv", dictionary()), ("export.csv", classic())
    if is_first:
        assert "is the data dictionary of a REDCap project" in words(uploaded(files[0]))
    at = uploaded(*files[:: 1 if is_first else -1])
    assert not at.error
    assert set(at.session_state["visit"].schema["sex"].levels) == {"Female", "Male"}
    assert "The REDCap dictionary's words stand for the codes" in words(at)


def test_read_again_keeps_what_was_decided_and_undo_leads_back():
    table = "\n".join(["height,visits", *(f"{150 + i * 0.75},{i % 7}" for i in ROWS)])
    at = uploaded(("good.csv", table.encode()))
    visit = at.session_state["visit"]
    before = visit.schema["visits"].family
    visit.change({"visits": {"family": "categorical"}})
    run(at).session_state["source"] = True
    run(at)
    run(control(at, "Encoding").set_value("cp1252"))
    press(at, "Read again")
    assert visit.table.options.encoding == "cp1252"
    assert visit.schema["visits"].family == "categorical"
    control(at, "Names in").set_value(0)
    run(control(at, "Values from").set_value(1))
    press(at, "Read again")
    assert list(visit.table.frame) == ["column 1", "column 2"]
    for _ in range(3):
        run(at.button(key="undo").click())
    assert (visit.table.options.encoding, visit.schema["visits"].family) == ("utf-8", before)


def test_a_refused_file_is_read_as_it_is_said_to_be_and_an_example_is_chosen_from_the_list():
    content, _, text = FILES["too many columns"]
    at = uploaded(("odd.csv", content))
    visit = at.session_state["visit"]
    assert (visit.table, text in words(at)) == (None, True)
    run(at.selectbox(key="refused-Delimiter").set_value(";"))
    press(at, "Read it so")
    assert (visit.table.name, visit.failure) == ("odd.csv", "")
    at.session_state["place"] = "Examples"
    run(run(at).selectbox(key="example").set_value("iris"))
    assert (visit.table.example, len(visit.table.frame)) == ("iris", 150)


def test_an_answer_is_taken_by_one_click_and_the_box_stays_open_until_all_is_kept():
    frame = pd.DataFrame({name: np.arange(30.0) ** power for power, name in enumerate("abc", 1)})
    schema = Schema([ColumnSpec(name, "normal") for name in frame])
    answers = {n: (Answer("No", {}), Answer("Keep out", {n: {"role": "ignore"}})) for n in "ab"}
    asked = [Question("outcome", (n,), f"Is {n} known later?", of) for n, of in answers.items()]
    is_open = Question("outcome", ("c",), "Is c known later?", answers["a"][1:])

    def box(at: AppTest):
        return next(one for one in at.expander if "question" in one.label)

    at = shown("data", visit_of(frame, schema=schema.asking([is_open])))
    assert box(at).label == "1 question, 1 open", "none of its answers holds"
    at = shown("data", visit_of(frame, schema=schema.asking(asked)))
    assert [choice.value for choice in at.pills] == [0, 0]
    assert box(at).label == "2 questions, answered as shown"
    run(at.pills[0].set_value(1))
    assert at.session_state["visit"].schema["a"].role == "ignore"
    assert box(at).proto.expanded
    assert not box(press(at, "Keep all as shown")).proto.expanded
    assert at.session_state["visit"].schema["b"].role == "cluster"


def test_what_ends_a_time_is_told_by_its_column_and_leaves_roles_alone():
    frame = pd.DataFrame({"time": np.arange(1.0, 31.0), "how": ["died", "moved", "here"] * 10})
    schema = infer_schema(frame).with_column("time", role="validator", family="time_to_event")
    visit = visit_of(frame, schema=schema.with_column("how", role="label"))
    at = shown("data", visit)
    at.session_state["detail-digest"] = "time"
    run(at).selectbox(key="survival digest time").set_value("how")
    for codes, value in (("happened", "died"), ("not yet", "here")):
        run(next(box for box in run(at).multiselect if codes in box.label).select(value))
    press(at, "Use these codes")
    spec = visit.schema["time"]
    assert (spec.event, spec.event_codes, spec.censored_codes) == ("how", ("died",), ("here",))
    assert (spec.role, visit.schema["how"].role) == ("validator", "label")


@pytest.mark.parametrize(
    ("drawn", "edit", "is_changed"),
    [
        (("height", "weight"), {1: {"Role": "ignore"}}, True),
        (("id", "weight", "gone"), {1: {"Role": "ignore"}, 2: {"Role": "ignore"}}, True),
        (("weight",), {0: {"Likelihood": "count (Poisson)"}}, True),
        (("weight",), {0: {"Column": "size"}}, True),
        (("gone",), {0: {"Column": "size"}}, False),
    ],
)
def test_an_edit_is_of_the_column_drawn_unless_it_is_gone(monkeypatch, drawn, edit, is_changed):
    frame = pd.DataFrame({"height": np.arange(160.0, 180.0), "weight": np.arange(60.0, 100.0, 2.0)})
    visit = visit_of(frame, schema=Schema([ColumnSpec(name, "normal") for name in frame]))
    before = visit.schema
    monkeypatch.setattr(columns, "session", lambda: visit)
    monkeypatch.setattr(columns.st, "session_state", {"drawn": {"edited_rows": edit}})
    visit.renewals += 1  # so that an editor drawn now would have another key
    columns._take_edits("drawn", drawn)
    assert visit.schema["height"] == before["height"]
    assert (visit.schema != before) == is_changed
    assert not visit.refused, "nobody is told of a column that is not there"
