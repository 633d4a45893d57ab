"""Several methods on one table: how each is run, one shared view, where they agree and part."""
