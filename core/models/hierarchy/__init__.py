"""Trees of rows: their form, how they are cut, and the algorithms that grow them."""
