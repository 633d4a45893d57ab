"""An export of REDCap read with its data dictionary."""

import pandas as pd
import pytest

from mapdp_studio.core import TableError, infer_schema, read_table
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.profiling.suggestions import suggestions
from mapdp_studio.core.reading.redcap import (
    is_dictionary,
    is_export,
    read_dictionary,
    with_dictionary,
)
from tests.reading.redcap_project import N, classic, dictionary, longitudinal


@pytest.fixture(scope="module")
def fields():
    return read_dictionary(read_table(dictionary()))


@pytest.fixture(scope="module")
def frame(fields):
    return with_dictionary(read_table(classic()), fields)


@pytest.fixture(scope="module")
def schema(frame):
    return infer_schema(frame)


def test_each_is_known_by_its_header():
    assert is_dictionary(read_table(dictionary()))
    assert not is_dictionary(read_table(classic()))
    assert is_export(read_table(classic()))
    assert is_export(read_table(longitudinal()))
    assert not is_export(pd.DataFrame({"a__b": [1], "c": [2]}))
    with pytest.raises(TableError, match="no data dictionary"):
        read_dictionary(read_table(classic()))


def test_codes_have_their_words_and_boxes_their_choice(frame, schema):
    assert set(frame["sex"].dropna()) == {"Female", "Male"}
    assert schema["smoker"].levels == ("no", "yes")
    assert "“Drugs now: Other, rare”" in schema["drugs____9"].reason
    assert schema["drugs____9"].levels == ("no", "yes")
    # Nobody filled in the form: no tick is no answer.
    assert frame["drugs___1"].isna().sum() == 5
    assert any("words stand for the codes" in note for note in frame.attrs["notes"])


def test_what_was_not_asked_is_missing(frame):
    raw = read_table(classic())
    hidden = raw["smoker"] == 0
    assert frame["quit"].isna().equals(raw["quit"].isna())
    assert frame["quit"].isna()[hidden].all()
    assert frame.attrs["columns"]["quit"]["levels"] == ["no", "maybe", "yes"]
    assert frame["packs"].dtype == float


def test_ids_forms_and_calculated_fields_are_known(schema):
    assert schema["record_id"].role == schema["initials"].role == "id"
    assert schema["base_complete"].role == "ignore"
    assert schema["bmi"].role == "ignore"
    (question,) = [q for q in schema.questions if "bmi" in q.columns]
    assert question.answers[1](schema)["bmi"].role == "cluster"


def test_several_rows_a_record_become_one(fields):
    frame = with_dictionary(read_table(longitudinal()), fields)
    schema = infer_schema(frame)
    assert schema["redcap_event_name"].role == "ignore"
    (suggested,) = [s for s in suggestions(frame, schema) if s.step.key == "one row per"]
    assert f"belong to {N - 5} values of 'record_id'" in suggested.why
    assert suggested.step.unit == "record_id"
    once = Recipe().with_step(suggested.step).apply(frame).frame
    assert len(once) == N - 5
    alone = with_dictionary(read_table(classic()), fields)[: N - 5]
    for name in ("sex", "height", "packs"):
        assert once[name].tolist() == pytest.approx(alone[name].tolist(), nan_ok=True)
    assert once["drugs___1"].tolist() == alone["drugs___1"].tolist()
    assert once["crp, mean"].notna().all()


def test_a_dictionary_of_another_project_is_refused(fields):
    with pytest.raises(TableError, match=r"names 0 of the table's 2 columns"):
        with_dictionary(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), fields)
