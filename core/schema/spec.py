"""What a person decides about one column, or about a block of columns modelled jointly."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields, replace
from numbers import Real
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from ..families import FAMILIES
from ..families.family import CATEGORY, RATING, YES_NO
from ..reading.dates import HOURS
from ..reading.numbers import COMMA, POINT
from ..wording import RefusedError
from .transforms import TRANSFORMS

ROLES = ("cluster", "label", "validator", "control", "group", "id", "weight", "ignore")
#: Roles that one column at most can have, and what such a column is.
ONLY_ONE = MappingProxyType(
    {
        "label": "the label",
        "group": "the data set of every row",
        "weight": "how much every row counts",
    }
)
TIME_TO_EVENT = "time_to_event"
BY_HAND = "Set by hand."
READINGS = (POINT, COMMA, HOURS)
NUMBER = "a number"  # what a cell is that has none of its column's special outcomes

_OF_EVENTS = ("event_codes", "censored_codes")
_OF_FAMILIES = ("transform", "levels", "event", *_OF_EVENTS)
_SHORT = {"trials": None, "offset": 0}  # for the levels of a rating in whole numbers

#: By family; ``missing_codes`` belongs to every column.
OPTIONS: Mapping[str | None, tuple[str, ...]] = MappingProxyType(
    {name: family.options for name, family in FAMILIES.items() if not family.is_block}
    | {TIME_TO_EVENT: ("event", *_OF_EVENTS)}
)


class SchemaError(RefusedError):
    """A schema that cannot be, or a table that does not fit it: one sentence."""


class UnknownColumnError(SchemaError, KeyError):
    """A column that the schema does not have."""

    __str__ = SchemaError.__str__


def check_names(names: Iterable[Any]) -> None:
    """Refuse a column name that is not text, or that stands twice in a table."""
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise SchemaError(
                f"The column name {name!r} is not text: rename it, as with "
                "frame.columns = frame.columns.astype(str)."
            )
        if name in seen:
            raise SchemaError(f"The table has two columns '{name}': rename one of them.")
        seen.add(name)


@dataclass(frozen=True)
class ColumnSpec:
    """Family, role and options of one column.

    Parameters
    ----------
    family : str, optional
        Key of ``FAMILIES``, or "time_to_event" for an outcome; None for a column set aside.
    role : {"cluster", "label", "validator", "control", "group", "id", "weight", "ignore"}
        Only "cluster" columns make clusters; "group" names each row's data set, such as a site;
        "weight" is how much each row counts, on any scale.
    reason : str
        Why, in plain words.
    transform : {None, "log", "sqrt", "cbrt"}
        Of the normal families: natural logarithm, square or cube root first.
    levels : tuple, optional
        Values in order: (no, yes), the levels of a category, a rating's steps from the lowest.
    trials, offset : int, optional
        Of a rating in whole numbers, steps above its lowest and that one (0 by default).
    missing_codes : tuple
        Values that mean a missing cell; numbers compare as numbers, text as text.
    event : str, optional
        Of "time_to_event": the column that tells whether the event happened.
    event_codes : tuple, optional
        Of "time_to_event": the values of ``event`` that mean it did.
    reading : str, optional
        How cells that are no plain numbers are read: "decimal point", "decimal comma" (with units,
        percent, digit groups, parentheses) or "hours" (clock times, durations).
    special : tuple of str, or mapping of str to cell values
        Outcomes beside the number, ``{"below 0.5": "<0.5"}``: the likelihood is a category over
        {number, outcomes} times the numbers' family. Codes "<" and ">" take every such limit.
    special_codes : tuple
        The cell value of each special outcome, in the same order.
    taken_as : tuple of pairs, or mapping
        Cells that are taken as another number, as ``{"<0.5": 0.25}``.
    censored_codes : tuple, optional
        Of "time_to_event": values of ``event`` that mean "not yet, when last seen"; None: the only
        other one, or, of several, unknown.
    """

    name: str
    family: str | None = None
    role: str = "cluster"
    reason: str = field(default="", compare=False)
    transform: str | None = None
    levels: tuple[Any, ...] | None = None
    trials: InitVar[int | None] = None
    offset: InitVar[int] = 0
    missing_codes: tuple[Any, ...] = ()
    event: str | None = None
    event_codes: tuple[Any, ...] | None = None
    reading: str | None = None
    special: tuple[str, ...] = ()
    special_codes: tuple[Any, ...] = ()
    taken_as: tuple[tuple[Any, float], ...] = ()
    censored_codes: tuple[Any, ...] | None = None

    def __post_init__(self, trials: int | None, offset: int) -> None:
        if trials is not None or offset:
            object.__setattr__(self, "levels", self._whole_steps(trials, offset))
        if isinstance(self.special, Mapping):
            object.__setattr__(self, "special_codes", tuple(self.special.values()))
            object.__setattr__(self, "special", tuple(self.special))
        for name in ("levels", "missing_codes", *_OF_EVENTS, "special", "special_codes"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, self._values(name, given))
        pairs = self.taken_as.items() if isinstance(self.taken_as, Mapping) else self.taken_as
        taken = ((self._value("taken_as", code), float(number)) for code, number in pairs)
        object.__setattr__(self, "taken_as", tuple(taken))
        for is_wrong, why in self._faults():
            if is_wrong:
                raise SchemaError(f"Column '{self.name}'{why}.")

    def _values(self, option: str, given: Any) -> tuple[Any, ...]:
        """Plain Python values, so that a schema compares, hashes and becomes JSON."""
        if isinstance(given, str) or not isinstance(given, Iterable):
            given = (given,)
        return tuple(self._value(option, value) for value in given)

    def _value(self, option: str, value: Any) -> Any:
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, float):
            # JSON has no infinity; as text it still compares as a number.
            value = int(value) if value.is_integer() else str(value) if math.isinf(value) else value
        if not isinstance(value, str | int | float) or value != value:
            raise SchemaError(
                f"Column '{self.name}': {value!r} cannot stand in {option}; give numbers or text."
            )
        return value

    def _whole_steps(self, trials: int | None, offset: int) -> Sequence[Any]:
        are_whole = all(isinstance(n, Real) and n % 1 == 0 for n in (trials, offset))
        if not are_whole or trials < 1:
            raise SchemaError(
                f"Column '{self.name}': trials ({trials}) and offset ({offset}) must be whole "
                "numbers, and trials at least 1."
            )
        if self.levels is None:
            return range(int(offset), int(offset) + int(trials) + 1)
        if len(self.levels) == trials + 1 and not offset:
            return self.levels
        raise SchemaError(
            f"Column '{self.name}': give either the levels of a rating or its offset and "
            "trials, not both."
        )

    def _faults(self) -> Iterator[tuple[bool, str]]:
        """What may be wrong with the fields: whether it is, and how the sentence ends."""
        check_names([self.name])
        single = [name for name in OPTIONS if name != TIME_TO_EVENT]
        is_outcome, is_family = self.family == TIME_TO_EVENT, self.family in (None, *OPTIONS)
        is_of_blocks = self.family in FAMILIES and not is_family
        yield (
            self.role not in ROLES,
            f": '{self.role}' is no role; choose one of {', '.join(ROLES)}",
        )
        join = "join columns with with_block(name, columns, family)"
        yield is_of_blocks, f": '{self.family}' is a family of blocks; {join}"
        choose = f"choose one of {', '.join(single)}, or {TIME_TO_EVENT} for an outcome"
        yield not is_family, f": '{self.family}' is no family; {choose}"
        has_none = self.role == "cluster" and self.family is None
        give = f"so it cannot be clustered on; give it one of {', '.join(single)}"
        yield has_none, f" has no family, {give}"
        why = ": a time to an event is an outcome; give it the role 'validator', 'control' or "
        is_misplaced = is_outcome and self.role not in ("validator", "control", "ignore")
        yield is_misplaced, f"{why}'ignore' instead of '{self.role}'"
        choose = f"choose {', '.join(map(repr, TRANSFORMS))} or None"
        is_none = self.transform not in (None, *TRANSFORMS)
        yield is_none, f": '{self.transform}' is no transform; {choose}"
        for option in fields(self):
            is_odd = option.name in _OF_FAMILIES and getattr(self, option.name) != option.default
            takers = (str(name) for name, options in OPTIONS.items() if option.name in options)
            why = f": the family '{self.family}' takes no {option.name}; it belongs to "
            yield is_odd and not self.reads(option.name), why + " and ".join(takers)
        choose = f"choose one of {', '.join(READINGS)}, or None"
        is_none = self.reading is not None and self.reading not in READINGS
        yield is_none, f": '{self.reading}' is no reading; {choose}"
        needs = ": every special outcome needs a name"
        is_odd = len(self.special) != len(self.special_codes) or "" in self.special
        yield is_odd, f"{needs} and its cell's value, as in special={{'zero': 0}}"
        is_odd = len(set(self.special)) < len(self.special) or NUMBER in self.special
        yield is_odd, f"{needs} of its own, other than '{NUMBER}'"
        why = (
            ": a category needs no special outcomes, each of its values is one: take them off, or "
        )
        is_odd = bool(self.special) and self.kind == CATEGORY
        yield is_odd, f"{why}choose a family of numbers"
        n, distinct = len(self.levels or ()), len({*(self.levels or ())})
        yield distinct < n, ": every level may be named only once"
        is_given = self.levels is not None
        why = f" is yes/no and needs two levels, (no, yes), not {n}; choose 'categorical' for more"
        yield is_given and self.kind == YES_NO and n != 2, why
        yield is_given and self.kind == RATING and n < 2, ": a rating needs at least two levels"

    def reads(self, option: str) -> bool:
        """Whether the column's family reads that option."""
        return option in OPTIONS.get(self.family, ())

    @property
    def kind(self) -> str | None:
        """What kind of column its family makes it, such as "count"; None where it has no family."""
        if self.family is None or self.family == TIME_TO_EVENT:
            return self.family
        return FAMILIES[self.family].kind

    @property
    def starts_at(self) -> int | None:
        """Lowest step of a rating in whole numbers, one after another; None of any other column."""
        low = self.levels[0] if self.kind == RATING and self.levels else None
        if not isinstance(low, int) or self.levels != tuple(range(low, low + len(self.levels))):
            return None
        return low

    @property
    def title(self) -> str:
        """Its name, of yes/no with the level that is counted: "deaths = 1"."""
        if self.kind == YES_NO and self.levels:
            return f"{self.name} = {self.levels[1]}"
        return self.name

    def changed(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; options the new family cannot read are dropped.

        Raises
        ------
        SchemaError
            An unknown option, or one that does not fit.
        """
        options = {option.name: option.default for option in fields(self)} | _SHORT
        unknown = [option for option in changes if option not in options or option == "name"]
        if unknown:
            raise SchemaError(
                f"Column '{self.name}': '{unknown[0]}' is no option; choose among "
                f"{', '.join(option for option in options if option != 'name')}."
            )
        family = changes.get("family", self.family)
        kind = FAMILIES[family].kind if family in FAMILIES else None
        if family != self.family:
            readable = OPTIONS.get(family, ())
            for option in _OF_FAMILIES:
                if option not in readable:
                    changes.setdefault(option, options[option])
            if kind == YES_NO and self.levels is not None and len(self.levels) != 2:
                changes.setdefault("levels", None)
        if kind == CATEGORY or family is None:
            changes.setdefault("special", ())
        if not changes.get("special", self.special):
            changes.setdefault("special_codes", ())
        if changes.get("trials") is not None:
            changes.setdefault("levels", None)
        suggested = f"{BY_HAND} Suggested: {self.reason}" if self.reason else BY_HAND
        is_by_hand = self.reason.startswith(BY_HAND)
        changes.setdefault("reason", self.reason if is_by_hand else suggested)
        return replace(self, **changes)


@dataclass(frozen=True)
class Block:
    """Several columns modelled jointly."""

    name: str
    family: str
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        columns = (self.columns,) if isinstance(self.columns, str) else tuple(self.columns)
        object.__setattr__(self, "columns", columns)
        blocks = [name for name, family in FAMILIES.items() if family.is_block]
        if self.family not in blocks:
            raise SchemaError(
                f"Block '{self.name}': '{self.family}' is no family of blocks; choose one of "
                f"{', '.join(blocks)}."
            )
        if not columns or len(set(columns)) < len(columns):
            raise SchemaError(f"Block '{self.name}' needs at least one column, each named once.")
