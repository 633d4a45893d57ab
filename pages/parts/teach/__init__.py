"""Parts of the Teach page."""
