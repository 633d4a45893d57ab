"""The command ``mapdp-studio``: the app, a table, or one larger than memory, from a terminal."""
