"""What the Teach page shows: runs step by step, the cost of one row, where the model comes from."""
