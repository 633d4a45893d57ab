"""Experiments of the papers, to be run again: one file a paper, published values beside ours."""
