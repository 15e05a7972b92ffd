"""What accelerators and machine draw, and how warm, fast and full they are while a run is measured.

`base` says what a sampler is, `nvml`, `rapl` and `host` are three; `process` reads them at a fixed
rate in a process of its own, `readings` takes what it wrote apart, and `energy` sums it up.
"""
