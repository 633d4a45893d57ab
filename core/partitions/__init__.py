"""Partitions of the same rows: their labels, how far two agree, what a person makes of one."""
