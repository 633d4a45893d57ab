"""Reading a table from a file: what it is written in, and one sentence where it will not parse."""
