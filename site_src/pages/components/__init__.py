"""The components that pages are built from."""
