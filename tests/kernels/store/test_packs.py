"""Packing: row for row, each run once at every moment; nothing unpackable is touched."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.errors import StoreError
from kernels.harness import jobs
from kernels.records import Run
from kernels.store import Archive, Problem, packs
from kernels.store.packs import Packing
from tests.kernels.own_runs import JOB, a_run, submitted

IDS = ("toy-1", "toy-2", "toy-3")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three measured runs and two submitted ones, one a file."""
    for index, name in enumerate(IDS):
        store.write(
            tmp_path / "measured" / f"{name}.parquet", [a_run(1 + index / 100, run_id=name)]
        )
    for name in ("their-1", "their-2"):
        store.write(tmp_path / "submitted" / f"{name}.parquet", [submitted(run_id=name)])
    return tmp_path


def content(runs: Path) -> dict[str, bytes]:
    """All files below the folder."""
    return {
        path.relative_to(runs).as_posix(): path.read_bytes() for path in runs.rglob("*.parquet")
    }


def records(runs: Path) -> Archive:
    """All that a reader finds, wherever it lies; nothing may be wrong with it."""
    archive = store.read(runs)
    assert archive.problems == ()
    return replace(archive, files={})


def packed(runs: Path, *, dry: bool = False) -> list[Packing]:
    """Pack the measured runs."""
    problems: list[Problem] = []
    done = list(packs.pack(runs / "measured", problems, dry=dry))
    assert problems == []
    return done


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command answers."""
    commands.main([*words])
    return capsys.readouterr().out


def test_packing_changes_nothing_that_is_shown(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every record is the same, and what show, check, score, compare say, but for the file."""
    at = ("--runs", str(runs))
    asked = [
        ("show", "--json", *at),
        ("score", "--json", *at),
        ("compare", "toy-1", "toy-3", "--json", *at),
    ]
    before, answers, findings = (
        records(runs),
        [said(capsys, *words) for words in asked],
        said(capsys, "check", *at),
    )

    assert commands.main(["pack", *at]) == 0
    words = capsys.readouterr().out

    assert records(runs) == before
    assert [said(capsys, *words) for words in asked] == answers
    for pack in runs.rglob("packed-*"):
        for run in store.read_file(pack):
            findings = findings.replace(
                f"{pack.parent.name}/{run.run_id}.parquet", f"{pack.parent.name}/{pack.name}"
            )
    assert sorted(said(capsys, "check", *at).splitlines()) == sorted(findings.splitlines())
    assert [len(store.read_file(path)) for path in sorted(runs.rglob("*.parquet"))] == [3, 2]
    assert (
        "3 runs are in it, and the 3 files that held them are removed" in words
        and "commit the packs and the removals together" in words
    )


def test_packing_again_changes_no_byte(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pack is never written to again; what comes later makes one of its own."""
    commands.main(["pack", "--runs", str(runs)])
    before = content(runs)

    assert "nothing is left to pack" in said(capsys, "pack", "--runs", str(runs)).splitlines()
    assert content(runs) == before
    for name in ("toy-8", "toy-9"):
        store.write(runs / "measured" / f"{name}.parquet", [a_run(run_id=name)])
    commands.main(["pack", "--runs", str(runs)])
    assert before.items() < content(runs).items() and len(content(runs)) == 3


def test_a_dry_run_says_the_same_and_writes_nothing(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON, which names packs and files."""
    before = content(runs)
    dry = json.loads(said(capsys, "pack", "--dry-run", "--json", "--runs", str(runs)))
    assert content(runs) == before and not (runs / ".lock").exists()

    done = json.loads(said(capsys, "pack", "--json", "--runs", str(runs)))
    assert dry == done | {"dry_run": True}
    assert [(each["runs"], len(each["files"])) for each in done["records"]] == [(3, 3), (2, 2)]
    assert all(
        Path(record["pack"]).exists() and not any(map(Path.exists, map(Path, record["files"])))
        for record in done["records"]
    )


def test_a_crash_at_any_step_leaves_each_run_once(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any file: a reader finds what it found, the next packing ends as undisturbed."""
    before, steps = records(runs), 0
    unlink = Path.unlink

    def crash(path: Path, missing_ok: bool = False) -> None:
        nonlocal steps
        if path.suffix == ".parquet":
            if steps == 0:
                raise KeyboardInterrupt
            steps -= 1
        unlink(path, missing_ok=missing_ok)

    for steps_ in range(len(IDS)):
        steps = 1 if steps_ else 0  # one file further each time
        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", crash)
            with pytest.raises(KeyboardInterrupt):
                packed(runs)
        assert len(singles(runs)) == len(IDS) - steps_
        assert records(runs) == before

    assert [each.runs for each in packed(runs)] == [1]
    assert singles(runs) == [] and records(runs) == before


def singles(runs: Path) -> list[Path]:
    """Files of one measured run."""
    return [path for path in (runs / "measured").glob("*.parquet") if not store.is_pack(path)]


def test_files_go_only_when_the_pack_holds_them_on_the_disk(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that wrote something else is found out before anything is deleted."""
    write = store.write

    def altered(path: Path, written: list[Run]) -> None:
        write(path, written[:-1])

    monkeypatch.setattr(store, "write", altered)

    with pytest.raises(StoreError, match="no file was removed"):
        packed(runs)
    assert len(singles(runs)) == 3


def test_what_cannot_be_packed_is_named_and_left(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Damaged, of a newer version, of a packed name: the others are packed, exit status 1."""
    (runs / "measured" / "broken.parquet").write_bytes(b"PAR1")
    commands.main(["pack", "--runs", str(runs)])
    store.write(runs / "measured" / "toy-1.parquet", [a_run(2.0, run_id="toy-1")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernels.store.parquet.SCHEMA_VERSION", "1.99")
        store.write(runs / "measured" / "newer.parquet", [a_run(run_id="newer")])
    before = content(runs)
    capsys.readouterr()

    assert commands.main(["pack", "--runs", str(runs)]) == 1
    said = capsys.readouterr().err
    assert (
        "broken.parquet: is damaged" in said
        and "newer.parquet: was written by a newer version" in said
    )
    assert "toy-1.parquet: holds another run 'toy-1' than" in said
    assert content(runs) == before


def test_a_packed_run_is_handed_in_alone(runs: Path) -> None:
    """It moves to submitted/, and the others of its pack stay in one of their own."""
    store.write(runs / "measured" / "digits-cnn-toy-1.parquet", [a_run()])
    packed(runs)

    assert commands.main(["submit", "digits-cnn-toy-1", "--runs", str(runs)]) == 0

    archive = store.read(runs)
    assert archive.problems == () and len(archive.runs) == 6
    assert archive.files["digits-cnn-toy-1"] == Path("submitted/digits-cnn-toy-1.parquet")
    assert {archive.files[name].parent.name for name in IDS} == {"measured"}
    assert len(list((runs / "measured").iterdir())) == 1


def test_a_packed_run_is_not_recorded_again_nor_its_name_given_away(runs: Path) -> None:
    """A journal that a crash left finds its run in the pack; a new run gets another name."""
    packed(runs)

    assert packs.holds(runs / "measured", "toy-2") and not packs.holds(
        runs / "measured", JOB.run_id
    )
    assert jobs._free("toy-2", runs, ()) == "toy-2-2"


def test_a_damaged_pack_is_in_nobodys_way(runs: Path) -> None:
    """Whether it holds a run nobody knows; a new one is recorded, nothing packed beside it."""
    packed(runs)
    (pack,) = (runs / "measured").glob("packed-*")
    pack.write_bytes(pack.read_bytes()[:-9])

    assert not packs.holds(runs / "measured", "toy-2")
    with pytest.raises(StoreError, match=pack.name):
        packed(runs)
