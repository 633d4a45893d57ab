"""The version of the program, which every report and settings file names: told here alone."""

__version__ = "0.2.0"
