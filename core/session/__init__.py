"""What happens while somebody works: a table, what was decided, undo, jobs, the project's file."""
