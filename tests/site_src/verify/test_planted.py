"""Wrong values planted in a site that was built from one recorded run: `verify` names each of
them.
"""

import gzip
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Final

import pytest

import build
from kernels import store
from kernels.records import DataKind, Evaluation, Metric, Mode, Phase, Step
from site_src.cli.arguments import CACHE
from site_src.cli.inputs import Inputs, Order, read
from site_src.evidence import Evidence
from site_src.model import BuildOptions
from site_src.verify import html, verify
from tests.makers import make_run

RUN = make_run(
    "resnet-one",
    licence="CC0-1.0",
    credit="Touchstone",
    workload="resnet50-imagenet",
    system="a-machine",
    mode=Mode.TRAINING,
    framework="PyTorch",
    accelerators=1,
    data=DataKind.SYNTHETIC_DEVICE,
    global_batch_size=64,
    metrics=(
        Metric("throughput_images_per_s", 1234.5678, "images/s", n=20),
        Metric("step_time_s", 0.0520624, "s", n=4),
        Metric("final_accuracy", 0.9861),
    ),
    evaluations=(Evaluation("top1", 0.91, epoch=1.0), Evaluation("top1", 0.9861, epoch=2.0)),
    steps=tuple(Step(index, Phase.MEASURE, index / 10, 0.0520624) for index in range(4)),
)


@dataclass(frozen=True)
class Built:
    """A written site, and what it was made of."""

    out: Path
    inputs: Inputs
    known: dict[bytes, html.Read] = field(default_factory=dict)

    def faults(self, **changed: object) -> list[str]:
        """What `verify` says; pages that nobody has changed are parsed once."""
        archive = replace(self.inputs.evidence.archive, **changed)  # type: ignore[arg-type]  # fields of an archive, by name
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("site_src.verify.read", self._read)
            return [
                str(one)
                for one in verify(
                    self.out, Evidence(archive, self.inputs.evidence.catalog), self.inputs.locales
                )
            ]

    def _read(self, path: Path) -> html.Read:
        content = path.read_bytes()
        if content not in self.known:
            self.known[content] = html.read(path)
        return deepcopy(self.known[content])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Two other runs of the same, a batch size apart, so that there is something to compare."""
    folder = tmp_path_factory.mktemp("planted")
    slower = (
        Metric("throughput_images_per_s", 617.25, "images/s", n=20),
        Metric("final_accuracy", 0.9722),
    )
    store.write(folder / "runs/measured/one.parquet", [RUN])
    store.write(
        folder / "runs/measured/two.parquet",
        [replace(RUN, run_id="resnet-two", source="elsewhere", system="b-machine", metrics=slower)],
    )
    place = ["--runs", str(folder / "runs"), "--out", str(folder / "site"), "--lang", "en"]
    assert build.main([*place, "--date", "2026-11-20", "--runtime", "full", "--jobs", "1"]) == 0
    options = BuildOptions(
        built=date(2026, 11, 20), out=folder / "site", cache=CACHE, issues="{page}{figure}"
    )
    inputs = read(Order(folder / "runs", ("en",), options))
    return Built(options.out, inputs)


def test_what_was_built_passes(built: Built) -> None:
    """Nothing is planted, nothing is found."""
    assert built.faults() == []


SPEED = "c/resnet50-imagenet-throughput"
STEPS = "c/resnet50-imagenet-steps"
PAGE = f"en/{SPEED}/index.html"
RUNS = "api/v1/runs.json.gz"
CHANGED = "is not, byte for byte, what the build wrote; build again"


@contextmanager
def planted(file: Path, old: str, new: str) -> Iterator[None]:
    """The file with one thing changed, and as it was afterwards."""
    content = file.read_bytes()
    packed = file.suffix == ".gz"
    plain = gzip.decompress(content) if packed else content
    assert old.encode() in plain
    changed = plain.replace(old.encode(), new.encode(), 1)
    file.write_bytes(gzip.compress(changed) if packed else changed)
    try:
        yield
    finally:
        file.write_bytes(content)


PLANTED: Final = [
    (
        RUNS,
        '"global_batch_size":64',
        '"global_batch_size":63',
        "global_batch_size is 63, recorded is 64",
    ),
    (
        RUNS,
        '"system":"a-machine"',
        '"system":"z-machine"',
        "run resnet-one: system is 'z-machine', recorded is 'a-machine'",
    ),
    (
        "api/v1/systems.json",
        '"accelerators":4',
        '"accelerators":8',
        "accelerators is 8, recorded is 4",
    ),
    ("api/v1/workloads.json", "1281167", "1281176", "is 1281176, recorded is 1281167"),
    ("api/v1/charts.json", "1,235", "1,325", CHANGED),
    ("data/metrics.csv.gz", "1234.5678", "1234.5687", "is '1234.5687', the records have 1234.5678"),
    ("data/specifications.parquet", "PAR1", "PAR2", CHANGED),
    (f"{SPEED}/data.csv.gz", "617.25", "671.25", "is '671.25', the records have 617.25"),
    (f"{SPEED}/meta.json", "1,235", "1,325", CHANGED),
    (f"{SPEED}/spec.en.json", ".25,617,", ".25,671,", CHANGED),
    (
        f"{SPEED}/spec.en.json",
        ",617.25,",
        ",671.25,",
        "draws value = 671.25, which its downloads do not have",
    ),
    (
        f"{STEPS}/spec.en.json",
        '"calculate":"0.0520624"',
        '"calculate":"0.0520642"',
        "draws value = 0.0520642, which its downloads do not have",
    ),
    (f"{SPEED}/spec.en.json", "{", "", "is no JSON: "),
    (f"{SPEED}/meta.json", "{", "", "is no JSON: "),
    (f"{STEPS}/table.csv", "0.0520624", "0.0520642", CHANGED),
    (f"{STEPS}/table.parquet", "PAR1", "PAR", CHANGED),
    (
        f"en/{STEPS}/index.html",
        ">0.052062<",
        ">0.052026<",
        "figure without reference: the text '0.052026' is not 0.0520624",
    ),
    (f"en/{STEPS}/index.html", ">measured</td>", ">warm-up</td>", CHANGED),
    (
        f"{STEPS}/table.en.js",
        ">0.052062<",
        ">0.052026<",
        "figure without reference: the text '0.052026' is not 0.0520624",
    ),
    (f"{SPEED}/en.svg", "</text>", "", "is no SVG"),
    *(
        (f"{SPEED}/en{kind}.svg", ">617<", ">671<", "writes '671', which")
        for kind in ("", "-dark", "-narrow", "-page", "-phone")
    ),
    (f"{SPEED}/en.svg", ">617<", ">1,235<", CHANGED),
    (f"{SPEED}/en-page.svg", ">617<", "><", CHANGED),
    (f"{SPEED}/en-narrow.svg", ".</title>", "!</title>", "around the chart; neither"),
    (f"{SPEED}/en-dark.svg", 'fill="#1e2129"', 'fill="#ffffff"', CHANGED),
    (f"{SPEED}/en-page.svg", ".</title>", "!</title>", "around the chart; neither"),
    (
        f"{SPEED}/en.svg",
        "Throughput of all systems",
        "Throughput of 7 systems",
        "writes 'Throughput of 7 systems",
    ),
    (
        f"{SPEED}/en.svg",
        ">Data: synthetic",
        ">Data: 99 synthetic",
        "around the chart; neither its page nor meta.json",
    ),
    (f"{SPEED}/table.en.js", ">617<", ">671<", "the text '671' is not 617.25"),
    (
        f"{SPEED}/table.en.js",
        "value=617.25",
        "value=671.25",
        "the table of resnet50-imagenet-throughput shows 671.25, which no download has",
    ),
    (f"{SPEED}/table.en.js", "../en/runs/", "../en/rums/", "which is not there"),
    (PAGE, "data.en.js?", "data.fr.js?", "leads to c/resnet50-imagenet-throughput/data.fr.js"),
    (
        "en/workloads/resnet50-imagenet/index.html",
        "table.en.js?",
        "tables.en.js?",
        "leads to c/resnet50-imagenet-throughput/tables.en.js",
    ),
    (f"{SPEED}/data.en.js", '"617"', '"671"', CHANGED),
    (f"{SPEED}/embed.html", "64.", "46.", CHANGED),
    (
        f"{SPEED}/embed.html",
        'languages="en',
        'languages="fr',
        "leads to c/resnet50-imagenet-throughput/data.fr.js",
    ),
    (
        f"{SPEED}/data.en.js",
        ',617.25],"throughput_low"',
        ',671.25],"throughput_low"',
        "draws throughput = 671.25, which its downloads do not have",
    ),
    (f"{SPEED}/data.en.js", '"scale":[', '"scale":["cubic",', CHANGED),
    (PAGE, 'alt="Of 2', 'alt="Of 3', "a picture of resnet50-imagenet-throughput says 'Of 3"),
    (
        PAGE,
        '"description" content="',
        '"description" content="77 ',
        "the figure '77' in the description",
    ),
    ("en/method/index.html", "</article>", "<p>about 12.5</p></article>", "stands outside <data>"),
]


@pytest.fixture(scope="module")
def said(built: Built) -> dict[tuple[str, str], list[str]]:
    """What `verify` says by file and what was planted there: one thing a file and turn."""
    found: dict[tuple[str, str], list[str]] = {}
    left = [each[:3] for each in PLANTED]
    while left:
        turn = {file: (file, old, new) for file, old, new in left}
        with ExitStack() as stack:
            for file, old, new in turn.values():
                stack.enter_context(planted(built.out / file, old, new))
            faults = built.faults()
        found |= {(file, new): faults for file, _, new in turn.values()}
        left = [each for each in left if each not in turn.values()]
    return found


@pytest.mark.parametrize("each", PLANTED, ids=" ".join)
def test_a_planted_value_is_named(
    built: Built, said: dict[tuple[str, str], list[str]], each: tuple[str, str, str, str]
) -> None:
    """The file and what stands in it, apart from that it is not what was built: among others, or
    alone where the same value planted in two files hides it.
    """
    file, old, new, fault = each

    def named(found: list[str]) -> bool:
        return any(one.startswith(file) and fault in one for one in found)

    found = said[file, new]
    if not named(found):
        with planted(built.out / file, old, new):
            found = built.faults()

    assert f"{file}: {CHANGED}" in found
    assert named(found), found


def test_a_left_over_table_is_named(built: Built) -> None:
    """Folders of tables hold nothing else; what is gone is named too."""
    left, gone = built.out / "data/tariffs.csv", built.out / "api/v1/costs.json"
    content = gone.read_bytes()
    left.write_text("currency,value\nEUR,1.1\n", encoding="utf-8")
    gone.unlink()
    try:
        found = built.faults()
    finally:
        left.unlink()
        gone.write_bytes(content)

    assert "data/tariffs.csv: was written by no build; remove it" in found
    assert any(each.startswith("api/v1/costs.json: was written by the build and") for each in found)


def test_a_table_that_cannot_be_unpacked_is_named(built: Built) -> None:
    """A file cut short is not what was built, and is read no further."""
    file = built.out / "data/steps.csv.gz"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    try:
        found = built.faults()
    finally:
        file.write_bytes(content)

    assert f"data/steps.csv.gz: {CHANGED}" in found


def test_a_withdrawn_run_is_told_from_others(built: Built) -> None:
    """Withdrawn after the build: each page with its figures is named, its own apart; the mark lets
    it pass.
    """
    one, two = built.inputs.evidence.archive.runs
    runs = (replace(one, withdrawn="measured wrongly"), two)

    found = [
        each
        for each in built.faults(runs=runs)
        if f"the run {one.run_id}, which was withdrawn" in each
    ]
    assert any(each.startswith(PAGE) for each in found)
    assert not any(each.startswith(f"en/runs/{one.run_id}/") for each in found)

    with planted(built.out / PAGE, "<article", '<article class="ts-withdrawn"><div'):
        marked = built.faults(runs=runs)
    assert not any(each.startswith(PAGE) and "withdrawn" in each for each in marked)
