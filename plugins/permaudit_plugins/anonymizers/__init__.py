"""The built-in anonymizers."""
