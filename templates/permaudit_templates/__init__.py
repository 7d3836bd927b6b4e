"""The templates of every rendered view."""
