"""Pictures of a terminal in which the real program runs."""
