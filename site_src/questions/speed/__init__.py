"""Questions of speed, a module each."""
