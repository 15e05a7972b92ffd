"""Every table that the four articles print stands in its report, all rows, right to the digit, in
four languages.

`expected/articles` has the tables as the articles print them, transcribed a second time by others
than those who wrote `runs/sources`.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.site_src.pages.report import hands
from tests.site_src.pages.report.hands import HANDS, Kind
from tests.site_src.pages.report.report_tables import page

EXPECTED = Path(__file__).parents[2] / "expected" / "articles"
STATUSES = {"OOM": "oom", "not_reported": "not_reported"}


@dataclass(frozen=True)
class Place:
    """A table of a page by its id or the key of its caption; each printed column has its column
    there and how it is shown.
    """

    table: str
    columns: Mapping[str, tuple[int, Kind]]


def from_left(first: int = 0, **kinds: Kind) -> dict[str, tuple[int, Kind]]:
    """Columns that the page has in the printed order, beginning with its `first`."""
    return {column: (at, kind) for at, (column, kind) in enumerate(kinds.items(), first)}


EPOCHS = from_left(
    batch=hands.number,
    first_epoch=hands.seconds,
    median_epoch=hands.seconds,
    total=hands.text,
    accuracy=hands.percent,
)
AGAINST = from_left(
    batch=hands.number,
    time_1=hands.text,
    accuracy_1=hands.percent,
    time_2=hands.text,
    accuracy_2=hands.percent,
)
PLACES: Mapping[str, Place] = {
    "catalyst-cost/results": Place(
        "table-results",
        from_left(
            platform=hands.text,
            gpu=hands.text,
            gpus=hands.number,
            model=hands.text,
            auc=hands.number,
            seconds=hands.number,
            cent_per_s=hands.number,
            euro=hands.euro,
        ),
    ),
    "catalyst-cost/web-interfaces": Place(
        "web-interfaces", from_left(service=hands.text, rating=hands.word, remark=hands.word)
    ),
    "catalyst-cost/software-supplied": Place(
        "software-supplied",
        from_left(service=hands.text, rating=hands.word, preinstalled=hands.word, docker=hands.word)
        | {"ssh": (5, hands.word), "data_access": (4, hands.word), "instructions": (6, hands.word)},
    ),
    "catalyst-cost/free-sessions": Place(
        "free-sessions",
        from_left(
            service=hands.text, fee=hands.word, shortest=hands.quantity, longest=hands.quantity
        ),
    ),
    "rtx2080ti-colab-tpu/networks": Place(
        "networks",
        from_left(
            1,
            resolution=hands.sides,
            channels=hands.counted,
            kernel=hands.counted,
            repeat=hands.counted,
        ),
    ),
    "rtx2080ti-colab-tpu/one-gpu-cnn10": Place("table-one-gpu-cnn10", EPOCHS),
    "rtx2080ti-colab-tpu/one-gpu-wrn": Place("table-one-gpu-wrn", EPOCHS),
    "rtx2080ti-colab-tpu/two-gpu-cnn10": Place("table-two-gpus-cnn10", EPOCHS),
    "rtx2080ti-colab-tpu/two-gpu-wrn": Place("table-two-gpus-wrn", EPOCHS),
    "rtx2080ti-colab-tpu/tpu-cnn10": Place("table-tpu-cnn10", EPOCHS),
    "rtx2080ti-colab-tpu/tpu-wrn": Place("table-tpu-wrn", EPOCHS),
    "rtx2080ti-colab-tpu/one-against-two-cnn10": Place(
        "table-one-two-gpus", from_left(batch=hands.number, one_gpu=hands.text, two_gpus=hands.text)
    ),
    "rtx2080ti-colab-tpu/two-gpu-against-tpu-cnn10": Place("table-two-gpus-tpu-cnn10", AGAINST),
    "rtx2080ti-colab-tpu/one-gpu-against-tpu-wrn": Place("table-one-gpu-tpu-wrn", AGAINST),
    "t4-v100-mlperf/specifications": Place(
        "table-specifications",
        {
            "quantity": (0, hands.row_word),
            "v100-pcie": (1, hands.specification),
            "t4": (2, hands.specification),
        },
    ),
    "t4-v100-mlperf/benchmarks": Place(
        "table-benchmarks",
        from_left(
            3, data=hands.within, size=hands.quantity, model=hands.within, framework=hands.text
        ),
    ),
    "t4-v100-mlperf/configuration": Place(
        "table-configuration",
        from_left(
            item=hands.row_word, name=hands.text, quantity=hands.specification, clock=hands.quantity
        ),
    ),
    "t4-v100-mlperf/ratios": Place(
        "table-ratios", {"benchmark": (0, hands.name), "low high": (1, hands.span)}
    ),
    "t4-v100-mlperf/epochs": Place(
        "table-epochs-by-cards",
        from_left(benchmark=hands.name, gpu=hands.name)
        | {str(n): (n + 1, hands.number) for n in (1, 2, 3, 4)},
    ),
    # printed as one table, shown where each figure is judged: offers, throughput for money, audit
    "tpuv2-v100/price": Place(
        "", from_left(price=hands.dollars_an_hour, throughput=hands.number, per_price=hands.counted)
    ),
}
SOURCES = tuple(dict.fromkeys(copy.partition("/")[0] for copy in PLACES))
OFFERS = {
    "price-gcp-cloud-tpu-v2-8-on-demand-2018": "tpuv2-v100-per-price-tpu",
    "price-aws-p3.8xlarge-on-demand-2018": "tpuv2-v100-per-price-v100",
    "price-aws-p3.8xlarge-reserved-12m-2018": "tpuv2-v100-per-price-v100-reserved",
}
"""Rows of the offers, and of the audit, that make up the columns of the table that the first
article prints.
"""

UNPRINTED = {"rtx2080ti-colab-tpu/two-gpu-wrn": ["512", "1024", "2048"]}
"""Batch sizes of which an article speaks, and whose rows its table does not have."""


@cache
def copied(copy: str) -> tuple[dict[str, str], ...]:
    """The expected copy of a table, and the rows that say that there is none."""
    with (EXPECTED / f"{copy}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rest = list(rows[0])[1:]
    return *rows, *(
        {"batch": batch} | dict.fromkeys(rest, "not_reported") for batch in UNPRINTED.get(copy, ())
    )


@pytest.fixture(
    scope="module", params=[(code, source) for code in HANDS for source in SOURCES], ids="-".join
)
def shown(request: pytest.FixtureRequest) -> tuple[str, dict[str, list[list[str]]]]:
    """A language, and what a report in it shows of the tables that its article prints, row by
    row.
    """
    code, source = request.param
    tables, rows = page(code, source)
    found = {}
    for copy, place in PLACES.items():
        if copy == "tpuv2-v100/price" == f"{source}/price":
            throughputs = [row[4] for row in tables["tpuv2-v100-value"]]
            # a further offer has no place in the printed table
            each = zip(OFFERS.items(), throughputs, strict=False)
            found[copy] = [
                [rows[offer][2], throughput, rows[claim][1]] for (offer, claim), throughput in each
            ]
        elif copy.startswith(f"{source}/"):
            found[copy] = tables[
                place.table
                if place.table.startswith("table-")
                else str(hands.strings(code)[f"table.{place.table}"])
            ]
    return code, found


def faults(code: str, copy: str, rows: list[list[str]]) -> list[str]:
    """What a table shows otherwise than its article prints it."""
    hand, wanted = HANDS[code], copied(copy)
    found = [] if len(rows) == len(wanted) else [f"{copy}: {len(rows)} rows, wanted {len(wanted)}"]
    for at, (row, printed) in enumerate(zip(rows, wanted, strict=False), 1):
        for column, (place, kind) in PLACES[copy].columns.items():
            value = " ".join(printed[part] for part in column.split(" "))
            pattern = (
                re.escape(str(hand.words[f"status.{STATUSES[value]}"]))
                if value in STATUSES
                else kind(hand, value)
            )
            if not re.fullmatch(pattern, row[place]):
                found.append(
                    f"{copy}: row {at}, {column}: {row[place]!r} is not {value!r}, wanted "
                    f"{pattern!r}"
                )
    return found


def test_tables_are_shown_as_their_article_prints_them(
    shown: tuple[str, dict[str, list[list[str]]]],
) -> None:
    """All rows in their order, each cell with the printed digits in the language's form."""
    code, tables = shown

    assert tables
    assert not [fault for copy, rows in tables.items() for fault in faults(code, copy, rows)]


def test_no_change_of_a_table_goes_unseen(shown: tuple[str, dict[str, list[list[str]]]]) -> None:
    """A digit more, less or other in any cell, a cell that says something else, and a row lost or
    doubled are each found.
    """
    code, tables = shown
    for copy, rows in tables.items():
        columns = {place for place, _ in PLACES[copy].columns.values()}
        for at, row in enumerate(rows):
            assert faults(code, copy, rows[:at] + rows[at + 1 :])
            assert faults(code, copy, [*rows[: at + 1], *rows[at:]])
            for place in columns:
                for planted in _other(row[place]):
                    changed = [*row[:place], planted, *row[place + 1 :]]
                    assert faults(code, copy, [*rows[:at], changed, *rows[at + 1 :]]), (
                        f"{copy}: {row[place]!r} became {planted!r}"
                    )


def _other(cell: str) -> list[str]:
    """A cell with each of its digits changed, lost and doubled in turn, and one that says something
    else.
    """
    places = [match.start() for match in re.finditer(r"\d", cell)]
    changed = [cell[:at] + str((int(cell[at]) + 1) % 10) + cell[at + 1 :] for at in places]
    lost = [cell[:at] + cell[at + 1 :] for at in places]
    doubled = [cell[:at] + cell[at] + cell[at:] for at in places]
    return [*changed, *lost, *doubled, "", "–" if cell != "–" else "0", f"{cell}0"]


def test_every_copy_is_compared() -> None:
    """No table is written down in `expected/articles` and then forgotten."""
    assert {
        path.relative_to(EXPECTED).with_suffix("").as_posix() for path in EXPECTED.rglob("*.csv")
    } == set(PLACES)
