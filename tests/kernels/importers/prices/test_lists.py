"""Dated lists of clouds become offers: each price once for as long as it held, the wrong refused."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import catalog
from kernels.catalog import price_history
from kernels.errors import SourceError
from kernels.importers import prices
from kernels.importers.base import Imported
from kernels.importers.prices.lists import card
from kernels.records import Per, Price, PriceKind
from tests.examples import tried

AWS = (
    "generated_on,commit_date,commit,region,instance_type,usd_per_hour,accelerator_manufacturer,"
    "accelerator,accelerator_count,accelerator_memory_mib"
)
AZURE = (
    "generated_on,commit_date,commit,region,instance_type,usd_per_hour,accelerator,"
    "accelerator_count"
)
GOOGLE = (
    "commit_date,commit,region,machine_type,accelerator,accelerator_count,vcpu,memory_gb,"
    "local_ssd_gb,hour,hour_spot,month,month_1y,month_3y"
)
CLOUDS = "Cloud,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,On-demand,Per-GPU,Spot,Name"
HARDWARE = catalog.load().hardware
OFFER = {
    "id": "toy-h100",
    "provider_id": "runpod",
    "gpu_model": "NVIDIA H100 SXM5",
    "vram_gb": 80,
    "interconnect": "SXM",
    "tier": "on-demand",
    "price_usd_hour": 2.5,
    "vcpu": 8,
    "collected_at": "2026-05-24",
}


def found(folder: Path, name: str, *lines: str) -> Imported:
    """What a file of these lines holds."""
    path = folder / name
    path.write_text("\n".join((*lines, "")), encoding="utf-8")
    (part,) = prices.parts(path, {})
    return prices.read(part)


def offers(folder: Path, *changes: Mapping[str, object]) -> Imported:
    """A list of offers, each of them changed so."""
    made = [{**OFFER, "id": f"toy-{at}", **change} for at, change in enumerate(changes)]
    return found(folder, "offerings.json", json.dumps(made, indent=1))


def aws(day: str, amount: str, machine: str = "p5.48xlarge") -> str:
    """A row of the list of AWS."""
    return f"{day},{day},ab12,us-east-1,{machine},{amount},nvidia,h100,8,81920"


def google(machine: str = "a3-highgpu-8g", chip: str = "h100-80gb", **cells: str) -> str:
    """A row of the list of Google Cloud."""
    said = {"hour": "80", "hour_spot": "40", "month": "58400", "month_1y": "40000"} | cells
    amounts = ",".join(said.get(name, "") for name in ("hour", "hour_spot", "month", "month_1y"))
    return f"2024-06-27,ab12,us-central1,{machine},{chip},8,208,1872,6000,{amounts},30000"


def shown(imported: Imported) -> list[tuple[str, float, str | None]]:
    """Terms, amount and accelerator of each price."""
    return [(price.kind.value, price.amount, price.hardware) for price in imported.prices]


def test_a_price_stands_once_for_as_long_as_it_held(tmp_path: Path) -> None:
    """On its first day; a change is a price more."""
    days = ("2024-03-11", "2024-06-03", "2024-09-30")

    imported = found(
        tmp_path, "aws.csv", AWS, *map(aws, days, ("98.320000", "98.320000", "55.040000"))
    )

    assert [(p.amount, p.valid_from, p.valid_to) for p in imported.prices] == [
        (98.32, date(2024, 3, 11), None),
        (55.04, date(2024, 9, 30), None),
    ]
    first = imported.prices[0]
    assert first.system == "aws-p5.48xlarge"
    assert first.hardware == "h100"
    assert first.accelerators == 8
    assert first.includes == ("accelerator", "host")
    assert first.licence == "Apache-2.0"
    assert first.decimals == 2


@pytest.mark.parametrize("lost", ["accelerator", "accelerator_count"])
@pytest.mark.parametrize("head", [AWS, AZURE, GOOGLE])
def test_a_list_without_accelerators_is_none(tmp_path: Path, head: str, lost: str) -> None:
    """It is refused as a whole, for none of its rows says what is sold."""
    columns = ",".join(name for name in head.split(",") if name != lost)
    (tmp_path / "list.csv").write_text(f"{columns}\n", encoding="utf-8")

    with pytest.raises(SourceError, match="found no prices, wanted one of"):
        list(prices.parts(tmp_path / "list.csv", {}))


def test_an_offer_that_a_later_snapshot_lacks_has_ended(tmp_path: Path) -> None:
    """On the last day on which it was seen, however long its price had been the same."""
    imported = found(
        tmp_path,
        "aws.csv",
        AWS,
        aws("2024-03-11", "9", "p3.2xlarge"),
        aws("2024-06-03", "9", "p3.2xlarge"),
        aws("2024-09-30", "55"),
    )

    ends = {price.offer: (price.valid_from, price.valid_to) for price in imported.prices}
    assert ends["p3.2xlarge"] == (date(2024, 3, 11), date(2024, 6, 3))
    assert ends["p5.48xlarge"][1] is None


def test_a_share_of_a_card_is_refused(tmp_path: Path) -> None:
    """So is a machine whose number of cards nobody states: neither has a price per card."""
    rows = [
        f"2026-06-18,2026-07-16,ab12,westeurope,Standard_{name},1.0,{chip},{count}"
        for name, chip, count in (
            ("NC24ads_A100_v4", "A100-80GB", "1"),
            ("NV6ads_A10_v5", "A10-24GB", "1/6"),
            ("NC32ds_xl_RTXPRO6000BSE_v6", "RTXPRO6000", ""),
            ("NC40ads_H100_v5", "H100-NVL-94GB", "1"),
            ("ND96isr_MI300X_v5", "MI300X-192GB", "8"),
        )
    ]

    imported = found(tmp_path, "azure.csv", AZURE, *rows)

    assert [price.hardware for price in imported.prices] == ["a100-80gb", "h100-nvl", "mi300x"]
    assert [each.reason for each in imported.left_out] == ["no whole number of accelerators"] * 2


def test_google_has_four_terms(tmp_path: Path) -> None:
    """An hour on demand and spot, a month of two commitments; local disks are in the price."""
    imported = found(tmp_path, "gcp.csv", GOOGLE, google())

    assert [(p.kind, p.per, p.term_months, p.amount) for p in imported.prices] == [
        (PriceKind.ON_DEMAND, Per.HOUR, None, 80.0),
        (PriceKind.SPOT, Per.HOUR, None, 40.0),
        (PriceKind.RESERVED, Per.MONTH, 12, 40000.0),
        (PriceKind.RESERVED, Per.MONTH, 36, 30000.0),
    ]
    assert {price.includes for price in imported.prices} == {("accelerator", "host", "storage")}


@pytest.mark.parametrize(
    ("row", "reason", "left"),
    [
        (google(hour_spot="15"), "a spot price without the accelerator", 3),
        (google(month_1y="58400"), "a commitment at the price without one", 3),
        (
            google("a2-ultragpu-8g", "a100"),
            "the price of the card with 40 GB, for a machine with that of 80 GB",
            0,
        ),
    ],
)
def test_what_google_s_list_has_wrong_is_refused(
    tmp_path: Path, row: str, reason: str, left: int
) -> None:
    """By name; the other prices of the row stay where they can."""
    imported = found(tmp_path, "gcp.csv", GOOGLE, row)

    assert {each.reason for each in imported.left_out} == {reason}
    assert len(imported.prices) == left


def test_the_table_of_clouds_has_its_day_in_its_name(tmp_path: Path) -> None:
    """A machine without a name is called after its cards; three spellings are one card."""
    rows = (
        "AWS,V100 (16 GB),Volta,4,64,32,244,12.24,3.06,3.67,p3.8xlarge",
        "Cudo Compute,T4 (16),Turing,2,32,8,32,0.74,0.3,,",
        "GCP,T4 (16GB),Turing,1,16,8,32,0.6,0.6,,n1",
        "CR8DL,A100 (80 GB),Ampere,8,640,,,,,,",
    )

    imported = found(tmp_path, "cloud-gpus-2024-05-20-0f0c719.csv", CLOUDS, *rows)

    assert [(p.provider, p.offer, p.hardware, p.amount) for p in imported.prices] == [
        ("AWS", "p3.8xlarge", "v100", 12.24),
        ("AWS", "p3.8xlarge", "v100", 3.67),
        ("Cudo Compute", "2 × T4, 8 vCPU", "t4", 0.74),
        ("Google Cloud", "n1", "t4", 0.6),
    ]
    assert {price.valid_from for price in imported.prices} == {date(2024, 5, 20)}
    assert [each.reason for each in imported.left_out] == ["no price"]
    with pytest.raises(SourceError, match="no day in the file's name"):
        found(tmp_path, "cloud-gpus.csv", CLOUDS, *rows)


def test_offers_say_their_terms_and_what_is_billed_apart(tmp_path: Path) -> None:
    """A marketplace's price is what a host asks; an estimate is no price."""
    imported = offers(
        tmp_path,
        {},
        {"tier": "community", "caveats": ["vCPU/RAM billed separately: $0.004/vCPU/h"]},
        {"tier": "spot", "caveats": ["Spot price estimated"]},
        {"tier": "whim"},
        {"price_usd_hour": None},
    )

    assert shown(imported) == [("on_demand", 2.5, "h100-sxm"), ("marketplace", 2.5, "h100-sxm")]
    assert [price.includes for price in imported.prices] == [
        ("accelerator", "host"),
        ("accelerator",),
    ]
    assert imported.prices[1].notes == ["host-apart", "asking-price"]
    assert [each.reason for each in imported.left_out] == [
        "an estimate, which nobody offers",
        "terms not known",
        "a field is missing",
    ]
    assert imported.left_out[0].text.startswith("offerings.json:28: ")


def test_a_line_of_the_feed_is_a_day(tmp_path: Path) -> None:
    """Converted prices and those of hosts say so; a form that nobody states is none."""
    day = {
        "cheapest": {
            "scaleway": {"H100 80GB PCIe": 3.2655},
            "vastai": {"H200 141GB (form unstated)": 3.9, "V100 16GB SXM": 0.23},
        },
        "collected_at": "2026-07-23T22:12:57+00:00",
    }
    later = {"cheapest": {"scaleway": {"H100 80GB PCIe": 3.3}}, "collected_at": "2026-09-01"}

    imported = found(tmp_path, "history.jsonl", json.dumps(day), json.dumps(later))

    known = {(p.provider, p.offer, p.valid_from): p for p in imported.prices}
    paid = known["Scaleway", "H100 80GB PCIe", date(2026, 7, 23)]
    asked = known["Vast.ai", "H200 141GB (form unstated)", date(2026, 7, 23)]
    assert (paid.kind, paid.hardware, paid.notes) == (
        PriceKind.ON_DEMAND,
        "h100-pcie",
        ["converted-from-euro"],
    )
    assert (asked.kind, asked.hardware, asked.notes) == (
        PriceKind.MARKETPLACE,
        None,
        ["asking-price"],
    )
    assert asked.valid_to == date(2026, 7, 23)
    assert known["Vast.ai", "V100 16GB SXM", date(2026, 7, 23)].hardware == "v100-sxm2-16gb"


@pytest.mark.parametrize(
    ("name", "memory", "hardware"),
    [
        ("NVIDIA A100 SXM4", 80, "a100-sxm4-80gb"),
        ("A100 SXM", 40, "a100-sxm4-40gb"),
        ("NVIDIA A100 PCIe", 80, "a100-pcie-80gb"),
        ("NVIDIA A100", 80, "a100-80gb"),
        ("H100 HGX", 80, "h100-sxm"),
        ("NVIDIA H100 NVL", 94, "h100-nvl"),
        ("NVIDIA H200 NVL", 141, "h200-nvl"),
        ("H200 PCIe", 141, None),
        ("NVIDIA B200 SXM6", 180, "b200"),
        ("RTX 4090 (48 GB mod)", 48, None),
        ("NVIDIA RTX Pro 6000 SE", 96, "rtx-pro-6000-se"),
        ("A5000", 24, "rtx-a5000"),
        ("Tesla V100 NVLink", 16, "v100"),
        ("AMD MI300X", 192, "mi300x"),
    ],
)
def test_a_card_is_known_by_name_form_and_memory(
    name: str, memory: float, hardware: str | None
) -> None:
    """Of another form than the catalogue's it is none of them."""
    assert card(name, memory, HARDWARE) == hardware


DAYS = st.sampled_from([f"2024-0{month}-01" for month in range(1, 10)])
ROWS = st.lists(
    st.tuples(DAYS, st.integers(1, 3), st.sampled_from(["p4d.24xlarge", "p5.48xlarge"])),
    unique_by=lambda row: (row[0], row[2]),
    min_size=1,
    max_size=12,
)


def on(history: list[Price], offer: str, day: date) -> float | None:
    """What an offer costs on a day; None where it has none."""
    held = [
        price
        for price in history
        if price.offer == offer and price.valid_from and price.valid_from <= day
    ]
    newest = max(held, key=lambda price: price.valid_from or date.min, default=None)
    return newest.amount if newest and (newest.valid_to or day) >= day else None


@settings(max_examples=tried(60), deadline=None)
@given(ROWS)
def test_what_is_recorded_says_the_price_of_every_snapshot(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, str]]
) -> None:
    """On each day that the file has an offer its price is the file's, and importing again adds
    nothing.
    """
    folder = tmp_path_factory.mktemp("aws")
    lines = [aws(day, f"{amount}.000000", machine) for day, amount, machine in rows]

    made = list(found(folder, "aws.csv", AWS, *lines).prices)

    assert len({price.price_id for price in made}) == len(made)
    assert not price_history.joined(made, made).fresh
    for day, amount, machine in rows:
        assert on(made, machine, date.fromisoformat(day)) == amount
    last = max(day for day, _, _ in rows)
    for machine in {row[2] for row in rows} - {row[2] for row in rows if row[0] == last}:
        assert on(made, machine, date.fromisoformat(last)) is None
