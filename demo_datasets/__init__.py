"""Data to try the studio on: scenarios (six of R16), a simulated cohort, three classic tables."""

from .catalogue import (
    DEMOS,
    GENERATED,
    START_ROWS,
    TAUGHT,
    Demo,
    load_demo,
    load_scenario,
    load_scenario_table,
    load_taught,
)
from .parkinsonism import load_parkinsonism
from .scenarios import SCENARIOS, Scenario

__all__ = [
    "DEMOS",
    "GENERATED",
    "SCENARIOS",
    "START_ROWS",
    "TAUGHT",
    "Demo",
    "Scenario",
    "load_demo",
    "load_parkinsonism",
    "load_scenario",
    "load_scenario_table",
    "load_taught",
]
