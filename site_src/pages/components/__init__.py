"""What pages are put together from."""
