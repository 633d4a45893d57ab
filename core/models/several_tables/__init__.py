"""Several tables of the same columns, such as sites or waves, whose clusters are shared."""
