"""What must not come out."""
