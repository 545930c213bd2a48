"""The daemon in real surroundings."""
