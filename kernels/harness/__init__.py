"""From an order to a measured run: what is asked for, its schedule, its processes, its journal."""
