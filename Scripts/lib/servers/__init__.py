"""Servers to download from: real programs, and our own."""
