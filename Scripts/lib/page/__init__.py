"""The web page in a browser."""
