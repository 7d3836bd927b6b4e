"""The built-in metrics."""
