"""What a script asks for in one call."""
