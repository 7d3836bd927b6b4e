"""Audit anonymized and synthetic microdata before they are released."""
