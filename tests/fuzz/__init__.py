"""Importers against bytes that nobody would write.

`make test` tries a few hundred (`test_layouts.py`). A longer search, guided by which lines of the
importers were reached, needs atheris, which is no dependency of the project:

    python3.11 -m venv .venv-fuzz
    .venv-fuzz/bin/pip install -c constraints.txt ".[site]" atheris
    .venv-fuzz/bin/python -m tests.fuzz mlperf -max_total_time=600

The first word is a format of `python -m kernels import`, the rest goes to libFuzzer. An input that
lets anything but a clear refusal escape is written to `crash-*`; `-runs=1 crash-...` tries it
again.
"""
