"""What a script asks for in one call: groups described, a study, stability, figures."""
