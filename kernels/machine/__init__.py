"""The machine that measures: hardware, limits and settings."""
