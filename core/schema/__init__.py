"""What every column is: guessed, stated, and turned into numbers."""
