"""Data to try the studio on: six scenarios of R16, a simulated cohort, three classic tables."""

from .catalogue import DEMOS, TAUGHT, Demo, load_demo, load_scenario_table, load_taught
from .parkinsonism import core_module, load_parkinsonism
from .scenarios import SCENARIOS, START_ROWS, Scenario, bayes_labels, load_scenario, scenario_spec

__all__ = [
    "DEMOS",
    "SCENARIOS",
    "START_ROWS",
    "TAUGHT",
    "Demo",
    "Scenario",
    "bayes_labels",
    "load_demo",
    "load_parkinsonism",
    "load_scenario",
    "load_scenario_table",
    "load_taught",
    "scenario_spec",
]

core_module("one_name").one_copy(__name__)
