"""What a script asks for in one call: groups described, how many, a study, stability, figures."""
