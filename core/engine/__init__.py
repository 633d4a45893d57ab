"""A table under its priors, packed, and the compiled loops over it."""
