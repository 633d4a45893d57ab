"""Centres make no groups unless somebody says so; what only sounds like one does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema

N = 240
RANDOM = np.random.default_rng(3)


def role_of(name, cells):
    frame = pd.DataFrame({f"m{j}": RANDOM.normal(size=N) for j in range(3)})
    frame.insert(2, name, cells)
    spec = infer_schema(frame)[name]
    return spec.role, spec.family


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("inst", RANDOM.choice([1, 2, 3, 5, 7, 11, 22, 33], N)),
        ("study site", RANDOM.choice(list("ABCD"), N)),
        ("Zentrum", RANDOM.choice([101, 102, 207], N)),
        ("center2", RANDOM.choice(["North", "South"], N)),
        ("where", RANDOM.choice(["Mercy Hospital", "Uni Klinikum", "St Ann Hospital"], N)),
        ("scanner", RANDOM.choice(["Aera", "Skyra", "Prisma"], N)),
    ],
)
def test_a_centre_is_a_negative_control(name, cells):
    assert role_of(name, cells) == ("control", "bernoulli" if name == "center2" else "categorical")


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("tumour site", RANDOM.choice(["colon", "rectum", "caecum"], N)),
        ("hospital", RANDOM.choice([0, 1], N)),
        ("hospital", RANDOM.choice(["yes", "no"], N)),
        ("hospital days", RANDOM.poisson(6, N)),
        ("centred score", RANDOM.integers(1, 6, N)),
        ("clinic temperature", RANDOM.normal(37, 0.5, N).round(1)),
    ],
)
def test_what_only_sounds_like_a_centre_is_none(name, cells):
    assert role_of(name, cells)[0] == "cluster"
