"""Aria2's RPC and command line."""
