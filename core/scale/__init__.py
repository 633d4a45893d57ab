"""Tables larger than memory: a model from a sample of the rows, then groups of all of them."""
