"""Settings come back as they were, or with a sentence."""

import json

import pytest

from mapdp_studio.core import ColumnSpec, ReadOptions, Schema
from mapdp_studio.core.exports import settings_file
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming


@pytest.fixture
def saved(fitted) -> settings_file.Saved:
    frame, schema, _, _ = fitted
    naming = Naming(((0, 1),), {0: "mild", 2: "😀"})
    options = ReadOptions(**frame.attrs["read_options"])
    settings = Settings(5.0, 7.5, 4, 4, False, 2, 9, 0.3)
    return settings_file.Saved(
        "my table.csv", frame.shape, options, schema, settings, "DPMeans", {"MAPDP": naming}
    )


def test_settings_come_back_as_they_were(saved):
    text = settings_file.save_settings(saved)
    assert settings_file.load_settings(text) == settings_file.load_settings(text.encode()) == saved


def test_a_time_without_its_event_and_what_is_new_are_set_aside():
    time = ColumnSpec("time", "time_to_event", "validator", event="died", event_codes=(1,))
    x, new, died, plain = (ColumnSpec(name, "normal") for name in ("x", "new", "died", "time"))
    fitting, remarks = settings_file.fitting_schema(
        Schema([x, time, died]), Schema([x, plain, new])
    )
    assert [(spec.role, spec.family) for spec in fitting.values()] == [
        ("cluster", "normal"),
        ("ignore", None),
        ("ignore", "normal"),
    ]
    assert [sentence.split("'")[1] for sentence in remarks] == ["died", "new"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: "{", "not JSON"),
        (lambda c: c | {"format": "x"}, "no settings file"),
        (lambda c: c | {"version": 3}, "newer version"),
        (lambda c: {k: v for k, v in c.items() if k != "schema"}, "lacks 'schema'"),
        (lambda c: c | {"result of": "magic"}, "no method"),
        (lambda c: c | {"comparison": c["comparison"] | {"effort": 99}}, "outside 1 to 10"),
        (lambda c: c | {"schema": c["schema"] | {"version": 9}}, "newer version"),
        (lambda c: c | {"schema": {"version": 1, "columns": [{"name": 3}]}}, "column name"),
        (lambda c: c | {"names": {"MAPDP": 3}}, "damaged"),
        (lambda c: c | {"rows": float("inf")}, "damaged"),
        (lambda c: c | {"rows": 3.5}, r"3\.5 rows and 4 columns cannot be"),
        (lambda c: c | {"read options": {"delimiter": "xx"}}, "one character"),
    ],
)
def test_settings_edited_by_hand_or_newer_get_a_sentence(saved, change, said):
    changed = change(json.loads(settings_file.save_settings(saved)))
    text = changed if isinstance(changed, str) else json.dumps(changed)
    with pytest.raises(settings_file.SettingsFileError, match=said) as caught:
        settings_file.load_settings(text)
    assert str(caught.value).rstrip().endswith((".", "again."))
