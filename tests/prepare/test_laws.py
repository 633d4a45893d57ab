"""What every step keeps to, and every list of steps."""

import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.exports.script import Origin, prepared, script_of
from mapdp_studio.core.plain import from_plain, to_plain
from mapdp_studio.core.prepare import STEPS
from mapdp_studio.core.prepare.recipe import Entry, Recipe
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.schema.schema import Schema
from tests.random_steps import other_frame, random_frame, random_step

from .test_values import CASES, ORDERS

ODD = (None, True, 7, -1.5, 1e308, 10**400, "", "\0", "%Q", [], [[]], ["a", 1], {"a": 1}, [["a"]])
by_step = pytest.mark.parametrize(
    ("step", "frame"), [(step, pd.DataFrame(columns)) for step, columns, *_ in CASES]
)


def read(entries: list) -> Recipe:
    """The steps of a file."""
    return Recipe(from_plain(tuple[Entry, ...], entries))


def ran(steps, frame: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """The frame after the Python of some steps."""
    names = {step.__name__: step for step in STEPS.values()}
    names |= {"frame": frame.copy(), "read_table": lambda name: other.copy()}
    for step in steps:
        exec(f"frame = {step!r}.apply(frame)", names)
    return names["frame"]


def ran_as_script(step, frame: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """The frame after the lines of a script, with all that it imports."""
    origin = prepared(Origin((), ("frame = data.copy()",)), Recipe((Entry(step),)))
    lines = script_of(origin, Task("", (), "MAPDP", ()), Schema([])).splitlines()
    (imports,) = (line for line in lines if "core.prepare import" in line)
    names = {"data": frame, "read_table": lambda name: other.copy()}
    exec("\n".join([imports, *origin.lines]), names)
    return names["frame"]


def test_every_step_has_an_example():
    assert {type(step) for step, *_ in CASES} == {*STEPS.values()}


@by_step
def test_a_step_is_its_record_and_its_script(step, frame):
    """Applied, applied again, saved and loaded, and printed in a script, it gives one frame."""
    before = frame.copy(deep=True)
    expected = step.apply(frame)
    assert expected.index.equals(pd.RangeIndex(len(expected)))
    recipe = Recipe((Entry(step),))
    saved = json.loads(json.dumps(to_plain(recipe.entries)))
    (loaded,) = read(saved).with_tables(recipe.tables).entries
    assert loaded.step == step
    for again in (
        step.apply(frame),
        loaded.step.apply(frame),
        ran([step], frame, ORDERS),
        ran_as_script(step, frame, ORDERS),
    ):
        assert_frame_equal(again, expected, check_exact=True)
    assert_frame_equal(frame, before)


@by_step
def test_a_bad_step_gives_a_sentence_and_leaves_the_table(step, frame):
    """A field of a file holds anything: the table is changed as a record says, or stays."""
    saved = json.loads(json.dumps(step.to_dict()))
    tables = Recipe((Entry(step),)).tables
    for name, odd in product(saved, ODD):
        try:
            recipe = read([saved | {name: odd, "on": True}]).with_tables(tables)
        except PrepareError:
            continue
        after = recipe.apply(frame)
        (record,) = after.records
        assert record.sentence
        assert record.is_done or (record.problem and after.frame.equals(frame))


@by_step
def test_a_step_says_what_it_does_what_it_needs_and_what_it_writes(step, frame):
    changed = step.apply(frame)
    assert step.sentence
    assert not step.sentence.endswith(".")
    assert all(name in step.sentence for name in step.needs[:4])
    if text := step.found(frame, changed):
        assert re.fullmatch(r"[A-Z'\d].*\.", text), text
    for name in step.needs:
        with pytest.raises(PrepareError, match=f"no column '{name}'"):
            step.apply(frame.drop(columns=name))
    new = {*step.writes, *step.renames.values(), "sum", "kg (orders.csv)"}
    assert {*changed} - {*frame} <= new
    if len(changed) == len(frame):
        same = [n for n in changed if n in frame and n not in {*step.writes, *step.renames}]
        assert_frame_equal(changed[same], frame[same])


def test_random_recipes_are_their_lines_and_are_undone():
    done = dict.fromkeys(STEPS, 0)
    for seed in range(200, 260):
        random = np.random.default_rng(seed)
        start = random_frame(random)
        recipe, frames = Recipe(), [start]
        for _ in range(5):
            step = random_step(random, frames[-1])
            if step is not None:
                recipe = Recipe((*recipe.entries, Entry(step)))
                frames.append(Recipe((Entry(step),)).apply(frames[-1]).frame)
        after = recipe.apply(start)
        steps = [r.entry.step for r in after.records if r.is_done]
        assert_frame_equal(ran(steps, start, other_frame()), after.frame, check_exact=True)
        if recipe:
            undone = recipe.without(len(recipe.entries) - 1).apply(start).frame
            assert_frame_equal(undone, frames[-2], check_exact=True)
        for record in after.records:
            assert record.sentence
            done[record.entry.step.key] += record.is_done
    assert min(done.values()) >= 3, done
