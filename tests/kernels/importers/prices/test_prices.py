"""Catalogues of prices become dated offers, or rows are refused by line; no price is 0."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.errors import SourceError
from kernels.importers import prices
from kernels.importers.base import Imported
from kernels.importers.prices.offers import decimals
from kernels.importers.prices.skypilot import gpu_info, of_slice
from kernels.records import NO_LICENCE, Per, PriceKind
from tests.examples import tried

SAID = {"day": "2026-05-20", "source": "toy", "licence": NO_LICENCE, "credit": "Toyco"}

SKYPILOT = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice"
V100 = (
    "\"{'Gpus': [{'Name': 'V100', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 16384}}], "
    "'TotalGpuMemoryInMiB': 16384}\""
)
GPUHUNT = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size"
TPUS = (
    '{{"TPU v5e": {{"us-central1": {{"Location": "Iowa", "On Demand (USD)": {}, "Spot (USD)": '
    "{}}}}}}}"
)


def found(
    folder: Path, text: str, name: str = "gcp/vms.csv", said: Mapping[str, str | None] = SAID
) -> Imported:
    """What a file holds."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (part,) = prices.parts(path, said)
    return prices.read(part)


def skypilot(folder: Path, *rows: str) -> Imported:
    """A catalogue of these rows."""
    return found(folder, "\n".join((SKYPILOT, *rows, "")))


def shown(imported: Imported) -> list[tuple[str, str, str | None, int, float]]:
    """Offer, kind, region, chips and amount of each price."""
    return [
        (each.offer, each.kind.value, each.region, each.accelerators, each.amount)
        for each in imported.prices
    ]


def reasons(imported: Imported) -> list[str]:
    """Why rows were refused, in order."""
    return [each.reason for each in imported.left_out]


def test_a_row_is_a_whole_machine_on_demand_and_spot(tmp_path: Path) -> None:
    """Its price stays that of all its accelerators; terms, place, day and line beside it."""
    imported = skypilot(
        tmp_path, f"gpu_8x_v100,88,448,V100,8,{V100},us-east-1,us-east-1-a,6.32,2.0"
    )

    demand, spot = imported.prices
    assert shown(imported) == [
        ("gpu_8x_v100", "on_demand", "us-east-1", 8, 6.32),
        ("gpu_8x_v100", "spot", "us-east-1", 8, 2.0),
    ]
    assert demand.provider == "Google Cloud"
    assert demand.hardware == "v100"
    assert demand.currency == "USD"
    assert demand.per == Per.HOUR
    assert demand.valid_from == date(2026, 5, 20)
    assert demand.locator == "file 'gcp/vms.csv', line 2"
    assert demand.includes == ("accelerator", "host")
    assert demand.price_id == "toy-google-cloud-gpu-8x-v100-us-east-1-on-demand-20260520"
    assert spot.price_id == "toy-google-cloud-gpu-8x-v100-us-east-1-spot-20260520"
    assert spot.decimals == 1
    assert imported.left_out == ()


def test_zones_of_one_price_are_one_offer_and_others_are_not(tmp_path: Path) -> None:
    """Where zones differ, each has its own."""
    row = ",,,T4,1,T4,us-east1,us-east1-{},0.35,{}"

    imported = skypilot(tmp_path, row.format("a", 0.1), row.format("b", 0.1), row.format("c", 0.2))

    assert shown(imported) == [
        ("1 × T4", "on_demand", "us-east1", 1, 0.35),
        ("1 × T4", "spot", "us-east1-a", 1, 0.1),
        ("1 × T4", "spot", "us-east1-b", 1, 0.1),
        ("1 × T4", "spot", "us-east1-c", 1, 0.2),
    ]


def test_accelerators_without_a_machine_leave_it_out(tmp_path: Path) -> None:
    """The price says so; of a TPU nobody says whether its host is in it."""
    gpu, tpu = skypilot(
        tmp_path, ",,,T4,4,T4,us-east1,,1.4,", ",,,tpu-v2-8,1,tpu-v2-8,us-east1,,4.5,"
    ).prices

    assert gpu.offer == "4 × T4"
    assert gpu.accelerators == 4
    assert gpu.includes == ("accelerator",)
    assert gpu.note == "host-apart"
    assert tpu.offer == "tpu-v2-8"
    assert tpu.accelerators == 4
    assert tpu.hardware == "tpu-v2"
    assert tpu.note == "host-not-stated"
    assert tpu.system == "google-cloud-tpu-v2-8"


@pytest.mark.parametrize(
    ("name", "kind", "chips"),
    [
        ("tpu-v3-32", "tpu-v3", 16),
        ("tpu-v5p-8", "tpu-v5p", 4),
        ("tpu-v5litepod-8", "tpu-v5e", 8),
        ("v6e-256", "tpu-v6e", 256),
        ("V100", None, 1),
    ],
)
def test_a_slice_counts_cores_or_chips(name: str, kind: str | None, chips: int) -> None:
    """Cores up to v5p, chips from v5e on."""
    assert of_slice(name, "x") == (kind, chips)


@pytest.mark.parametrize(
    ("row", "reason", "text"),
    [
        (
            "m,,,T4,1,T4,r,V1,V2,1.0,0.5",
            "a row of another width",
            "gcp/vms.csv:2: found 11 cells, wanted 10",
        ),
        (
            "m,,,T4,1,T4,r,z,0.00,",
            "0 stands for no price",
            "gcp/vms.csv:2: Price: found '0.00', which stands for no price",
        ),
        ("m,,,T4,1,T4,r,z,,", "no price", "gcp/vms.csv:2: Price: found nothing"),
        ("m,,,T4,1,T4,r,z,-1,", "no amount", "csv:2: Price: found '-1', wanted an amount above 0"),
        ("m,,,T4,1,T4,r,z,free,", "no amount", "found 'free', wanted an amount above 0"),
        ("m,,,T4,1,T4,r,z,inf,", "no amount", "found 'inf'"),
        ("m,4,16,,,,r,z,0.2,", "no accelerator", "gcp/vms.csv:2: AcceleratorName: found ''"),
        ("m,,,T4,0,T4,r,z,0.2,", "no accelerator", "AcceleratorCount: found '0'"),
        (
            "m,,,L4,0.125,L4,r,z,0.2,",
            "no whole number of accelerators",
            "found '0.125', wanted 1 or more",
        ),
        ("m,,,T4,1,{'Gpus': [,r,z,0.2,", "unreadable GpuInfo", "GpuInfo: found \"{'Gpus': [\""),
        ("m,,,T4,1,{'Gpus': []},r,z,0.2,", "unreadable GpuInfo", "wanted a name or {'Gpus'"),
        ("m,,,T4,1,{'Gpus': [{'Count': -1}]},r,z,0.2,", "unreadable GpuInfo", "a count of -1"),
        (
            "m,,,T4,2,{'Gpus': [{'Count': 1.0}]},r,z,0.2,",
            "GpuInfo against AcceleratorCount",
            "found 1 GPUs, wanted 2",
        ),
        (",,,tpu-v9-8,1,tpu-v9-8,r,z,0.2,", "number of chips not known", "Name: found 'tpu-v9-8'"),
        ("東京,,,T4,1,T4,r,z,0.2,", "no id", "wanted names with Latin letters"),
    ],
)
def test_a_row_that_cannot_be_taken_is_named_with_its_line(
    tmp_path: Path, row: str, reason: str, text: str
) -> None:
    """The reason is one that others share, the text says what was found; the next row is taken."""
    imported = skypilot(tmp_path, row, "good,,,T4,1,T4,r,z,0.35,")

    assert reasons(imported) == [reason]
    assert text in imported.left_out[0].text
    assert shown(imported) == [("good", "on_demand", "r", 1, 0.35)]


def test_a_spot_price_of_0_is_none_and_the_other_is_taken(tmp_path: Path) -> None:
    """Half a row may be refused."""
    imported = skypilot(tmp_path, "m,,,T4,1,T4,r,z,0.35,0.00")

    assert shown(imported) == [("m", "on_demand", "r", 1, 0.35)]
    assert reasons(imported) == ["0 stands for no price"]


def test_a_price_that_does_not_grow_with_the_chips_is_none(tmp_path: Path) -> None:
    """A catalogue's 700 for every slice is no price; a machine may cost what it likes."""
    slices = [f",,,tpu-v6e-{n},1,tpu-v6e-{n},asia-east1,asia-east1-c,700.0,{n}.5" for n in (1, 8)]
    machines = [f"m{n},,,T4,{n},T4,asia-east1,asia-east1-c,700.0," for n in (1, 2)]

    imported = skypilot(tmp_path, *slices, *machines)

    assert reasons(imported) == ["same price for fewer and more chips"] * 2
    assert "gcp/vms.csv:3: Price: found 700.0 for tpu-v6e-8" in imported.left_out[1].text
    assert [each.amount for each in imported.prices] == [1.5, 8.5, 700.0, 700.0]


def test_a_spot_price_above_the_usual_one_is_said(tmp_path: Path) -> None:
    """It is the source's figure and stays as it is; the importer is told."""
    imported = skypilot(tmp_path, "m,,,T4,1,T4,r,z,0.35,0.5", "n,,,T4,1,T4,r,z,0.35,0.2")

    assert [each.note for each in imported.prices] == [None] * 4
    assert skypilot(tmp_path, ",,,tpu-v2-8,1,tpu-v2-8,r,z,4.5,5.0").prices[1].notes == [
        "host-not-stated"
    ]
    assert imported.warnings == (
        "gcp/vms.csv: spot-above-on-demand: 1 of its prices cannot be right, the first of them "
        f"{imported.prices[1].price_id}; "
        "they are kept and rank nowhere; `kernels check` names what each was compared with",
    )


def test_two_prices_for_one_offer_are_refused(tmp_path: Path) -> None:
    """The first stays; the same once more is no second price."""
    imported = skypilot(
        tmp_path, *(f"m,,,T4,1,T4,r,z,{amount}," for amount in ("0.35", "0.350", "0.4"))
    )

    assert shown(imported) == [("m", "on_demand", "r", 1, 0.35)]
    assert reasons(imported) == ["a second price for one offer"]
    assert (
        "gcp/vms.csv:4: Price: found 0.4 for an offer that has 0.35 in line 2"
        in imported.left_out[0].text
    )


def test_an_accelerator_that_nobody_knows_keeps_its_name(tmp_path: Path) -> None:
    """Memory tells two of one name apart; the unknown is warned of once, with its lines."""
    imported = skypilot(
        tmp_path,
        "a,,,A100,1,{'Gpus': [{'MemoryInfo': {'SizeInMiB': 40960}}]},r,z,2.0,",
        "b,,,A100,1,{'Gpus': [{'MemoryInfo': {'SizeInMiB': 81920}}]},r,z,3.0,",
        "c,,,XPU9,1,XPU9,r,z,1.0,0.5",
        "xpu9-big,,,XPU9,2,XPU9,r,z,2.0,",
    )

    assert [each.hardware for each in imported.prices] == [
        "a100-40gb",
        "a100-80gb",
        None,
        None,
        None,
    ]
    assert [each.offer for each in imported.prices][2:] == [
        "c (XPU9)",
        "c (XPU9)",
        "xpu9-big (XPU9)",
    ]
    assert imported.warnings[0].startswith(
        "gcp/vms.csv: lines 4, 5: 'XPU9' is not in catalog/hardware.csv"
    )
    assert imported.prices[2].price_id == "toy-google-cloud-c-xpu9-r-on-demand-20260520"


def test_a_machine_of_the_catalogue_is_that_machine(tmp_path: Path) -> None:
    """By provider, instance, number of accelerators; its id is of the file's names all the same."""
    (price,) = found(
        tmp_path, f"{SKYPILOT}\np3.8xlarge,,,V100,4,V100,us-east-1,,12.24,\n", "aws/vms.csv"
    ).prices

    assert price.system == "aws-p3.8xlarge"
    assert price.price_id == "toy-aws-p3.8xlarge-4x-v100-us-east-1-on-demand-20260520"


@pytest.mark.parametrize(
    ("amount", "places"),
    [
        ("2.7000", 4),
        ("24.0", 1),
        ("24", 0),
        ("7e2", 0),
        ("1e-5", 5),
        ("0.30000000000000004", 6),
        ("0.00000000123456", 11),
    ],
)
def test_decimals_are_those_that_are_meant(amount: str, places: int) -> None:
    """Noise of floating point is none of them, and no price above 0 is shown as 0."""
    assert decimals(amount) == places


@pytest.mark.parametrize("text", ["", "T4", "tpu-v2-8", "{'Gpus': [{'Name': 'T4'}]}"])
def test_gpu_info_may_say_nothing(text: str) -> None:
    """A name, an empty cell, or a list without memory and count."""
    assert gpu_info(text) == (None, None)


def test_rows_of_gpu_hunt_are_whole_machines_in_one_place(tmp_path: Path) -> None:
    """The file's name says whose they are; terms stand in a column."""
    rows = (
        "p3.8xlarge,us-east-1,12.24,32,244,4,V100,16.0,False,",
        "p3.8xlarge,us-east-1,4.0,32,244,4,V100,16.0,True,",
        "tpu,us-central1,9.6,1,1,1,v5litepod-8,0,False,",
        "c5,us-east-1,0.1,2,4,0,,,False,",
        "odd,us-east-1,1.0,2,4,1,T4,16,perhaps,",
        "none,us-east-1,,2,4,1,T4,16,False,",
    )

    imported = found(tmp_path, "\n".join((GPUHUNT, *rows)), "aws.csv")

    assert shown(imported) == [
        ("p3.8xlarge", "on_demand", "us-east-1", 4, 12.24),
        ("p3.8xlarge", "spot", "us-east-1", 4, 4.0),
        ("tpu", "on_demand", "us-central1", 8, 9.6),
    ]
    assert imported.prices[0].provider == "AWS"
    assert reasons(imported) == ["no accelerator", "terms not known", "no price"]


def test_the_list_of_tpu_prices_is_of_single_chips(tmp_path: Path) -> None:
    """Source, licence and credit are its own; the day has to be said; amounts as written."""
    text = (
        TPUS.format("1.2000", "0.6")
        .replace("}}}", ', "3-year Commitment (USD)": 0.54, "Monthly": 3}}}', 1)
        .replace(", ", ",\n")
    )

    imported = found(tmp_path, text, "tpu_pricing.json", {"day": "2026-08-19"})

    demand, spot, reserved = imported.prices
    assert [(each.kind, each.amount, each.term_months) for each in (demand, spot, reserved)] == [
        (PriceKind.ON_DEMAND, 1.2, None),
        (PriceKind.SPOT, 0.6, None),
        (PriceKind.RESERVED, 0.54, 36),
    ]
    assert demand.accelerators == 1
    assert demand.hardware == "tpu-v5e"
    assert demand.decimals == 4
    assert demand.licence == "MPL-2.0"
    assert demand.locator == "file 'tpu_pricing.json', line 2"
    assert reserved.price_id == "gpuhunt-tpu-google-cloud-tpu-v5e-us-central1-reserved-36m-20260819"
    assert imported.sources[0].credit == "GPU-hunt, dstack"
    assert imported.sources[0].url == "https://github.com/dstackai/gpuhunt"
    assert (
        "tpu_pricing.json:5: TPU v5e, us-central1, Monthly: found the terms 'Monthly', wanted one "
        "of On" in imported.left_out[0].text
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TPUS.format("1.2", "0.6")[:-1], "tpu.json: not readable as JSON"),
        ("[" + TPUS.format("1.2", "0.6") + "]", "tpu.json: found list, wanted an object"),
        (TPUS.format("1.2", '0.6, "Spot (USD)": 0.7'), r"the key 'Spot \(USD\)' is there twice"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """Whole, since nothing in it can be trusted."""
    with pytest.raises(SourceError, match=message):
        found(tmp_path, text, "tpu.json")


def test_parts_of_a_list_that_are_none_are_refused(tmp_path: Path) -> None:
    """The rest is taken, and nothing of it costs 0."""
    text = TPUS.format("null", "0.0").replace("}}}", '}}, "TPU v9": 3, "TPU v4": {"r": []}}', 1)

    no_place = "not a kind of TPU in a region"
    assert reasons(found(tmp_path, text, "tpu.json")) == [
        "no price",
        no_place,
        no_place,
        "0 stands for no price",
    ]


def test_an_index_is_a_price_that_nobody_sells(tmp_path: Path) -> None:
    """Each day has its own; empty cells are no figures."""
    text = "date,hyperscaler-H100,neocloud-H100\n2026-03-06,7.43,2.44\n2026-03-07,7.43,\n2026-03-08,,\nMarch,1,1\n"

    imported = found(tmp_path, text, "index.csv", {**SAID, "day": None})

    assert [(each.provider, each.valid_from, each.amount) for each in imported.prices] == [
        ("hyperscaler", date(2026, 3, 6), 7.43),
        ("neocloud", date(2026, 3, 6), 2.44),
        ("hyperscaler", date(2026, 3, 7), 7.43),
    ]
    assert {
        (each.note, each.kind, each.hardware, each.accelerators) for each in imported.prices
    } == {("price-index", PriceKind.UNKNOWN, "h100", 1)}
    assert reasons(imported) == ["no price", "no day"]
    with pytest.raises(SourceError, match="each row says its own day; leave the option out"):
        found(tmp_path, text, "index.csv")


def table(folder: Path, columns: str, *rows: str) -> Imported:
    """A plain table of these columns beside those that must be there."""
    head = f"provider,offer,accelerators,kind,amount,currency,per,{columns}"
    return found(folder, "\n".join((head, *rows, "")), "mine.csv")


def test_the_template_can_be_imported_as_it_stands(tmp_path: Path) -> None:
    """Two rows in euro, without a warning; every column is explained in it."""
    imported = found(tmp_path, prices.TEMPLATE, "mine.csv", {**SAID, "day": None})

    assert [
        (each.price_id, each.amount, each.currency, each.granularity_s) for each in imported.prices
    ] == [
        ("toy-example-cloud-gpu-4x-v100-eu-north-on-demand-eur-20260819", 9.8, "EUR", 60),
        ("toy-example-cloud-gpu-4x-v100-eu-north-spot-eur-20260819", 3.1, "EUR", 60),
    ]
    assert (imported.warnings, imported.left_out) == ((), ())
    assert imported.prices[0].locator == "file 'mine.csv', line 25"


def test_a_plain_table_may_say_more_than_a_catalogue(tmp_path: Path) -> None:
    """Any currency and unit, about, what is free, and a machine of the catalogue."""
    imported = table(
        tmp_path,
        "hardware,system,tax",
        "Cirrascale,4 V100,4,dedicated_month,~7.5e3,USD,month,Tesla "
        "V100,cirrascale-4xv100,excluded",
        "Google Colab,TPU,4,free,0,JPY,hour,tpu-v2,,",
        "Shop,XPU,1,owned,900,EUR,purchase,XPU9,,",
    )

    month, free, bought = imported.prices
    assert month.amount == 7500.0
    assert month.bound.value == "approx"
    assert month.decimals == -2
    assert month.system == "cirrascale-4xv100"
    assert month.hardware == "v100"
    assert (free.kind, free.amount, free.valid_from) == (PriceKind.FREE, 0.0, date(2026, 5, 20))
    assert bought.offer == "XPU (XPU9)"
    assert bought.hardware is None
    assert bought.price_id == "toy-shop-xpu-xpu9-owned-eur-purchase-20260520"
    assert imported.warnings[0].startswith(
        "mine.csv:4: hardware 'XPU9' is not in catalog/hardware.csv"
    )


@pytest.mark.parametrize(
    ("columns", "row", "message"),
    [
        (
            "tax",
            "C,o,4,on_demand,0,USD,hour,",
            "mine.csv:2: amount: found '0', wanted an amount above 0",
        ),
        ("tax", "C,o,4,on_demand,1..2,USD,hour,", "wanted one amount, not a range"),
        ("tax", "C,o,4,on_demand,-3,USD,hour,", "amount -3.0"),
        ("tax", "C,o,4,on_demand,3,dollars,hour,", "currency 'dollars'"),
        ("tax", "C,o,4,rented,3,USD,hour,", "kind: found 'rented', wanted one of on_demand"),
        ("tax", "C,o,4,on_demand,3,USD,day,", "per: found 'day', wanted one of second"),
        ("tax", "C,o,0,on_demand,3,USD,hour,", "accelerators: found '0', wanted 1 or more"),
        ("tax", "C,,4,on_demand,3,USD,hour,", "offer: found nothing"),
        (
            "tax",
            "C,o,4,on_demand,3,USD,hour,perhaps",
            "tax: found 'perhaps', wanted one of included, excluded",
        ),
        ("includes", "C,o,4,on_demand,3,USD,hour,lunch", "'lunch', wanted one of accelerator"),
        (
            "system",
            "C,o,4,on_demand,3,USD,hour,cirrascale",
            "system: found 'cirrascale', wanted an id that is listed, or nothing; did you mean",
        ),
        ("tax", "C,o,4,on_demand,3,USD,hour", "found 7 cells, wanted 8"),
        ("valid_from", "C,o,4,on_demand,3,USD,hour,soon", "valid_from: found 'soon', wanted a day"),
    ],
)
def test_a_field_of_a_plain_table_that_cannot_be_is_refused(
    tmp_path: Path, columns: str, row: str, message: str
) -> None:
    """Its row alone."""
    imported = table(tmp_path, columns, row, "C,good,1,on_demand,3,USD,hour,")

    assert [each.offer for each in imported.prices] == ["good"]
    assert message in imported.left_out[0].text


def test_a_table_of_unknown_columns_is_refused_whole(tmp_path: Path) -> None:
    """With what was meant."""
    with pytest.raises(SourceError, match="unknown column 'regoin'; did you mean 'region'"):
        table(tmp_path, "regoin", "C,o,4,on_demand,3,USD,hour,x")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {},
            "wanted --source my-prices, --licence CC-BY-4.0 .*--credit 'Who made it', --day "
            "2026-08-19",
        ),
        ({**SAID, "day": "yesterday"}, "--day: found 'yesterday', wanted a day such as 2026-08-19"),
        ({**SAID, "source": "My list"}, "an id is lower-case"),
        ({**SAID, "source": "imported"}, "this one is a folder of recorded runs"),
        ({**SAID, "credit": "a@example.org"}, "no mail address"),
        ({**SAID, "licence": "CC BY 4.0"}, "wanted an SPDX id"),
        ({**SAID, "url": "example.org"}, "an address that begins with https://"),
    ],
)
def test_what_a_file_cannot_say_must_be_said(
    tmp_path: Path, said: Mapping[str, str], message: str
) -> None:
    """All that is missing at once, and nothing that cannot be."""
    with pytest.raises(SourceError, match=message):
        found(tmp_path, f"{SKYPILOT}\nm,,,T4,1,T4,r,z,1.0,\n", said=said)


def test_who_sells_stands_in_the_path_or_is_said(tmp_path: Path) -> None:
    """A folder of an unknown name says nothing, and is not named."""
    text = f"{SKYPILOT}\nm,,,T4,1,T4,r,z,1.0,\n"

    with pytest.raises(SourceError, match=r"^vms.csv: .*wanted --provider"):
        found(tmp_path, text, "mine/vms.csv")
    (price,) = found(tmp_path, text, "mine/vms.csv", {**SAID, "provider": "My Cloud"}).prices
    assert (price.provider, price.locator) == ("My Cloud", "file 'vms.csv', line 2")


def test_a_folder_holds_files_of_one_layout(tmp_path: Path) -> None:
    """Since what is said holds for all of them; other files are passed over."""
    for name in ("gcp", "aws"):
        found(tmp_path, f"{SKYPILOT}\nm,,,T4,1,T4,r,z,1.0,\n", f"{name}/vms.csv")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")

    assert [part.name for part in prices.parts(tmp_path, SAID)] == ["aws/vms.csv", "gcp/vms.csv"]
    with pytest.raises(SourceError, match="found 2 files for --provider AWS, wanted one"):
        list(prices.parts(tmp_path, {**SAID, "provider": "AWS"}))
    (tmp_path / "tpu.json").write_text(TPUS.format("1.2", "0.6"), encoding="utf-8")
    with pytest.raises(SourceError, match="found SkyPilot, TPU list, wanted one of them at a time"):
        list(prices.parts(tmp_path, SAID))
    with pytest.raises(SourceError, match="found no prices, wanted one of: SkyPilot, GPU-hunt"):
        list(prices.parts(tmp_path / "notes.txt", SAID))


CELL = st.sampled_from(
    [
        "",
        "T4",
        "tpu-v2-8",
        "0",
        "0.00",
        "1",
        "2",
        "0.35",
        "1e999",
        "nan",
        "-1",
        "700",
        "r",
        "{'Gpus': [{}]}",
        "東京",
    ]
)


@given(rows=st.lists(st.lists(CELL, min_size=9, max_size=11), max_size=6))
@settings(max_examples=tried(60))
def test_no_row_makes_a_price_of_0_or_two_of_one_id(tmp_path: Path, rows: list[list[str]]) -> None:
    """Whatever stands in it, each row is taken or named."""
    imported = skypilot(tmp_path, *(",".join(row) for row in rows))

    assert all(each.amount > 0 for each in imported.prices)
    assert max(Counter(each.price_id for each in imported.prices).values(), default=1) == 1
    named = {int(each.text.split(":")[1]) for each in imported.left_out}
    taken = {int(each.locator.rpartition(" ")[2]) for each in imported.prices}
    full = [line for line, row in enumerate(rows, 2) if any(row)]
    merged = len(full) - len(named | taken)
    assert set(full) >= named | taken
    assert merged == 0 or taken


def of_folder(path: Path, said: Mapping[str, str]) -> list[Imported]:
    """All that a folder holds."""
    return [prices.read(part) for part in prices.parts(path, said)]


def test_real_catalogues_are_taken_whole_but_for_what_is_no_price(external: Path) -> None:
    """Each line of Google's and Lambda's is an offer or refused; 700 stands for none."""
    gcp, lamb = of_folder(external / "gpu-prices" / "skypilot-format", SAID)

    assert Counter(reasons(gcp)) == {"same price for fewer and more chips": 72}
    assert all("found 700.0 for tpu-v6e-" in each.text for each in gcp.left_out)
    assert Counter(reasons(lamb)) == {"no accelerator": 34}
    assert min(each.amount for each in (*gcp.prices, *lamb.prices)) > 0.05
    assert {each.hardware is None for each in (*gcp.prices, *lamb.prices)} == {False}
    assert {each.note for each in lamb.prices} == {None}
    assert {note for each in gcp.prices for note in each.notes} == {"host-apart", "host-not-stated"}
    slices = {
        each.offer: each
        for each in gcp.prices
        if each.region == "us-central1" and each.kind is PriceKind.ON_DEMAND
    }
    assert (slices["tpu-v2-8"].amount, slices["tpu-v2-8"].accelerators) == (4.5, 4)
    assert (slices["tpu-v2-512"].amount, slices["tpu-v2-512"].accelerators) == (384.0, 256)


def test_the_real_list_of_tpu_prices_agrees_with_slices(external: Path) -> None:
    """Four chips of the list cost what a v2-8 of the catalogue does, in the same region."""
    (listed,) = of_folder(external / "gpu-prices" / "gpuhunt", {"day": "2026-08-19"})
    gcp, _ = of_folder(external / "gpu-prices" / "skypilot-format", SAID)
    (chip,) = (
        each
        for each in listed.prices
        if (each.offer, each.region, each.kind.value)
        == ("TPU v2 device", "asia-east1", "on_demand")
    )
    (whole,) = (
        each
        for each in gcp.prices
        if (each.offer, each.region, each.kind.value) == ("tpu-v2-8", "asia-east1", "on_demand")
    )

    assert (len(listed.prices), listed.left_out) == (42, ())
    assert chip.amount * whole.accelerators == pytest.approx(whole.amount)


def test_the_real_index_has_days_without_figures(external: Path) -> None:
    """They are named and make no price."""
    (index,) = of_folder(
        external / "gpu-prices" / "gpu-rental-prices",
        {name: text for name, text in SAID.items() if name != "day"},
    )

    assert set(reasons(index)) == {"no price"}
    assert len({each.valid_from for each in index.prices}) + len(index.left_out) == 170
