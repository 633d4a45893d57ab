"""Words that tables use: yes and no, and names of outcomes, identifiers, codes and counts.

English first; then German, French, Spanish, Italian, Portuguese, Dutch and Polish.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .no_answers import phrases, says_unknown
from .ordered_words import in_known_order

_YES = phrases(
    "yes|y|true|t|present|positive|pos|+|on|case|abnormal|ja|j|wahr|positiv|vorhanden|krank|oui|o",
    "vrai|positif|présent|malade|si|sí|s|verdadero|positivo|presente|vero|sim|verdadeiro|waar|tak",
    "prawda|pozytywny|obecny|sant|да|dead|died|death|deceased|verstorben|gestorben|tot|décédé",
    "décédée|mort|morte|muerto|muerta|fallecido|fallecida|morto|deceduto|overleden|zmarł",
)
# Words that deny, whatever stands beside them, and those that say that nothing was found.
_NO = phrases(
    "no|n|not|none|never|nothing|nobody|neither|nor|without|free|lacks|lacking|nope|0|zero|nil",
    "false|f|absent|absence|negative|neg|-|off|control|normal|healthy|benign|blank|empty|alive",
    "nein|nicht|kein|keine|keinen|keiner|keinerlei|nichts|nie|niemals|ohne|falsch|negativ|gesund",
    "leer|lebt|frei|non|pas|aucun|aucune|jamais|rien|sans|faux|négatif|negatif|sain|saine|vide",
    "ningún|ninguno|ninguna|nunca|nada|sin|falso|negativo|ausente|sano|sana|vacío|nessun|nessuno",
    "nessuna|mai|niente|senza|assente|sano|vuoto|não|nao|nenhum|nenhuma|sem|vazio|saudável|nee",
    "niet|geen|nooit|niets|zonder|onwaar|gezond|leeg|afwezig|nigdy|żaden|bez|fałsz|negatywny",
    "zdrowy|zdrowa|pusty|nej|inte|ingen|utan|falsk|frisk|нет|не|никогда",
)
# Before a word, they make it its opposite: "inactive", "unauffällig", "asymptomatic".
_OPPOSITES = ("un", "in", "im", "il", "ir", "dis", "non", "ab", "a", "nicht", "on", "dés", "o")
# Names that say "the known class", the clearest first.
_LABELS = ("class", "target", "label", "diagnosis", "species", "subtype", "outcome", "y", "status")
# Words of a name that say "this may be the answer".
_ANSWERS = phrases(
    "class|classes|classification|group|groups|category|type|types|diagnosis|diagnose|dx|outcome",
    "label|labels|target|predicted|prediction|status|result|response|answer|truth|species|subtype",
    "variety|genre|cluster|segment|default|churn|attrition|exited|fraud|spam|approved|decision",
    "income|risk|disease|cancer|tumor|tumour|malignant|grade|quality|rating|verdict|winner|klasse",
    "purchase|purchased|bought|subscribed|clicked|converted|approve|approval|deny|denied|rejected",
    "accept|accepted|acceptance|admitted|hired|promoted|passed|failed|truth|yesno|cancelled|canceled",
    "gekauft|gekündigt|bestanden|bewilligt|abgelehnt|acheté|accepté|refusé|comprado|aprobado",
    "rechazado|acquistato|approvato|comprou|aprovado|gekocht|goedgekeurd|geslaagd",
    "gruppe|kategorie|typ|ergebnis|ausgang|zielgröße|zielgroesse|ziel|zielvariable|befund|art",
    "sorte|krankheit|classe|groupe|catégorie|categorie|diagnostic|résultat|resultat|issue|cible",
    "espèce|espece|étiquette|etiquette|maladie|clase|grupo|categoría|categoria|tipo|diagnóstico",
    "diagnostico|resultado|objetivo|especie|etiqueta|enfermedad|gruppo|diagnosi|esito|risultato",
    "obiettivo|specie|etichetta|malattia|espécie|alvo|doença|desfecho|groep|soort|uitkomst|doel",
    "diagnoza|klasa|grupa|wynik|gatunek|cel",
)
# Of these, words that many columns carry which are no answer, unless only such are in the name.
_BARE_ANSWERS = phrases(
    "type|types|group|groups|grade|quality|rating|risk|income|status|tipo|typ|art|category|result",
    "class|klasse|classe|clase|klasa|genre|issue|ziel|cel|doel|sorte|soort|response|default|segment|gruppe|grupo|groupe|gruppo",
    "groep|grupa|categoria|kategorie|variety|cluster|disease|cancer|tumor|tumour|krankheit",
)
_OUTCOMES = phrases(
    "deaths|fatalities|casualties|recidivism|reoffended",
    "died|death|dead|deceased|mortality|survive|survives|survived|survival|alive|event|relapse|recurrence|censor",
    "censored|readmitted|readmission|rehospitalization|rehospitalisation|los|discharged|followup",
    "progression|outcome|outcomes|cured|recovered|recovery|improved|remission|verstorben|terminated|termination|termd",
    "resigned|resignation|dismissed|dismissal|attrition|churn|churned|refunded|returned|dropout",
    "gestorben|tod|überlebt|ueberlebt|überleben|ereignis|rückfall|rezidiv|liegedauer|kündigung",
    "entlassen|décédé|decede|décès|deces|survie|survécu|événement|evenement|rechute|récidive",
    "muerte|muerto|fallecido|fallecimiento|supervivencia|evento|recaída|recidiva",
    "morto|morte|decesso|deceduto|sopravvivenza|sopravvissuto|óbito|obito",
    "sobrevida|sobreviveu|overleden|overlijden|overleving|gebeurtenis|terugval",
    "zgon|przeżycie",
)
# What is paid in the end; of a table about something else, only one more feature.
_PAID = phrases(
    "cost|costs|charges|expenses|price|revenue|kosten|preis|umsatz|coût|cout|prix|coste|costo",
    "precio|prezzo|custo|preço|prijs|cena|przychód",
)
_WHOLE = phrases(
    "total|totals|overall|all|sum|gesamt|summe|insgesamt|totale|totaux|suma|totaal|łącznie|razem"
)
# What somebody did who was asked, offered or sent something.
_REPLIES = phrases(
    "accept|accepts|accepted|acceptance|respond|responds|responded|response|responder|replied|reply",
    "redeemed|redeem|converted|clicked|click|subscribed|subscribe|unsubscribed|purchased|bought",
    "donated|enrolled|enroll|renewed|attended|voted|hired|declined|signed|ordered|upgraded",
    "angenommen|geantwortet|reagiert|gekauft|bestellt|gespendet|eingelöst|angeklickt|accepté|répondu",
    "acheté|aceptado|aceptó|respondió|compró|accettato|risposto|acquistato|aceitou|respondeu|comprou",
    "geaccepteerd|gereageerd|gekocht",
)
_OUTCOME_PHRASES = phrases(
    "length of stay|follow up|hospital stay|days in hospital|term reason|term date|exit reason",
    "exit date|exit interview|reason for leaving|left the company|leaving date|last day worked",
    "zeit bis|tage bis|durée de séjour|duree de sejour|durée d hospitalisation|temps jusqu",
    "tiempo hasta|días hasta|estancia hospitalaria|tempo fino|giorni di degenza|tempo até",
    "tijd tot|ligduur|opnameduur",
)
# "Days to" is an outcome where something happens then, not on the way to work.
_HAPPENS = _OUTCOMES | phrases(
    "failure|remission|onset|discharge|exit|default|cancellation|conversion|purchase|infection",
    "rejection|transplant|diagnosis|next|first|hospitalization|hospitalisation|complication",
)
_UNTIL = re.compile(r"\b(?:time|days|weeks|months|years) (?:to|until|till) (\w+)")
_REVIEWED = phrases("review|reviews|votes|rezension|rezensionen|avis|reseñas|recensioni|avaliações")
_SCORED = phrases("score|scores|rating|ratings|stars|bewertung|note|valoración|punteggio")
_TIMES = phrases(
    "time|survival|survival time|survtime|survival days|survival months|time to event",
    "time to death|days to death|days to event|futime|fu time|follow up|followup|follow up time",
    "followup time|os|os time|os days|os months|pfs|pfs time|dfs|dfs time|überlebenszeit",
    "temps de survie|tiempo de supervivencia|tempo di sopravvivenza|overlevingstijd",
)
_EVENTS = phrases(
    "status|event|death|dead|died|deceased|censor|censored|vital status|fustat|os status|os event",
    "pfs status|dfs status|relapse|recurrence|mortality|outcome|survived|verstorben|gestorben|tod",
    "décès|décédé|muerte|fallecido|morte|morto|deceduto|óbito|overleden|zgon|death event",
)
_ARMS = phrases(
    "trt|tmt|arm|rx|treat|treated|treatment|treatment arm|trial arm|study arm|randomised",
    "randomized|randomisation|randomization|allocation|allocated|treatment group|behandlungsarm",
    "studienarm",
    "bras de traitement|brazo de tratamiento|braccio di trattamento|behandelarm",
)
_IDENTIFIERS = phrases(
    "id|ids|uid|uuid|guid|identifier|patientid|subjectid|sampleid|caseid|recordid|studyid|userid",
    "customerid|pid|mrn|ssn|subject|patient|participant|name|record|row|row name|rownames|index",
    "case number|sample|sample code number|barcode|email|patient number|hospital number|nr|no",
    "account|account number|phone|phone number|telephone|zip|zip code|zipcode|postcode",
    "postal code|plz|postleitzahl|telefon|telefonnummer|fallnummer|patientennummer|kennung",
    "nummer|code postal|téléphone|telephone|numéro|numero|identifiant|nom|código postal",
    "codigo postal|teléfono|telefono|identificador|número|codice postale|cognome|cep|nome",
    "postcode|telefoonnummer|naam|kod pocztowy|imię|surname|last name|first name|vorname|nachname",
    "ticket|ticket number|serial|serial number|order number|invoice|invoice number|ean|isbn|iban",
)
_IDENTIFIER_ENDINGS = ("id", "uid", "uuid", "nr", "number", "nummer", "no", "zip", "plz", "code")
_IDENTIFIER_ENDINGS += ("num", "cod", "reference", "ref", "fips", "geoid")
_IDENTIFIER_STARTS = ("cod", "code", "codigo", "código", "codice", "kod", "kode")
_WEIGHTS = phrases(
    "weight|weights|wt|wgt|wts|gewicht|gewichtung|poids|peso|pondération|ponderation|ponderación",
    "ponderacion|waga|gewichten|hochrechnungsfaktor",
)
# Of these, names that say of which weight they speak: of a survey, not of a body.
_SURVEY_WEIGHTS = phrases(
    "pweight|pweights|fweight|iweight|aweight|sampwt|samplewt|finalwt|finalwgt|fnlwgt|perwt|hhwt",
    "pwgtp|wgtp|postwt|wtssall|wtss|wtssps|wtssnr|anweight|pspwght|pweight|dweight|perweight",
    "hhweight|wtmec2yr|wtint2yr|wtmec|wtint|svywt|surveywt|survwt|respwt|normwt|nweight|wtfinal",
    "gewichtung|pondération|ponderation|ponderación|ponderacion|hochrechnungsfaktor",
)
_OF_SURVEY = phrases(
    "sampling|sample|survey|final|design|population|person|household|post|stratification|probability",
    "respondent|analysis|expansion|raking|national|grossing|frequency|base|replicate|full|normalized",
    "normalised|inverse|ipw|iptw|propensity",
)
_OF_BODIES = phrases("height|bmi|waist|length|age at birth|gestation|größe|taille|altura|altezza")
_COMPUTED = phrases(
    "mahalanobis distance|mahalanobis|cook s distance|cooks distance|leverage value|residual",
    "residuals|unstandardized residual|standardized residual|studentized residual|predicted value",
    "predicted probability|propensity score|dfbeta|dffit|factor score|regr factor score|zscore",
    "cluster number of case|distance of case|classifier|naive bayes|random forest|fitted value",
    "fitted values|model prediction|predicted class|posterior probability",
)
_AMOUNTS = _OUTCOMES.union(_PAID) | phrases(
    "years|months|days|hours|minutes|mins|calls|paid|fee|fees|payment|payments|duration|tenure",
    "salary|income|wage|wages|pay|earnings|amount|balance|bal|fare|population|pop|distance|area|sales|value",
    "budget|loan|debt|gdp|revenue|profit|volume|sqft|sqm|mileage|km|miles|gehalt|lohn|einkommen",
    "betrag|salaire|revenu|montant|salario|ingresos|monto|reddito|stipendio|renda|valor|população",
    "populacao|población|poblacion|popolazione|bevölkerung|einwohner|fläche|superficie",
)
_PERSONAL = phrases(
    "sex|gender|age|race|ethnicity|education|school|student|foreign|native|black|white|country|city",
    "year|month|week|weekday|day|hour|time|date|location|place|island|state|geschlecht|alter|schule|jahr",
    "monat|wochentag|ort|insel|sexe|âge|école|année|mois|jour|lieu|île|sexo|género|edad|escuela|año",
    "mes|día|lugar|isla|sesso|genere|età|scuola|anno|mese|giorno|luogo|isola|gênero|idade|escola|ano",
    "mês|dia|local|ilha|geslacht|leeftijd|jaar|maand|dag|plaats|eiland|płeć|wiek|rok|miesiąc|dzień",
)
_AGES = phrases("age|ages|alter|âge|edad|età|idade|leeftijd|wiek")
_BIRTHS = phrases(
    "birth|born|birthyear|yearofbirth|yob|birthdate|geburt|geburtsjahr|geboren|jahrgang|naissance",
    "nacimiento|nascita|nascimento|geboortejaar|urodzenia",
)
_UNTIMED = phrases("days|day|months|month|weeks|hours|minutes|group|tage|monate|wochen")
_PERCENTS = phrases("percent|percentage|pct|prozent|pourcentage|porcentaje|percentuale|percentagem")
_CHANGES = phrases(
    "change|changes|growth|increase|diff|difference|relative|index|of|inflation|vs|yoy|to|normal"
)
_COUNTED = phrases(
    "visits|admissions|episodes|events|attacks|falls|children|siblings|pregnancies|relapses",
    "nodules|lesions|nodes|doses|purchases|claims|kinder|besuche|anfälle|stürze|geschwister",
    "enfants|visites|chutes|hijos|visitas|caídas|figli|visite|cadute|filhos|bezoeken|kinderen",
)
_RANKED = phrases(
    "grade|grades|rating|class|rank|energy|nutri|nutriscore|note|noten|schulnote|bonität|label|mark"
    "|credit|score|stufe|nota|notas|voto|classe|cijfer|ocena|tier|category"
)


def words(name: str) -> list[str]:
    """Words of a column name in small letters: "Patient_ID" and "patientId" are patient, id."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return re.findall(r"[^\W_]+", spaced.lower())


def is_sentence(name: str) -> bool:
    """Whether a name is a question as it was asked: no word in it names the column."""
    return "?" in name or len(name.split()) > 6


def _naming(name: str) -> list[str]:
    return [] if is_sentence(name) else words(name)


def _phrase(name: str) -> str:
    return " ".join(_naming(name))


def label_rank(name: str) -> int | None:
    """How clearly a name says "the known class" (0 most clearly), or None."""
    phrase = _phrase(name)
    return _LABELS.index(phrase) if phrase in _LABELS else None


def names_answer(name: str, is_last: bool = False) -> bool:
    """Whether a name may say "the known class": by one of its words, or by the whole.

    The last column of a table says it by any such word.
    """
    parts = set(_naming(name))
    found = parts & _ANSWERS
    return bool(found - _BARE_ANSWERS) or (bool(found) and (is_last or parts <= _ANSWERS))


def says_answer(name: str, alone: bool = False) -> bool:
    """Whether one of its words says so that few features carry, and with ``alone`` nothing else."""
    parts = set(_naming(name))
    return bool(parts & _ANSWERS - _BARE_ANSWERS) and (not alone or parts <= _ANSWERS)


def names_outcome(name: str) -> bool:
    """Whether a name says "what came of it": a death, an event, an end, a time until, a review."""
    parts, phrase = set(_naming(name)), f"{_phrase(name)} "
    if parts & _OUTCOMES or any(p + " " in phrase for p in _OUTCOME_PHRASES):
        return True
    until = _UNTIL.search(phrase)
    return bool(until and until[1] in _HAPPENS)


def names_reply(name: str) -> bool:
    """Whether a name says what somebody did who was asked, offered or sent something."""
    return not _REPLIES.isdisjoint(word.rstrip("0123456789") for word in _naming(name))


def names_paid(name: str) -> bool:
    """Whether a name says what is paid in the end: a cost, a price."""
    return not _PAID.isdisjoint(_naming(name))


def names_all_paid(name: str) -> bool:
    """Whether a name says what was paid for the whole: "price", "total charges"."""
    parts = set(_naming(name))
    return names_paid(name) and (len(parts) == 1 or not _WHOLE.isdisjoint(parts))


def names_review(name: str) -> bool:
    """Whether a name says what others wrote afterwards: reviews, their number or score."""
    return not _REVIEWED.isdisjoint(_naming(name))


def names_score(name: str) -> bool:
    """Whether a name says "how well it was liked"."""
    return not _SCORED.isdisjoint(_naming(name))


def names_amount(name: str) -> bool:
    """Whether a name says that its numbers are an amount, however many digits they have."""
    return not _AMOUNTS.isdisjoint(_naming(name))


def names_weight(name: str) -> bool:
    """Whether a name says "weight", of a row or of a body."""
    return says_survey_weight(name) or not _WEIGHTS.isdisjoint(_naming(name))


def says_survey_weight(name: str) -> bool:
    """Whether a name says that it is the weight of a row in a survey."""
    parts = set(_naming(name))
    if parts & _SURVEY_WEIGHTS or _phrase(name).replace(" ", "") in _SURVEY_WEIGHTS:
        return True
    return bool(parts & _WEIGHTS and parts & _OF_SURVEY)


def names_computed(text: str) -> bool:
    """Whether a name, or what a file writes beside it, is of what an analysis saved of its rows."""
    return any(f" {phrase} " in f" {_phrase(text)} " for phrase in _COMPUTED)


def names_body(name: str) -> bool:
    """Whether a name says a measure of a body, beside which a weight is one too."""
    return not _OF_BODIES.isdisjoint(_naming(name))


def names_time(name: str) -> bool:
    """Whether a name says "time until an event"."""
    return _phrase(name) in _TIMES


def names_event(name: str) -> bool:
    """Whether a name says "did the event happen"."""
    return _phrase(name) in _EVENTS


def names_arm(name: str) -> bool:
    """Whether a name says "arm of a trial"."""
    return _phrase(name) in _ARMS


def names_identifier(name: str) -> bool:
    """Whether a name says "this tells rows or persons apart"."""
    parts = _naming(name)
    return " ".join(parts) in _IDENTIFIERS or (
        len(parts) > 1 and parts[-1] in ("id", "uid", "uuid")
    )


def may_name_identifier(name: str) -> bool:
    """Whether a name is that of a number that tells rows apart, such as "hospital nr"."""
    parts = _naming(name)
    if names_identifier(name):
        return True
    if len(parts) == 1:
        return parts[0] in ("reference", "ref", "fips", "geoid")
    return parts[-1:] != [] and (parts[-1] in _IDENTIFIER_ENDINGS or parts[0] in _IDENTIFIER_STARTS)


def names_person(name: str) -> bool:
    """Whether a name says what somebody or something is, where or when: a sex, an age, a place.

    By its first or last word: "ten-year risk" is no year.
    """
    parts = _naming(name)
    return not _PERSONAL.isdisjoint((*parts[:1], *parts[-1:]))


def names_age(name: str) -> bool:
    """Whether a name says "how many years old"."""
    parts = _naming(name)
    return not _AGES.isdisjoint((*parts[:1], *parts[-1:])) and _UNTIMED.isdisjoint(parts)


def names_birth(name: str) -> bool:
    """Whether a name says "born when"."""
    return not _BIRTHS.isdisjoint(_naming(name))


def names_percent(name: str) -> bool:
    """Whether a name says "so many of a hundred", and not by how many of a hundred it changed."""
    parts = set(_naming(name))
    is_share = bool(parts & _PERCENTS) or name.strip().endswith("%") or "(%)" in name
    return is_share and parts.isdisjoint(_CHANGES)


def names_grades(name: str) -> bool:
    """Whether a name says that the letters A to F are grades."""
    return not _RANKED.isdisjoint(_naming(name))


def names_count(name: str) -> bool:
    """Whether a name says "how many"."""
    parts = _naming(name)
    if parts and parts[-1] in _COUNTED:
        return True
    if len(parts) < 2:
        return False
    first = ("n", "nr", "num", "number", "count", "anzahl", "nombre", "número", "numero", "aantal")
    return parts[0] in first or parts[-1] in ("count", "counts")


def is_given(name: str) -> bool:
    """Whether a person gave the name, rather than reading a table without headers."""
    return (
        re.fullmatch(r"(column|col|var|v|x|c|unnamed:?|feature|field)?[ _]?\d+", name.lower())
        is None
    )


def denies(level: Any, beside: Any = "") -> bool:
    """Whether a level says no: of its words an odd number do, as two take each other back.

    Parameters
    ----------
    level : text or number
    beside : text or number
        A level that it may be the opposite of: "inactive" denies beside "active".
    """
    known = _NO | _parts(beside)
    said = 0
    for word in _parts(level):
        roots = {word[len(start) :] for start in _OPPOSITES if word.startswith(start)}
        turned = set() if word in known else {root for root in roots & known if len(root) > 3}
        said += bool(turned) + (not _NO.isdisjoint(turned or {word}))
    return said % 2 == 1


def no_then_yes(levels: Sequence[Any], name: str = "") -> tuple[Any, Any]:
    """Order two levels as (no, yes): what denies is no, and what affirms or tells of a death yes.

    Then what the column's name says is yes: "new" in "new building". Where no word tells, the
    higher or later one counts as yes.
    """
    if not any(isinstance(level, str) for level in levels):
        first, second = levels
        return first, second
    if all(isinstance(level, str) for level in levels):
        levels = in_known_order(levels) or sorted(levels)
    first, second = levels
    # What was not looked for is no finding: beside it the other level is.
    denied = denies(second, first) + says_unknown(str(second))
    denied -= denies(first, second) + says_unknown(str(first))
    affirmed = affirms(first) - affirms(second)
    named = _is_in(first, name) - _is_in(second, name)
    return (second, first) if (denied or affirmed or named) > 0 else (first, second)


def _is_in(level: Any, name: str) -> bool:
    """Whether a column's name begins one of its words with a level."""
    text = str(level).strip().lower()
    return len(text) > 2 and any(word.startswith(text) for word in words(name))


def affirms(level: Any) -> bool:
    """Whether a level says yes, or that something was found."""
    return not _YES.isdisjoint(_parts(level))


def _parts(level: Any) -> frozenset[str]:
    """The words of a level, and the sign at its end."""
    text = str(level).strip().lower()
    return frozenset([*words(text), text[-1:]] if text.endswith(("+", "-")) else words(text))
