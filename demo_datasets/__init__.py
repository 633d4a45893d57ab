"""Data to try the studio on: six scenarios and a simulated cohort."""

from .scenarios import SCENARIOS, bayes_labels, load_scenario

__all__ = ["SCENARIOS", "bayes_labels", "load_scenario"]
