"""Parts of the Take away page."""
