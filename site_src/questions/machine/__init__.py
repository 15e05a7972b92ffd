"""Questions about one measured machine, a module each."""
