"""Speed and size, as ratios against a named baseline in the same run: `make perf`."""
