"""The command ``mapdp-studio``: the app, one table, or a table in parts, from a terminal."""
