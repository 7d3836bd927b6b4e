"""Releases whose verdict is known beforehand, made by code: bad ones that must never pass, and good ones that should."""
