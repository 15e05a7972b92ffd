"""The catalogue: what it holds, and what its loader refuses."""

import csv
import io
import itertools
import re
import shutil
from datetime import date
from pathlib import Path

import pytest

from kernels import catalog
from kernels.errors import SourceError
from kernels.importers.mlperf.system import facts_of
from kernels.records import Bound, Certainty, PriceKind


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the catalogue that a test may spoil."""
    for path in [*catalog.FOLDER.glob("*.csv"), *catalog.FOLDER.glob("*.toml")]:
        shutil.copy(path, tmp_path)
    return tmp_path


def test_it_holds_what_the_first_report_needs() -> None:
    """Four chips a side, each printed price its own offer, the exact number of images."""
    known = catalog.load()

    assert (
        known.systems["cloud-tpu-v2-8"].accelerators
        == known.systems["aws-p3.8xlarge"].accelerators
        == 4
    )
    assert {
        price_id: price.amount
        for price_id, price in known.prices.items()
        if price.source == "tpuv2-v100"
    } == {
        "aws-p3.8xlarge-on-demand-2018": 12.2,
        "aws-p3.8xlarge-reserved-12m-2018": 8.4,
        "cirrascale-4xv100-month-2018": 7500.0,
        "gcp-cloud-tpu-v2-8-on-demand-2018": 6.7,
    }
    monthly = known.prices["cirrascale-4xv100-month-2018"]
    assert monthly.bound == Bound.APPROX
    assert monthly.decimals == -2
    assert monthly.kind == PriceKind.DEDICATED_MONTH
    assert known.workloads["resnet50-imagenet"].train_samples == 1281167


def test_a_figure_and_not_published_stand_side_by_side() -> None:
    """Of the TPU's power the newest figure; the article's statement can be asked for."""
    known = catalog.load()

    assert known.spec("tpu-v2", "power") == known.spec("tpu-v2", "power", "epoch-ai")
    said = known.spec("tpu-v2", "power", "tpuv2-v100")
    assert said is not None
    assert (said.value, said.certainty) == (None, Certainty.NOT_PUBLISHED)
    assert known.spec("tpu-v2", "peak_fp64") is None


def test_figures_of_epoch_ai_are_those_of_its_file(external: Path) -> None:
    """Every figure credited to Epoch AI equals the cell that its locator names, in base units, as
    last changed on its day.

    Of a board with two GPUs a piece is one of them: its figures are half of the cells, and
    `reconstructed`.
    """
    text = (external / "hardware-specs/epoch-ai-2025-11/ml_hardware.csv").read_text(
        encoding="utf-8"
    )
    table = {row["Hardware name"]: row for row in csv.DictReader(io.StringIO(text))}

    for spec in (spec for spec in catalog.load().specs if spec.source == "epoch-ai"):
        place = re.fullmatch(r"file ml_hardware\.csv, row '(.+)', column '(.+)'", spec.locator)
        assert place is not None
        row = table[place[1]]
        scale = 1e6 if "(MHz)" in place[2] else 1.0
        shares = 2 if spec.certainty is Certainty.RECONSTRUCTED else 1
        assert spec.value == float(row[place[2]]) * scale / shares
        assert (shares == 2) == (
            spec.hardware in ("k80", "mi250x") and "clock" not in spec.quantity
        )
        assert str(spec.day) == row["Last modified"][:10]


def test_a_p2_xlarge_has_one_gpu_of_a_board() -> None:
    """12 of the 24 GB of a K80, 4.063 of its 8.126 TFLOP/s and 150 of 300 W; 4 vCPU are 2 cores."""
    known = catalog.load()
    system = known.systems["aws-p2.xlarge"]
    found = {
        name: known.spec(system.hardware, name)
        for name in ("memory", "peak_fp32", "peak_fp64", "power")
    }

    assert system.accelerators == 1
    assert known.hardware[system.hardware].per == "gpu"
    assert system.cpu_cores == 2
    assert {name: spec.value for name, spec in found.items() if spec} == {
        "memory": 12e9,
        "peak_fp32": 4.063e12,
        "peak_fp64": 1.371e12,
        "power": 150.0,
    }


def test_resnet50_has_the_parameters_of_its_layers() -> None:
    """7 x 7 stem, 3 + 4 + 6 + 3 bottlenecks: 25 503 912 weights, 53 120 of normalisation."""
    weights, norms, inputs = 7 * 7 * 3 * 64, 2 * 64, 64
    for blocks, middle in ((3, 64), (4, 128), (6, 256), (3, 512)):
        outputs = 4 * middle
        for block in range(blocks):
            weights += inputs * middle + 9 * middle * middle + middle * outputs
            norms += 2 * (middle + middle + outputs)
            if block == 0:
                weights += inputs * outputs
                norms += 2 * outputs
            inputs = outputs
    weights += 2048 * 1000 + 1000

    assert (weights, norms) == (25_503_912, 53_120)
    assert catalog.load().workloads["resnet50-imagenet"].parameters == weights + norms


def test_language_models_have_the_parameters_of_their_layers() -> None:
    """BERT-Large with both heads of pre-training, Llama with eight heads of keys and values."""
    width, inner, words = 1024, 4096, 30522
    layer = 4 * (width + 1) * width + (width + 1) * inner + (inner + 1) * width + 4 * width
    encoder = (words + 512 + 2 + 2) * width + 24 * layer + (width + 1) * width
    heads = (width + 1) * width + 2 * width + words + (width + 1) * 2
    wide, keys, gated = 8192, 1024, 28672
    llama = (
        80 * (2 * wide * wide + 2 * wide * keys + 3 * wide * gated + 2 * wide)
        + 2 * 32000 * wide
        + wide
    )
    small = (
        32 * (2 * 4096 * 4096 + 2 * 4096 * keys + 3 * 4096 * 14336 + 2 * 4096)
        + 2 * 128256 * 4096
        + 4096
    )
    known = catalog.load().workloads

    assert known["llama3.1-8b-c4"].parameters == small
    assert (encoder, heads) == (335_141_888, 1_084_220)
    assert known["bert-wikipedia"].parameters == encoder + heads
    assert known["llama2-70b-lora-scrolls"].parameters == llama


def test_dlrm_has_the_parameters_of_its_tables_and_layers() -> None:
    """26 tables of 128 numbers a row, two perceptrons, three crosses of rank 512."""
    rows = (
        5 * 40_000_000 + 39060 + 17295 + 7424 + 20265 + 3 + 7122 + 1543 + 63 + 3067956 + 405282
        + 10 + 2209 + 11938 + 155 + 4 + 976 + 14 + 590152 + 12973 + 108 + 36
    )  # fmt: skip
    wide = (26 + 1) * 128

    def perceptron(*widths: int) -> int:
        return sum((a + 1) * b for a, b in itertools.pairwise(widths))

    layers = perceptron(13, 512, 256, 128) + perceptron(wide, 1024, 1024, 512, 256, 1)
    crosses = 3 * (2 * wide * 512 + wide)

    assert (
        catalog.load().workloads["dlrm-dcnv2-criteo-4tb"].parameters
        == 128 * rows + layers + crosses
    )


def test_a_name_stands_for_one_accelerator() -> None:
    """No name or alias, whatever its capitals, belongs to two, and "TPU" to none."""
    names = [
        (name.lower(), each.hardware)
        for each in catalog.load().hardware.values()
        for name in {*each.aliases, each.name}
    ]
    owners: dict[str, set[str]] = {}
    for name, hardware in names:
        owners.setdefault(name, set()).add(hardware)

    assert {name: found for name, found in owners.items() if len(found) > 1} == {}
    assert "tpu" not in owners
    assert owners["nvidia blackwell gpu (gb200)"] == {"gb200"}


def test_systems_of_submissions_are_as_their_files_say(external: Path) -> None:
    """Chips, machines and name equal what the cited file says; "TPU" is the importer's."""
    known = catalog.load()
    names = {
        name.lower(): each.hardware
        for each in known.hardware.values()
        for name in (*each.aliases, each.name)
    }
    cited = [system for system in known.systems.values() if system.source.startswith("mlperf-")]

    assert len(cited) == 11
    for system in cited:
        path = (
            external / "mlperf-training" / system.locator.removeprefix("file '").removesuffix("'")
        )
        assert path.is_file()
        below = (
            path.parent if path.name == "entry.json" else path.parent.parent / "results" / path.stem
        )
        facts = facts_of(below / "any" / "result_0.txt")
        assert (facts.accelerators, facts.nodes) == (system.accelerators, system.nodes)
        assert names.get(str(facts.accelerator).lower()) == (
            system.hardware if facts.accelerator != "TPU" else None
        )


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "prices.csv",
            ",12.2,USD",
            ",12.2,dollars",
            r"prices.csv:4: price aws-p3.8xlarge-on-demand-2018: currency 'dollars'",
        ),
        ("prices.csv", ",12.2,", ",twelve,", r"csv:4: amount: found 'twelve', wanted a figure"),
        ("prices.csv", ",12.2,", ",8..12,", "one amount, not a range"),
        (
            "prices.csv",
            ",resnet34-artists",
            ",resnet35-artists",
            r"workload: found 'resnet35-artists', wanted an id that is listed; did you mean",
        ),
        (
            "prices.csv",
            "aws-p3.8xlarge,4,on_demand",
            "aws-p3.8xlage,4,on_demand",
            "system: .* did you mean 'aws-p3.8xlarge'",
        ),
        (
            "prices.csv",
            "on_demand,12.2",
            "on_request,12.2",
            "kind: found 'on_request', wanted one of on_demand, reserved",
        ),
        (
            "prices.csv",
            "aws-p3.8xlarge-reserved-12m-2018",
            "aws-p3.8xlarge-on-demand-2018",
            "is there twice",
        ),
        ("hardware.csv", "h200-sxm,", "z-last,", "sort the file"),
        ("specs.csv", "tpu-v2,power,280,W", "tpu-v2,power,280,J", "unit: found 'J', wanted 'W'"),
        ("specs.csv", "tpu-v2,power,280,W", "tpu-v2,power,,W", "value: found None, wanted a fig"),
        ("specs.csv", "tpu-v2,power,280,W", "tpu-v2,powre,280,W", "did you mean 'power'"),
        ("workloads.toml", "runnable = true", "runnable = 1", "found 1, wanted yes or no"),
        ("workloads.toml", "classes = 10\n", "clases = 10\n", "'clases'; did you mean 'classes'"),
        ("rates.csv", "base,quote,rate", "base,quote,rat", "unknown column 'rat'"),
        (
            "rates.csv",
            "EUR,BRL,4.1979",
            "EUR,JPY,0",
            "rate: found 0.0 JPY for one EUR, wanted more than 0",
        ),
        (
            "rates.csv",
            "EUR,BRL,4.1979",
            "EUR,EUR,1",
            "rate: found 1.0 EUR for one EUR, wanted more than 0, of two currencies",
        ),
        (
            "rates.csv",
            "EUR,BRL,4.1979",
            "EUR,reais,4.1979",
            "rates.csv:2: rate EUR/reais of 2018-04-13: currency 'reais'",
        ),
    ],
)
def test_a_wrong_entry_is_refused_by_name(
    folder: Path, file: str, old: str, new: str, said: str
) -> None:
    """File, line or table, field, what was found and what was wanted."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(SourceError, match=said):
        catalog.load(folder)


@pytest.mark.parametrize(
    ("amount", "currency", "said"),
    [
        ("0.31", "EUR", None),
        ("0", "EUR", "electricity.csv:2: tariff de-households: amount 0.0, wanted more than 0"),
        ("0.31", "euro", "tariff de-households: currency 'euro' is not an ISO 4217 code"),
    ],
)
def test_a_price_of_electricity_is_read_or_refused_by_name(
    folder: Path, amount: str, currency: str, said: str | None
) -> None:
    """Dated, with its region and source, in a currency for a kilowatt-hour."""
    with (folder / "electricity.csv").open("a", encoding="utf-8") as file:
        file.write(
            f"de-households,germany,{amount},{currency},2025-01-01,2025-06-30,toy,table 1,MIT,\n"
        )

    if said is None:
        (tariff,) = catalog.load(folder).tariffs.values()
        assert (tariff.amount, tariff.currency, tariff.valid_to) == (0.31, "EUR", date(2025, 6, 30))
    else:
        with pytest.raises(SourceError, match=said):
            catalog.load(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    """A catalogue without its rates says so."""
    (folder / "rates.csv").unlink()

    with pytest.raises(SourceError, match=r"rates.csv: cannot be read: No such file"):
        catalog.load(folder)
