"""The daemon under load."""
