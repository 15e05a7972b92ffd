"""Questions answered by the rounds of MLPerf, a module each."""
