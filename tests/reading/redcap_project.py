"""A made-up REDCap project: its dictionary, a classic export and a longitudinal one, as bytes."""

import io

import numpy as np
import pandas as pd

FIELDS = [
    # name, form, type, label, choices, identifier, branching
    ("record_id", "base", "text", "Record ID", "", "", ""),
    ("initials", "base", "text", "Initials", "", "y", ""),
    ("sex", "base", "radio", "Sex", "1, Female | 2, Male", "", ""),
    ("smoker", "base", "yesno", "Smokes?", "", "", ""),
    ("packs", "base", "text", "Packs a day", "", "", "[smoker] = '1'"),
    ("quit", "base", "dropdown", "Wants to quit", "1, no | 2, maybe | 3, yes", "", "[smoker]='1'"),
    ("drugs", "base", "checkbox", "Drugs <b>now</b>", "1, ACE inhibitor | -9, Other, rare", "", ""),
    ("height", "base", "text", "Height (cm)", "", "", ""),
    ("mass", "base", "text", "Mass (kg)", "", "", ""),
    ("bmi", "base", "calc", "BMI", "round([mass]/([height]/100)^2, 1)", "", ""),
    ("pain", "visit", "radio", "Pain", "0, none | 1, mild | 2, severe", "", ""),
    ("crp", "visit", "text", "CRP", "", "", ""),
]
HEADER = [
    *("Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label"),
    *("Choices, Calculations, OR Slider Labels", "Identifier?"),
    "Branching Logic (Show field only if...)",
]
N = 60


def dictionary() -> bytes:
    lines = pd.DataFrame([(*f[:2], "", *f[2:]) for f in FIELDS], columns=HEADER)
    return lines.to_csv(index=False).encode()


def classic() -> bytes:
    """One row a record; the form of the last five was never filled in, and only its boxes are 0."""
    random = np.random.default_rng(8)
    smoker = random.integers(2, size=N)
    height, mass = random.normal(170, 9, N).round(), random.normal(75, 12, N).round()
    frame = pd.DataFrame(
        {
            "record_id": np.arange(1, N + 1),
            "initials": [f"{a}{b}" for a in "ABCDEF" for b in "ABCDEFGHIJ"],
            "sex": random.choice([1, 2], N),
            "smoker": smoker,
            "packs": np.where(smoker, random.integers(5, 40, N) / 10, np.nan),
            "quit": np.where(smoker, random.choice([1, 2, 3], N), np.nan),
            "drugs___1": random.integers(2, size=N),
            "drugs____9": random.integers(2, size=N),
            "height": height,
            "mass": mass,
            "bmi": (mass / (height / 100) ** 2).round(1),
            "base_complete": 2,
        }
    )
    empty = frame.columns.drop(["record_id", "drugs___1", "drugs____9", "base_complete"])
    frame.loc[N - 5 :, empty] = np.nan
    frame.loc[N - 5 :, ["drugs___1", "drugs____9", "base_complete"]] = 0
    return frame.to_csv(index=False).encode()


def longitudinal() -> bytes:
    """A first row with the form of the base, and two visits that repeat the other form."""
    base = pd.read_csv(io.BytesIO(classic())).iloc[: N - 5]
    base.insert(1, "redcap_event_name", "baseline_arm_1")
    base.insert(2, "redcap_repeat_instrument", np.nan)
    base.insert(3, "redcap_repeat_instance", np.nan)
    random = np.random.default_rng(9)
    visits = pd.DataFrame({"record_id": np.repeat(base["record_id"], 2)})
    visits["redcap_event_name"] = "follow_up_arm_1"
    visits["redcap_repeat_instrument"] = "visit"
    visits["redcap_repeat_instance"] = [1, 2] * len(base)
    visits["pain"] = random.choice([0, 1, 2], len(visits))
    visits["crp"] = random.lognormal(1, 1, len(visits)).round(1)
    visits["drugs___1"] = visits["drugs____9"] = 0
    whole = pd.concat([base, visits]).sort_values("record_id", kind="stable")
    return whole.to_csv(index=False).encode()
