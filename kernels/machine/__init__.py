"""The machine that measures: what it is, what it may use, and how it is set."""
