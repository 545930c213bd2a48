"""The long random run."""
