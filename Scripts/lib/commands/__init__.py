"""The commands that the documentation shows, run and compared."""
