"""The commands of the harness, one module each."""
