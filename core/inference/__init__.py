"""What is read off a partition: clusters, predictions, filled cells, reasons."""
