"""A table made ready: steps that are recorded, switched off, moved and undone."""
