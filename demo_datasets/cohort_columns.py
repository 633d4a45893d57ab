"""The 215 columns of the simulated cohort: what they are, and how the five groups differ on them.

Tables 3 and 4 of R16 fix 12 columns; the others are an invention with the paper's types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

# How far apart groups 1 and 2 lie on a column marked + or -: in logits, or in logs for counts.
_GAP = {"bernoulli": 1.5, "binomial": 1.05, "categorical": 1.5, "poisson": 0.6}


@dataclass(frozen=True, eq=False)
class Column:
    """One column of the cohort and its distribution in every group."""

    name: str
    #: Questionnaire or examination it belongs to.
    form: str
    #: "bernoulli", "binomial", "categorical" or "poisson".
    family: str
    #: Shape (5,) or (5, V). Probability of yes, mean score over trials, mean count, or probability
    #: of every level.
    rates: np.ndarray
    #: Of yes/no columns, (no, yes), and of nominal ones.
    levels: tuple[str, ...] = ()
    #: Of a rating: its steps above the lowest, and the lowest.
    trials: int = 0
    offset: int = 0


@dataclass(frozen=True)
class _Form:
    """Columns that share a form: yes/no items and ratings, or counts.

    ``names`` are separated by semicolons; a + or - in front: higher or lower in group 2 than in
    group 1. ``usual`` is the range of the usual probability, share of the scale, or mean count.
    ``shifts`` says how far groups 3, 4 and 5 lie from the usual, in logits or logs.
    """

    name: str
    family: str
    usual: tuple[float, float]
    shifts: tuple[float, float, float]
    names: str
    trials: int = 0


# Groups 1 to 4 as published; group 5, two atypical patients, is ours.
_PUBLISHED_YES = {
    "Resting tremor (present and typical)": (0.81, 0.91, 0.42, 0.78, 0.05),
    "Resting tremor (absent)": (0.14, 0.06, 0.42, 0.11, 0.90),
    "Symptoms in the past week": (0.58, 0.94, 1.00, 0.67, 0.95),
}
# Lowest and highest score, then mean scores.
_PUBLISHED_SCORES = {
    "Facial expression": (0, 4, 1.42, 1.47, 0.42, 2.33, 3.70),
    "Tremor at rest (face, lips and chin)": (0, 4, 0.05, 0.32, 0.23, 1.00, 0.05),
    "Rigidity (right upper extremity)": (0, 4, 0.90, 1.30, 0.38, 2.11, 3.60),
    "Rigidity (left upper extremity)": (0, 4, 0.62, 1.33, 0.19, 2.00, 3.60),
    "Rigidity (right lower extremity)": (0, 4, 0.46, 0.97, 0.04, 2.56, 3.70),
    "Rigidity (left lower extremity)": (0, 4, 0.38, 1.06, 0.04, 2.67, 3.70),
    "Finger taps (left hand)": (0, 4, 0.65, 1.41, 0.50, 2.33, 3.60),
    "PD state during exam": (1, 4, 2.65, 3.85, 4.00, 3.00, 1.10),
    "Modified Hoehn and Yahr stage": (0, 7, 2.46, 3.19, 1.62, 6.33, 6.80),
}

_FORMS = (
    _Form(
        "Motor examination",
        "binomial",
        (0.12, 0.4),
        (-1.5, 1.6, 2.8),
        "Speech; Tremor at rest (right hand); +Tremor at rest (left hand); "
        "Tremor at rest (right foot); Tremor at rest (left foot); Action tremor (right hand); "
        "Action tremor (left hand); +Rigidity (neck); +Finger taps (right hand); "
        "Hand grips (right hand); +Hand grips (left hand); Hand turning (right hand); "
        "+Hand turning (left hand); +Leg agility (right); +Leg agility (left); "
        "+Rising from a chair; +Posture; +Gait; +Postural stability; +Slowness of the body",
        4,
    ),
    _Form(
        "Daily living",
        "binomial",
        (0.12, 0.35),
        (-1.2, 1.5, 2.6),
        "Speaking; Saliva; Swallowing; +Handwriting; +Cutting food; +Dressing; Washing; "
        "+Turning in bed; Falling; +Freezing when walking; +Walking; Tremor at work; "
        "Discomfort",
        4,
    ),
    _Form(
        "Mind and mood",
        "binomial",
        (0.08, 0.3),
        (0.6, 0.6, 2.4),
        "Memory problems; Confused thoughts; Low mood; +Loss of drive",
        4,
    ),
    _Form(
        "Independence",
        "binomial",
        (0.78, 0.84),
        (0.8, -1.4, -3.2),
        "-Independence in daily life (tens)",
        10,
    ),
    _Form(
        "Complications of treatment",
        "bernoulli",
        (0.1, 0.4),
        (-2.0, 1.5, -3.0),
        "+Painful dyskinesia; +Early morning dystonia; +Predictable off periods; "
        "Unpredictable off periods; Sudden off periods; Nausea after tablets; Broken sleep",
    ),
    _Form(
        "Complications of treatment",
        "binomial",
        (0.12, 0.3),
        (-2.0, 1.5, -3.0),
        "+Time with dyskinesia; Disability from dyskinesia; +Time in off periods; "
        "Strength of dyskinesia",
        4,
    ),
    _Form(
        "Diagnostic features",
        "bernoulli",
        (0.25, 0.75),
        (-1.4, 0.3, -3.0),
        "Onset on one side; Lasting asymmetry; +Rigidity present; +Slowness present; "
        "Slow progression; Clear response to levodopa; Reduced arm swing; "
        "+Postural instability present; Small handwriting; Soft voice",
    ),
    _Form(
        "Atypical features",
        "bernoulli",
        (0.03, 0.15),
        (1.2, 0.7, 5.5),
        "Early falls; Early autonomic failure; Slow eye movements; Gaze palsy; Clumsy limbs; "
        "Wide-based gait; Brisk reflexes; Upgoing toe; Jerks of the limbs; Limb apraxia; "
        "Head drop; Sighing breath; Noisy breathing at night; Cold hands; Early dementia; "
        "Rapid progression; Poor response to levodopa; Laughing or crying without cause; "
        "Hallucinations before treatment; Wheelchair within five years",
    ),
    _Form(
        "Non-motor symptoms",
        "bernoulli",
        (0.2, 0.5),
        (-0.8, 0.8, 2.8),
        "Dribbling; Loss of smell; Choking; Vomiting; +Constipation; "
        "Bowel incontinence; Straining; Urgency; Rising at night to urinate; Unexplained pain; "
        "Unexplained weight change; Forgetfulness; Loss of interest; Seeing things; "
        "+Poor concentration; Sadness; Anxiety; Change in sex drive; Sexual difficulty; "
        "+Dizziness on standing; Falls; Drowsiness; Insomnia; Vivid dreams; "
        "+Acting out dreams; Restless legs; Sweating; Double vision",
    ),
    _Form(
        "Depression scale",
        "bernoulli",
        (0.15, 0.45),
        (0.6, 0.3, 2.8),
        "Dissatisfied with life; +Dropped activities; Life feels empty; Often bored; "
        "In poor spirits; Afraid of bad things; Unhappy most of the time; +Feels helpless; "
        "Prefers to stay at home; Trouble with memory; Not glad to be alive; Feels worthless; "
        "+Without energy; Feels hopeless; Thinks others are better off",
    ),
    _Form(
        "Sleepiness scale",
        "binomial",
        (0.15, 0.45),
        (-0.5, 0.3, 2.4),
        "Dozes when reading; Dozes before television; Dozes in company; +Dozes as a passenger; "
        "Dozes lying down; Dozes when talking; Dozes after lunch; Dozes in traffic",
        3,
    ),
    _Form(
        "Quality of life",
        "binomial",
        (0.15, 0.4),
        (-0.8, 0.9, 2.6),
        "Trouble with leisure; +Trouble with housework; Trouble carrying bags; "
        "+Trouble walking a mile; Trouble getting about the house; +Needs company outdoors; "
        "Afraid of falling; Trouble with buttons; Trouble holding a cup; Feels low; Feels lonely; "
        "Feels tearful; Worries about the future; +Hides the illness; "
        "Avoids eating in public; Embarrassed in public; Strained close relations; "
        "Falls asleep by day; Bad memory; Distressing dreams; "
        "+Trouble speaking; Painful cramps; Feels hot or cold",
        4,
    ),
    _Form(
        "Cognitive test",
        "binomial",
        (0.8, 0.93),
        (0.5, -1.2, -3.0),
        "Orientation in time; Orientation in place; -Attention and calculation",
        5,
    ),
    _Form(
        "Cognitive test",
        "binomial",
        (0.75, 0.92),
        (0.5, -1.2, -3.0),
        "Registration of words; -Recall of words; Three-step command",
        3,
    ),
    _Form(
        "Cognitive test",
        "bernoulli",
        (0.8, 0.93),
        (0.5, -1.2, -3.0),
        "Repeats a sentence; Follows a written command; Writes a sentence; -Copies a figure",
    ),
    _Form(
        "Medical history",
        "bernoulli",
        (0.05, 0.4),
        (0.0, 0.0, 0.0),
        "Head injury; Stroke; Hypertension; Diabetes; Heart disease; Thyroid disease; Cancer; "
        "Migraine; Arthritis; Parent with tremor; "
        "Relative with PD; Relative with dementia; Ever smoked; Drinks coffee; Drinks alcohol; "
        "Worked with pesticides; Worked with solvents; Rural childhood; Well water in childhood",
    ),
    _Form(
        "Treatment",
        "bernoulli",
        (0.2, 0.55),
        (-1.8, 0.6, -3.0),
        "+Takes levodopa; Takes a dopamine agonist; Takes a MAO-B inhibitor; "
        "+Takes a COMT inhibitor; Takes amantadine; Takes an anticholinergic; "
        "Takes an antidepressant; Takes a sleeping aid",
    ),
    _Form(
        "Counts",
        "poisson",
        (1.5, 5.0),
        (-0.5, 0.5, 1.6),
        "Falls in the past year; +Years since first symptom; Tablets a day; "
        "Other medicines a day; Visits to a doctor in the past year; "
        "Physiotherapy sessions in the past month; +Off episodes in the past week; "
        "Times up at night",
    ),
)

_NOMINAL = (
    # name (with its mark), shifts of groups 3 to 5, levels and their usual shares
    ("+Side affected first", (0, 0, 0), {"right": 45, "left": 40, "both": 15}),
    (
        "First symptom",
        (0.5, 0.6, 1.6),
        {"tremor": 50, "stiffness": 20, "slowness": 20, "gait": 10},
    ),
    ("Handedness", (0, 0, 0), {"right": 86, "left": 10, "both": 4}),
    ("Living situation", (0, 0.6, 1.4), {"partner": 68, "alone": 20, "family": 9, "care home": 3}),
    ("Employment", (0, 0, 0), {"retired": 60, "employed": 22, "on sick leave": 10, "other": 8}),
)


def _logit(p: np.ndarray) -> np.ndarray:
    return np.log(p / (1.0 - p))


def _moved(family: str, usual: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Rates of every group, from the usual rate and each group's shift."""
    if family == "poisson":
        return usual * np.exp(shifts)
    if family == "categorical":
        tilted = usual * np.exp(np.outer(shifts, np.linspace(-0.5, 1.0, usual.size)))
        return tilted / tilted.sum(axis=1, keepdims=True)
    return 1.0 / (1.0 + np.exp(-_logit(usual) - shifts))


def _shifts(mark: str, family: str, small_groups: tuple[float, float, float]) -> np.ndarray:
    half = {"+": 0.5, "-": -0.5}.get(mark, 0.0) * _GAP[family]
    return np.array([-half, half, *small_groups])


def _split(name: str) -> tuple[str, str]:
    """Mark and plain name."""
    return (name[0], name[1:]) if name[0] in "+-" else ("", name)


def _published() -> Iterator[Column]:
    for name, rates in _PUBLISHED_YES.items():
        yield Column(name, "Diagnostic features", "bernoulli", np.array(rates), ("no", "yes"))
    for name, (lowest, highest, *means) in _PUBLISHED_SCORES.items():
        trials = highest - lowest
        rates = (np.array(means) - lowest) / trials
        yield Column(name, "Motor examination", "binomial", rates, trials=trials, offset=lowest)


def _invented() -> Iterator[Column]:
    random = np.random.default_rng(2016)  # the usual rates are constants of the cohort
    for form in _FORMS:
        levels = ("no", "yes") if form.family == "bernoulli" else ()
        for marked in form.names.split("; "):
            mark, name = _split(marked)
            usual = np.array(random.uniform(*form.usual))
            rates = _moved(form.family, usual, _shifts(mark, form.family, form.shifts))
            yield Column(name, form.name, form.family, rates, levels, form.trials)
    for marked, small_groups, shares in _NOMINAL:
        mark, name = _split(marked)
        usual = np.array(list(shares.values())) / sum(shares.values())
        rates = _moved("categorical", usual, _shifts(mark, "categorical", small_groups))
        yield Column(name, "Background", "categorical", rates, tuple(shares))


@cache
def cohort_columns() -> tuple[Column, ...]:
    """Every column of the cohort that is clustered on, in the table's order."""
    return (*_published(), *_invented())
