"""The only floor that knows textual and rich."""
