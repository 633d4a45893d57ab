"""What a type checker sees of the public names; tests/test_typing.py has mypy read it."""

from pathlib import Path
from typing import assert_type

import pandas as pd

import mapdp_studio
from mapdp_studio import (
    MAPDP,
    DPMeans,
    Fit,
    KMeansBIC,
    MixtureEM,
    Progress,
    Schema,
    Study,
    TableError,
    describe,
    how_many,
    infer_schema,
    load_model,
    read_table,
    save_model,
    stability,
    three_step,
)


def see(progress: Progress) -> None:
    print(progress.phase, progress.n_clusters)


try:
    frame = read_table("patients.csv", name="patients")
except TableError as error:
    print(error)
assert_type(frame, pd.DataFrame)
schema = infer_schema(frame)
assert_type(schema, Schema)
assert_type(schema.with_column("visits", family="poisson"), Schema)
model = MAPDP(concentration=3.0, random_state=0).fit(frame, schema, callback=see)
assert_type(model, MAPDP)
assert_type(DPMeans(penalty=4.0).fit(frame), DPMeans)
assert_type(KMeansBIC(k_max=5).fit(frame), KMeansBIC)
assert_type(MixtureEM(3).fit(frame), MixtureEM)
assert_type(model.result_, Fit)
assert_type(save_model(model), str)
assert_type(load_model("{}").n_clusters_, int)
assert_type(save_model(load_model(Path("model.json"))), str)
load_model("model.json").predict_proba(frame)
print(model.label_)  # type: ignore[attr-defined]
assert_type(describe(model).table, pd.DataFrame)
assert_type(Study(frame, outcomes=["died"]).run().t_tests, pd.DataFrame)
assert_type(stability(model).sentence, str)
assert_type(how_many(model, frame).n_groups, int)
assert_type(three_step(model, frame["age"]).p, float)
assert_type(schema.with_columns({"visits": "poisson"}).to_frame(), pd.DataFrame)
assert_type(mapdp_studio.__version__, str)
