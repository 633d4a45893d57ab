"""What is read off a partition: clusters, predictions, filled cells, why a row is where it is."""
