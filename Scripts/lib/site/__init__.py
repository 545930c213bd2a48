"""What `make site` needs."""
