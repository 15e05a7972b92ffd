"""A search for what no importer can stand: `python -m tests.fuzz FORMAT [libFuzzer options]`."""

import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]  # only for the search: see the package's docstring

with atheris.instrument_imports(include=["kernels.importers", "kernels.tabular"]):
    from tests.fuzz import layouts


def main() -> None:
    """Begin with the seeds of the format."""
    format_ = sys.argv[1] if len(sys.argv) > 1 else ""
    if format_ not in layouts.FILES:
        sys.exit(f"found {format_!r}, wanted one of {', '.join(layouts.FILES)}")

    def one(data: bytes) -> None:
        with tempfile.TemporaryDirectory(prefix="touchstone-fuzz-") as folder:
            layouts.attempt(format_, data, Path(folder))

    with tempfile.TemporaryDirectory(prefix="touchstone-seeds-") as corpus:
        for number, seed in enumerate(layouts.SEEDS[format_]):
            (Path(corpus) / str(number)).write_bytes(seed)
        atheris.Setup([sys.argv[0], *sys.argv[2:], corpus], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
