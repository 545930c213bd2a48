"""Measurements beside other programs."""
