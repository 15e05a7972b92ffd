"""Questions to one measured machine, a module each."""
