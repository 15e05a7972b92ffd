"""Sensors of accelerators and machine during a run: power, temperature, clocks, load, memory.

`base` defines a sampler, `nvml`, `rapl` and `host` are three; `process` reads them at a fixed rate
in its own process, `readings` parses its file, and `energy` sums it up.
"""
