"""What words say: their order, known or likely; yes and no."""

import random

import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.schema.orders import in_known_order, likely_order, two_levels
from mapdp_studio.core.schema.words import says

SCALES = [
    "<1:10|1:10|1:20|1:80|>1:80",
    *("low|medium|high", "niedrig|mittel|hoch", "faible|moyen|élevé", "niski|średni|wysoki"),
    *("nie|selten|manchmal|oft|immer", "Strongly disagree|Disagree|Neither|Agree|Strongly agree"),
    *("Primary|Secondary|Bachelor's|Master's|PhD", "T1|T2|T3|T4", "N0|N1|N2b|N3", "I|II|III|IV"),
    *("18-24|25-34|35-44|65+", "<$11k|$11-$25k|$25-$50k|over $50k", "under 5|5 to 9|10 or more"),
    *("1 - never|2 - sometimes|3 - always", "stage 1|stage 2|stage 10", "1 (never)|2|3 (always)"),
    *("NYHA II|NYHA III|NYHA IV", "ECOG 0|ECOG 2", "Stage Ia|Stage Ib|Stage IIIa|Stage X"),
    *("none|rare|few|moderate|many|packed", "none|1-2/week|3-7/week|>7/week", "I|II|IIIa|IIIb|IV"),
    *("Low (0-3)|Medium (4-6)|High (7-10)", "Mild pain|Moderate pain|Severe pain", "PD|SD|PR|CR"),
    "stimme gar nicht zu|stimme eher nicht zu|teils/teils|stimme eher zu|stimme voll zu",
    *("negative|equivocal|positive", "neg|indeterminate|pos"),
    *("sehr gering|gering|mittel|groß|sehr groß", "nie|monatlich|wöchentlich|täglich"),
    *("assente|lieve|moderato|forte", "mai|ex|attuale", "débutant|intermédiaire|avancé|expert"),
    *("None|Light|Moderate|Heavy", "mild|mod|sev", "per niente|poco|abbastanza|molto"),
    *(
        "1 or 2|3 or 4|5 or 6|7 to 9|10 or more",
        "-|+1|+2|+3",
        "pessima|scarsa|discreta|buona|ottima",
    ),
    *(
        "никогда|редко|иногда|часто|всегда",
        "нет|лёгкая|умеренная|тяжёлая",
        "从不|很少|有时|经常|总是",
    ),
    *("no growth|<10^4|10^4-10^5|>10^5", "Primary|Lower secondary|Upper secondary|Tertiary"),
]
LIKELY = [
    "very negative|negative|neutral|positive|very positive",
    "Very unfavorably|Somewhat unfavorably|Neither|Somewhat favorably|Very favorably",
    "Fails|Needs improvement|Meets expectations|Exceeds expectations",
    "Less than high school|High school degree|Some college|Bachelor degree|Graduate degree",
    "Non_Traveller|Travels_Rarely|Travels_Frequently",
    "Rural|Suburban|Urban",
    "Not at all|Not much|Some|A lot|Very much",
    "never|less than once a week|1-2 times a week|daily",
    "Never|Monthly or less|2-4 times a month|2-3 times a week|4 or more times a week",
    "less than a month|three months|one year|more than two years",
    "Never|Less often|Once a week|Several times a week|Every day",
    "Not at all satisfied|Not so satisfied|Somewhat satisfied|Very satisfied|Extremely satisfied",
    "baseline|month 3|month 6|month 12",
]


@pytest.mark.parametrize("scale", SCALES + LIKELY)
def test_steps_are_put_in_order_and_no_answer_is_left_out(scale):
    steps = tuple(scale.split("|"))
    mixed = random.Random(0).sample(steps, len(steps))
    if scale in SCALES:
        assert in_known_order(mixed) == steps
    else:
        assert likely_order([*mixed, "Don't know", "Not applicable here"]) == steps


def test_letters_are_grades_only_where_the_name_says_so():
    columns = {"grade": ["A", "C", "B+", "B-"] * 9, "arm": [*"ABCE"] * 9}
    schema = infer_schema(pd.DataFrame(columns))
    assert schema["grade"].levels == ("C", "B-", "B+", "A")
    assert schema["arm"].family == "categorical"


KINDS = [
    *("A11|A12|A13", "oak|elm|ash", "A|B|C", "monday|tuesday|friday", "Married|Single|Divorced"),
    *("North America|South America|East Asia", "Type 1|Type 2|Type 3", "a (1)|b (2)|c (3)"),
    *("18 Mo|3 J|6 Mo", "18 M|3 J|2 J", "5 dni|3 mjeseca|2 godine", "5 kg|4 Stück|3 Liter"),
    *("No|No phone service|Yes", "Compact|Large|Midsize|Small|Sporty|Van", "DSL|Fiber optic|No"),
    "fair|average|good",  # two words of one step
]


@pytest.mark.parametrize("words", KINDS)
def test_kinds_have_no_order(words):
    assert in_known_order(words.split("|")) is None
    assert likely_order(words.split("|")) is None


#: What says no, and what says yes or that something was found.
PAIRS = [
    *("nein|ja", "non|oui", "no|sí", "falso|verdadeiro", "nee|ja", "nie|tak", "hay\u0131r|evet"),
    *("ne|ano", "いいえ|はい", "否|是", "لا|نعم", "✗|✓", "-|+", "c -|c +", "HBV-|HBV+", "None|Any"),
    *("Alive|Died", "lebt|verstorben", "No complication|Complication", "kein Befund|Befund"),
    *("never|ever", "healthy|Sick", "Healthy|unhealthy", "normal|not normal", "blank|Answered"),
    *("unauffällig|auffällig", "inactive|active", "non-smoker|smoker", "Unmarried|Married"),
    *("not done|present", "unknown|case", "none reported|fever"),  # was it looked for?
    *("export|import", "left|right", "Type A|Type A - mild", "1|2"),  # nothing is denied
]


@pytest.mark.parametrize("pair", PAIRS)
def test_what_denies_never_counts_as_yes_and_other_words_have_their_order(pair):
    no, yes = pair.split("|")
    assert two_levels([yes, no]) == (no, yes) == two_levels([no, yes])


#: What names say: by a pattern, by a word, or by what another kind says.
NAMES = {
    "d1": "happening perhaps_event",  # and no event by itself
    **{"progressed": "happening", "futime": "watch", "t2": "watch"},
    **{"OS": "watch", "days": "amount watch", "survey": "", "T1a": "", "price": "amount"},
    **{"patient": "perhaps_identifier", "grade id": "perhaps_identifier"},
    "team id": "code perhaps_identifier",
    "time to discharge": "amount happening outcome watch",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_no_more_than_it_does(name):
    kinds = [*sorted({kind for words in NAMES.values() for kind in words.split()}), "event"]
    assert [kind for kind in kinds if says(kind, name)] == NAMES[name].split()
