"""Every row of the catalogue of bad inputs, end to end."""
