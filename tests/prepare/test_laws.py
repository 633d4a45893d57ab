"""What every step keeps to, and every list of steps."""

from __future__ import annotations

import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.exports.script import Origin, prepared, script_of
from mapdp_studio.core.prepare import STEPS
from mapdp_studio.core.prepare.recipe import Entry, Recipe
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.schema.schema import Schema
from tests.prepare.examples import EXAMPLES, FRAME, OTHER
from tests.random_steps import other_frame, random_frame, random_step

ODD = (None, True, 7, -1.5, 1e308, 10**400, "", "\0", "%Q", [], [[]], ["a", 1], {"a": 1}, [["a"]])
by_step = pytest.mark.parametrize("step", EXAMPLES, ids=lambda step: step.key)


def ran(steps, frame: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """The frame after the Python of some steps."""
    known = {step.__name__: step for step in STEPS.values()}
    known |= {"frame": frame.copy(), "read_table": lambda name: other.copy()}
    for step in steps:
        exec(f"frame = {step!r}.apply(frame)", known)
    return known["frame"]


def ran_as_script(step, frame: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """The frame after the lines of a script, with all that it imports."""
    origin = prepared(Origin((), ("frame = data.copy()",)), Recipe((Entry(step),)))
    lines = script_of(origin, Task("", (), "MAPDP", ()), Schema([])).splitlines()
    (imports,) = (line for line in lines if "core.prepare import" in line)
    known = {"data": frame, "read_table": lambda name: other.copy()}
    exec("\n".join([imports, *origin.lines]), known)
    return known["frame"]


def test_every_step_has_an_example():
    assert {type(step) for step in EXAMPLES} == {*STEPS.values()}


@by_step
def test_a_step_is_its_record_and_its_script(step):
    """Applied, applied again, saved and loaded, and printed in a script, it gives one frame."""
    before = FRAME.copy(deep=True)
    wanted = step.apply(FRAME)
    assert wanted.index.equals(pd.RangeIndex(len(wanted)))
    saved = json.loads(json.dumps(Recipe((Entry(step),)).to_dicts()))
    (loaded,) = Recipe.of_dicts(saved).with_tables(step.tables).entries
    assert loaded.step == step
    for frame in (
        step.apply(FRAME),
        loaded.step.apply(FRAME),
        ran([step], FRAME, OTHER),
        ran_as_script(step, FRAME, OTHER),
    ):
        assert_frame_equal(frame, wanted, check_exact=True)
    assert_frame_equal(FRAME, before)


@by_step
def test_a_bad_step_gives_a_sentence_and_leaves_the_table(step):
    """A field of a file holds anything: the table is changed as a record says, or stays."""
    saved = json.loads(json.dumps(step.to_dict()))
    for name, odd in product(saved, ODD):
        try:
            recipe = Recipe.of_dicts([saved | {name: odd, "on": True}]).with_tables(step.tables)
        except (PrepareError, TypeError):
            continue
        after = recipe.apply(FRAME)
        (record,) = after.records
        assert record.sentence
        assert record.is_done or (record.problem and after.frame.equals(FRAME))


@by_step
def test_a_sentence_names_the_columns_and_has_no_full_stop(step):
    assert step.sentence
    assert not step.sentence.endswith(".")
    assert all(name in step.sentence for name in step.needs[:4])
    if told := step.found(FRAME, step.apply(FRAME)):
        assert re.fullmatch(r"[A-Z'\d].*\.", told), told


@by_step
def test_a_missing_column_is_said(step):
    for name in step.needs:
        with pytest.raises(PrepareError, match=f"no column '{name}'"):
            step.apply(FRAME.drop(columns=name))


@by_step
def test_what_is_written_is_new_and_all_else_is_as_it_was(step):
    changed = step.apply(FRAME)
    new = {*step.writes, "lipid", "clinic", "fat (clinic's.csv)"}
    assert {*changed.columns} - {*FRAME.columns} <= new
    if len(changed) == len(FRAME):
        kept = [n for n in changed if n in FRAME and n not in step.writes]
        assert_frame_equal(changed[kept], FRAME[kept])


def test_random_recipes_are_their_lines_and_are_undone():
    done = dict.fromkeys(STEPS, 0)
    for seed in range(200):
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
