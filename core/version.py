"""The version of the program, which every report and settings file names: told here alone."""

from __future__ import annotations

__version__ = "0.2.0"
