"""Parts of the Data page."""
