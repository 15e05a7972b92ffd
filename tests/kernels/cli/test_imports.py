"""The import says what it took, what it doubts, and each line that it refused."""

from pathlib import Path

import pytest

from kernels import __main__ as commands

HEAD = "InstanceType,AcceleratorName,AcceleratorCount,Region,Price\n"
SAID = ["--day", "2026-05-20", "--source", "toy", "--licence", "MIT", "--credit", "Toyco"]


def imported(
    folder: Path, rows: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, list[str]]:
    """Exit status, last lines of the answer, and what was said aside."""
    path = folder / "gcp" / "vms.csv"
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + rows, encoding="utf-8")
    status = commands.main(["import", "prices", str(path), "--runs", str(folder / "runs"), *SAID])
    said = capsys.readouterr()
    return status, said.out.partition("\n")[2], said.err.splitlines()


def test_refused_lines_are_said_and_counted_by_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is left is recorded, and that is a success."""
    status, answer, aside = imported(
        tmp_path, "m,T4,1,r,0.35\nm,,,r,0.1\nn,T4,1,r,0.00\no,T4,1,r,0\np,XPU9,1,r,1.0\n", capsys
    )

    assert status == 0
    assert [line.split(":")[:3] for line in aside] == [
        ["doubt", " gcp/vms.csv", " line 6"],
        ["refused", " gcp/vms.csv", "3"],
        ["refused", " gcp/vms.csv", "4"],
        ["refused", " gcp/vms.csv", "5"],
    ]
    assert "3 rows and prices refused: 0 stands for no price (2), no accelerator (1)\n" in answer
    assert answer.endswith("2 new prices of 1 parts; files: 2 written; 1 doubts, 3 refused\n")


def test_nothing_taken_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Though every line has its reason."""
    status, answer, aside = imported(tmp_path, "m,T4,1,r,0.00\n", capsys)

    assert (status, len(aside), list((tmp_path / "runs").glob("**/*.parquet"))) == (1, 1, [])
    assert answer == "0 new prices of 1 parts; files: none; 0 doubts, 1 refused\n"


def test_formats_of_tables_write_one_to_fill_in(capsys: pytest.CaptureFixture[str]) -> None:
    """The others have none to write."""
    assert commands.main(["import", "prices", "--template"]) == 0
    assert "provider,offer," in capsys.readouterr().out
    with pytest.raises(SystemExit):
        commands.main(["import", "prices"])
    assert "no PATH; give the file or folder to read or --template" in capsys.readouterr().err
