"""Measured, not reckoned: how often three groups are found (``tests/benchmarks/power.py``)."""

from __future__ import annotations

#: Patients, columns that make the groups, and SD between groups, at which it was measured.
PATIENTS = (60, 120, 240, 480, 960)
COLUMNS = (4, 8, 16, 32)
DISTANCES = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
#: Simulated tables of each sort.
TABLES = 20
