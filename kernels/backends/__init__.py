"""What a workload trains with; each backend is one module that alone imports its framework."""
