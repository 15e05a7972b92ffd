"""What a recorded text may be; store, importers and `check` refuse anything else by name."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernels import store, texts
from kernels.checks import keys, records
from kernels.cli import imports
from kernels.errors import RecordError, Severity, StoreError
from kernels.importers import FORMATS
from kernels.importers.base import Imported
from kernels.records import (
    Environment,
    Phase,
    Run,
    Setting,
    SourceKind,
    Step,
    Workload,
    check_address,
    check_id,
)
from kernels.store import Archive, parquet, rows
from kernels.store.schema import TABLES
from tests.makers import EACH, make_run, make_source

RUN = make_run("a-run", licence="CC0-1.0", credit="Somebody", system="a-machine")
SOURCE = make_source(
    "a-source", kind=SourceKind.LOGS, title="A title", licence="CC0-1.0", credit="Somebody"
)


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"a{letter}b"
            for letter in "\u202e\u2066\u200f\u061c\u2060\U000e0041\0\u200b\r\n\t\u2028"
        ),
        "a\x1b[31m",
        "x" * 1_001,
    ],
)
def test_a_text_that_may_not_stand_is_refused_when_written_and_when_read(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File, run and field are named, whoever wrote the file; `check` says so as an error."""
    run = dataclasses.replace(RUN, credit=text)
    path = tmp_path / "measured" / "a-run.parquet"
    with pytest.raises(StoreError, match="credit"):
        store.write(path, [run])
    assert not path.exists()

    with monkeypatch.context() as patch:
        patch.setattr(texts.Rule, "fault", lambda *_: None)
        store.write(path, [run])

    [finding] = records.check(store.read(tmp_path))
    assert finding.severity is Severity.ERROR
    assert "a-run.parquet" in finding.place
    assert "run_id 'a-run'" in finding.text and "credit" in finding.text


def test_a_program_s_words_may_have_lines() -> None:
    """Two lines, as PyTorch writes it, are taken; a sign that nobody sees, a megabyte not."""
    rule = texts.rule(Run, "status_detail")

    assert rule.fault("out of memory\n\ttried to allocate 2 GiB") is None
    assert "U+202E" in str(rule.fault("a\u202eb"))
    assert "1000000 letters" in str(rule.fault("x" * 1_000_000))


def test_a_measurement_is_not_lost_over_its_remark(tmp_path: Path) -> None:
    """What a machine says is mended: signs nobody sees are replaced, long texts cut."""
    there = Environment(cpu_model="a\0b", extra=(Setting("name", "x" * 20_000),))
    run = texts.mended(dataclasses.replace(RUN, status_detail="a\x1b[31mb\nc", environment=there))

    store.write(tmp_path / "a.parquet", [run])

    assert run.status_detail == "a\ufffd[31mb\nc"
    assert (run.environment and run.environment.cpu_model) == "a\ufffdb"
    assert not [*texts.faults(run)]


NO_ADDRESSES = [
    "javascript:alert(1)", "data:text/html,x", " https://a.org", "https://a.org/\"onclick='x'",
    "//a.org", "https://", "ftp://a.org", "https:///a", "https://[::1", "https://a.org:port/",
    "https://bank.example@a.org/",
]  # fmt: skip


@pytest.mark.parametrize("address", [*NO_ADDRESSES, "https://a.org/" + "x" * 1_000])
def test_an_address_leads_to_a_page_of_the_web(address: str) -> None:
    """Each record that has an address refuses any other, by its field."""
    for made in (
        lambda: dataclasses.replace(RUN, implementation_url=address),
        lambda: dataclasses.replace(SOURCE, url=address),
        lambda: dataclasses.replace(SOURCE, code=address),
        lambda: Workload("w", "w", "t", "d", "m", 1, 1, 1, 1, "s", True, "f", (address,)),
    ):
        with pytest.raises(RecordError, match=r"implementation_url|url|code|references"):
            made()


def test_every_field_for_an_address_is_known() -> None:
    """A field whose meaning speaks of an address refuses `address`, or it names another thing."""
    given: Any
    for given in (RUN, SOURCE):
        for column in TABLES[type(given)].columns:
            if column.name.endswith("url") or column.meaning.startswith("Address"):
                with pytest.raises(RecordError):
                    dataclasses.replace(given, **{column.name: "javascript:alert(1)"})


@pytest.mark.parametrize("name", ["../../../../evil", "a\0b", "x" * 300, "", "A", "a b"])
def test_a_source_has_an_id(name: str) -> None:
    """An id can be a folder's name."""
    with pytest.raises(RecordError, match="source"):
        dataclasses.replace(SOURCE, source=name)
    with pytest.raises(RecordError, match="x"):
        check_id("x", name)


def test_plain_addresses_are_taken() -> None:
    """With a port, a query, and letters of other scripts."""
    for address in (
        "https://example.org",
        "http://example.org:8080/a?b=c&d#e",
        "HTTPS://пример.рф/あ",
    ):
        check_address("x", address)


def test_a_key_without_words_is_refused_by_file_run_and_field(tmp_path: Path) -> None:
    """`check` names them, with the nearest key that there is."""
    store.write(
        tmp_path / "measured" / "a-run.parquet",
        [dataclasses.replace(RUN, parallelism="synchronous-data-parallel")],
    )

    errors = [
        finding
        for finding in records.check(store.read(tmp_path))
        if finding.severity is Severity.ERROR
    ]

    assert [
        (one.place, "parallelism" in one.text, "synchronous_data_parallel" in one.text)
        for one in errors
    ] == [("run a-run (measured/a-run.parquet)", True, True)]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"parallelism": "foo"}, "parallelism"),
        ({"credit": "a\u202eb"}, "credit"),
        ({"status_detail": "x" * 1_000_000}, "status_detail"),
    ],
)
def test_an_import_refuses_what_check_refuses(
    fields: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part is refused by its name, with run and field, and nothing of it is kept."""
    found = Imported(source="a-source", runs=(dataclasses.replace(RUN, **fields),))

    class Format:
        @staticmethod
        def read(_: object) -> Imported:
            return found

    class Part:
        name = "a-part"

    monkeypatch.setitem(FORMATS, "made", Format)

    outcome = imports.read_part("made", Part)  # type: ignore[arg-type]  # all of a part that is asked for

    assert isinstance(outcome, Exception)
    assert "a-part: runs, a-run: " in str(outcome) and said in str(outcome)


def test_a_file_of_equal_steps_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million equal steps take 27 kB and half a gigabyte: the reader counts first."""
    steps = tuple(Step(index, Phase.MEASURE, 1.0, 1.0) for index in [0] * 100_001)
    path = tmp_path / "a.parquet"
    with pytest.raises(StoreError, match="100001 values"):
        store.write(path, [dataclasses.replace(RUN, steps=steps)])
    with monkeypatch.context() as patch:
        patch.setattr(parquet, "check_size", lambda *_: None)
        store.write(path, [dataclasses.replace(RUN, steps=steps)])

    monkeypatch.setattr(rows, "to_records", None)
    with pytest.raises(
        StoreError, match=r"100001 values in one column and \d+ bytes, wanted 100000"
    ):
        store.read_file(path)


@EACH
def test_the_archive_has_no_text_and_no_key_that_is_refused(
    recorded: Callable[[], Archive],
) -> None:
    """All that is recorded here passes."""
    archive = recorded()

    assert not archive.problems
    assert not [fault for run in archive.runs for fault in (*texts.faults(run), *keys.faults(run))]
    assert not records.unknown_keys(archive)
