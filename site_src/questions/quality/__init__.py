"""Questions of quality, a module each."""
