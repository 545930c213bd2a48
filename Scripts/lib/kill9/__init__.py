"""Runs that are killed."""
