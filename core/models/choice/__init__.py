"""The model of a table chosen with its groups: likelihoods, transforms and blocks, by E."""
