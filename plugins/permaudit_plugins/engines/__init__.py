"""The built-in engines."""
