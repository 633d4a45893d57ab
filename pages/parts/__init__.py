"""Parts that pages are put together from; each draws itself from the session."""
