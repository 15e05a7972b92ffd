"""Statistics, comparisons and repetitions of recorded runs, and warnings about them."""
