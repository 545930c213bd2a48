"""Batches that are killed."""
