"""Parts of the Clinical page, one step a file."""
