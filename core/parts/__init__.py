"""MAP-DP of a table in parts, by sums of statistics: on one machine or on many."""
