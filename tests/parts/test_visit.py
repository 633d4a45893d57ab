"""One look at one part: pure, of a size that no table changes, and in step with the engine."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from core.engine.columns import Columns
from core.engine.partition import Partition
from core.parts import report as report_module
from core.parts.labels import LABEL, Reading, classes, label_file, read_array, shares, write_array
from core.parts.look import look_at_rows
from core.parts.place import Place
from core.parts.report import Gathered
from core.parts.source import open_source
from core.parts.sums import Sums
from core.parts.visit import Plan, RowReader, visit
from tests.parts.conftest import SCHEMA, make_frame, write_parts

NAMES = tuple(name for name in SCHEMA)


def _begun(frame, folder):
    """A table in three parts under a poor partition of its first rows, and the plan of a visit."""
    source = open_source(write_parts(frame, folder / "parts", 4), Place(str(folder)))
    schema = SCHEMA.completed(frame)
    read = RowReader(NAMES, schema, 5)
    look = look_at_rows(source, read, 200, 1)
    whole = look.whole(schema.units, 0.1, 3.0)
    encoded = schema.encode(frame)
    rows = whole.columns.of_rows(encoded)
    labels = np.where(np.nan_to_num(encoded.values[:, 0]) > 4, 1, 0)
    labels[::7] = 2
    sums = Sums.of(rows, labels, 3)
    clusters = sums.clusters(whole.columns)
    plan = Plan(1, Place(str(folder)), read, whole.columns, clusters, np.log(3.0))
    return source, whole, labels, plan


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    frame = make_frame(900)
    return frame, *_begun(frame, tmp_path_factory.mktemp("visit"))


def _write(plan, source, labels):
    for part in source.parts:
        written = np.zeros(part.n_rows, dtype=LABEL)
        inside = slice(part.first_row, part.first_row + part.n_rows)
        written["label"] = written["proposal"] = labels[inside]
        write_array(label_file(plan.folder, plan.number - 1, part.first_row), written)


def _visited(plan, source, reading):
    gathered = Gathered(plan.columns, plan.most_misfits)
    for part in source.parts:
        gathered.add(visit(plan, part, reading))
    return gathered.report


def test_a_visit_prices_rows_as_a_sweep_does_and_may_run_twice(begun):
    frame, source, whole, labels, plan = begun
    _write(plan, source, labels)
    reading = Reading(np.arange(3))
    report = _visited(plan, source, reading)
    files = [label_file(plan.folder, 1, part.first_row) for part in source.parts]
    before = [file.read() for file in files]
    again = _visited(plan, source, reading)
    assert [file.read() for file in files] == before
    assert pickle.dumps(again) == pickle.dumps(report)
    written = np.concatenate([read_array(file) for file in files])
    assert np.array_equal(written["label"], labels)
    columns = Columns.pack(plan.read.schema.encode(frame), whole.columns.priors)
    movers = births = 0
    for i in range(len(frame)):
        partition = Partition(columns, 3.0, labels)
        if partition.sweep(np.array([i])):
            movers += 1
            born = partition.n_clusters > 3
            births += born
            assert written["proposal"][i] == (labels[i] if born else partition.labels[i])
        else:
            assert written["proposal"][i] == labels[i]
    assert (report.n_movers, report.n_births) == (movers, births)
    assert movers > 100
    assert report.histogram.sum() == len(frame)


@pytest.mark.parametrize("fraction", [0, 1, 2, 4, 8])
def test_sums_tell_what_would_become_of_any_share_of_the_moves(fraction, begun):
    frame, source, whole, labels, plan = begun
    _write(plan, source, labels)
    report = _visited(plan, source, Reading(np.arange(3)))
    sums = report.after(fraction, plan.columns)
    files = [label_file(plan.folder, 1, part.first_row) for part in source.parts]
    written = np.concatenate([read_array(file) for file in files])
    moved = Reading(np.arange(3), fraction).read(written, 0, plan.read.seed)
    assert (moved != labels).sum() == pytest.approx(report.n_movers * fraction / 8, rel=0.35, abs=1)
    rows = whole.columns.of_rows(plan.read.schema.encode(frame))
    wanted = Sums.of(rows, moved, 3).clusters(plan.columns)
    assert np.array_equal(sums.members, wanted.members[:3])
    assert np.allclose(sums.clusters(plan.columns).state, wanted.state, rtol=1e-9, atol=1e-9)


def test_what_goes_to_and_fro_does_not_grow_with_the_table(begun, tmp_path):
    _, source, _, labels, plan = begun
    larger = make_frame(7_200)
    more, _, many, other = _begun(larger, tmp_path)
    told_bytes, most = [], 9 * 3 * (plan.columns.n_state_rows + 1) * 8 + 4_000
    for table, told, of_rows in ((source, plan, labels), (more, other, many)):
        _write(told, table, of_rows)
        report = visit(told, table.parts[0], Reading(np.arange(3)))
        told_bytes.append(len(pickle.dumps((told, table.parts[0]))))
        assert len(pickle.dumps(report)) < most
    assert told_bytes[0] == pytest.approx(told_bytes[1], rel=0.02)


def test_what_is_held_of_reports_does_not_grow_with_their_number(begun, monkeypatch):
    _, source, _, labels, plan = begun
    monkeypatch.setattr(report_module, "MOST_AT_HAND", 150)
    _write(plan, source, labels)
    seeds = {"share": np.full(3, 0.1), "fit": np.full(3, np.inf), "most_misfits": 5}
    plan = replace(plan, threshold=-1e-9, **seeds)
    reports = [visit(plan, part, Reading(np.arange(3))) for part in source.parts]
    gathered = Gathered(plan.columns, plan.most_misfits)
    for _ in range(20):
        for report in reports:
            gathered.add(report)
    assert sum(some.rows.size for some in gathered._misfits) <= 3 * 3 * 5
    whole = gathered.report
    assert whole.n_near == 20 * sum(report.n_near for report in reports) > 150
    assert whole.near.rows.size == 0
    once = report_module.RowSample.joined([report.misfits for report in reports])
    worst = report_module.worst(once, 1)
    found = report_module.worst(whole.misfits, 1)
    assert np.array_equal(found.fits, worst.fits)
    assert np.array_equal(whole.sums.members, 20 * sum(r.sums.members for r in reports))


def test_draws_depend_on_the_row_alone():
    rows = np.arange(100_000)
    every = shares(rows, 3)
    assert np.array_equal(every[50_000:50_010], shares(rows[50_000:50_010], 3))
    assert abs(every.mean() - 0.5) < 0.005
    assert np.abs(np.corrcoef(every, shares(rows, 4))[0, 1]) < 0.02
    assert np.ptp(np.bincount(classes(rows, 0))) < 1_000


def test_rows_are_turned_into_numbers_once(begun, tmp_path, monkeypatch):
    _, source, _, _, plan = begun
    read = replace(plan.read, numbers=str(tmp_path / "numbers"))
    before = [list(read.batches(part)) for part in source.parts]
    monkeypatch.setattr("core.parts.source.Part.batches", None)  # nothing reads the table again
    for part, made in zip(source.parts, before, strict=True):
        again = list(read.batches(part))
        assert [first for first, _ in again] == [first for first, _ in made]
        for (_, one), (_, other) in zip(again, made, strict=True):
            np.testing.assert_array_equal(one.values, other.values)
            assert one.units == other.units


def test_what_was_left_off_is_not_read_again(begun, tmp_path):
    _, source, _, _, plan = begun
    read = replace(plan.read, numbers=str(tmp_path / "numbers"))
    batches = read.batches(source.parts[0])
    next(batches)
    batches.close()
    assert not list((tmp_path / "numbers").iterdir())
