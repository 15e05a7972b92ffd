"""Published addresses: what was ever published, what was renamed, what was retired."""
