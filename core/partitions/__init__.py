"""Partitions of the same rows: labels, agreement, and names given by hand."""
