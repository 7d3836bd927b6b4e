"""The built-in rules."""
