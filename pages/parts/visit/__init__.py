"""What stays with a visitor from page to page: decisions, their undoing, coming back."""
