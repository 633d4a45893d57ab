"""What happens while somebody works: jobs in the background, history, snapshots, names, filters."""
