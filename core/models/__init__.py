"""The algorithms, one a file, and what they share."""
