"""From a request to a measured run: its options, schedule, processes and journal."""
