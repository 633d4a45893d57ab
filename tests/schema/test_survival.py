"""A time and its status are found whatever their names, with what only they can have told."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema

N = 400
R = np.random.default_rng(1)
#: Recruited over years, all watched till one day; 1 where the event came first.
CAME, GONE = R.exponential(900, N).round() + 1, R.uniform(300, 2200, N).round()
WATCHED, DIED = np.minimum(CAME, GONE), (CAME <= GONE).astype(int)
KIND = np.where(DIED == 1, R.choice([1, 2], N, p=[0.3, 0.7]), 0)
AGE, ILL, RIDE = R.integers(30, 85, N), R.integers(2, size=N), R.gamma(5, 20, N).round()
REL = R.random(N) < 0.3
REL_TIME = np.where(REL, R.exponential(300, N), 900 + R.exponential(900, N)).round()
UNKNOWN = R.random(N) < 0.2
GOT = R.random(N) < 0.5
SCORE = R.integers(0, 40, N)
#: In every second row by the time watched.
UNTIED = np.argsort(np.argsort(WATCHED)) % 2 == 0
LATER = (np.argsort(np.argsort(WATCHED)) > N // 2).astype(int)
BASELINE = {
    "age": AGE,
    "hb": R.normal(13, 1.5, N).round(1),
    "nodes": R.poisson(2, N),
    "smoker": R.integers(2, size=N),
}
#: Columns beside the baseline, and those that a question about outcomes names.
ASKED = {
    "joined words": ({"futime": WATCHED, "fustat": DIED}, [["futime", "fustat"]]),
    "as in books": ({"T1": WATCHED, "D1": DIED}, [["T1", "D1"]]),
    "a stem": ({"srv": WATCHED, "srv.s": DIED}, [["srv", "srv.s"]]),
    "one time has one status": (
        {"futime": WATCHED, "fustat": DIED, "death": (KIND == 2).astype(int)},
        [["futime", "fustat"]],
    ),
    "short names": ({"OS": WATCHED, "relapse": DIED}, [["OS", "relapse"]]),
    "German": (
        {"days to progression": WATCHED, "gestorben": DIED},
        [["days to progression", "gestorben"]],
    ),
    "names against times": ({"futime": WATCHED, "death": LATER}, [["futime", "death"]]),
    "names of a pair, untied": ({"observation time": WATCHED, "infected": UNTIED.astype(int)}, []),
    "a part of a name": ({"edrel": REL_TIME, "rel": REL.astype(int)}, [["edrel", "rel"]]),
    "a part, not longer": ({"edrel": REL_TIME[::-1], "rel": REL.astype(int)}, []),
    "what only the end can have told": (
        {
            "futime": WATCHED,
            "death": DIED,
            "leak": np.where(R.random(N) < 0.4, (WATCHED * R.random(N)).round(), np.nan),
            "wait": np.where(GOT, (WATCHED * R.random(N)).round(), np.nan),
            "grafted": GOT.astype(int),
            "cause": np.where(DIED == 1, R.choice(["heart", "cancer"], N), None),
            "exit_age": AGE * 365 + WATCHED,
            "start_age": AGE * 365,
        },
        [["futime", "death"], ["leak", "wait", "grafted", "cause", "exit_age"]],
    ),
    # Strongly tied, near each other, from near 0 on, and still no time and no status.
    "markers of two kinds of patients": (
        {
            "crp": R.exponential(2 + 30 * ILL).round(1),
            "ascites": ILL,
            "drinks": np.where(ILL, R.poisson(9, N), 0),
            "drinks.any": ILL,
            "score": SCORE,
            "score.group": (SCORE > 20).astype(int),
        },
        [],
    ),
    "what was chosen": (
        {
            "time1": RIDE,
            "change1": np.minimum(RIDE // 60, 2).astype(int),
            "time2": np.where(R.random(N) < 0.3, RIDE, R.gamma(5, 20, N).round()),
            "change2": R.integers(0, 3, N),
        },
        [],
    ),
    "whether something is known": (
        {"school": np.where(UNKNOWN, 10.3, R.integers(0, 19, N)), "noschool": UNKNOWN.astype(int)},
        [],
    ),
}


def outcomes(schema):
    return [q for q in schema.questions if q.about == "outcome"]


@pytest.mark.parametrize("case", ASKED)
def test_pairs_and_what_they_tell_are_asked_about_and_nothing_else(case):
    columns, named = ASKED[case]
    asked = outcomes(schema := infer_schema(pd.DataFrame(BASELINE | columns)))
    assert [set(question.columns) for question in asked] == [set(names) for names in named]
    for question in asked[:1]:
        time, status = question.columns
        after = question.answers[0](schema)
        assert (after[time].family, after[time].role) == ("time_to_event", "validator")
        assert (after[time].event, after[time].event_codes) == (status, (1,))
        assert after[time].censored_codes == (0,)
        assert after[status].role == "ignore", "read together with the time"
        assert question not in after.questions


def test_three_codes_ask_which_is_the_event():
    frame = pd.DataFrame(BASELINE | {"futime": WATCHED, "status": KIND})
    (question,) = outcomes(schema := infer_schema(frame))
    assert "which of 1 and 2" in question.text
    first, second, alike, *_ = (answer(schema)["futime"] for answer in question.answers)
    assert (first.event_codes, second.event_codes) == ((2,), (1,))  # the commonest first
    assert alike.event_codes == (2, 1)
    assert first.censored_codes == (0,)


@pytest.mark.parametrize(
    ("time", "status"), [("time", "cens"), ("rectime", "censrec"), ("OS_DAYS", "death_ev")]
)
def test_a_sure_pair_makes_no_groups_unless_somebody_says_so(time, status):
    schema = infer_schema(pd.DataFrame(BASELINE | {time: WATCHED, status: DIED}))
    (asked,) = outcomes(schema)
    assert {schema[name].role for name in (time, status)} == {"validator"}
    *_, apart, back = asked.answers
    assert (apart(schema), apart.text) == (schema.asking(()), "Keep both out, each by itself")
    assert {back(schema)[name].role for name in (time, status)} == {"cluster"}
    untied = infer_schema(pd.DataFrame(BASELINE | {time: WATCHED, status: R.permutation(DIED)}))
    assert untied[time].role == "cluster", "names alone are not sure"


@pytest.mark.parametrize("status", ["alive", "survived", "is_alive"])
def test_a_status_may_say_that_it_did_not_happen(status):
    schema = infer_schema(pd.DataFrame(BASELINE | {"OS_DAYS": WATCHED, status: 1 - DIED}))
    after = outcomes(schema)[0].answers[0](schema)["OS_DAYS"]
    assert (after.event_codes, after.censored_codes) == ((0,), (1,))


def test_what_holds_is_among_the_answers_where_the_status_is_the_class():
    schema = infer_schema(pd.DataFrame(BASELINE | {"rfstime": WATCHED, "status": DIED}))
    (asked,) = (one for one in schema.questions if "rfstime" in one.columns)
    assert (schema["rfstime"].role, schema["status"].role) == ("validator", "label")
    holding = [one.text for one in asked.answers if one(schema) == schema]
    assert holding == ["Keep both out, each by itself"]
