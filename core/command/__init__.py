"""The command ``mapdp-studio``."""
