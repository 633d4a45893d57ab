"""MAP-DP in parts against the engine on the whole table: E, labels, rest, resumption."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from core import FAMILIES, MAPDP, MAPDPParts, Schema, SchemaError, infer_schema, load_model
from core.engine.columns import Columns, default_priors
from core.engine.partition import Partition
from core.inference.clusters import describe_clusters
from core.models.priors import SCALES
from core.parts import report as report_module
from core.parts import search as search_module
from core.schema.schema import ColumnSpec
from tests.parts.conftest import SCHEMA, SETTINGS, digest, make_frame, write_parts


def whole_partition(model: MAPDPParts, frame: pd.DataFrame) -> Partition:
    """The rows at hand under the labels and the prior found in parts."""
    columns = Columns.pack(model.schema_.encode(frame), model.prior_)
    return Partition(columns, model.concentration, model.read_labels())


def test_it_ends_where_the_engine_ends_on_separated_data(frame, fitted):
    whole = MAPDP(random_state=0, prior="empirical").fit(frame, SCHEMA)
    assert np.array_equal(whole.labels_, fitted.read_labels())
    assert fitted.objective_ == pytest.approx(whole.objective_, abs=1e-7)
    assert fitted.n_clusters_ == 4


def test_at_rest_no_row_and_no_merge_moves_anything(frame, fitted):
    partition = whole_partition(fitted, frame)
    assert fitted.objective_ == pytest.approx(partition.objective(), abs=1e-8)
    assert partition.sweep(np.arange(len(frame))) == 0
    assert not len(partition.merge())
    assert (np.diff(fitted.objective_trace_) < 0).all()


def test_no_other_prior_scale_lowers_e_of_all_rows(frame, folder, tmp_path, monkeypatch):
    steps = []
    real = search_module.PartsSearch._record
    monkeypatch.setattr(
        search_module.PartsSearch, "_record", lambda self, s: steps.append(s) or real(self, s)
    )
    settings = SETTINGS | {"prior": "scale-grid", "sample": 40}
    model = MAPDPParts(**settings).fit(folder, SCHEMA, tmp_path)
    encoded, labels = model.schema_.encode(frame), model.read_labels()
    objectives = {
        scale: Partition(
            Columns.pack(encoded, default_priors(encoded, scale)), model.concentration, labels
        ).objective()
        for scale in SCALES
    }
    assert model.prior_scale_ == min(objectives, key=objectives.__getitem__)
    assert model.objective_ == pytest.approx(min(objectives.values()), abs=1e-7)
    assert "prior scale" in steps  # the sample, of a few rows, preferred another one


def test_clusters_are_described_by_all_their_rows(frame, fitted):
    wanted = describe_clusters(whole_partition(fitted, frame))
    for cluster, other in zip(fitted.clusters_, wanted, strict=True):
        assert cluster.size == other.size
        for name, posterior in cluster.posterior.items():
            for number, of_other in zip(
                posterior.to_dict().values(), other.posterior[name].to_dict().values(), strict=True
            ):
                assert np.allclose(number, of_other, rtol=1e-10)


def test_what_is_learnt_is_there_to_be_used(frame, fitted):
    assert np.array_equal(fitted.predict(frame), fitted.read_labels())
    loaded = load_model((fitted.labels_path_ / "model.json").read_text(encoding="utf-8"))
    assert np.array_equal(loaded.predict_proba(frame[:50]), fitted.predict_proba(frame[:50]))
    path = fitted.merge_path_
    assert path.objectives[0] == pytest.approx(fitted.objective_)
    coarse = fitted.clusters_at(2)[fitted.read_labels()]
    one = MAPDP().adopt(whole_partition(fitted, frame), None).labels_at(2)
    assert np.array_equal(coarse, one)
    assert len(fitted.sample_) == pytest.approx(400, abs=100)
    assert np.array_equal(
        fitted.sample_["label"], fitted.read_labels()[fitted.sample_["row"].to_numpy()]
    )


def test_new_rows_are_drawn_as_from_the_model_file(fitted):
    """The setting ``sample`` hides the method; a model read from a file has no such setting."""
    rows, labels = fitted.draw_rows(500, random_state=1)
    loaded = load_model((fitted.labels_path_ / "model.json").read_text(encoding="utf-8"))
    again, same = loaded.sample(500, random_state=1)
    pd.testing.assert_frame_equal(rows, again)
    assert np.array_equal(labels, same)


class Shuffled(ThreadPoolExecutor):
    """Whatever was asked for first is done last, and everything goes through a pickle."""

    def submit(self, function, *arguments):
        self.asked = getattr(self, "asked", 0) + 1
        delay = 0.06 / self.asked

        def late():
            time.sleep(delay)
            return pickle.loads(pickle.dumps(function(*pickle.loads(pickle.dumps(arguments)))))

        return super().submit(late)


@pytest.mark.parametrize(
    "make", [lambda: ThreadPoolExecutor(3), lambda: Shuffled(4)], ids=["threads", "shuffled"]
)
def test_who_works_and_in_which_order_does_not_matter(make, folder, fitted, tmp_path):
    with make() as executor:
        other = MAPDPParts(**SETTINGS, executor=executor).fit(folder, SCHEMA, tmp_path)
    assert digest(other) == digest(fitted)


def test_processes_find_the_same(folder, fitted, tmp_path):
    with ProcessPoolExecutor(2) as executor:
        other = MAPDPParts(**SETTINGS, executor=executor).fit(folder, SCHEMA, tmp_path)
    assert digest(other) == digest(fitted)


@pytest.mark.parametrize("n_parts", [1, 16])
def test_parts_do_not_matter(n_parts, frame, fitted, tmp_path):
    other = write_parts(frame, tmp_path / "parts", n_parts)
    model = MAPDPParts(**SETTINGS).fit(other, SCHEMA, tmp_path / "labels")
    assert np.array_equal(model.read_labels(), fitted.read_labels())
    assert model.objective_ == pytest.approx(fitted.objective_, rel=1e-13)


def test_frames_are_parts_and_the_schema_is_guessed(frame, tmp_path):
    frame = frame.drop(columns="truth")
    model = MAPDPParts(**SETTINGS).fit(frame[i : i + 800] for i in range(0, len(frame), 800))
    guessed = infer_schema(frame)
    assert {n: s.family for n, s in model.schema_.items()} == {
        n: s.family for n, s in guessed.items()
    }
    assert model.objective_ == pytest.approx(whole_partition(model, frame).objective(), abs=1e-8)


@pytest.mark.parametrize("at", [6, 17])
def test_a_search_that_was_stopped_goes_on(at, folder, fitted, tmp_path):
    told = []

    def stop(progress):
        told.append(progress)
        if len(told) == at:
            raise KeyboardInterrupt

    model = MAPDPParts(**SETTINGS)
    with pytest.raises(KeyboardInterrupt):
        model.fit(folder, SCHEMA, tmp_path, stop)
    before = len(told)
    model.fit(folder, SCHEMA, tmp_path, told.append)
    assert digest(model) == digest(fitted)
    complete = []
    MAPDPParts(**SETTINGS).fit(folder, SCHEMA, tmp_path / "new", complete.append)
    assert len(told) - before < len(complete)
    assert not (tmp_path / ".work").exists()


def test_other_settings_begin_anew(folder, fitted, tmp_path):
    def stop(progress):
        if progress.phase.startswith("visit"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        MAPDPParts(9.0, **SETTINGS).fit(folder, SCHEMA, tmp_path, stop)
    assert digest(MAPDPParts(**SETTINGS).fit(folder, SCHEMA, tmp_path)) == digest(fitted)


def test_too_many_movers_move_at_once_if_that_lowers_e(tmp_path, monkeypatch):
    """On overlapping clusters, from a poor start, and hardly any row may come to the driver."""
    monkeypatch.setattr(search_module, "MOST_AT_HAND", 60)
    monkeypatch.setattr(report_module, "MOST_AT_HAND", 60)
    steps = []
    real = search_module.PartsSearch._record
    monkeypatch.setattr(
        search_module.PartsSearch,
        "_record",
        lambda self, step: steps.append(step) or real(self, step),
    )
    table = make_frame(2_000, spread=4.0)
    other = write_parts(table, tmp_path / "parts", 3)
    model = MAPDPParts(random_state=0, sample=60, tol=0.0).fit(other, SCHEMA, tmp_path / "labels")
    assert "moves at once" in steps
    assert (np.diff(model.objective_trace_) < 0).all()
    partition = whole_partition(model, table)
    assert model.objective_ == pytest.approx(partition.objective(), abs=1e-7)
    assert partition.sweep(np.arange(len(table))) == 0


def test_a_move_of_all_that_raises_e_is_halved(tmp_path, monkeypatch):
    """All movers at once are made to look bad: a part of them moves, and E still falls."""
    monkeypatch.setattr(search_module, "MOST_AT_HAND", 20)
    monkeypatch.setattr(report_module, "MOST_AT_HAND", 20)
    taken = []
    real = report_module.Report.after

    def after(self, fraction, columns):
        taken.append(fraction)
        return real(self, 0 if fraction in (8, 4) else fraction, columns)

    monkeypatch.setattr(report_module.Report, "after", after)
    other = write_parts(make_frame(1_000, spread=4.0), tmp_path / "parts", 3)
    model = MAPDPParts(random_state=0, sample=60, prior="empirical", tol=20.0).fit(
        other, SCHEMA, tmp_path / "labels"
    )
    assert 2 in taken
    assert (np.diff(model.objective_trace_) < 0).all()


def test_every_family_adds_up(tmp_path):
    """E by sums is that of the whole, of a table with a column or block of every family."""
    random = np.random.default_rng(1)
    n = 600
    group = random.integers(2, size=n)
    specs, blocks, columns = [], [], {}
    for name, family in FAMILIES.items():
        names = [f"{name} {j}" for j in range(2)] if family.is_block else [name]
        for column in names:
            columns[column] = _cells(name, group, random)
            told = {"family": "normal"} if family.is_block else {"family": name}
            specs.append(ColumnSpec(column, **told))
        if family.is_block:
            blocks.append((name, names))
        elif name != "geometric":
            columns[name] = pd.Series(columns[name]).mask(random.random(n) < 0.1)
    schema = Schema(specs)
    for name, names in blocks:
        schema = schema.with_block(f"block {name}", names, name)
    frame = pd.DataFrame(columns)
    for _, names in blocks:
        frame.loc[random.random(n) < 0.1, names] = np.nan
    model = MAPDPParts(random_state=0, sample=200, prior="empirical").fit(
        write_parts(frame, tmp_path / "parts", 4), schema, tmp_path / "labels"
    )
    assert {unit.family for unit in model.columns_.encoded.units} == set(FAMILIES)
    partition = whole_partition(model, frame)
    assert model.objective_ == pytest.approx(partition.objective(), abs=1e-7)
    assert partition.sweep(np.arange(n)) == 0


def _cells(family: str, group: np.ndarray, random: np.random.Generator) -> np.ndarray:
    if family == "bernoulli":
        return random.binomial(1, 0.2 + 0.6 * group)
    if family in ("binomial", "categorical"):
        return random.binomial(4, 0.2 + 0.6 * group)
    if FAMILIES[family].kind == "count":
        return random.poisson(2.0 + 6.0 * group)
    if family == "exponential":
        return random.exponential(1.0 + 8.0 * group)
    return random.normal(6.0 * group)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_hardly_any_rows(rows, frame, tmp_path):
    few = frame[["m0", "colour"]].dropna()[:rows]
    schema = Schema(
        [
            ColumnSpec("m0", "normal"),
            ColumnSpec("colour", "categorical", levels=("red", "green", "blue")),
        ]
    )
    model = MAPDPParts(random_state=0).fit(few, schema, tmp_path)
    assert model.read_labels().size == rows
    assert model.objective_ == pytest.approx(whole_partition(model, few).objective(), abs=1e-9)


def test_a_level_of_one_part_and_a_column_that_is_missing_in_another(frame, tmp_path):
    table = frame.copy()
    table["colour"] = table["colour"].astype(object)
    table.loc[2_990:, "colour"] = "violet"
    table.loc[:800, "m2"] = np.nan
    folder = write_parts(table, tmp_path / "parts", 5)
    model = MAPDPParts(**SETTINGS).fit(folder, SCHEMA, tmp_path / "labels")
    assert "violet" in model.schema_["colour"].levels
    assert model.objective_ == pytest.approx(whole_partition(model, table).objective(), abs=1e-7)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.with_column("colour", levels=("red", "green")), "among its levels.*add it"),
        (lambda s: s.with_column("m0", family="poisson"), "row 1:.*negative|fractional"),
        (lambda s: s.with_block("b", ["m0", "m1"], "gaussian"), "take the block apart"),
        (lambda s: Schema([*s.values(), ColumnSpec("truth", "normal", "weight")]), "how often"),
        (lambda s: Schema([*s.values(), ColumnSpec("height", "normal")]), "lacks the column 'he"),
    ],
    ids=["level", "family", "block", "weights", "absent"],
)
def test_what_cannot_be_is_refused_with_a_sentence(change, words, folder, tmp_path):
    with pytest.raises(SchemaError, match=words):
        MAPDPParts(**SETTINGS).fit(folder, change(SCHEMA), tmp_path)
