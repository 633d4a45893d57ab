"""Scales of words in their order: low < medium < high, never < always, bands of numbers.

The common scales of English, German, French, Spanish, Italian, Portuguese, Dutch and Polish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

# From lowest to highest; words of one step are joined by "/". Written without accents.
_SCALES = tuple(
    tuple(frozenset(step.split("/")) for step in scale.split(" < "))
    for scale in (
        # amounts
        "lowest/very low/vlow/v low/extremely low < low/l/lo < below average"
        " < medium/med/moderate/mid/middle/average/normal/m < above average < high/h/hi"
        " < highest/very high/vhigh/v high/extremely high",
        "sehr niedrig/sehr gering < niedrig/gering/tief < mittel/mittelmassig/mittelhoch/normal"
        " < hoch < sehr hoch",
        "tres faible/tres bas/tres basse < faible/bas/basse < moyen/moyenne/modere/moderee/normal"
        " < eleve/elevee/fort/forte/haut/haute < tres eleve/tres elevee/tres fort/tres haut",
        "muy bajo/muy baja < bajo/baja < medio/media/moderado/moderada/mediano/mediana/normal"
        " < alto/alta < muy alto/muy alta",
        "molto basso/molto bassa < basso/bassa < medio/media/moderato/moderata/normale"
        " < alto/alta < molto alto/molto alta",
        "muito baixo/muito baixa < baixo/baixa < medio/media/moderado/moderada/normal"
        " < alto/alta/elevado < muito alto/muito alta",
        "zeer laag/heel laag < laag < gemiddeld/middel/midden/matig/normaal < hoog"
        " < zeer hoog/heel hoog",
        "bardzo niski/bardzo niskie/bardzo niska < niski/niskie/niska < sredni/srednie/srednia"
        " < wysoki/wysokie/wysoka < bardzo wysoki/bardzo wysokie/bardzo wysoka",
        # sizes
        "xxs < xs < small/s < medium/med/m < large/big/l < xl < xxl < xxxl",
        "tiny/very small < small < medium/med/middle < big/large < huge/very big/very large",
        "sehr klein/winzig < klein < mittel/mittelgross < gross < sehr gross/riesig",
        "tres petit/minuscule < petit/petite < moyen/moyenne < grand/grande"
        " < tres grand/tres grande/enorme",
        "muy pequeno < pequeno/pequena/chico < mediano/mediana/medio < grande < muy grande/enorme",
        "molto piccolo < piccolo/piccola < medio/media < grande < molto grande/enorme",
        "zeer klein < klein < middel/middelgroot/gemiddeld < groot < zeer groot",
        "short < medium/average < long/tall < very long/very tall",
        "slow < medium/moderate < fast < very fast",
        "few < some/several < many/most < all",
        "light < medium < heavy < very heavy",
        "underweight < normal/normal weight/healthy weight < overweight < obese/obesity"
        " < extremely obese/severely obese",
        # severity
        "none/no/absent/normal < minimal/trace/borderline < slight/mild/light < moderate/medium"
        " < marked/severe/strong/serious < very severe/extreme/profound/critical",
        "keine/kein/nicht vorhanden < minimal/gering < leicht/mild < mittel/massig/mittelschwer"
        " < schwer/stark < sehr schwer/sehr stark",
        "aucun/aucune/absent < minime/minimal < leger/legere < modere/moderee/moyen < severe/grave"
        " < tres severe/tres grave",
        "ninguno/ninguna/ausente < minimo/minima < leve/ligero/ligera < moderado/moderada"
        " < grave/severo/severa < muy grave/muy severo",
        "nessuno/nessuna/assente < minimo/minima < lieve/leggero < moderato/moderata"
        " < grave/severo < molto grave",
        "geen/afwezig < minimaal < licht/mild < matig < ernstig < zeer ernstig",
        # how often
        "never < once/almost never/hardly ever/very rarely < rarely/seldom/yearly"
        " < occasionally/sometimes/monthly < often/frequently/usually/weekly"
        " < very often/almost always/mostly < always/daily",
        "nie/niemals < fast nie/sehr selten < selten < manchmal/gelegentlich/teilweise"
        " < oft/haufig/meistens < sehr oft/fast immer/sehr haufig < immer/stets",
        "jamais < presque jamais < rarement < parfois/occasionnellement/quelquefois"
        " < souvent/frequemment < tres souvent/presque toujours < toujours",
        "nunca < casi nunca < rara vez/raramente/pocas veces < a veces/ocasionalmente/algunas veces"
        " < a menudo/frecuentemente/muchas veces/con frecuencia < casi siempre < siempre",
        "mai < quasi mai < raramente < a volte/qualche volta/talvolta < spesso < quasi sempre"
        " < sempre",
        "nunca < quase nunca < raramente < as vezes/por vezes"
        " < frequentemente/muitas vezes < quase sempre < sempre",
        "nooit < bijna nooit < zelden < soms/af en toe < vaak/regelmatig < bijna altijd < altijd",
        "nigdy < rzadko < czasami/czasem < czesto < zawsze",
        "never < former/ex/past/ex-smoker/formerly smoked/quit/previous < current/smokes",
        "never < less than monthly < monthly < weekly < daily < several times a day",
        "hourly < daily < weekly < monthly < quarterly < yearly/annually",
        # quality
        "very poor/very bad/terrible/awful < poor/bad < fair/average/ok/okay/acceptable"
        "/satisfactory/typical < good < very good < excellent/outstanding/best",
        "inaccurate/unusable/po < fa/fair < ta/typical < gd/good < ex/excellent",
        "sehr schlecht/ungenugend < schlecht/mangelhaft < mittel/mittelmassig/ausreichend"
        "/befriedigend/in ordnung < gut < sehr gut < ausgezeichnet/hervorragend",
        "tres mauvais/tres mauvaise < mauvais/mauvaise < moyen/moyenne/passable"
        " < bon/bonne/assez bien/bien < tres bon/tres bonne/tres bien < excellent/excellente",
        "muy malo/muy mala/muy mal < malo/mala/mal < regular < bueno/buena/bien"
        " < muy bueno/muy buena/muy bien < excelente",
        "molto cattivo/pessimo < cattivo/scarso/scadente < sufficiente/discreto < buono/bene"
        " < molto buono/molto bene < ottimo/eccellente",
        "muito mau/pessimo/muito ruim < mau/ruim < regular/razoavel < bom/boa < muito bom/muito boa"
        " < excelente/otimo",
        "zeer slecht < slecht < matig/redelijk/voldoende < goed < zeer goed < uitstekend",
        "unacc/unacceptable < acc/acceptable < good < vgood/very good",
        "bronze < silver < gold < platinum < diamond",
        "basic < standard < premium < luxury",
        "novice/beginner/basic < intermediate < advanced < expert",
        # agreement
        "strongly disagree/completely disagree/totally disagree/disagree strongly"
        " < disagree < somewhat disagree/slightly disagree/rather disagree/disagree somewhat"
        "/tend to disagree < neutral/neither/neither agree nor disagree/undecided/no opinion"
        "/neither agree or disagree/neither nor/not sure/unsure/don't know"
        " < somewhat agree/slightly agree/rather agree/agree somewhat/tend to agree < agree"
        " < strongly agree/completely agree/totally agree/agree strongly",
        "stimme gar nicht zu/stimme uberhaupt nicht zu/trifft gar nicht zu/trifft uberhaupt nicht"
        " zu/lehne stark ab < stimme nicht zu/trifft nicht zu/lehne ab"
        " < stimme eher nicht zu/trifft eher nicht zu"
        " < neutral/weder noch/teils teils/teils-teils/teils/unentschieden"
        " < stimme eher zu/trifft eher zu < stimme zu/trifft zu"
        " < stimme voll zu/stimme voll und ganz zu/stimme vollig zu/trifft voll zu"
        "/trifft voll und ganz zu/stimme stark zu",
        "pas du tout d'accord/tout a fait en desaccord/fortement en desaccord"
        " < pas d'accord/en desaccord/plutot pas d'accord/plutot en desaccord"
        " < neutre/ni d'accord ni pas d'accord/ni l'un ni l'autre/sans opinion/indecis"
        " < d'accord/plutot d'accord/plutot en accord < tout a fait d'accord/fortement d'accord",
        "totalmente en desacuerdo/muy en desacuerdo < en desacuerdo/algo en desacuerdo"
        " < neutral/ni de acuerdo ni en desacuerdo/indiferente/indeciso"
        " < de acuerdo/algo de acuerdo < totalmente de acuerdo/muy de acuerdo",
        "fortemente in disaccordo/per niente d'accordo/totalmente in disaccordo"
        " < in disaccordo/poco d'accordo < neutrale/ne d'accordo ne in disaccordo/indeciso"
        " < d'accordo/abbastanza d'accordo < molto d'accordo/fortemente d'accordo"
        "/totalmente d'accordo",
        "discordo totalmente/discordo fortemente < discordo/discordo parcialmente"
        " < neutro/nem concordo nem discordo/indiferente < concordo/concordo parcialmente"
        " < concordo totalmente/concordo fortemente",
        "helemaal mee oneens/zeer mee oneens/helemaal oneens < mee oneens/oneens"
        " < neutraal/niet eens niet oneens < mee eens/eens"
        " < helemaal mee eens/zeer mee eens/helemaal eens",
        "zdecydowanie nie < raczej nie < nie mam zdania/trudno powiedziec < raczej tak"
        " < zdecydowanie tak",
        # satisfaction, likelihood, importance
        "very dissatisfied/very unsatisfied/extremely dissatisfied < dissatisfied/unsatisfied"
        " < somewhat dissatisfied < neutral/neither/neither satisfied nor dissatisfied"
        " < somewhat satisfied < satisfied < very satisfied/extremely satisfied",
        "sehr unzufrieden < unzufrieden < eher unzufrieden < neutral/weder noch/teils teils"
        " < eher zufrieden < zufrieden < sehr zufrieden",
        "tres insatisfait/tres insatisfaite < insatisfait/insatisfaite/plutot insatisfait"
        " < neutre < satisfait/satisfaite/plutot satisfait < tres satisfait/tres satisfaite",
        "muy insatisfecho/muy insatisfecha < insatisfecho/insatisfecha < neutral"
        " < satisfecho/satisfecha < muy satisfecho/muy satisfecha",
        "very unlikely/extremely unlikely < unlikely < neutral/possible/neither < likely"
        " < very likely/extremely likely",
        "very unimportant/not at all important < unimportant/not important/slightly important"
        " < neutral/neither/moderately important < important < very important/extremely important",
        "not at all/none of the time < a little/slightly/a little bit/a little of the time"
        " < somewhat/moderately/some of the time < quite a bit/very/a lot/most of the time"
        " < extremely/very much/all of the time",
        "gar nicht/uberhaupt nicht < wenig/kaum/etwas < mittel/massig/einigermassen"
        " < ziemlich/viel < sehr/ausserst",
        "very easy < easy < neutral/medium/moderate < hard/difficult < very hard/very difficult",
        "much worse < worse/declined/decreased < same/no change/unchanged/stable"
        " < better/improved/increased < much better",
        "schlechter < gleich/unverandert < besser",
        # education, age
        "none/no schooling/illiterate/no formal education/no education < preschool/some primary"
        " < primary/elementary/primary school/elementary school/basic/basic school/basic education"
        " < some high school/less than high school/middle school"
        " < secondary/high school/highschool/hs-grad/ged/high school graduate/secondary school"
        "/high school diploma/middle < some college/some-college/vocational/associate"
        "/associate degree/associate's degree/associates/trade school"
        " < tertiary/higher/university/college/bachelor/bachelors/bachelor's/bachelor degree"
        "/bachelor's degree/undergraduate/graduate/degree"
        " < postgraduate/master/masters/master's/master degree/master's degree"
        " < doctorate/phd/ph.d./doctoral/doctorate degree/professional degree",
        "kein abschluss/keine/ohne abschluss < grundschule/volksschule < hauptschule"
        "/hauptschulabschluss < realschule/mittlere reife/realschulabschluss"
        " < fachhochschulreife/fachabitur < abitur/gymnasium/matura/hochschulreife"
        " < bachelor/fachhochschule/hochschule/universitat/studium < master/diplom/magister"
        " < promotion/doktor",
        "sans diplome/aucun/aucune < primaire/brevet/certificat < college < secondaire/lycee/bac"
        "/baccalaureat < licence/superieur/universite/bac+3 < master/bac+5 < doctorat/bac+8",
        "ninguno/sin estudios < primaria/primarios < secundaria/secundarios/eso"
        " < bachillerato/preparatoria < universidad/universitaria/universitarios/superior/grado"
        "/licenciatura < master/maestria/posgrado < doctorado",
        "nessuno < elementare/primaria/elementari < media/medie/secondaria"
        " < superiore/diploma/superiori < laurea/universita < master < dottorato",
        "infant/baby < toddler < child/kid < adolescent/teenager/teen/youth"
        " < young adult/young < adult/middle-aged/middle/middle aged < elderly/old/senior",
        "saugling/baby < kleinkind < kind < jugendlicher/jugendliche < junger erwachsener/jung"
        " < erwachsener/erwachsene/mittel < senior/alt/alter",
        "jeune < adulte/moyen < age/senior/vieux",
        # others
        "freezing < cold < cool < mild/warm < hot < very hot",
        "kalt < kuhl < mild/warm < heiss < sehr heiss",
        "froid < frais < tiede/doux < chaud < tres chaud",
        "first/1st < second/2nd < third/3rd < fourth/4th < fifth/5th",
        "freshman < sophomore < junior < senior",
        "winter < spring < summer < autumn/fall",
        "negative < equivocal/borderline/trace/weakly positive < positive < strongly positive",
        "benign/normal < borderline/suspicious/probably benign < malignant",
        "local/localized/localised < regional < distant/metastatic",
        "zero/0 < one < two < three < four < five < six < seven < eight < nine < ten"
        " < eleven < twelve",
        "monday/mon < tuesday/tue < wednesday/wed < thursday/thu < friday/fri < saturday/sat"
        " < sunday/sun",
        "january/jan < february/feb < march/mar < april/apr < may < june/jun < july/jul"
        " < august/aug < september/sep < october/oct < november/nov < december/dec",
        "i < ii < iii < iv < v < vi < vii < viii < ix < x",
        "ia < ib < ic < iia < iib < iic < iiia < iiib < iiic < iva < ivb < ivc",
        "stage i < stage ii < stage iii < stage iv",
        "- < +- < + < ++ < +++ < ++++",
    )
)
# Those run in a circle: as a rating their ends would be farthest apart.
_CIRCLES = ({"monday", "mon"}, {"january", "jan"}, {"winter"})
_GRADES = re.compile(r"[a-f][+-]?")
_SHADES = {"+": 0.3, "-": -0.3}

_STEP_PREFIX = re.compile(
    r"(?:stage|grade|level|score|phase|tier|step|degree|quartile|quintile|decile|tertile|stufe|grad"
    r"|stadium|phase|niveau|stade|nivel|livello|grado|etapa|q)[ _-]?(\d+)"
)
_STAGE = re.compile(r"[cpy]?([tnmg])([0-4])([a-d]?)")  # of tumours: T1, N2b, M0, G3
_NUMBERED = re.compile(r"\(?(\d+)\)?\s*(?:[=:.)]|[-\u2013]\s)\s*[^\W\d].*")
# Thousands in groups of three, then decimals: "01.02.2020" is no amount.
_DIGITS = r"(?:\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,]\d+)?"
_AMOUNT = rf"(?:[$€£]\s*)?(-?{_DIGITS})\s*(k|m)?\s*(?:[$€£%]|[^\W\d][\w/%²]{{0,9}})??"
# A comma parts two numbers in brackets only: "7.042,81 €" is one.
_RANGE = re.compile(
    rf"(?P<bracket>[\[(])?{_AMOUNT}\s*(?:-|\u2013|to|bis|a|à|(?(bracket),|(?!)))\s*"
    rf"{_AMOUNT}(?:\s[\w%$€]+)?[\])]?"
)
_OPEN = re.compile(
    r"(?P<below><=?|≤|under |below |up to |less than |unter |bis |moins de |menos de |meno di )?\s*"
    rf"(?P<number>{_AMOUNT})\s*"
    r"(?P<above>\+| ?plus| ?or more| ?and more| ?more| ?and over| ?and above| ?or over| ?or older"
    r"| ?and older| ?und mehr| ?und älter| ?et plus| ?y más| ?o más)?(?:\s[^\W\d]\w{0,7})?"
    r"|(?P<over>>=?|≥|over |above |more than |über |plus de |más de )\s*"
    rf"(?P<least>{_AMOUNT})(?:\s\w+)?|(?P<more>more|many)"
)


def in_known_order(levels: Iterable[Any], grades: bool = False) -> tuple[Any, ...] | None:
    """Put levels in the order that their words or numbers give, or return None.

    Known are common scales (low < medium < high), numbers with an open end ("2", "3", "5more"),
    ranges ("0-9", "10-19", "65+"), numbered steps ("stage 1", "1 - low") and stages ("T2").

    Parameters
    ----------
    levels : iterable
    grades : bool
        Whether the column's name says that A to F are grades, A the best.
    """
    texts = {level: _plain(str(level)) for level in levels}
    if len(texts) < 2 or len(set(texts.values())) < len(texts):
        return None
    for scale in _SCALES:
        places = {level: _step(scale, text) for level, text in texts.items()}
        if None not in places.values() and len(set(places.values())) == len(places):
            if len(places) > 2 and any(circle & scale[0] for circle in _CIRCLES):
                return None
            return tuple(sorted(places, key=lambda level: places[level]))
    for keys in (_number_keys(texts), _stage_keys(texts), _grade_keys(texts) if grades else None):
        if keys is not None and len(set(keys.values())) == len(keys):
            return tuple(sorted(keys, key=lambda level, keys=keys: keys[level]))
    return None


def are_bands(levels: Sequence[str]) -> bool:
    """Whether texts are bands of numbers, such as "18-24" and "65+"."""
    texts = [_plain(level) for level in levels]
    bands = sum(_RANGE.fullmatch(text) is not None for text in texts)
    return bands >= max(1, len(texts) - 2) and in_known_order(levels) is not None


def are_letters(levels: Sequence[Any]) -> bool:
    """Whether levels are the first letters, A to C or beyond, which may or may not be grades."""
    texts = sorted(str(level).strip().upper() for level in levels)
    return 3 <= len(texts) <= 7 and texts == [chr(ord("A") + j) for j in range(len(texts))]


def _plain(text: str) -> str:
    """Small letters without accents, quotes and underscores."""
    text = text.strip().strip("'\"").lower().replace("ß", "ss").replace("_", " ")
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(text.replace("\u2019", "'").split())


def _step(scale: tuple[frozenset[str], ...], text: str) -> int | None:
    return next((place for place, step in enumerate(scale) if text in step), None)


def _number_keys(texts: dict[Any, str]) -> dict[Any, tuple[float, int]] | None:
    keys = {level: _number_key(text) for level, text in texts.items()}
    return keys if None not in keys.values() else None


def _number_key(text: str) -> tuple[float, int] | None:
    """Where a text with a number stands: by its number, open ends outside."""
    for pattern in (_STEP_PREFIX, _NUMBERED):
        if step := pattern.fullmatch(text):
            return float(step[1]), 0
    if between := _RANGE.fullmatch(text):
        return _amount(between[2], between[3] or between[5]), 0
    found = _OPEN.fullmatch(text)
    if not found:
        return None
    if found["more"]:
        return float("inf"), 0
    if found["over"]:
        return _amount_of(found["least"]), 1
    return _amount_of(found["number"]), -1 if found["below"] else 1 if found["above"] else 0


def _amount_of(text: str) -> float:
    found = re.fullmatch(_AMOUNT, text.strip())
    return _amount(found[1], found[2]) if found else float("nan")


def _amount(digits: str, factor: str | None) -> float:
    """Value of an amount: "11" with "k" is 11,000; a group of three digits is a thousand."""
    plain = re.sub(r"[.,](?=\d{3}(?!\d))", "", digits).replace(",", ".")
    return float(plain) * {"k": 1e3, "m": 1e6}.get(factor or "", 1.0)


def _stage_keys(texts: dict[Any, str]) -> dict[Any, tuple[int, str]] | None:
    found = {level: _STAGE.fullmatch(text) for level, text in texts.items()}
    if any(match is None for match in found.values()):
        return None
    if len({match[1] for match in found.values() if match}) > 1:
        return None
    return {level: (int(match[2]), match[3]) for level, match in found.items() if match}


def _grade_keys(texts: dict[Any, str]) -> dict[Any, float] | None:
    if not all(_GRADES.fullmatch(text) for text in texts.values()):
        return None
    return {level: -ord(text[0]) + _SHADES.get(text[1:], 0.0) for level, text in texts.items()}
