"""What SPSS, Stata and SAS save comes in with its words, its order and its missing codes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from mapdp_studio.core import TableError, infer_schema, read_table
from mapdp_studio.core.clinical.lock import data_hash
from mapdp_studio.core.exports.tables import as_dta, as_sav, as_xlsx, writers


def written(folder: Path, ending: str, frame: pd.DataFrame, **more: object) -> Path:
    path = folder / f"table{ending}"
    write = {".sav": "write_sav", ".dta": "write_dta", ".xpt": "write_xport"}[ending]
    getattr(pyreadstat, write)(frame, path, **more)
    return path


@pytest.fixture
def survey(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "pain": random.choice([1.0, 2.0, 3.0, 4.0, 9.0], 200, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
            "ward": random.choice([1.0, 2.0, 3.0], 200),
            "age": np.append(random.integers(20, 80, 199) * 1.0, 999.0),
            "note": random.choice(["a", "b"], 200),
            "code": random.choice(["7.1", "7.2", "10.3"], 200),
            "lab": random.uniform(1, 9, 200).round(2).astype(str),
        }
    )
    path = written(
        tmp_path,
        ".sav",
        frame,
        column_labels={"age": "Age at entry"},
        variable_value_labels={
            "pain": {1: "none at all", 2: "bit", 3: "more", 4: "worst", 9: "refused"},
            "ward": {1: "north", 2: "south", 3: "west"},
        },
        missing_ranges={"pain": [9], "age": [{"lo": 900, "hi": 999}]},
        variable_measure={"pain": "ordinal", "ward": "nominal", "age": "scale"},
    )
    return frame, path


def test_an_spss_file_says_what_its_columns_are(survey):
    frame, path = survey
    read = read_table(path)
    schema = infer_schema(read)
    assert set(read["ward"]) == {"north", "south", "west"}
    assert schema["pain"].family == "binomial"
    assert schema["pain"].levels == ("none at all", "bit", "more", "worst")
    assert schema["ward"].family == "categorical"
    assert schema["code"].levels == ("10.3", "7.1", "7.2")  # text there, and few that recur
    assert schema["lab"].family == "normal"
    assert 999 in schema["age"].missing_codes
    assert "Age at entry" in schema["age"].reason
    codes = schema.encode(read)
    assert np.isnan(codes.codes_of("pain")).sum() == (frame["pain"] == 9).sum()
    assert np.isnan(codes.codes_of("age")).sum() == 1


def test_one_nominal_column_is_no_part_of_a_scale_of_others_and_several_are_one(tmp_path):
    marks = np.random.default_rng(0).integers(1, 6, (80, 4)).astype(float)
    for measures in ("nominal ordinal scale ordinal", "nominal nominal nominal ordinal"):
        measured = dict(zip("abcd", measures.split(), strict=True))
        frame = pd.DataFrame(marks, columns=[*"abcd"])
        path = written(tmp_path, ".sav", frame, variable_measure=measured)
        is_alone = measures.count("nominal") == 1
        family = infer_schema(read_table(path))["a"].family
        assert family == ("categorical" if is_alone else "binomial")


@pytest.mark.parametrize("ending", [".dta", ".xpt"])
def test_stata_and_sas_transport_files(tmp_path, ending):
    frame = pd.DataFrame({"x": [1.5, np.nan, 3.0], "n": [1.0, 2.0, 3.0], "word": ["a", "b", "a"]})
    read = read_table(written(tmp_path, ending, frame))
    np.testing.assert_array_equal(read["x"], frame["x"])
    assert read["word"].tolist() == ["a", "b", "a"]
    assert read["n"].dtype == np.int64


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_what_a_file_writes_for_no_answer_is_missing_and_its_scale_is_not_suspected(
    tmp_path, ending
):
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "trust": random.choice([*range(11), 88, 99], 300) * 1.0,
            "vote": random.choice([1.0, 2, 8, 9], 300, p=[0.5, 0.4, 0.05, 0.05]),
            "view": random.choice([1.0, 2, 3, 8], 300),
            "step": random.choice([1.0, 2, 3, 4, 5, 9], 300, p=[0.22, 0.22, 0.2, 0.15, 0.15, 0.06]),
        }
    )
    words = {
        "trust": {0: "No trust at all", 10: "Complete trust", 88: "Don't know", 99: "No answer"},
        "vote": {1: "Yes", 2: "No", 8: "DK", 9: "Refused (volunteered)"},
        "view": {1: "left", 2: "middle", 3: "right", 8: "NA"},
        "step": {1: "lowest", 9: "highest"},
    }
    path = written(tmp_path, ending, frame, variable_value_labels=words)
    schema = infer_schema(read_table(path))
    assert schema["trust"].missing_codes == (88, 99)
    assert schema["vote"].missing_codes == ("DK", "Refused (volunteered)")
    assert set(schema["vote"].levels) == {"Yes", "No"}
    assert schema["view"].missing_codes == ("NA",)
    assert schema["step"].missing_codes == ()
    assert [q for q in schema.questions if q.about == "missing"] == []
    holes = np.isnan(schema.encode(read_table(path)).codes_of("view")).sum()
    assert holes == (frame["view"] == 8).sum()


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_words_and_times_are_what_they_were_under_pandas_2(tmp_path, ending):
    """Words without blanks around them, empty where they say so; a saved project knows its table.

    The hash is that of pandas 2.3.3, which holds times of these files in nanoseconds.
    """
    start = pd.Timestamp("2020-01-01")
    times = [start + pd.Timedelta(days=i, seconds=7 * i) for i in range(5)]
    words = ["x", " y ", "NA", "", "n/a"]
    far = [pd.Timestamp("1600-01-01"), *times[1:]]
    frame = pd.DataFrame({"word": words, "at": times, "far": far})
    read = read_table(written(tmp_path, ending, frame))
    assert read["word"].isna().tolist() == [False, False, True, True, True]
    assert read["word"].tolist()[:2] == ["x", "y"]
    assert read["at"].tolist() == times
    assert [*map(str, read["far"])] == [*map(str, far)]
    assert data_hash(read[["word", "at"]]) == (
        "ee57a24cf09c4953643a5c8278a894ed3ebd943bf19b46b2ff9f2fb28bef5143"
    )


def test_a_damaged_one_gets_a_sentence(survey):
    _, path = survey
    content = path.read_bytes()[:500]
    with pytest.raises(TableError, match="an SPSS file that cannot be read"):
        read_table(content, name="cut.sav")


def test_groups_go_back_into_every_kind(survey, tmp_path):
    frame, _ = survey
    frame = frame.assign(cluster="Cluster 1", **{"a very odd name!": [1.0] * 200})
    for write, ending in ((as_sav, ".sav"), (as_dta, ".dta"), (as_xlsx, ".xlsx")):
        path = tmp_path / f"groups{ending}"
        path.write_bytes(write(frame))
        again = read_table(path)
        assert again.shape == frame.shape
        np.testing.assert_array_equal(again["age"], frame["age"])
        assert set(again["cluster"]) == {"Cluster 1"}
    assert "Stata" not in writers(frame.assign(long="x" * 3000))


@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt"])
def test_digits_that_the_file_calls_text_stay_text(tmp_path, ending):
    random = np.random.default_rng(1)
    amounts = random.gamma(4, 1, 120).round(2)
    frame = pd.DataFrame(
        {
            "region": random.choice(["007", "021", "7", "1001"], 120),
            "ward": random.choice([" 9", "10", "11", "66"], 120),  # as SPSS aligns them
            "item": random.choice(["1", "2", "3", "4", "5"], 120),
            "zip": [f"{code:05d}" for code in random.permutation(120)],
            "state": random.choice(["mild", "moderate", "severe"], 120),
            "lab": ["<0.5" if value < 1.5 else f"{value:.2f}" for value in amounts],
        }
    )
    read = read_table(written(tmp_path, ending, frame))
    schema = infer_schema(read)
    assert read["region"].tolist() == frame["region"].tolist()
    assert schema["region"].family == schema["item"].family == "categorical"
    assert schema["region"].levels == ("007", "021", "1001", "7")
    assert schema["ward"].levels == ("10", "11", "66", "9")
    assert schema["item"].levels == ("1", "2", "3", "4", "5")
    assert "read out" not in schema["region"].reason
    assert schema["zip"].role == "id"
    assert schema["state"].levels == ("mild", "moderate", "severe")
    assert schema["state"].family == "binomial"  # whose order words tell, whatever their type
    assert schema["lab"].family == "normal"  # amounts, whatever the file calls them
    codes = schema.encode(read).codes_of("region")
    assert [schema["region"].levels[int(code)] for code in codes] == frame["region"].tolist()


def test_a_written_spss_file_is_left_nowhere(monkeypatch):
    paths, write = [], pyreadstat.write_sav

    def write_and_fail(frame, path, **more):
        write(frame, path, **more)
        paths.append(Path(path))
        if len(paths) == 2:
            raise ZeroDivisionError

    monkeypatch.setattr(pyreadstat, "write_sav", write_and_fail)
    as_sav(pd.DataFrame({"x": [1.0]}))
    with pytest.raises(ZeroDivisionError):
        as_sav(pd.DataFrame({"x": [1.0]}))
    assert not any(path.parent.exists() for path in paths)
    if Path("/dev/shm").is_dir():
        assert all(path.is_relative_to("/dev/shm") for path in paths)
