"""A time and its status are found whatever their names, with what only they can have told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema

N = 400


def cohort(seed=0, **columns):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(30, 85, N),
            "hb": random.normal(13, 1.5, N).round(1),
            "nodes": random.poisson(2, N),
            "smoker": random.integers(2, size=N),
        }
    )
    return frame.assign(**columns)


def survival(seed=1):
    """Time in days and 1 where the event came first; recruited over years, all watched till one."""
    random = np.random.default_rng(seed)
    came, left = random.exponential(900, N).round() + 1, random.uniform(300, 2200, N).round()
    return np.minimum(came, left), (came <= left).astype(int)


def asked(schema):
    return [q for q in schema.questions if q.about == "outcome"]


@pytest.mark.parametrize(
    ("time", "status"), [("futime", "fustat"), ("T1", "D1"), ("srv", "srv.s"), ("OS", "relapse")]
)
def test_a_pair_is_one_question_and_its_answer_is_survival(time, status):
    watched, came = survival()
    schema = infer_schema(cohort(**{time: watched, status: came}))
    (question,) = asked(schema)
    assert question.columns == (time, status)
    after = question.answers[0](schema)
    spec = after[time]
    assert (spec.family, spec.role) == ("time_to_event", "validator")
    assert (spec.event, spec.event_codes, spec.censored_codes) == (status, (1,), (0,))
    assert after[status].role == "ignore"
    assert asked(after) == []


def test_three_codes_ask_which_is_the_event():
    watched, came = survival()
    kind = np.where(came == 1, np.random.default_rng(3).choice([1, 2], N, p=[0.3, 0.7]), 0)
    (question,) = asked(schema := infer_schema(cohort(futime=watched, status=kind)))
    assert "which of 1 and 2" in question.text
    first, second, alike, *_ = (answer(schema)["futime"] for answer in question.answers)
    assert (first.event_codes, second.event_codes) == ((2,), (1,))  # the commonest first
    assert alike.event_codes == (2, 1)
    assert first.censored_codes == (0,)


def test_what_only_the_end_can_have_told_is_asked_about_too():
    watched, came = survival()
    random = np.random.default_rng(4)
    bled = random.random(N) < 0.4
    frame = cohort(
        futime=watched,
        death=came,
        leak=np.where(bled, (watched * random.random(N)).round(), np.nan),
        cause=np.where(came == 1, random.choice(["heart", "cancer"], N), None),
        exit_age=0.0,
    )
    frame["exit_age"] = frame["age"] * 365 + watched
    frame["start_age"] = frame["age"] * 365
    named = {name for question in asked(infer_schema(frame)) for name in question.columns}
    assert named == {"futime", "death", "leak", "cause", "exit_age"}


def test_markers_of_two_kinds_of_patients_are_no_survival():
    """Strongly tied, near each other, from near 0 on, and still no time and no status."""
    random = np.random.default_rng(5)
    ill = random.integers(2, size=N)
    frame = cohort(crp=random.exponential(2 + 30 * ill).round(1), ascites=ill)
    frame["drinks"] = np.where(ill, random.poisson(9, N), 0)
    frame["drinks.any"] = ill
    frame["score"] = random.integers(0, 40, N)
    frame["score.group"] = (frame["score"] > 20).astype(int)
    assert asked(infer_schema(frame)) == []


def test_what_was_chosen_and_whether_something_is_known_are_no_events():
    random = np.random.default_rng(6)
    ride = random.gamma(5, 20, N).round()
    other = np.where(random.random(N) < 0.3, ride, random.gamma(5, 20, N).round())
    changes = np.minimum(ride // 60, 2).astype(int)
    frame = cohort(time1=ride, change1=changes, time2=other, change2=random.integers(0, 3, N))
    assert asked(infer_schema(frame)) == []
    unknown = random.random(N) < 0.2
    school = np.where(unknown, 10.3, random.integers(0, 19, N))
    assert asked(infer_schema(cohort(school=school, noschool=unknown.astype(int)))) == []


def test_a_time_that_ends_with_its_status_is_one_where_the_others_were_watched_longer():
    random = np.random.default_rng(7)
    came = random.random(N) < 0.3
    time = np.where(came, random.exponential(300, N), 900 + random.exponential(900, N)).round()
    (question,) = asked(infer_schema(cohort(edrel=time, rel=came.astype(int))))
    assert question.columns == ("edrel", "rel")
    assert asked(infer_schema(cohort(edrel=time[::-1], rel=came.astype(int)))) == []
