"""Questions of time and money, a module each."""
