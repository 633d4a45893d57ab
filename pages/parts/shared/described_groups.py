"""What there is to say of each group, its card and its short rule: worked out for all pages."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from mapdp_studio.core.profiling.cards import Card, profile_cards
from mapdp_studio.core.profiling.profiles import standardised_differences
from mapdp_studio.core.profiling.rules import TableRules, rules_of_table
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result


class DescribedGroups(NamedTuple):
    """The groups as their columns tell them apart."""

    #: One for each group.
    cards: list[Card]
    #: None where no short rule tells any group.
    rules: TableRules | None
    #: One row a column or level, one column a group: in standard deviations of all rows.
    differences: pd.DataFrame


def described_groups(studio: Session, chosen: Chosen) -> DescribedGroups | None:
    """Describe two groups or more; None while that is under way, was stopped or failed."""
    frame, labels = studio.table.frame, chosen.groups.labels
    encoded = chosen.partition.columns_.encoded

    def describe(job: Job) -> DescribedGroups:
        return DescribedGroups(
            profile_cards(encoded, labels),
            rules_of_table(frame, encoded, labels),
            standardised_differences(encoded, labels),
        )

    return get_result(studio, "profiles", chosen.about, "Describing the groups", describe)
