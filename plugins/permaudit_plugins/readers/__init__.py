"""The built-in readers."""
