"""The marks of figures."""
