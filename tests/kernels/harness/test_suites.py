"""Suites: those of the project can be run, a wrong one is refused with file and key."""

from dataclasses import replace
from pathlib import Path

import pytest

from kernels import datasets
from kernels.analysis import stats
from kernels.errors import SourceError, UsageError
from kernels.harness import jobs, options, suites
from kernels.harness.suites import Line
from kernels.machine import system
from kernels.records import DataKind
from kernels.workloads import WORKLOADS

ROOT = Path(__file__).resolve().parents[3]

GOOD = """summary = "toys"
[small]
note = "anybody"
[[small.run]]
workload = "digits_cnn"
"""

LINES = [
    pytest.param(line, id=f"{name}/{size.name}/{number}")
    for name in suites.names()
    for size in suites.load(name).sizes.values()
    for number, line in enumerate(size.lines)
]


@pytest.mark.parametrize("line", LINES)
def test_every_run_of_every_suite_can_be_asked_for(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine with what it wants: data sets, folders, cores."""
    monkeypatch.setattr(datasets, "require", lambda _: None)
    monkeypatch.setattr(system, "usable_cores", lambda: 8)
    request = options.request(line.workload, line.values({}), None)
    wants_folder = WORKLOADS[line.workload].folder and request.data is DataKind.REAL

    jobs.refuse(replace(request, folder="given") if wants_folder else request)


def test_a_suite_follows_a_publication_that_is_recorded() -> None:
    """In three sizes, says what differs; quick and settings follow none, quick fetches nothing."""
    found = {name: suites.load(name) for name in suites.names()}
    quick = found.pop("quick")
    settings = found.pop("settings")

    assert set(found) == {
        path.parent.name for path in (ROOT / "runs" / "sources").glob("*/runs.csv")
    }
    assert all(
        set(each.sizes) == set(suites.SIZES) and each.source == name for name, each in found.items()
    )
    assert (quick.source, settings.source) == (None, None) and set(quick.sizes) == {
        "small",
        "smoke",
    } == set(settings.sizes)
    assert all(
        line.values({})["repeats"] >= stats.LEAST_RUNS for line in settings.sizes["small"].lines
    )
    needs = [
        (WORKLOADS[line.workload], line.values({})["data"]) for line in quick.sizes["small"].lines
    ]
    assert all(plan.dataset is None or data == DataKind.SYNTHETIC_DEVICE for plan, data in needs)


def test_a_smoke_test_takes_seconds() -> None:
    """Each run has a budget of 2 s or a second of training, and wants nothing absent."""
    lines = [line for name in suites.names() for line in suites.load(name).sizes["smoke"].lines]

    assert all((line.given.get("budget") or line.seconds or 99) <= 2 for line in lines)


def refused(folder: Path, old: str, new: str, wanted: str) -> None:
    """Checks that the good suite is read, and refused after one change."""
    (folder / "toy.toml").write_text(GOOD)
    assert suites.load("toy", folder).sizes["small"].lines[0].workload == "digits_cnn"
    (folder / "toy.toml").write_text(GOOD.replace(old, new))

    with pytest.raises(SourceError, match=wanted):
        suites.load("toy", folder)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ('summary = "toys"\n', "", r"toy\.toml: summary: found nothing, wanted a text"),
        ('summary = "toys"', 'summary = "toys"\nbudget = 3', r"toy\.toml: unknown key 'budget'"),
        ('summary = "toys"', 'summary = "toys"\nsource = "x"', r"toml: protocol: found nothing"),
        (
            'summary = "toys"',
            'summary = "toys"\nsource = "x"\nprotocol = "y"',
            r"toy\.toml: \[small\]: differs: found nothing",
        ),
        (GOOD.partition("\n")[2], "small = 3\n", r"toml: small: found 3, wanted a table \[small\]"),
        (
            "[[small.run]]\n",
            "[small.run]\n",
            r"toy\.toml: \[small\]: run: found \{.*\}, wanted \[\[small\.run\]\] tables",
        ),
        (
            '"digits_cnn"',
            '"digit_cnn"',
            r"\[\[small\.run\]\] 1: workload: found 'digit_cnn', .*; did you mean 'digits_cnn'\?",
        ),
        ("[small]", "[small", r"toy\.toml: not readable as TOML"),
    ],
)
def test_a_wrong_suite_is_refused(old: str, new: str, wanted: str, tmp_path: Path) -> None:
    """With its file, the table and the key, what was found and what was wanted."""
    refused(tmp_path, old, new, wanted)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("batchsize = 3", r"1: batchsize: .*; did you mean 'batch_s"),
        ('device = "cpu"', r"1: device: .*that a run of a suite may"),
        (
            'batch_size = ["64"]',
            r"1: batch_size: found \['64'\], wanted a whole number, or several",
        ),
        ("batch_size = []", r"1: batch_size: found \[\], wanted a whole number"),
        ("batch_size = [64, 64]", r"1: batch_size: found \[64, 64\], wanted each number once"),
        ("epochs = 0", r"epochs: found 0, wanted a .*number of 1 or"),
        ("epochs = true", r"1: epochs: found True, wanted a whole number"),
        ("compile = 1", r"1: compile: found 1, wanted true or false"),
        ('precision = "fp31"', r"1: precision: found 'fp31', wanted one of .*fp32"),
        ("seconds = 0", r"seconds: found 0, wanted a .* more than 0"),
    ],
)
def test_a_wrong_line_of_a_suite_is_refused(line: str, wanted: str, tmp_path: Path) -> None:
    """Likewise, with the number of the run."""
    refused(tmp_path, '"digits_cnn"', f'"digits_cnn"\n{line}', wanted)


def test_an_unknown_suite_or_size_is_refused() -> None:
    """With what there is."""
    with pytest.raises(UsageError, match="--suite quik: no such suite; did you mean 'quick'"):
        suites.load("quik")
    with pytest.raises(UsageError, match="--size full: suite quick has small, smoke"):
        suites.load("quick").size("full")


def test_the_command_line_fills_what_a_suite_leaves_open() -> None:
    """Threads and sensors; what the suite says stays as it is."""
    line = Line("digits_cnn", {"threads": 2, "epochs": 5}, None)

    values = line.values(
        {"threads": 1, "processes": 4, "telemetry": None, "epochs": 9, "seeds": [7]}
    )

    assert (values["threads"], values["processes"], values["telemetry"]) == (2, 4, None)
    assert (values["epochs"], values["seeds"]) == (5, [0])
