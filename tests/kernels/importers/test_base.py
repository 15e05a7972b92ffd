"""What importers of others' tables share: files, accelerators by name, and nobody's address."""

from pathlib import Path

from kernels import catalog
from kernels.importers import base


def test_addresses_and_folders_are_taken_out() -> None:
    """The file's own name stays."""
    text = (
        "cannot open /home/someone/data/train.csv (someone@example.org) or "
        "C:\\Users\\someone\\x.txt"
    )

    assert base.without_names(text) == "cannot open .../train.csv ((address)) or .../x.txt"
    assert (base.has_address("a@b"), base.has_address("metric @0.75")) == (True, False)


def test_an_accelerator_has_one_id_or_none() -> None:
    """Blanks, hyphens and capitals do not matter; a name that is only like one does."""
    hardware = catalog.load().hardware

    assert [
        base.accelerator(name, hardware) for name in ("rtx4090", "Tesla-V100", "RTX 4090 D", "")
    ] == ["rtx-4090", "v100", None, None]


def test_files_of_a_folder_come_in_order_and_without_hidden_ones(tmp_path: Path) -> None:
    """By their path below it."""
    for name in ("b/c.csv", "a.csv", ".git/x.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert [name for name, _ in base.files(tmp_path)] == ["a.csv", "b/c.csv"]
    assert [name for name, _ in base.files(tmp_path / "a.csv")] == ["a.csv"]


def test_many_lines_are_counted() -> None:
    """The first are named."""
    assert base.lines([4]) == "line 4"
    assert base.lines([2, 3, 5], most=2) == "lines 2, 3 and 1 more"
