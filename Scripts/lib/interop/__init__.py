"""Downloads from real servers."""
